package io.sluicemq.crash;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.LongString;
import com.rabbitmq.client.MessageProperties;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What queues, exchanges and messages are and do after a restart. All of them are made in one broker, which then is
 * killed or stopped in order; each test looks at one of them in the broker that comes after.
 */
@ParameterizedClass(name = "stopped in order: {0}")
@ValueSource(booleans = {false, true})
class RestartFeaturesTest {

    private static final BasicProperties PERSISTENT = MessageProperties.MINIMAL_PERSISTENT_BASIC;
    private static final long CONFIRM_MILLIS = 20_000;
    private static final int SHORT_TTL_MILLIS = 3_000;
    private static final int LONGER_TTL_MILLIS = 7_000;
    private static final int LEASE_MILLIS = 4_000;
    private static final int DAY_MILLIS = 86_400_000;

    private static final BasicProperties ALL_PROPERTIES = new BasicProperties.Builder()
            .contentType("text/plain")
            .contentEncoding("utf-8")
            .headers(Map.of("number", 7, "text", "käse", "list", List.of(1, 2L, true), "table", Map.of("x", -1)))
            .deliveryMode(2)
            .priority(3)
            .correlationId("correlation")
            .replyTo("reply")
            .messageId("id")
            .timestamp(new Date(1_700_000_000_000L))
            .type("type")
            .userId("guest")
            .appId("app")
            .build();

    @TempDir
    static Path temp;

    private static BrokerProcess broker;
    /** Times of the system's clock, in milliseconds since 1970. */
    private static long publishedMillis;
    private static long startMillis;
    private static long readyMillis;

    @Parameter
    boolean inOrder;

    private Connection connection;
    private Channel channel;

    @BeforeParameterizedClassInvocation
    static void restart(boolean inOrder) throws Exception {
        String[] options = {"--data", temp.resolve("data-" + inOrder).toString()};
        Path log = temp.resolve("broker-" + inOrder + ".log");
        try (BrokerProcess first = BrokerProcess.start(log, options)) {
            Connection connection = Client.connect(first.port());
            Channel channel = connection.createChannel();
            channel.confirmSelect();
            declareAndPublish(channel);
            channel.waitForConfirmsOrDie(CONFIRM_MILLIS);
            publishedMillis = System.currentTimeMillis();
            use(connection);
            if (inOrder) {
                assertThat(first.stop()).isZero();
            } else {
                first.kill();
            }
            connection.abort();
        }
        await().until(() -> System.currentTimeMillis() > publishedMillis + SHORT_TTL_MILLIS);
        startMillis = System.currentTimeMillis();
        broker = BrokerProcess.start(log, options);
        readyMillis = System.currentTimeMillis();
    }

    @AfterParameterizedClassInvocation
    static void end() {
        broker.close();
    }

    @BeforeEach
    void connect() throws Exception {
        connection = Client.connect(broker.port());
        channel = connection.createChannel();
    }

    @AfterEach
    void disconnect() {
        connection.abort();
    }

    private static void declare(Channel channel, String queue, Map<String, Object> arguments) throws IOException {
        channel.queueDeclare(queue, true, false, false, arguments);
    }

    private static Map<String, Object> deadLettersTo(String queue, Map<String, Object> others) {
        Map<String, Object> arguments = new HashMap<>(others);
        arguments.put("x-dead-letter-exchange", "");
        arguments.put("x-dead-letter-routing-key", queue);
        return arguments;
    }

    private static void declareAndPublish(Channel channel) throws Exception {
        for (String queue : List.of("dead-short", "dead-each", "dead-longer", "dead-rejected", "delivered", "large",
                "properties", "by-topic", "by-header", "unrouted", "beyond")) {
            declare(channel, queue, Map.of());
        }
        declare(channel, "short", deadLettersTo("dead-short", Map.of("x-message-ttl", SHORT_TTL_MILLIS)));
        declare(channel, "each", deadLettersTo("dead-each", Map.of()));
        declare(channel, "longer", deadLettersTo("dead-longer", Map.of("x-message-ttl", LONGER_TTL_MILLIS)));
        declare(channel, "day", Map.of("x-message-ttl", DAY_MILLIS));
        declare(channel, "rejected", deadLettersTo("dead-rejected", Map.of()));
        declare(channel, "priorities", Map.of("x-max-priority", 5));
        declare(channel, "single", Map.of("x-single-active-consumer", true));
        declare(channel, "limited", Map.of("x-max-length", 3));
        declare(channel, "full", Map.of("x-max-length", 2, "x-overflow", "reject-publish"));
        declare(channel, "leased", Map.of("x-expires", LEASE_MILLIS));

        channel.exchangeDeclare("topic", BuiltinExchangeType.TOPIC, true, false, Map.of("alternate-exchange", "lost"));
        channel.exchangeDeclare("lost", BuiltinExchangeType.FANOUT, true);
        channel.exchangeDeclare("headers", BuiltinExchangeType.HEADERS, true);
        channel.exchangeDeclare("behind", BuiltinExchangeType.FANOUT, true);
        channel.queueBind("by-topic", "topic", "a.*.c");
        channel.queueBind("unrouted", "lost", "");
        channel.queueBind("by-header", "headers", "", Map.of("x-match", "all", "colour", "red", "size", 4));
        channel.exchangeBind("behind", "topic", "e.#");
        channel.queueBind("beyond", "behind", "");

        for (int i = 0; i < 3; i++) {
            Messages.publishText(channel, "", "short", PERSISTENT, "short " + i);
            Messages.publishText(channel, "", "longer", PERSISTENT, "longer " + i);
            Messages.publishText(channel, "", "day", PERSISTENT, "day " + i);
            Messages.publishText(channel, "", "each",
                    PERSISTENT.builder().expiration(Integer.toString(SHORT_TTL_MILLIS)).build(), "each " + i);
        }
        for (int i = 0; i < 6; i++) {
            Messages.publishText(channel, "", "priorities", PERSISTENT.builder().priority(i % 3).build(),
                    i % 3 + "-" + i / 3);
            Messages.publishText(channel, "", "delivered", PERSISTENT, "message " + i);
            Messages.publishText(channel, "", "limited", PERSISTENT, "limited " + i);
        }
        Messages.publishText(channel, "", "full", PERSISTENT, "full 0");
        Messages.publishText(channel, "", "full", PERSISTENT, "full 1");
        Messages.publishText(channel, "", "rejected", PERSISTENT, "rejected");
        Messages.publishText(channel, "", "single", PERSISTENT, "for one");
        Messages.publishText(channel, "", "properties", ALL_PROPERTIES, "text");
        channel.basicPublish("", "large", PERSISTENT, new byte[0]);
        channel.basicPublish("", "large", PERSISTENT, Body.of(1, 5_000_000));
    }

    /** Has three of six messages delivered and not acked, and one rejected. */
    private static void use(Connection connection) throws Exception {
        Channel using = connection.createChannel();
        for (int i = 0; i < 3; i++) {
            assertThat(using.basicGet("delivered", false)).isNotNull();
        }
        using.basicReject(using.basicGet("rejected", false).getEnvelope().getDeliveryTag(), false);
        await().until(() -> using.messageCount("dead-rejected") == 1);
        // A reject has no answer, but what is committed later on the way to the same queue has one.
        using.txSelect();
        using.basicPublish("", "dead-rejected", PERSISTENT, new byte[0]);
        using.txCommit();
    }

    @Test
    void shouldCountTheTimeInWhichThereWasNoBroker() throws Exception {
        for (String kind : List.of("short", "each")) {
            await().atMost(30, SECONDS).until(() -> channel.messageCount("dead-" + kind) == 3);
            for (int i = 0; i < 3; i++) {
                GetResponse got = channel.basicGet("dead-" + kind, true);
                assertThat(got.getBody()).asString().isEqualTo(kind + " " + i);
                assertThat(timeOfDeath(got)).as("it died at once").isLessThan(readyMillis + SHORT_TTL_MILLIS / 2);
            }
            assertThat(channel.messageCount(kind)).isZero();
        }
    }

    @Test
    void shouldLetMessagesDieWhenTheirTimeIsOver() throws Exception {
        await().atMost(30, SECONDS).until(() -> channel.messageCount("dead-longer") == 3);

        // Had their time begun anew with the broker, they would have lived for some seconds more. (A death's time is in
        // whole seconds.)
        assertThat(timeOfDeath(channel.basicGet("dead-longer", true)))
                .isBetween(publishedMillis + LONGER_TTL_MILLIS - 1_500,
                        Math.max(publishedMillis + LONGER_TTL_MILLIS, readyMillis) + 2_000);
    }

    private static long timeOfDeath(GetResponse got) {
        List<?> deaths = (List<?>) got.getProps().getHeaders().get("x-death");
        Map<?, ?> death = (Map<?, ?>) deaths.getFirst();
        assertThat(death.get("reason")).hasToString("expired");
        return ((Date) death.get("time")).getTime();
    }

    @Test
    void shouldKeepMessagesWhoseTimeIsNotOver() throws Exception {
        assertThat(Messages.texts(channel, "day")).containsExactly("day 0", "day 1", "day 2");
    }

    @Test
    void shouldKeepPriorities() throws Exception {
        channel.confirmSelect();
        Messages.publishText(channel, "", "priorities", PERSISTENT.builder().priority(1).build(), "1-2");
        channel.waitForConfirmsOrDie(CONFIRM_MILLIS);

        assertThat(Messages.texts(channel, "priorities")).containsExactly("2-0", "2-1", "1-0", "1-1", "1-2", "0-0",
                "0-1");
    }

    @Test
    void shouldKeepWhatQueuesWereDeclaredWith() throws Exception {
        declare(channel, "single", Map.of("x-single-active-consumer", true));
        for (String queue : List.of("priorities", "single", "limited", "short", "rejected")) {
            Channel other = connection.createChannel();
            assertThatThrownBy(() -> declare(other, queue, Map.of()))
                    .cause()
                    .hasMessageContaining("PRECONDITION_FAILED");
        }
    }

    @Test
    void shouldKeepToASingleActiveConsumer() throws Exception {
        Channel later = connection.createChannel();
        Inbox first = new Inbox(channel);
        Inbox second = new Inbox(later);
        channel.basicConsume("single", false, first);
        later.basicConsume("single", false, second);

        assertThat(first.next(10_000)).isNotNull();
        Messages.publishText(later, "", "single", PERSISTENT, "for the same");
        assertThat(first.next(10_000)).isNotNull();
        assertThat(second.next(0)).isNull();

        channel.close();
        assertThat(second.next(10_000)).isNotNull().satisfies(delivery -> assertThat(delivery.redelivered()).isTrue());
    }

    @Test
    void shouldMarkWhatWasDeliveredBefore() throws Exception {
        for (int i = 0; i < 6; i++) {
            GetResponse got = channel.basicGet("delivered", true);
            assertThat(got.getBody()).asString().isEqualTo("message " + i);
            if (i < 3) {
                assertThat(got.getEnvelope().isRedeliver()).as("message %s is a redelivery", i).isTrue();
            }
        }
        assertThat(channel.basicGet("delivered", true)).isNull();
    }

    @Test
    void shouldKeepTheStoryOfADeath() throws Exception {
        GetResponse got = channel.basicGet("dead-rejected", true);

        assertThat(got.getBody()).asString().isEqualTo("rejected");
        assertThat(got.getProps().getHeaders().get("x-death")).asInstanceOf(InstanceOfAssertFactories.list(Map.class))
                .singleElement()
                .satisfies(death -> {
                    assertThat(death.get("reason")).hasToString("rejected");
                    assertThat(death.get("queue")).hasToString("rejected");
                    assertThat(death.get("count")).isEqualTo(1L);
                });
        assertThat(channel.messageCount("rejected")).isZero();
    }

    @Test
    void shouldKeepLimits() throws Exception {
        channel.confirmSelect();
        Messages.publishText(channel, "", "limited", PERSISTENT, "limited 6");
        channel.waitForConfirmsOrDie(CONFIRM_MILLIS);
        assertThat(Messages.texts(channel, "limited")).containsExactly("limited 4", "limited 5", "limited 6");

        Messages.publishText(channel, "", "full", PERSISTENT, "one more");
        assertThat(channel.waitForConfirms(CONFIRM_MILLIS)).as("whether a full queue takes a message").isFalse();
        assertThat(Messages.texts(channel, "full")).containsExactly("full 0", "full 1");
    }

    /** The lease of a queue begins anew: without a broker nobody could have used it. */
    @Test
    void shouldLetAnUnusedQueueExpire() {
        await().atMost(LEASE_MILLIS + 10_000, MILLISECONDS)
                .pollInterval(100, MILLISECONDS)
                .until(() -> !isThereForAnother());
        assertThat(System.currentTimeMillis()).as("the lease begins anew with the broker")
                .isGreaterThanOrEqualTo(startMillis + LEASE_MILLIS);
    }

    /** Asked in a way that is no use of the queue, as a declaration would be. */
    private boolean isThereForAnother() throws Exception {
        try (Channel other = connection.createChannel()) {
            AtomicBoolean returned = new AtomicBoolean();
            other.addReturnListener(message -> returned.set(true));
            other.confirmSelect();
            other.basicPublish("", "leased", true, PERSISTENT, new byte[0]);
            other.waitForConfirmsOrDie(CONFIRM_MILLIS);
            return !returned.get();
        }
    }

    @Test
    void shouldKeepRoutes() throws Exception {
        channel.confirmSelect();
        Messages.publishText(channel, "topic", "a.b.c", PERSISTENT, "topic");
        Messages.publishText(channel, "topic", "a.b", PERSISTENT, "alternate");
        Messages.publishText(channel, "topic", "e.f", PERSISTENT, "through another exchange");
        Messages.publishText(channel, "headers", "",
                PERSISTENT.builder().headers(Map.of("colour", "red", "size", 4)).build(), "headers");
        Messages.publishText(channel, "headers", "", PERSISTENT.builder().headers(Map.of("colour", "red")).build(),
                "too few");
        channel.waitForConfirmsOrDie(CONFIRM_MILLIS);

        assertThat(Messages.texts(channel, "by-topic")).containsExactly("topic");
        assertThat(Messages.texts(channel, "unrouted")).containsExactly("alternate");
        assertThat(Messages.texts(channel, "beyond")).containsExactly("through another exchange");
        assertThat(Messages.texts(channel, "by-header")).containsExactly("headers");
    }

    @Test
    void shouldKeepWhatComesWithAMessage() throws Exception {
        BasicProperties kept = channel.basicGet("properties", true).getProps();

        assertThat(plain(kept.getHeaders())).isEqualTo(plain(ALL_PROPERTIES.getHeaders()));
        assertThat(kept.builder().headers(null).build().toString())
                .isEqualTo(ALL_PROPERTIES.builder().headers(null).build().toString());
    }

    private static Object plain(Object value) {
        return switch (value) {
            case LongString text -> text.toString();
            case List<?> list -> list.stream().map(RestartFeaturesTest::plain).toList();
            case Map<?, ?> map -> {
                Map<Object, Object> plain = new HashMap<>();
                map.forEach((key, each) -> plain.put(key, plain(each)));
                yield plain;
            }
            default -> value;
        };
    }

    @Test
    void shouldKeepBodiesOfAnySize() throws Exception {
        List<Integer> sizes = new ArrayList<>();
        for (GetResponse got = channel.basicGet("large", true); got != null; got = channel.basicGet("large", true)) {
            sizes.add(got.getBody().length);
            if (got.getBody().length > 0) {
                assertThat(Body.read(got.getBody())).isEqualTo(1);
            }
        }
        assertThat(sizes).containsExactly(0, 5_000_000);
    }
}
