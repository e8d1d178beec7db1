package io.sluicemq.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.LongString;
import com.rabbitmq.client.SaslMechanism;
import com.rabbitmq.client.impl.LongStringHelper;
import io.sluicemq.server.config.LimitsSection;
import io.sluicemq.server.config.ServerOptions;
import io.sluicemq.testkit.LogCapture;
import io.sluicemq.transport.ListenerCounters;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SluiceMQTest {

    @TempDir
    Path folder;

    @Test
    void shouldServeAClient() throws Exception {
        try (SluiceMQ broker = SluiceMQ.builder().port(0).start();
                Connection connection = connect(broker.amqpUri())) {
            roundTrip(connection, "hello");

            assertThat(broker.amqpUri()).isEqualTo("amqp://127.0.0.1:" + broker.amqpPort());
            assertThat(broker.port("amqp")).isEqualTo(broker.amqpPort());
            assertThat(broker.data()).isEmpty();
            assertThat(broker.counters().connections()).isEqualTo(1);
            assertThat(broker.counters().published()).isEqualTo(1);
            assertThat(broker.listenerCounters()).containsOnlyKeys("amqp");
            assertThat(broker.listenerCounters().get("amqp").open()).isEqualTo(1);
            assertThat(broker.listenerCounters().get("amqp").unauthenticated()).isZero();
            assertThat(broker.failedTasks()).isZero();
        }
    }

    @Test
    void shouldRunSeveralInOneProcessThatShareNothing() throws Exception {
        try (SluiceMQ one = SluiceMQ.builder().port(0).data(folder.resolve("one")).loops(1).start();
                SluiceMQ two = SluiceMQ.builder().port(0).data(folder.resolve("two")).loops(2).start();
                Connection toTwo = connect(two.amqpUri())) {
            roundTrip(connect(one.amqpUri()), "one");
            roundTrip(toTwo, "two");
            one.stop();
            roundTrip(toTwo, "two again");

            assertThat(two.counters().published()).isEqualTo(2);
        }
    }

    @Test
    void shouldLetOnlyItsUsersIn() throws Exception {
        try (SluiceMQ broker = SluiceMQ.builder()
                .port(0)
                .virtualHosts("/", "orders & more")
                .user("ann", "p@ss/word")
                .user("shop", "secret", Set.of("orders & more"))
                .start()) {
            connect(broker.amqpUri("ann", "p@ss/word", "orders & more")).close();
            connect(broker.amqpUri("shop", "secret", "orders & more")).close();

            assertThatThrownBy(() -> connect(broker.amqpUri())).isInstanceOf(AuthenticationFailureException.class);
            assertThatThrownBy(() -> connect(broker.amqpUri("ann", "wrong", "/")))
                    .isInstanceOf(AuthenticationFailureException.class);
            assertThatThrownBy(() -> connect(broker.amqpUri("shop", "secret", "/"))).isInstanceOf(IOException.class);
        }
    }

    @Test
    void shouldKeepToItsLimits() throws Exception {
        try (SluiceMQ broker = SluiceMQ.builder()
                .port(0)
                .limit(LimitsSection.MAX_CONNECTIONS, 1)
                .limit(LimitsSection.CHANNEL_MAX, 3)
                .limit(LimitsSection.FRAME_MAX, 8192L)
                .limit(LimitsSection.HEARTBEAT, Duration.ofSeconds(7))
                .limit(LimitsSection.MAX_MESSAGE_SIZE, 1000L)
                .start();
                Connection connection = connect(broker.amqpUri())) {
            assertThat(connection.getChannelMax()).isEqualTo(3);
            assertThat(connection.getFrameMax()).isEqualTo(8192);
            assertThat(connection.getHeartbeat()).isEqualTo(7);
            assertThatThrownBy(() -> connect(broker.amqpUri())).isInstanceOf(IOException.class);

            Channel channel = connection.createChannel();
            CompletableFuture<String> closed = new CompletableFuture<>();
            channel.addShutdownListener(cause -> closed.complete(cause.getMessage()));
            channel.basicPublish("", "nowhere", null, new byte[1001]);
            assertThat(closed.get(10, TimeUnit.SECONDS)).contains("reply-code=406");
        }
    }

    @Test
    void shouldCloseAPeerThatDoesNotSpeakInTime() throws Exception {
        try (SluiceMQ broker = SluiceMQ.builder()
                .port(0)
                .limit(LimitsSection.HANDSHAKE_TIME_LIMIT, Duration.ofMillis(200))
                .start();
                Socket silent = new Socket(InetAddress.getLoopbackAddress(), broker.amqpPort())) {
            silent.setSoTimeout(10_000);

            assertThat(silent.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void shouldListenAtSeveralAddresses() throws Exception {
        Path file = Files.writeString(folder.resolve("broker.yaml"), """
                listeners:
                  first: {host: 0.0.0.0, port: 0}
                  second: {port: 0}
                """);

        try (SluiceMQ broker = SluiceMQ.builder().config(file).start()) {
            assertThat(broker.amqpUri()).isEqualTo("amqp://127.0.0.1:" + broker.port("first"));
            assertThat(broker.port("second")).isNotEqualTo(broker.amqpPort());
            connect("amqp://127.0.0.1:" + broker.port("second")).close();
            connect(broker.amqpUri()).close();
            assertThat(broker.listenerCounters().values())
                    .extracting(ListenerCounters::accepted)
                    .containsExactly(1L, 1L);
            assertThatThrownBy(() -> broker.port("third"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("there is no listener third, only first, second");
        }
    }

    @Test
    void shouldSayThatThePortIsInUseAndGiveTheFolderUp() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            SluiceMQBuilder builder = SluiceMQ.builder().port(other.getLocalPort()).data(folder);

            assertThatThrownBy(builder::start)
                    .isInstanceOf(StartFailure.class)
                    .hasMessageStartingWith("cannot listen on 127.0.0.1:" + other.getLocalPort() + ": ")
                    .hasMessageEndingWith("Address already in use (--port or listeners.amqp.port takes another)");

            builder.port(0).start().stop();
        }
    }

    @Test
    void shouldSayThatTheHostIsUnknown() {
        assertThatThrownBy(() -> SluiceMQ.builder().port(0).host("no-such-host.invalid").start())
                .isInstanceOf(StartFailure.class)
                .hasMessage("cannot listen on no-such-host.invalid:0: the host name is unknown");
    }

    @Test
    void shouldSayThatTheDataFolderIsInUse() {
        try (SluiceMQ broker = SluiceMQ.builder().port(0).data(folder).start()) {
            assertThat(broker.data()).contains(folder);
            assertThatThrownBy(() -> SluiceMQ.builder().port(0).data(folder).start())
                    .isInstanceOf(StartFailure.class)
                    .hasMessage("data folder " + folder + " is in use by this process ("
                            + ProcessHandle.current().pid() + ") already (--data names another)");
        }
        SluiceMQ.builder().port(0).data(folder).start().stop();
    }

    @Test
    void shouldSayWhichOptionsAreWrongInOneLine() {
        SluiceMQBuilder builder = SluiceMQ.builder()
                .port(-1)
                .loops(0)
                .user("", "x")
                .limit(LimitsSection.FRAME_MAX, 1L)
                .user("ann", null);

        assertThatThrownBy(builder::start)
                .isInstanceOf(StartFailure.class)
                .hasMessage("the builder: port is '-1': expected a whole number from 0 to 65535;"
                        + " the builder: loops is '0': expected a whole number from 1 to 1024;"
                        + " the builder: a user's name is '': expected a name of 1 to 255 bytes without control characters;"
                        + " the builder: frame-max is '1': expected a size such as 64KiB, 10MiB or a plain number of bytes,"
                        + " from 4KiB to 16MiB;"
                        + " the builder: the password of ann is not valid: expected a password of at least one character, none of them NUL");
    }

    @Test
    void shouldWarnOnceThatNobodyCanLogInFromTheNetwork() {
        try (LogCapture log = new LogCapture()) {
            SluiceMQ.builder().port(0).host("0.0.0.0").start().stop();
            assertThat(log.messages(Level.WARN))
                    .containsExactly("others can connect from the network, but nobody can log in from there: guest may"
                            + " from this machine only, and no users are configured");
        }
        try (LogCapture log = new LogCapture()) {
            SluiceMQ.builder().port(0).start().stop();
            SluiceMQ.builder().port(0).host("0.0.0.0").user("ann", "secret").start().stop();
            assertThat(log.messages(Level.WARN)).isEmpty();
        }
    }

    @Test
    void shouldRefuseAUserWhoIsThereAlready() throws Exception {
        Path file = Files.writeString(folder.resolve("broker.yaml"), "users: [{name: ann, password: one}]");

        assertThatThrownBy(() -> SluiceMQ.builder().config(file).user("ann", "two").start())
                .isInstanceOf(StartFailure.class)
                .hasMessage("the builder: there are two users named 'ann'");
    }

    @Test
    void shouldLetAnybodyInWithoutANameIfThatIsAllowed() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setSaslConfig(mechanisms -> List.of(mechanisms).contains("ANONYMOUS") ? new Anonymous() : null);

        try (SluiceMQ broker = SluiceMQ.builder().port(0).anonymousLogin(true).start()) {
            factory.setPort(broker.amqpPort());
            factory.newConnection().close();
        }
        try (SluiceMQ broker = SluiceMQ.builder().port(0).start()) {
            factory.setPort(broker.amqpPort());
            assertThatThrownBy(factory::newConnection).isInstanceOf(IOException.class);
        }
    }

    private static final class Anonymous implements SaslMechanism {
        @Override
        public String getName() {
            return "ANONYMOUS";
        }

        @Override
        public LongString handleChallenge(LongString challenge, String username, String password) {
            return LongStringHelper.asLongString("");
        }
    }

    @Test
    void shouldRefuseALimitThatIsNone() {
        assertThatThrownBy(() -> SluiceMQ.builder().limit(ServerOptions.LOOPS, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("loops is no limit");
    }

    @Test
    void shouldSayGoodbyeAndFreeThePortWhenItStops() throws Exception {
        SluiceMQ broker = SluiceMQ.builder().port(0).start();
        int port = broker.amqpPort();
        CompletableFuture<String> goodbye = new CompletableFuture<>();
        connect(broker.amqpUri()).addShutdownListener(cause -> goodbye.complete(cause.getMessage()));

        broker.stop();
        broker.stop();

        assertThat(goodbye.get(10, TimeUnit.SECONDS)).contains("reply-code=320").contains("the broker is stopping");
        assertThatThrownBy(broker::counters)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the broker has been stopped");
        SluiceMQ.builder().port(port).start().stop();
    }

    @Test
    void shouldLeaveNoThreadBehind() throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();

        try (SluiceMQ broker = SluiceMQ.builder().port(0).start();
                Connection connection = connect(broker.amqpUri())) {
            roundTrip(connection, "x");
        }

        Set<Thread> after = Thread.getAllStackTraces().keySet();
        assertThat(after)
                .filteredOn(thread -> thread.getName().startsWith("sluicemq") && thread.isAlive())
                .isSubsetOf(before);
    }

    private static Connection connect(String uri) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(uri);
        factory.setAutomaticRecoveryEnabled(false);
        return factory.newConnection();
    }

    private static void roundTrip(Connection connection, String body) throws Exception {
        try (Channel channel = connection.createChannel()) {
            String queue = channel.queueDeclare().getQueue();
            channel.confirmSelect();
            channel.basicPublish("", queue, null, body.getBytes(StandardCharsets.UTF_8));
            channel.waitForConfirmsOrDie(10_000);
            assertThat(channel.basicGet(queue, true).getBody()).asString(StandardCharsets.UTF_8).isEqualTo(body);
            channel.queueDelete(queue);
        }
    }
}
