package io.sluicemq.interop.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** RabbitMQ's access control, by its client: each operation without and with the permissions that it needs. */
class RabbitPermissionsTest {

    @TempDir
    private static Path folder;

    private static SecuredBroker broker;
    private static Connection boss;

    private Connection ann;
    private Channel channel;

    /** What is done on a channel of ann's. */
    @FunctionalInterface
    interface Operation {
        void run(Channel channel) throws Exception;
    }

    @BeforeAll
    static void start() throws Exception {
        broker = new SecuredBroker(folder);
        boss = broker.rabbit(SecuredBroker.BOSS);
        try (Channel setup = boss.createChannel()) {
            setup.queueDeclare("q", true, false, false, null);
            setup.exchangeDeclare("x", "fanout", true);
            setup.exchangeDeclare("y", "fanout", true);
        }
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @BeforeEach
    void connect() throws Exception {
        broker.grant("", "", "");
        ann = broker.rabbit(SecuredBroker.ANN);
        channel = ann.createChannel();
    }

    @AfterEach
    void disconnect() {
        ann.abort();
    }

    /** Name, what is done, the permissions that it needs, and those without one of them, with what is told then. */
    static Stream<Arguments> operations() {
        Map<String, Object> dead = Map.of("x-dead-letter-exchange", "y");
        return Stream.of(
                operation("queue.declare", c -> c.queueDeclare("new", false, false, true, null), "new", "", "",
                        "configure access to queue 'new'"),
                operation("queue.declare of one that is there", c -> c.queueDeclare("q", true, false, false, null), "q",
                        "",
                        "", "configure access to queue 'q'"),
                operation("queue.declare with dead letters, without read",
                        c -> c.queueDeclare("dead", false, false, true, dead), "dead", "y", "dead",
                        "read access to queue 'dead'", "dead", "y", ""),
                operation("queue.declare with dead letters, without write",
                        c -> c.queueDeclare("dead", false, false, true, dead), "dead", "y", "dead",
                        "write access to exchange 'y'", "dead", "", "dead"),
                operation("queue.delete", c -> c.queueDelete("gone"), "gone", "", "",
                        "configure access to queue 'gone'"),
                operation("exchange.declare", c -> c.exchangeDeclare("new", "fanout", false, true, null), "new", "", "",
                        "configure access to exchange 'new'"),
                operation("exchange.declare with an alternate, without write",
                        c -> c.exchangeDeclare("alt", "fanout", false, true, Map.of("alternate-exchange", "y")), "alt",
                        "y",
                        "alt", "write access to exchange 'y'", "alt", "", "alt"),
                operation("exchange.declare with an alternate, without read",
                        c -> c.exchangeDeclare("alt", "fanout", false, true, Map.of("alternate-exchange", "y")), "alt",
                        "y",
                        "alt", "read access to exchange 'alt'", "alt", "y", ""),
                operation("exchange.delete", c -> c.exchangeDelete("gone"), "gone", "", "",
                        "configure access to exchange 'gone'"),
                operation("queue.bind without write", c -> c.queueBind("q", "x", "k"), "", "q", "x",
                        "write access to queue 'q'", "", "", "x"),
                operation("queue.bind without read", c -> c.queueBind("q", "x", "k"), "", "q", "x",
                        "read access to exchange 'x'", "", "q", ""),
                operation("queue.unbind without read", c -> c.queueUnbind("q", "x", "k"), "", "q", "x",
                        "read access to exchange 'x'", "", "q", ""),
                operation("exchange.bind without write", c -> c.exchangeBind("y", "x", "k"), "", "y", "x",
                        "write access to exchange 'y'", "", "", "x"),
                operation("exchange.unbind without read", c -> c.exchangeUnbind("y", "x", "k"), "", "y", "x",
                        "read access to exchange 'x'", "", "y", ""),
                operation("basic.consume", c -> c.basicConsume("q", true, (tag, message) -> {}, tag -> {}), "", "", "q",
                        "read access to queue 'q'"),
                operation("basic.get", c -> c.basicGet("q", true), "", "", "q", "read access to queue 'q'"),
                operation("queue.purge", c -> c.queuePurge("q"), "", "", "q", "read access to queue 'q'"),
                operation("basic.publish to an exchange", c -> publish(c, "x", ""), "", "x", "",
                        "write access to exchange 'x'"),
                operation("basic.publish to a queue", c -> publish(c, "", "q"), "", "q", "",
                        "write access to queue 'q'"),
                operation("basic.publish to a topic", c -> publish(c, "amq.topic", "stocks.us"), "", "stocks.#", "",
                        "write access to exchange 'amq.topic'"),
                operation("basic.publish with CC", c -> publish(c, "", "q", "other"), "", "q other", "",
                        "write access to queue 'other'", "", "q", ""));
    }

    private static Arguments operation(
            String name, Operation operation, String configure, String write, String read, String refusal,
            String... less) {
        return Arguments.of(name, operation, List.of(configure, write, read), refusal,
                less.length == 0 ? List.of("", "", "") : List.of(less));
    }

    private static void publish(Channel channel, String exchange, String key, String... copies) throws Exception {
        channel.confirmSelect();
        var properties = new AMQP.BasicProperties.Builder();
        if (copies.length > 0) {
            properties.headers(Map.of("CC", List.of(copies)));
        }
        channel.basicPublish(exchange, key, properties.build(), new byte[1]);
        channel.waitForConfirmsOrDie(10_000);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("operations")
    void shouldRefuseWithoutThePermissionAndDoItWithIt(
            String name, Operation operation, List<String> enough, String refusal, List<String> less) throws Exception {
        broker.grant(less.get(0), less.get(1), less.get(2));
        Throwable failure = catchThrowable(() -> operation.run(channel));
        assertThat(refusalOf(failure)).isEqualTo(403);
        assertThat(textOf(failure)).isEqualTo("ACCESS_REFUSED - " + refusal + " in vhost '/' refused for user 'ann'");
        assertThat(channel.isOpen()).isFalse();
        assertThat(ann.isOpen()).isTrue();

        broker.grant(enough.get(0), enough.get(1), enough.get(2));
        Channel allowed = ann.createChannel();
        operation.run(allowed);
        assertThat(allowed.isOpen()).isTrue();
    }

    private static AMQP.Channel.Close close(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof ShutdownSignalException signal
                    && signal.getReason() instanceof AMQP.Channel.Close close) {
                return close;
            }
        }
        throw new AssertionError("no channel.close", failure);
    }

    private static int refusalOf(Throwable failure) {
        return close(failure).getReplyCode();
    }

    private static String textOf(Throwable failure) {
        return close(failure).getReplyText();
    }

    @Test
    void shouldLetAnybodyLookWhetherSomethingIsThere() throws Exception {
        channel.queueDeclarePassive("q");
        channel.exchangeDeclarePassive("x");
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void shouldServeRequestsAndRepliesWithLittleMoreThanThat() throws Exception {
        broker.grant("", "q", "");
        try (Channel server = boss.createChannel()) {
            server.queuePurge("q");
            server.basicConsume("q", true, (tag, request) -> server.basicPublish(
                    "", request.getProperties().getReplyTo(), null, "answer".getBytes()), tag -> {});
            BlockingQueue<String> answers = new LinkedBlockingQueue<>();
            channel.basicConsume("amq.rabbitmq.reply-to", true, (tag, reply) -> answers.add("direct"), tag -> {});
            String own = channel.queueDeclare().getQueue();
            channel.basicConsume(own, true, (tag, reply) -> answers.add("queue"), tag -> {});
            channel.basicPublish(
                    "", "q", new AMQP.BasicProperties.Builder().replyTo("amq.rabbitmq.reply-to").build(), new byte[0]);
            assertThat(answers.poll(10, TimeUnit.SECONDS)).isEqualTo("direct");
            channel.basicPublish("", "q", new AMQP.BasicProperties.Builder().replyTo(own).build(), new byte[0]);
            assertThat(answers.poll(10, TimeUnit.SECONDS)).isEqualTo("queue");
        }
    }

    @Test
    void shouldCancelAConsumerWhoMayNotReadAnyMore() throws Exception {
        broker.grant("", "", "q");
        BlockingQueue<String> cancelled = new LinkedBlockingQueue<>();
        channel.basicConsume("q", true, (tag, message) -> {}, cancelled::add);
        broker.grant("", "", "");
        assertThat(cancelled.poll(1, TimeUnit.SECONDS)).isNotNull();
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void shouldRefuseToPublishAsSoonAsThatIsTaken() throws Exception {
        broker.grant("", "q", "");
        publish(channel, "", "q");
        broker.grant("", "", "");
        assertThat(refusalOf(catchThrowable(() -> publish(channel, "", "q")))).isEqualTo(403);
    }

    @Test
    void shouldCloseConnectionsOfAUserWhoMayNotBeThereAnyMore() throws Exception {
        broker.users().revoke(SecuredBroker.ANN, "/", "the test");
        Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> !ann.isOpen());
        assertThat(ann.getCloseReason().getMessage()).contains("access to vhost '/' refused for user 'ann'");
    }

    // ---- who may come in at all

    @Test
    void shouldRefuseAWrongPasswordAndAnUnknownUserAlike() {
        for (String[] login : new String[][] {
            {SecuredBroker.ANN, "wrong"}, {"nobody", SecuredBroker.PASSWORD}, {"guest", "guest"}
        }) {
            assertThatThrownBy(() -> broker.rabbit(login[0], login[1]).newConnection())
                    .isInstanceOf(AuthenticationFailureException.class)
                    .hasMessageContaining("ACCESS_REFUSED - Login was refused using authentication mechanism PLAIN");
        }
    }

    @Test
    void shouldRefuseAVirtualHostThatTheUserMayNotEnterOrThatIsNotThere() {
        for (String host : List.of("other", "nowhere")) {
            var factory = broker.rabbit(SecuredBroker.ANN, SecuredBroker.PASSWORD);
            factory.setVirtualHost(host);
            assertThatThrownBy(factory::newConnection).isInstanceOf(IOException.class)
                    .hasStackTraceContaining("reply-code=530").hasStackTraceContaining(host);
        }
    }
}
