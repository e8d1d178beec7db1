package io.sluicemq.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.impl.NetworkConnection;
import io.sluicemq.api.operate.Event;
import io.sluicemq.server.SluiceMQ;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The commands that ask a broker over HTTP, as people give them, and what they see. */
class BrokerCommandsTest {

    /** What a terminal would obey: it is to be seen, and not to happen. */
    private static final String ODD = "o/d %d \u001b[31m\u202e";

    private static final String ODD_SHOWN = "o/d %d \\u001b[31m\\u202e";

    private static final int ABORT_MILLIS = 1_000;

    @TempDir
    Path folder;

    private SluiceMQ broker;
    private Shell shell;

    @BeforeEach
    void start() throws Exception {
        Path config = Files.writeString(folder.resolve("broker.yaml"), """
                loops: 1
                virtual-hosts: ["/", "other"]
                address-settings:
                  - match: narrow
                    max-messages: 2
                    address-full-policy: block
                    consumer: {message-count: 1, policy: {name: notify}}
                users:
                  - {name: guest, password: guest, role: administrator}
                  - {name: ann, password: espresso, virtual-hosts: [other], role: administrator}
                  - {name: moni, password: espresso, role: monitor}
                  - name: eve
                    password: espresso
                    role: operator
                    permissions: [{virtual-host: /, configure: [mine], write: [mine], read: [mine]}]
                """);
        broker = SluiceMQ.builder()
                .config(config).port(0).httpPort(0).data(folder.resolve("d"))
                .start();
        shell = Shell.of(broker);
    }

    @AfterEach
    void stop() {
        broker.stop();
    }

    private Connection connect() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(broker.amqpPort());
        factory.setAutomaticRecoveryEnabled(false);
        return factory.newConnection();
    }

    // ---- look

    @Test
    void shouldListQueuesInColumns() {
        shell.done("declare", "queue", "orders");
        shell.done("send", "orders", "espresso");

        List<String> lines = shell.done("get", "queues").lines();

        assertThat(lines.getFirst().split(" {2,}")).containsExactly(
                "NAME", "STATE", "READY", "UNACKED", "BYTES", "CONSUMERS", "WAITING", "IN/S", "OUT/S", "OLDEST");
        assertThat(lines.get(1)).matches("orders +running +1 +0 +\\d+ B +0 +0 .*");
        assertThat(lines).hasSize(2);
        assertThat(shell.done("get", "queue", "orders", "-o", "wide").lines().getFirst())
                .contains("POLICY", "MAX BYTES", "ARGUMENTS");
        assertThat(shell.done("get", "q", "orders", "-o", "json").json().path("messages_ready").asInt()).isOne();
        assertThat(shell.done("get", "queues", "-o", "json").json().get(0).path("name").asString())
                .isEqualTo("orders");
        assertThat(shell.done("get", "queue", "orders", "-o", "yaml").out())
                .contains("name: orders\n").contains("messages_ready: 1\n");
    }

    @ParameterizedTest
    @CsvSource({
        "queues, NAME", "exchanges, NAME", "bindings, SOURCE", "connections, NAME", "channels, NAME",
        "consumers, QUEUE", "addresses, ADDRESS", "vhosts, NAME", "users, NAME", "events, TIME"
    })
    void shouldListEachKindForPeopleAndForPrograms(String kind, String heading) throws Exception {
        shell.done("declare", "queue", "narrow");
        try (Connection connection = connect()) {
            Channel channel = connection.createChannel();
            channel.basicConsume("narrow", new com.rabbitmq.client.DefaultConsumer(channel));

            List<String> lines = shell.done("get", kind, "-o", "wide").lines();
            JsonNode json = shell.done("get", kind, "-o", "json").json();

            assertThat(lines.getFirst()).startsWith(heading);
            assertThat(lines).hasSizeGreaterThan(1);
            assertThat(json.isArray()).isTrue();
            assertThat(json.get(0).isObject()).isTrue();
            assertThat(shell.done("get", kind, "-o", "yaml").out()).startsWith("- ");
        }
    }

    @Test
    void shouldFilterSortAndLimit() {
        for (String name : new String[] {"a.1", "a.2", "b.1"}) {
            shell.done("declare", "queue", name);
        }
        shell.done("send", "a.2", "x", "--count", "3");
        shell.done("send", "a.1", "x");

        assertThat(names(shell.done("get", "queues", "--filter", "A.", "-o", "json"))).containsExactly("a.1", "a.2");
        assertThat(names(shell.done("get", "queues", "--filter", "^.\\.1$", "--regex", "-o", "json")))
                .containsExactly("a.1", "b.1");
        Shell.Result longest =
                shell.done("get", "queues", "--sort", "depth", "--reverse", "--limit", "2", "-o", "json");
        assertThat(names(longest)).containsExactly("a.2", "a.1");
        assertThat(longest.err()).isEqualTo("2 of 3 queues are shown.\n");
        assertThat(names(shell.done("get", "vhosts", "--sort", "name", "--reverse", "-o", "json")))
                .containsExactly("other", "/");
        assertThat(names(shell.done("get", "vhosts", "--filter", "oth", "-o", "json"))).containsExactly("other");

        Shell.Result wrong = shell.run("get", "queues", "--sort", "size");
        assertThat(wrong.code()).isEqualTo(1);
        assertThat(wrong.err()).contains("sort is 'size': expected one of name, vhost,");
        assertThat(shell.run("get", "queues", "--sort", "dpeth").err()).endsWith("; did you mean depth?\n");
        assertThat(shell.run("get", "events", "slow_consumers").err())
                .contains("there is no kind of event 'slow_consumers': expected one of connection_opened,")
                .endsWith(", did you mean slow_consumer?\n");
        String kinds = shell.run("get", "events", "teapots").err();
        for (Event.Kind kind : Event.Kind.values()) {
            assertThat(kinds).contains(kind.name().toLowerCase(Locale.ROOT));
        }
        assertThat(shell.run("get", "queues", "--reverse").code()).isEqualTo(2);
        assertThat(shell.run("get", "queues", "--limit", "0").code()).isEqualTo(2);
        assertThat(shell.run("get", "teapots").err()).contains("expected one of queues, exchanges,");
    }

    private static List<String> names(Shell.Result result) {
        return result.json().valueStream().map(each -> each.path("name").asString()).toList();
    }

    @Test
    void shouldListMoreThanOnePageHas() throws Exception {
        try (Connection connection = connect()) {
            Channel channel = connection.createChannel();
            for (int i = 0; i < 620; i++) {
                channel.queueDeclareNoWait(String.format("q%03d", i), false, false, false, null);
            }
            channel.queueDeclarePassive("q619");
        }

        List<String> all = names(shell.done("get", "queues", "-o", "json"));
        List<String> most = names(shell.done("get", "queues", "-o", "json", "--limit", "510"));

        assertThat(all).hasSize(620).doesNotHaveDuplicates().isSorted();
        assertThat(most).isEqualTo(all.subList(0, 510));
    }

    @Test
    void shouldKeepVirtualHostsApart() {
        shell.done("declare", "queue", "here");
        shell.done("declare", "queue", "there", "--vhost", "other");

        assertThat(names(shell.done("get", "queues", "-o", "json"))).containsExactly("here");
        assertThat(names(shell.done("get", "queues", "-o", "json", "--vhost", "other"))).containsExactly("there");
        assertThat(shell.done("get", "queues", "-A").lines()).hasSize(3).first().asString().startsWith("VHOST");
        Shell.Result none = shell.done("get", "consumers");
        assertThat(none.err()).isEqualTo("There are no consumers in virtual host /.\n");
        for (String[] wrong : new String[][] {{"get", "queues", "--vhost", "nix"}, {"status", "--vhost", "nix"}}) {
            Shell.Result nix = shell.run(wrong);
            assertThat(nix.code()).isEqualTo(1);
            assertThat(nix.err()).endsWith(": no vhost 'nix'\n");
        }
    }

    @Test
    void shouldDescribeAQueueWithThoseWhoWaitAndHowSlowItsConsumersAre() throws Exception {
        shell.done("declare", "queue", "narrow");
        Connection connection = connect();
        try {
            Channel consuming = connection.createChannel();
            consuming.basicQos(1);
            consuming.basicConsume("narrow", new com.rabbitmq.client.DefaultConsumer(consuming));
            Channel channel = connection.createChannel();
            for (int i = 0; i < 3; i++) {
                channel.basicPublish("", "narrow", null, new byte[10]);
            }
            await().until(() -> shell.done("get", "address", "narrow", "-o", "json")
                    .json().get(0).path("waiting").size() == 1);

            Shell.Result described = shell.done("describe", "queue", "narrow");

            assertThat(described.lines()).contains("Queue:              narrow", "Messages:", "Consumers:",
                    "Bindings that lead to it:", "As an address:",
                    "  queue narrow in virtual host /: 1 producer waits");
            assertThat(described.out())
                    .contains("has waited").contains("for max-messages 2").contains("message-count 2 of 1");
            JsonNode json = shell.done("describe", "queue", "narrow", "-o", "json").json();
            assertThat(json.path("queue").path("messages_unacknowledged").asInt()).isOne();
            JsonNode holder = json.path("address").get(0).path("queues").get(0);
            assertThat(holder.path("slow_consumer_rule").path("message_count").asInt()).isOne();
            assertThat(holder.path("slow_consumer_rule").path("message_age_ms").isNull()).isTrue();
            assertThat(holder.path("consumers").get(0).path("measure").path("messages").asInt()).isEqualTo(2);

            String port = "127.0.0.1:" + ((NetworkConnection) connection).getLocalPort();
            Shell.Result client = shell.done("describe", "connection", port);
            assertThat(client.lines()).contains("Channels:", "Consumers:", "What it waits for:");
            assertThat(client.out()).contains("room in 'narrow' (max-messages 2)");
            assertThat(shell.done("describe", "address", "narrow").out()).contains("1 producer waits");
            Shell.Result none = shell.run("describe", "connection", "127.0.0.1:1 ");
            assertThat(none.code()).isEqualTo(1);
            assertThat(none.err()).contains("no connection has '127.0.0.1:1 ' in its name");
        } finally {
            connection.abort(ABORT_MILLIS); // it waits for room, and would go on doing so
        }
    }

    @Test
    void shouldDescribeAnExchange() {
        shell.done("declare", "exchange", "events", "--type", "topic");
        shell.done("declare", "queue", "orders");
        shell.done("declare", "binding", "events", "orders", "--key", "orders.#");

        assertThat(shell.done("describe", "exchange", "events").lines())
                .contains("Type:               topic", "Bindings that lead away:")
                .anyMatch(line -> line.matches(" +events +queue +orders +orders\\.# +-"));
        assertThat(shell.done("describe", "exchange", "amq.default").out()).contains("amq.default");
        assertThat(shell.run("describe", "users", "guest").code()).isEqualTo(2);
    }

    @Test
    void shouldSayTheSameOverHttpAsByTheSocket() {
        shell.done("declare", "queue", "narrow");
        shell.done("send", "narrow", "x", "--count", "2");
        shell.done("pause", "narrow");
        String data = folder.resolve("d").toString();

        for (String[] subject : new String[][] {{}, {"narrow"}, {"none"}}) {
            String[] why = new String[1 + subject.length];
            why[0] = "why";
            System.arraycopy(subject, 0, why, 1, subject.length);
            String[] bySocket = java.util.Arrays.copyOf(why, why.length + 2);
            bySocket[why.length] = "--data";
            bySocket[why.length + 1] = data;
            assertThat(shell.done(why).out()).isEqualTo(Shell.plain(bySocket).out()).isNotEmpty();
        }
        assertThat(shell.done("why").out()).contains("queue narrow in virtual host /: nobody waits");
        assertThat(shell.done("why", "narrow").out()).contains("an operator has paused it");
        JsonNode json = shell.done("why", "-o", "json").json();
        JsonNode same = Shell.plain("why", "-o", "json", "--data", data).json();
        assertThat(json.path("addresses").get(0).path("limits").path("maxMessages"))
                .isEqualTo(same.path("addresses").get(0).path("limits").path("maxMessages"));
        assertThat(shell.run("why", "--data", data).code()).isEqualTo(2);
    }

    @Test
    void shouldShowWhatIsBusiest() throws Exception {
        shell.done("declare", "queue", "short");
        shell.done("declare", "queue", "long");
        shell.done("send", "long", "x", "--count", "3");

        List<String> lines = shell.done("top", "--once", "--by", "depth").lines();

        assertThat(lines.get(0)).contains("queues by depth", "2 queues");
        assertThat(lines.get(1)).contains("ready 3");
        assertThat(lines.get(2)).startsWith("QUEUE");
        assertThat(lines.get(3)).startsWith("long");
        assertThat(lines.get(4)).startsWith("short");
        assertThat(shell.done("top", "--once", "--limit", "1").lines()).hasSize(4);
        try (Connection connection = connect()) {
            connection.createChannel();
            List<String> connections =
                    shell.done("top", "connections", "--once", "--interval", "0.1", "--by", "out").lines();
            assertThat(connections).hasSize(4);
            assertThat(connections.get(3)).contains("guest", " B ");
        }
        Shell.Result repeated = shell.untilItPrints("top", "--interval", "0.1");
        assertThat(repeated.code()).isZero();
        assertThat(repeated.out()).doesNotContain("\u001b");
        assertThat(shell.run("top", "--by", "colour").code()).isEqualTo(2);
        assertThat(shell.run("top", "users").code()).isEqualTo(2);
    }

    @Test
    void shouldSayThatItIsWell() {
        Shell.Result status = shell.done("status");

        assertThat(status.lines().getFirst()).matches("SluiceMQ \\S+ at http://127\\.0\\.0\\.1:\\d+: well");
        assertThat(shell.done("status", "-o", "json").json().path("healthy").asBoolean()).isTrue();
        assertThat(shell.done("status", "--quiet").out()).isEmpty();
    }

    // ---- act

    @Test
    void shouldDeclareAndDelete() {
        shell.done("declare", "queue", "q", "--transient", "-a", "x-max-length=5", "-a", "x-overflow=reject-publish");
        JsonNode queue = shell.done("get", "queue", "q", "-o", "json").json();
        assertThat(queue.path("durable").asBoolean()).isFalse();
        assertThat(queue.path("arguments").path("x-max-length").asInt()).isEqualTo(5);
        assertThat(shell.done("declare", "queue", "r").err()).isEqualTo("queue r is made\n");
        assertThat(shell.done("declare", "queue", "r").err()).isEqualTo("queue r was there\n");
        assertThat(shell.run("declare", "exchange", "h", "--type", "topik").err())
                .endsWith("expected one of direct, fanout, topic, headers, did you mean topic?\n");
        Shell.Result other = shell.run("declare", "queue", "q");
        assertThat(other.code()).isEqualTo(1);
        assertThat(other.err()).startsWith("sluicemq declare queue: inequivalent arg 'durable'");

        shell.done("declare", "exchange", "h", "--type", "headers");
        shell.done("declare", "binding", "h", "q", "-a", "x-match=all", "-a", "cups=2");
        shell.done("declare", "binding", "h", "q", "-a", "x-match=all", "-a", "cups=3");
        shell.done("declare", "exchange", "f", "--type", "fanout", "--transient", "--auto-delete");
        shell.done("declare", "binding", "f", "h", "--to-exchange", "--key", "a/b ~%");
        assertThat(shell.run("delete", "binding", "h", "q").err()).contains("2 bindings have this key");
        shell.done("delete", "binding", "h", "q", "-a", "cups=3", "-a", "x-match=all");
        assertThat(shell.done("get", "bindings", "q", "-o", "json").json()).hasSize(2);
        shell.done("delete", "binding", "f", "h", "--to-exchange", "--key", "a/b ~%");
        assertThat(shell.run("delete", "binding", "f", "h", "--to-exchange", "--key", "a/b ~%").code()).isEqualTo(1);

        assertThat(shell.run("delete", "exchange", "h", "--if-unused").err()).contains("in use");
        shell.done("delete", "exchange", "h");
        shell.done("send", "q", "x");
        assertThat(shell.run("delete", "queue", "q", "--if-empty").err()).contains("not empty");
        shell.done("delete", "queue", "q", "--if-unused");
        Shell.Result gone = shell.run("delete", "queue", "q");
        assertThat(gone.code()).isEqualTo(1);
        assertThat(gone.err()).isEqualTo("sluicemq delete queue: no queue 'q' in vhost '/'\n");
        assertThat(gone.out()).isEmpty();
        assertThat(shell.run("declare").code()).isEqualTo(2);
    }

    @Test
    void shouldSendAndBrowseAndReceive() throws Exception {
        shell.done("declare", "queue", "q");
        assertThat(shell.done("send", "q", "espresso", "--persistent", "-p", "content_type=text/plain",
                "-p", "priority=3", "-H", "cups=2", "-H", "to=007").err()).isEqualTo("1 message stored\n");
        Path binary = Files.write(folder.resolve("binary"), new byte[] {(byte) 0xff, 0, 10});
        shell.done("send", "q", "--file", binary.toString());
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream("one\r\ntwo\n\nfour".getBytes(StandardCharsets.UTF_8)));
        try {
            assertThat(shell.done("send", "q", "--lines").err()).isEqualTo("4 messages stored\n");
        } finally {
            System.setIn(before);
        }

        List<String> table = shell.done("browse", "q").lines();
        assertThat(table).hasSize(7);
        assertThat(table.get(1)).endsWith("espresso");
        assertThat(table.get(2)).endsWith("(not text)");
        JsonNode first = shell.done("browse", "q", "-o", "json", "--count", "1").json().get(0);
        assertThat(first.path("properties").path("headers").path("cups").asInt()).isEqualTo(2);
        assertThat(first.path("properties").path("headers").path("to").asString()).isEqualTo("007");
        assertThat(first.path("properties").path("priority").asInt()).isEqualTo(3);
        assertThat(first.path("delivery_count").asInt()).isZero();
        assertThat(shell.done("browse", "q", "--body-size", "4", "--count", "1").out()).contains("espr\n");

        assertThat(shell.done("receive", "q", "--outcome", "requeue", "--count", "2").out())
                .startsWith("espresso\n");
        JsonNode received = shell.done("receive", "q", "-o", "json").json();
        assertThat(received.path("payload").asString()).isEqualTo("espresso");
        assertThat(received.path("redelivered").asBoolean()).isTrue();
        assertThat(received.path("properties").path("delivery_mode").asInt()).isEqualTo(2);
        assertThat(received.path("properties").path("headers").path("cups").asInt()).isEqualTo(2);
        assertThat(shell.done("receive", "q", "-o", "json").json().path("payload").asString()).isEqualTo("/wAK");
        assertThat(shell.done("receive", "q", "--count", "9").out()).isEqualTo("one\ntwo\n\nfour\n");
        Shell.Result nothing = shell.run("receive", "q");
        assertThat(nothing.code()).isEqualTo(1);
        assertThat(nothing.err()).isEqualTo("There are no messages to be had from q.\n");
        assertThat(shell.done("get", "queue", "q", "-o", "json").json().path("messages").asInt()).isZero();
    }

    @Test
    void shouldReceiveMoreThanHttpShows() throws Exception {
        shell.done("declare", "queue", "q");
        byte[] large = new byte[3 << 20];
        java.util.Arrays.fill(large, (byte) 'x');
        shell.done("send", "q", "--file", Files.write(folder.resolve("large"), large).toString());

        assertThat(shell.done("receive", "q").out()).hasSize(large.length + 1);
    }

    @Test
    void shouldFollowAQueueUntilItHasSeenEnough() {
        shell.done("declare", "queue", "q");
        shell.done("send", "q", "x", "--count", "3");

        assertThat(shell.done("receive", "q", "--follow", "--count", "2").out()).isEqualTo("x\nx\n");
        await().untilAsserted(() -> assertThat(
                shell.done("get", "queue", "q", "-o", "json").json().path("messages_ready").asInt()).isOne());
        assertThat(shell.run("receive", "q", "--follow", "--outcome", "requeue").code()).isEqualTo(2);
        assertThat(shell.run("receive", "none").err()).contains("no queue 'none'");
        Shell.Result nowhere = shell.run("receive", "q", "--amqp", "127.0.0.1:1");
        assertThat(nowhere.code()).isEqualTo(3);
        assertThat(nowhere.err()).contains("can't receive from 127.0.0.1:1");
        Shell.Result http = shell.run(
                "receive", "q", "--amqp", broker.httpUri().orElseThrow().replace("http://", "amqp://"));
        assertThat(http.code()).isEqualTo(3);
        assertThat(http.err()).contains("what answers there does not speak AMQP").doesNotContain("Exception");
        Shell.Result plain = shell.run("receive", "q", "--amqp", "amqps://127.0.0.1:" + broker.amqpPort());
        assertThat(plain.code()).isEqualTo(3);
        assertThat(plain.err()).contains("it doesn't speak TLS there").doesNotContain("Exception");
    }

    @Test
    void shouldSayThatAMessageHasReachedNoQueue() {
        Shell.Result lost = shell.run("send", "none", "x", "--count", "2");

        assertThat(lost.code()).isEqualTo(1);
        assertThat(lost.err())
                .isEqualTo("2 of 2 messages reached no queue: there is no queue 'none' in virtual host '/',"
                        + " which 'sluicemq declare queue none' makes\n");
        Shell.Result unrouted = shell.run("send", "none", "x", "--exchange", "amq.topic");
        assertThat(unrouted.err()).isEqualTo("1 of 1 message reached no queue\n");
        assertThat(shell.run("send", "q", "x", "-p", "colour=red").err()).contains("there is no property colour");
        assertThat(shell.run("send", "q", "x", "--file", "y").code()).isEqualTo(2);
        Shell.Result missing = shell.run("send", "q", "--file", folder.resolve("none").toString());
        assertThat(missing.code()).isEqualTo(1);
        assertThat(missing.err()).endsWith("the body can't be read: there is no file " + folder.resolve("none") + "\n");
        assertThat(shell.run("send", "k", "x", "--exchange", "none").err()).contains("no exchange 'none'");
    }

    @Test
    void shouldMoveAndRetryAndPurge() {
        shell.done("declare", "queue", "dead");
        shell.done("declare", "queue", "q", "-a", "x-dead-letter-exchange=", "-a", "x-dead-letter-routing-key=dead");
        shell.done("declare", "queue", "old");
        shell.done("send", "q", "x", "--count", "7");

        Shell.Result moved = shell.done("move", "q", "--to", "old", "--count", "5", "-o", "json");
        assertThat(moved.json().path("moved").asInt()).isEqualTo(5);
        assertThat(moved.err()).isEqualTo("5 messages moved, 2 left\n");
        assertThat(shell.done("move", "old", "--exchange", "amq.default", "--key", "q").out()).isEmpty();
        assertThat(shell.run("move", "q", "--to", "none").err()).contains("no queue 'none'");
        assertThat(shell.run("move", "q", "--exchange", "amq.topic", "--key", "k").code()).isEqualTo(1);
        assertThat(shell.run("move", "q").code()).isEqualTo(2);
        Shell.Result same = shell.run("move", "q", "--to", "q");
        assertThat(same.code()).isEqualTo(2);
        assertThat(same.err()).contains("the messages are in q already");

        shell.done("receive", "q", "--count", "3", "--outcome", "reject");
        await().until(
                () -> shell.done("get", "queue", "dead", "-o", "json").json().path("messages_ready").asInt() == 3);
        assertThat(shell.done("retry", "dead", "--count", "2").err()).isEqualTo("2 messages sent back, 1 left\n");
        assertThat(shell.done("get", "queue", "q", "-o", "json").json().path("messages_ready").asInt()).isEqualTo(6);

        assertThat(shell.done("purge", "q").err()).isEqualTo("queue q is purged; it had 6 ready messages\n");
        assertThat(shell.done("get", "queue", "q", "-o", "json").json().path("messages").asInt()).isZero();
        assertThat(shell.run("purge", "none").code()).isEqualTo(1);
    }

    @Test
    void shouldPauseAndResume() {
        shell.done("declare", "queue", "q");
        shell.done("send", "q", "x");

        shell.done("pause", "q");
        assertThat(shell.done("get", "queue", "q", "-o", "json").json().path("paused").asBoolean()).isTrue();
        Shell.Result held = shell.run("receive", "q");
        assertThat(held.code()).isEqualTo(1);
        assertThat(held.err()).isEqualTo("q is paused: 'sluicemq resume q' lets it deliver again\n");
        shell.done("resume", "q");
        assertThat(shell.done("get", "queue", "q", "-o", "json").json().path("paused").asBoolean()).isFalse();
    }

    @Test
    void shouldRaiseALimitAndLeaveTheOthers() {
        shell.done("declare", "queue", "narrow");

        shell.done("limit", "narrow", "max-messages=5", "hold-limit=10s");

        JsonNode limits = shell.done("get", "queue", "narrow", "-o", "json").json().path("limits");
        assertThat(limits.path("max_messages").asInt()).isEqualTo(5);
        assertThat(limits.path("policy").asString()).isEqualTo("block");
        Shell.Result wrong = shell.run("limit", "narrow", "max-massages=1");
        assertThat(wrong.code()).isEqualTo(1);
        assertThat(wrong.err()).contains("did you mean 'max-messages'?");
        assertThat(shell.run("limit", "narrow").code()).isEqualTo(2);
    }

    @Test
    void shouldCloseAConnectionWithAReason() throws Exception {
        Connection connection = connect();
        try (Connection other = connect()) {
            Shell.Result both = shell.run("close", "connection", "127.0.0.1:");
            assertThat(both.code()).isEqualTo(1);
            assertThat(both.err()).contains("2 connections have '127.0.0.1:' in their names");

            shell.done("close", "connection", "127.0.0.1:" + ((NetworkConnection) connection).getLocalPort() + " ",
                    "--reason", "moving house");

            await().until(() -> !connection.isOpen());
            assertThat(connection.getCloseReason().getMessage()).contains("moving house");
            assertThat(other.isOpen()).isTrue();
        }
    }

    @Test
    void shouldPrintNothingThatSteersATerminal() {
        shell.done("declare", "queue", ODD);
        shell.done("send", ODD, "\u001b[2J\u009b2J");

        assertThat(shell.done("get", "queues").out()).contains(ODD_SHOWN);
        for (String form : new String[] {"table", "wide", "json", "yaml"}) {
            assertThat(shell.done("get", "queues", "-o", form).out()).doesNotContain("\u001b", "\u202e");
            assertThat(shell.done("browse", ODD, "-o", form).out()).doesNotContain("\u001b", "\u009b", "\u202e");
        }
        assertThat(shell.done("get", "queue", ODD, "-o", "json").json().path("name").asString()).isEqualTo(ODD);
        assertThat(shell.done("describe", "queue", ODD).out()).contains(ODD_SHOWN).doesNotContain("\u001b");
        assertThat(shell.done("top", "--once").out()).contains(ODD_SHOWN).doesNotContain("\u001b");
        assertThat(shell.done("why", ODD).out()).contains(ODD_SHOWN);
        assertThat(shell.run("get", "queue", ODD + "x").err()).contains(ODD_SHOWN).doesNotContain("\u001b");
        assertThat(shell.done("delete", "queue", ODD).err()).contains(ODD_SHOWN);
    }

    // ---- who may, and what if nobody answers

    @Test
    void shouldSayWhoIsNotLetIn() throws Exception {
        Path secret = secret("wrong");

        Shell.Result refused = shell.run("get", "queues", "--user", "ann", "--password-file", secret.toString());

        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.out()).isEmpty();
        assertThat(refused.err())
                .contains("has not let 'ann' in").contains("SLUICEMQ_PASSWORD").doesNotContain("wrong");
        Shell.Result missing = shell.run("get", "queues", "--user", "ann");
        assertThat(missing.code()).isEqualTo(2);
        assertThat(missing.err()).contains("the password of 'ann' is missing");
    }

    @Test
    void shouldSayWhatIsNotPermitted() throws Exception {
        String secret = secret("espresso").toString();

        Shell.Result refused = shell.run("get", "queues", "--user", "ann", "--password-file", secret);

        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.err()).contains("not permitted: user 'ann' may not use vhost '/'");
        assertThat(shell.run("get", "queues", "--user", "ann", "--password-file", secret, "--vhost", "other").code())
                .isZero();
    }

    /** As a monitor, who may look, and as an operator who may use one queue. */
    @Test
    void shouldSayWhichPermissionIsMissing() throws Exception {
        String secret = secret("espresso").toString();
        shell.done("declare", "queue", "theirs");

        String[] monitor = {"--user", "moni", "--password-file", secret};
        assertThat(as(monitor, "get", "queues").code()).isZero();
        for (String[] act : new String[][] {
            {"declare", "queue", "q"}, {"purge", "theirs"}, {"send", "theirs", "x"}, {"browse", "theirs"},
            {"pause", "theirs"}, {"delete", "queue", "theirs"}, {"limit", "a", "max-messages=1"}, {"get", "users"}
        }) {
            Shell.Result refused = as(monitor, act);
            assertThat(refused.code()).as(String.join(" ", act)).isEqualTo(1);
            assertThat(refused.err()).contains("not permitted: user 'moni' is not ");
            assertThat(refused.out()).isEmpty();
        }

        String[] operator = {"--user", "eve", "--password-file", secret};
        assertThat(as(operator, "declare", "queue", "mine").code()).isZero();
        assertThat(as(operator, "send", "mine", "x").code()).isZero();
        assertThat(as(operator, "receive", "mine").out()).isEqualTo("x\n");
        for (String[] act : new String[][] {
            {"declare", "queue", "other"}, {"purge", "theirs"}, {"send", "theirs", "x"}, {"browse", "theirs"},
            {"receive", "theirs"}, {"delete", "queue", "theirs"}, {"move", "mine", "--to", "theirs"}
        }) {
            as(operator, "send", "mine", "x");
            Shell.Result refused = as(operator, act);
            assertThat(refused.code()).as(String.join(" ", act)).isEqualTo(1);
            assertThat(refused.err()).as(String.join(" ", act)).contains("eve");
        }
        assertThat(shell.done("get", "queue", "theirs", "-o", "json").json().path("messages").asInt()).isZero();
    }

    private Shell.Result as(String[] user, String... command) {
        String[] all = java.util.Arrays.copyOf(command, command.length + user.length);
        System.arraycopy(user, 0, all, command.length, user.length);
        return shell.run(all);
    }

    private Path secret(String password) throws IOException {
        Path file = Files.writeString(folder.resolve("secret"), password + "\n");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void shouldTakeAllFromAFileThatIsItsOwnersAlone() throws Exception {
        Path context = Files.writeString(folder.resolve("cli.yaml"), """
                url: %s
                user: ann
                password: espresso
                vhost: other
                """.formatted(broker.httpUri().orElseThrow()));
        Files.setPosixFilePermissions(context, PosixFilePermissions.fromString("rw-r--r--"));

        Shell.Result readable = Shell.plain("get", "queues", "--context", context.toString());
        assertThat(readable.code()).isEqualTo(2);
        assertThat(readable.err()).contains("chmod 600 " + context);

        Files.setPosixFilePermissions(context, PosixFilePermissions.fromString("rw-------"));
        assertThat(Shell.plain("declare", "queue", "q", "--context", context.toString()).code()).isZero();
        assertThat(names(shell.done("get", "queues", "-o", "json", "--vhost", "other"))).containsExactly("q");
    }

    @Test
    void shouldSayThatNobodyAnswers() throws Exception {
        int free;
        try (ServerSocket socket = new ServerSocket(0)) {
            free = socket.getLocalPort();
        }
        Shell.Result nobody = Shell.plain("status", "--url", "http://127.0.0.1:" + free);
        assertThat(nobody.code()).isEqualTo(3);
        assertThat(nobody.out()).isEmpty();
        assertThat(nobody.err()).startsWith(
                "sluicemq status: can't reach a broker at http://127.0.0.1:" + free + ": nothing listens there\n")
                .contains("is it running?").contains("--url");

        Shell.Result amqp = Shell.plain("get", "queues", "--url", "http://127.0.0.1:" + broker.amqpPort());
        assertThat(amqp.code()).isEqualTo(3);
        assertThat(amqp.err()).contains("doesn't speak HTTP").contains("15672");
        String secure = broker.httpUri().orElseThrow().replace("http:", "https:");
        Shell.Result tls = Shell.plain("get", "queues", "--url", secure);
        assertThat(tls.code()).isEqualTo(3);
        assertThat(tls.err()).contains("try " + broker.httpUri().orElseThrow());
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:15672", "ftp://127.0.0.1", "http://guest:guest@127.0.0.1:15672", "http://",
        "http://a b"})
    void shouldRefuseWhatIsNoUrlOfABroker(String url) {
        Shell.Result result = Shell.plain("status", "--url", url);

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err()).contains(url.contains("@") ? "seen by all users" : "is no URL of a broker");
    }

    // ---- around

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh"})
    void shouldPrintACompletionScript(String which) throws Exception {
        Shell.Result script = Shell.plain("completion", which);

        assertThat(script.code()).isZero();
        assertThat(script.out()).contains("complete -F").contains("describe").contains("bashcompinit")
                .contains("\"depth\"").contains("\"monitor\"").doesNotContain("\"MONITOR\"");
        Process bash = new ProcessBuilder("bash", "-n").redirectErrorStream(true).start();
        try (var in = bash.outputWriter()) {
            in.write(script.out());
        }
        assertThat(new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).isEmpty();
        assertThat(bash.waitFor()).isZero();
    }

    @Test
    void shouldHelpWithEveryCommand() {
        for (String command : Main.commands()) {
            Shell.Result help = Shell.plain(command, "--help");
            assertThat(help.code()).as(command).isZero();
            assertThat(help.out()).startsWith("Usage: sluicemq " + command).doesNotContain("${");
        }
    }
}
