package io.sluicemq.crash;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.LongString;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A data folder that a broker has written in format 1 is read by every later one, whole: what {@link GoldenFolder} has put into
 * it. Each test looks at queues of its own.
 */
class GoldenFolderTest {

    private static final String ARCHIVE = "folder-1.zip";

    @TempDir
    static Path temp;

    private static BrokerProcess broker;

    private Connection connection;
    private Channel channel;

    @BeforeAll
    static void start() throws Exception {
        Path data = temp.resolve("data");
        GoldenFolder.unpack(ARCHIVE, data);
        Path config = Files.writeString(temp.resolve("broker.yaml"), GoldenFolder.CONFIG);
        broker = BrokerProcess.start(temp.resolve("broker.log"), "--data", data.toString(), "--config",
                config.toString());
    }

    @AfterAll
    static void end() throws Exception {
        try (BrokerProcess ending = broker) {
            assertThat(ending.stop()).isZero();
        }
        assertThat(BrokerProcess.lines(temp.resolve("broker.log")))
                .anyMatch(line -> line.contains("has 21 queues with "))
                .noneMatch(line -> line.contains(" ERROR ") || line.contains(" WARN "));
    }

    @BeforeEach
    void connect() throws Exception {
        connection = GoldenFolder.connect(broker.port(), "/");
        channel = connection.createChannel();
    }

    @AfterEach
    void disconnect() {
        connection.abort();
    }

    private List<String> texts(String queue) throws Exception {
        return Messages.texts(channel, queue);
    }

    @Test
    void shouldFindItWhole() throws Exception {
        Path copy = temp.resolve("copy");
        GoldenFolder.unpack(ARCHIVE, copy);
        Path told = temp.resolve("verify.txt");
        Process verify = new ProcessBuilder(BrokerProcess.command("log", "verify", copy.toString()))
                .redirectErrorStream(true)
                .redirectOutput(told.toFile())
                .start();
        assertThat(verify.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(verify.exitValue()).as("what it told: %s", Files.readString(told)).isZero();
    }

    @Test
    void shouldHaveQueuesWithTheirArguments() throws Exception {
        GoldenFolder.declareQueues(channel);
        for (String queue : List.of("aged", "leased", "limited", "bytes", "priorities", "single", "quorum", "later")) {
            Channel other = connection.createChannel();
            assertThatThrownBy(() -> other.queueDeclare(queue, true, false, false, Map.of()))
                    .cause()
                    .hasMessageContaining("PRECONDITION_FAILED");
        }
        Channel other = connection.createChannel();
        assertThatThrownBy(() -> other.queueDeclarePassive("deleted")).cause().hasMessageContaining("NOT_FOUND");
    }

    @Test
    void shouldHaveExchangesOfAllTypesAndTheirBindings() throws Exception {
        GoldenFolder.declareExchanges(channel);
        assertThatThrownBy(() -> {
            Channel other = connection.createChannel();
            other.basicPublish("lost", "", null, new byte[0]);
            other.queueDeclarePassive("plain");
        }).cause().hasMessageContaining("ACCESS_REFUSED");
        assertThat(texts("by-topic")).isEmpty();
        assertThat(texts("unrouted")).containsExactly("fanout", "t2");
        channel.confirmSelect();
        BasicProperties red = GoldenFolder.PERSISTENT.builder().headers(Map.of("colour", "red", "size", 4)).build();
        channel.basicPublish("topic", "a.b.c", GoldenFolder.PERSISTENT, GoldenFolder.text("topic"));
        channel.basicPublish("topic", "a.b", GoldenFolder.PERSISTENT, GoldenFolder.text("alternate"));
        channel.basicPublish("headers", "", red, GoldenFolder.text("headers"));
        channel.basicPublish("headers", "", GoldenFolder.PERSISTENT, GoldenFolder.text("too few"));
        channel.basicPublish("direct", "key", GoldenFolder.PERSISTENT, GoldenFolder.text("unbound"));
        channel.waitForConfirmsOrDie(30_000);
        assertThat(texts("by-topic")).containsExactly("topic");
        assertThat(texts("unrouted")).containsExactly("alternate");
        assertThat(texts("by-header")).containsExactly("headers");
    }

    @Test
    void shouldHaveMessagesOfOneAndOfSeveralQueues() throws Exception {
        await().atMost(30, SECONDS).until(() -> channel.messageCount("plain") == 3);
        assertThat(texts("plain")).containsExactly("direct", "fanout", "t2");
        assertThat(texts("copies")).containsExactly("fanout", "t2", "last");
    }

    @Test
    void shouldHaveMessagesOfAllSizes() throws Exception {
        for (int bytes : new int[] {0, 1, 300_000, GoldenFolder.LONG_BYTES}) {
            assertThat(channel.basicGet("sizes", true).getBody()).isEqualTo(GoldenFolder.longBody(bytes));
        }
        assertThat(channel.basicGet("sizes", true)).isNull();
    }

    @Test
    void shouldHavePropertiesAndHeaders() throws Exception {
        BasicProperties kept = channel.basicGet("properties", true).getProps();
        BasicProperties expected = GoldenFolder.ALL_PROPERTIES;
        assertThat(plain(kept.getHeaders())).isEqualTo(plain(expected.getHeaders()));
        assertThat(kept.builder().headers(null).build().toString())
                .isEqualTo(expected.builder().headers(null).build().toString());
    }

    private static Object plain(Object value) {
        return switch (value) {
            case LongString text -> text.toString();
            case List<?> list -> list.stream().map(GoldenFolderTest::plain).toList();
            case Map<?, ?> map -> {
                Map<Object, Object> plain = new HashMap<>();
                map.forEach((key, each) -> plain.put(key, plain(each)));
                yield plain;
            }
            default -> value;
        };
    }

    @Test
    void shouldKeepPrioritiesAndLimits() throws Exception {
        assertThat(texts("priorities")).containsExactly("p1", "p3", "p0", "p2");
        assertThat(texts("limited")).containsExactly("l0", "l1", "l2");
        assertThat(texts("bytes")).containsExactly("b2xx", "b3xx");
        assertThat(texts("later")).containsExactly("later");
        assertThat(texts("single")).containsExactly("for one");
        assertThat(texts("lazy")).isEmpty();
        assertThat(texts("leased")).isEmpty();
    }

    @Test
    void shouldKnowWhatWasSettledAndWhatWasDelivered() throws Exception {
        assertThat(texts("settled")).containsExactly("s2", "s3");
        for (int i = 0; i < 4; i++) {
            GetResponse got = channel.basicGet("delivered", true);
            assertThat(got.getBody()).isEqualTo(GoldenFolder.text("d" + i));
            if (i < 2) {
                assertThat(got.getEnvelope().isRedeliver()).as("d%s is a redelivery", i).isTrue();
            }
        }
    }

    @Test
    void shouldHaveTransactionsWholeOrNotAtAll() throws Exception {
        assertThat(texts("transactions")).containsExactly("t1");
    }

    /** One died before the checkpoint, one expires at the latest now. */
    @Test
    void shouldHaveTheStoriesOfDeadLetters() throws Exception {
        await().atMost(30, SECONDS).until(() -> channel.messageCount("graves") == 2);
        shouldHaveDied(channel.basicGet("graves", true), "buried", "quorum", "delivery_limit");
        shouldHaveDied(channel.basicGet("graves", true), "aged", "aged", "expired");
        assertThat(texts("aged")).isEmpty();
        assertThat(texts("quorum")).isEmpty();
    }

    private static void shouldHaveDied(GetResponse letter, String text, String queue, String reason) {
        assertThat(letter.getBody()).isEqualTo(GoldenFolder.text(text));
        Map<?, ?> death = (Map<?, ?>) ((List<?>) letter.getProps().getHeaders().get("x-death")).getFirst();
        assertThat(death.get("queue")).hasToString(queue);
        assertThat(death.get("reason")).hasToString(reason);
        assertThat(death.get("count")).isEqualTo(1L);
    }

    @Test
    void shouldKeepVirtualHostsApart() throws Exception {
        Connection shop = GoldenFolder.connect(broker.port(), "shop");
        try {
            Channel other = shop.createChannel();
            other.confirmSelect();
            other.basicPublish("topic", "order.last", GoldenFolder.PERSISTENT, GoldenFolder.text("milk"));
            other.waitForConfirmsOrDie(30_000);
            assertThat(Messages.texts(other, "orders")).containsExactly("tea", "coffee", "milk");
        } finally {
            shop.abort();
        }
    }
}
