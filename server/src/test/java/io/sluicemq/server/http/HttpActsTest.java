package io.sluicemq.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import io.sluicemq.server.SluiceMQ;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What can be done over HTTP. */
class HttpActsTest {

    @TempDir
    Path folder;

    private SluiceMQ broker;
    private Http http;
    private Connection connection;
    private Channel channel;

    @BeforeEach
    void start() throws Exception {
        broker = SluiceMQ.builder().port(0).httpPort(0).loops(2).data(folder.resolve("data")).start();
        http = new Http(broker);
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(broker.amqpUri());
        connection = factory.newConnection();
        channel = connection.createChannel();
    }

    @AfterEach
    void stop() throws Exception {
        if (connection.isOpen()) {
            connection.close();
        }
        http.close();
        broker.close();
    }

    @Test
    void shouldShowAndSetLimitsOfUsersAsRabbitMqDoes() {
        assertThat(http.put("/api/users/ann", "{\"password\":\"secret\",\"tags\":\"administrator\"}").status())
                .isEqualTo(201);
        try (Http ann = new Http(broker).as("ann", "secret")) {
            assertThat(ann.get("/api/user-limits").http().body()).isEqualTo("[]");
            assertThat(ann.put("/api/user-limits/ann/max-message-size", "{\"value\":100}").status()).isEqualTo(204);
            assertThat(ann.put("/api/user-limits/ann/max-channels", "{\"value\":5}").status()).isEqualTo(204);
            String limits = "[{\"user\":\"ann\",\"value\":{\"max-channels\":5,\"max-message-size\":100}}]";
            assertThat(ann.get("/api/user-limits").http().body()).isEqualTo(limits);
            assertThat(ann.get("/api/user-limits/ann").http().body()).isEqualTo(limits);

            ann.put("/api/permissions/%2F/ann", "{\"configure\":\".*\",\"write\":\".*\",\"read\":\".*\"}");
            ann.put("/api/queues/%2F/sizes", "{}");
            String publication = "{\"routing_key\":\"sizes\",\"payload_encoding\":\"string\",\"properties\":{},"
                    + "\"payload\":\"" + "a".repeat(100);
            String path = "/api/exchanges/%2F/amq.default/publish";
            assertThat(ann.post(path, publication + "\"}").status()).isEqualTo(200);
            Http.Response refused = ann.post(path, publication + "b\"}");
            assertThat(refused.status()).isEqualTo(409);
            assertThat(refused.reason()).contains("the limit is 100");

            assertThat(ann.put("/api/user-limits/ann/max-message-size", "{\"value\":0}").status()).isEqualTo(400);
            assertThat(ann.put("/api/user-limits/ann/max-channels", "{}").status()).isEqualTo(400);
            assertThat(ann.put("/api/user-limits/ann/max-wishes", "{\"value\":3}").status()).isEqualTo(400);
            assertThat(ann.put("/api/user-limits/nobody/max-channels", "{\"value\":3}").status()).isEqualTo(404);
            assertThat(ann.put("/api/user-limits/ann/max-channels", "{\"value\":-1}").status()).isEqualTo(204);
            assertThat(ann.delete("/api/user-limits/ann/max-message-size").status()).isEqualTo(204);
            assertThat(ann.get("/api/user-limits").http().body()).isEqualTo("[]");
            assertThat(ann.post(path, publication + "b\"}").status()).isEqualTo(200);
        }
    }

    @Test
    void shouldShowAndSetLimitsOfVirtualHosts() {
        assertThat(http.get("/api/vhost-limits").http().body()).isEqualTo("[]");
        assertThat(http.put("/api/vhost-limits/%2F/max-queues", "{\"value\":1}").status()).isEqualTo(204);
        String limits = "[{\"vhost\":\"/\",\"value\":{\"max-queues\":1}}]";
        assertThat(http.get("/api/vhost-limits").http().body()).isEqualTo(limits);
        assertThat(http.get("/api/vhost-limits/%2F").http().body()).isEqualTo(limits);
        assertThat(http.put("/api/queues/%2F/one", "{}").status()).isEqualTo(201);
        assertThat(http.put("/api/queues/%2F/another", "{}").status()).isEqualTo(409);
        assertThat(http.delete("/api/vhost-limits/%2F/max-queues").status()).isEqualTo(204);
        assertThat(http.put("/api/queues/%2F/another", "{}").status()).isEqualTo(201);
        assertThat(http.get("/api/vhost-limits/%2F").http().body()).isEqualTo("[]");

        assertThat(http.put("/api/vhost-limits/%2F/max-wishes", "{\"value\":1}").status()).isEqualTo(400);
        assertThat(http.put("/api/vhost-limits/%2F/max-message-size", "{\"value\":0}").status()).isEqualTo(400);
        assertThat(http.put("/api/vhost-limits/nowhere/max-queues", "{\"value\":1}").status()).isEqualTo(404);
        Http.Response later = http.put("/api/vhost-limits/%2F/max-messages", "{\"value\":1}");
        assertThat(later.status()).isEqualTo(409);
        assertThat(later.reason()).contains("start it again");
        assertThat(http.get("/api/vhost-limits").http().body()).isEqualTo("[]");
    }

    private void publish(String queue, String... bodies) throws Exception {
        channel.confirmSelect();
        for (String body : bodies) {
            channel.basicPublish("", queue, new BasicProperties.Builder().deliveryMode(2).build(), bytes(body));
        }
        channel.waitForConfirmsOrDie(10_000);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private String bodiesIn(String queue) {
        StringBuilder all = new StringBuilder();
        http.post("/api/queues/%2F/" + queue + "/browse", "{\"count\":1000}").json()
                .forEach(message -> all.append(message.path("payload").asString()).append(' '));
        return all.toString().strip();
    }

    @Test
    void shouldDeclareAndDeleteQueues() throws Exception {
        String path = "/api/queues/%2F/a%2Fb%20c";
        assertThat(http.put(path, "{\"durable\":false,\"arguments\":{\"x-max-priority\":3}}").status()).isEqualTo(201);
        assertThat(http.put(path, "{\"durable\":false,\"arguments\":{\"x-max-priority\":3}}").status()).isEqualTo(204);
        assertThat(channel.queueDeclarePassive("a/b c").getQueue()).isEqualTo("a/b c");
        Http.Response other = http.put(path, "{\"durable\":true}");
        assertThat(other.status()).isEqualTo(400);
        assertThat(other.reason()).startsWith("inequivalent arg");
        assertThat(http.put("/api/queues/%2F/q", "{\"arguments\":{\"x-max-length\":-1}}").status()).isEqualTo(400);
        Http.Response reserved = http.put("/api/queues/%2F/amq.bar", "{}");
        assertThat(reserved.status()).isEqualTo(403);
        assertThat(reserved.reason()).isEqualTo("queue name 'amq.bar' contains reserved prefix 'amq.*'");
        publish("a/b c", "one");
        assertThat(http.delete(path + "?if-empty=true").status()).isEqualTo(400);
        assertThat(http.delete(path).status()).isEqualTo(204);
        assertThat(http.delete(path).status()).isEqualTo(404);
        assertThat(http.get(path).status()).isEqualTo(404);
    }

    @Test
    void shouldDeclareBindAndDeleteExchanges() {
        assertThat(http.put("/api/exchanges/%2F/logs", "{\"type\":\"topic\"}").status()).isEqualTo(201);
        assertThat(http.put("/api/exchanges/%2F/none", "{\"type\":\"magic\"}").status()).isEqualTo(400);
        Http.Response reserved = http.put("/api/exchanges/%2F/amq.mine", "{}");
        assertThat(reserved.status()).isEqualTo(403);
        assertThat(reserved.reason()).isEqualTo("exchange name 'amq.mine' contains reserved prefix 'amq.*'");
        assertThat(http.put("/api/exchanges/%2F/amq.topic", "{\"type\":\"topic\"}").status())
                .as("the one that is there already").isEqualTo(204);
        assertThat(http.put("/api/queues/%2F/q", "{}").status()).isEqualTo(201);
        Http.Response bound = http.post("/api/bindings/%2F/e/logs/q/q", "{\"routing_key\":\"a.#\",\"arguments\":{}}");
        assertThat(bound.status()).isEqualTo(201);
        assertThat(bound.header("Location")).isEqualTo("a.%23");
        assertThat(http.post("/api/bindings/%2F/e/logs/e/amq.fanout", "{\"routing_key\":\"b\"}").status())
                .isEqualTo(201);
        assertThat(http.get("/api/bindings/%2F/e/logs/e/amq.fanout").json()).hasSize(1);
        assertThat(http.post("/api/bindings/%2F/e/nowhere/q/q", "{}").status()).isEqualTo(404);
        assertThat(http.delete("/api/exchanges/%2F/logs?if-unused=true").status()).isEqualTo(400);
        assertThat(http.delete("/api/bindings/%2F/e/logs/q/q/a.%23").status()).isEqualTo(204);
        assertThat(http.delete("/api/bindings/%2F/e/logs/q/q/a.%23").status()).isEqualTo(404);
        assertThat(http.delete("/api/exchanges/%2F/logs").status()).isEqualTo(204);
        assertThat(http.delete("/api/exchanges/%2F/amq.topic").status()).isEqualTo(400);
    }

    @Test
    void shouldPublishWithPropertiesAndGet() throws Exception {
        http.put("/api/queues/%2F/q", "{}");
        Http.Response published = http.post("/api/exchanges/%2F/amq.default/publish", """
                {"routing_key":"q","payload":"tea","payload_encoding":"string","properties":{"delivery_mode":2,"priority":3,
                 "content_type":"text/plain","message_id":"m1","type":"order","app_id":"shop","user_id":"guest",
                 "timestamp":1700000000,"correlation_id":"c","reply_to":"r","expiration":"600000",
                 "headers":{"n":5,"f":1.5,"s":"x","b":true,"l":[1,2]}}}""");
        assertThat(published.json().toString()).isEqualTo("{\"routed\":true,\"queues\":1}");

        GetResponse got = channel.basicGet("q", false);
        assertThat(got.getBody()).isEqualTo(bytes("tea"));
        BasicProperties properties = got.getProps();
        assertThat(properties.getDeliveryMode()).isEqualTo(2);
        assertThat(properties.getPriority()).isEqualTo(3);
        assertThat(properties.getContentType()).isEqualTo("text/plain");
        assertThat(properties.getMessageId()).isEqualTo("m1");
        assertThat(properties.getType()).isEqualTo("order");
        assertThat(properties.getAppId()).isEqualTo("shop");
        assertThat(properties.getUserId()).isEqualTo("guest");
        assertThat(properties.getExpiration()).isEqualTo("600000");
        assertThat(properties.getTimestamp().getTime()).isEqualTo(1_700_000_000_000L);
        assertThat(properties.getHeaders()).containsEntry("n", 5).containsEntry("b", true).containsEntry("f", 1.5);
        channel.basicNack(got.getEnvelope().getDeliveryTag(), false, true);

        JsonNode message = http.post("/api/queues/%2F/q/get",
                "{\"count\":5,\"ackmode\":\"ack_requeue_false\",\"encoding\":\"auto\"}").json().get(0);
        assertThat(message.path("payload").asString()).isEqualTo("tea");
        assertThat(message.path("payload_encoding").asString()).isEqualTo("string");
        assertThat(message.path("payload_bytes").asInt()).isEqualTo(3);
        assertThat(message.path("redelivered").asBoolean()).isTrue();
        assertThat(message.path("routing_key").asString()).isEqualTo("q");
        assertThat(message.path("properties").path("headers").path("l").toString()).isEqualTo("[1,2]");
        assertThat(message.path("properties").path("app_id").asString()).isEqualTo("shop");
        assertThat(message.path("properties").path("timestamp").asLong()).isEqualTo(1_700_000_000L);
        assertThat(channel.messageCount("q")).isZero();
    }

    @Test
    void shouldSayWhatIsWrongWithAPublish() {
        String path = "/api/exchanges/%2F/amq.default/publish";
        assertThat(http.post(path, "{\"routing_key\":\"nowhere\",\"payload\":\"\"}").json().path("routed").asBoolean())
                .isFalse();
        assertThat(http.post("/api/exchanges/%2F/none/publish", "{\"payload\":\"\"}").status()).isEqualTo(404);
        assertThat(http.post(path, "{\"routing_key\":\"q\"}").reason()).isEqualTo("payload is missing in the body");
        assertThat(http.post(path, "{\"payload\":\"*\",\"payload_encoding\":\"base64\"}").status()).isEqualTo(400);
        assertThat(http.post(path, "{\"payload\":\"\",\"properties\":{\"user_id\":\"ann\"}}").status()).isEqualTo(400);
        assertThat(http.post(path, "{\"payload\":\"\",\"properties\":{\"colour\":\"red\"}}").status()).isEqualTo(400);
        assertThat(http.post(path, "{\"payload\":\"\",\"properties\":{\"delivery_mode\":7}}").status()).isEqualTo(400);
        assertThat(http.post(path, "{\"payload\":").status()).isEqualTo(400);
        assertThat(http.post(path, "[]").status()).isEqualTo(400);
    }

    @Test
    void shouldGetBytesThatAreNoTextAsBase64AndShorten() throws Exception {
        http.put("/api/queues/%2F/q", "{}");
        channel.basicPublish("", "q", null, new byte[] {(byte) 0xff, 1});
        publish("q", "grüße");

        JsonNode messages = http.post("/api/queues/%2F/q/get", "{\"count\":2,\"truncate\":3}").json();
        assertThat(messages.get(0).path("payload_encoding").asString()).isEqualTo("base64");
        assertThat(Base64.getDecoder().decode(messages.get(0).path("payload").asString()))
                .containsExactly(0xff, 1);
        // The third byte would have been the first half of a letter.
        assertThat(messages.get(1).path("payload").asString()).isEqualTo("gr");
        assertThat(messages.get(1).path("payload_bytes").asInt()).isEqualTo(7);
        assertThat(channel.messageCount("q")).as("both were returned").isEqualTo(2);
        assertThat(http.post("/api/queues/%2F/q/get", "{\"ackmode\":\"perhaps\"}").status()).isEqualTo(400);
        assertThat(http.post("/api/queues/%2F/q/get", "{\"count\":0}").status()).isEqualTo(400);
        assertThat(http.post("/api/queues/%2F/none/get", "{}").status()).isEqualTo(404);
    }

    @Test
    void shouldBrowseAndLeaveMessagesAsTheyAre() throws Exception {
        http.put("/api/queues/%2F/q", "{}");
        publish("q", "a", "b", "c");

        assertThat(bodiesIn("q")).isEqualTo("a b c");
        assertThat(http.post("/api/queues/%2F/q/browse", "{\"count\":2}").json()).hasSize(2);
        GetResponse got = channel.basicGet("q", true);
        assertThat(got.getBody()).isEqualTo(bytes("a"));
        assertThat(got.getEnvelope().isRedeliver()).isFalse();
    }

    @Test
    void shouldPurge() throws Exception {
        http.put("/api/queues/%2F/q", "{}");
        publish("q", "a", "b");

        assertThat(http.delete("/api/queues/%2F/q/contents").status()).isEqualTo(204);
        assertThat(channel.messageCount("q")).isZero();
        assertThat(http.get("/api/events?kind=act").json().get(0).path("text").asString())
                .startsWith("guest (127.0.0.1:").endsWith("purged the queue");
    }

    @Test
    void shouldMoveMessagesInTheirOrder() throws Exception {
        http.put("/api/queues/%2F/from", "{}");
        http.put("/api/queues/%2F/to", "{}");
        String[] bodies = new String[250];
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < bodies.length; i++) {
            bodies[i] = Integer.toString(i);
            expected.append(i < 240 ? i + " " : "");
        }
        publish("from", bodies);

        JsonNode moved = http.post("/api/queues/%2F/from/move", "{\"queue\":\"to\",\"count\":240}").json();
        assertThat(moved.toString()).isEqualTo("{\"moved\":240,\"remaining\":10,\"stopped\":\"\"}");
        assertThat(bodiesIn("to")).isEqualTo(expected.toString().strip());

        Http.Response nowhere = http.post("/api/queues/%2F/from/move", "{\"queue\":\"nowhere\"}");
        assertThat(nowhere.status()).isEqualTo(400);
        assertThat(channel.messageCount("from")).isEqualTo(10);
        assertThat(http.post("/api/queues/%2F/from/move", "{}").status()).isEqualTo(400);
        assertThat(http.post("/api/queues/%2F/none/move", "{\"queue\":\"to\"}").status()).isEqualTo(404);
    }

    @Test
    void shouldSendDeadLettersBackToWhereTheyDied() throws Exception {
        channel.queueDeclare("letters", true, false, false, null);
        channel.queueDeclare("work", true, false, false,
                Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "letters"));
        publish("letters", "alive");
        publish("work", "one", "two");
        for (int i = 0; i < 2; i++) {
            channel.basicReject(channel.basicGet("work", false).getEnvelope().getDeliveryTag(), false);
        }
        await().until(() -> channel.messageCount("letters") == 3);
        JsonNode shown = http.post("/api/queues/%2F/letters/browse", "{\"count\":3}").json().get(1);
        assertThat(shown.path("properties").path("headers").path("x-death").get(0).path("queue").asString())
                .isEqualTo("work");

        JsonNode moved = http.post("/api/queues/%2F/letters/retry", "{}").json();

        assertThat(moved.path("moved").asInt()).isEqualTo(2);
        assertThat(bodiesIn("work")).isEqualTo("one two");
        assertThat(bodiesIn("letters")).isEqualTo("alive");
    }

    @Test
    void shouldPauseAndResumeAQueue() throws Exception {
        http.put("/api/queues/%2F/q", "{}");
        BlockingQueue<String> received = new LinkedBlockingQueue<>();
        channel.basicConsume("q", true,
                (tag, delivery) -> received.add(new String(delivery.getBody(), StandardCharsets.UTF_8)), tag -> {});
        publish("q", "before");
        assertThat(received.poll(10, TimeUnit.SECONDS)).isEqualTo("before");

        assertThat(http.post("/api/queues/%2F/q/pause", "{}").status()).isEqualTo(204);
        publish("q", "during");

        assertThat(http.get("/api/queues/%2F/q").json().path("state").asString()).isEqualTo("paused");
        assertThat(http.get("/api/queues/%2F/q").json().path("messages_ready").asInt()).isEqualTo(1);
        assertThat(channel.basicGet("q", true)).as("a client's get").isNull();
        assertThat(bodiesIn("q")).isEqualTo("during");
        assertThat(http.get("/api/addresses/%2F/q").json().get(0).path("queues").get(0).path("paused").asBoolean())
                .isTrue();
        assertThat(received).isEmpty();

        assertThat(http.post("/api/queues/%2F/q/resume", "{}").status()).isEqualTo(204);
        assertThat(received.poll(10, TimeUnit.SECONDS)).isEqualTo("during");
    }

    @Test
    void shouldCloseAConnectionWithAReason() throws Exception {
        CompletableFuture<ShutdownSignalException> closed = new CompletableFuture<>();
        connection.addShutdownListener(closed::complete);
        String name = http.get("/api/connections").json().get(0).path("name").asString();

        assertThat(http.send("DELETE", "/api/connections/" + Http.encoded(name), null, "X-Reason", "moving house")
                .status()).isEqualTo(204);

        assertThat(closed.get(10, TimeUnit.SECONDS).getMessage()).contains("reply-code=320").contains("moving house");
        await().until(
                () -> http.get("/api/overview").json().path("object_totals").path("connections").asInt() == 0);
        assertThat(http.get("/api/events?kind=connection_forced").json().get(0).path("text").asString())
                .contains("guest").contains("moving house");
    }

    @Test
    void shouldRaiseALimitThatAProducerWaitsFor() throws Exception {
        assertThat(http.put("/api/address-settings/small.%23",
                "{\"max-messages\":1,\"address-full-policy\":\"block\"}").status()).isEqualTo(204);
        http.put("/api/queues/%2F/small.q", "{}");
        publish("small.q", "first");
        channel.basicPublish("", "small.q", null, bytes("second"));

        await().until(() -> http.get("/api/why").json().path("addresses").size() == 1
                && http.get("/api/why").json().path("addresses").get(0).path("waiting").size() == 1);
        JsonNode waiting = http.get("/api/why").json().path("addresses").get(0).path("waiting").get(0);
        assertThat(waiting.path("producer").asString()).isEqualTo("channel 1");
        assertThat(waiting.path("limit").asString()).isEqualTo("max-messages 1");
        JsonNode one = http.get("/api/connections").json().get(0);
        assertThat(one.path("state").asString()).isEqualTo("flow");
        assertThat(one.path("waits_for").asString()).isEqualTo("room in 'small.q' (max-messages 1)");
        assertThat(http.get("/api/queues/%2F/small.q").json().path("state").asString()).isEqualTo("flow");

        assertThat(http.put("/api/address-settings/small.%23",
                "{\"max-messages\":10}").status()).isEqualTo(204);
        assertThat(http.get("/api/queues/%2F/small.q").json().path("limits").path("policy").asString())
                .isEqualTo("block");

        channel.waitForConfirmsOrDie(10_000);
        assertThat(http.get("/api/why").json().path("addresses")).isEmpty();
        assertThat(http.put("/api/address-settings/a", "{\"max-massages\":1}").reason())
                .contains("did you mean 'max-messages'?");
        assertThat(http.put("/api/address-settings/a", "{}").status()).isEqualTo(400);
        assertThat(http.put("/api/address-settings/a..%23x", "{\"max-messages\":1}").status()).isEqualTo(400);
    }

    @Test
    void shouldRefuseAPublishForWhichThereIsNoRoom() throws Exception {
        http.put("/api/address-settings/full", "{\"max-messages\":1,\"address-full-policy\":\"fail\"}");
        http.put("/api/queues/%2F/full", "{}");
        publish("full", "first");

        Http.Response refused =
                http.post("/api/exchanges/%2F/amq.default/publish", "{\"routing_key\":\"full\",\"payload\":\"x\"}");

        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.json().path("error").asString()).isEqualTo("address_full");
    }

    @Test
    void shouldRefuseToMoveMessagesToWhereTheyAre() throws Exception {
        http.put("/api/queues/%2F/q", "{}");
        publish("q", "a");

        for (String body : new String[] {
            "{\"queue\":\"q\"}", "{\"exchange\":\"amq.default\",\"routing_key\":\"q\"}"
        }) {
            Http.Response refused = http.post("/api/queues/%2F/q/move", body);
            assertThat(refused.status()).isEqualTo(400);
            assertThat(refused.reason()).isEqualTo(
                    "queue 'q' in vhost '/': its messages are there already: they can't be moved onto itself");
        }
        assertThat(bodiesIn("q")).isEqualTo("a");
    }

    @Test
    void shouldNotReloadWithoutAFile() {
        assertThat(http.post("/api/reload", "{}").status()).isEqualTo(409);
    }

    @Test
    void shouldLeaveNothingBehind() {
        http.put("/api/queues/%2F/q", "{}");
        for (int i = 0; i < 50; i++) {
            http.post("/api/exchanges/%2F/amq.default/publish", "{\"routing_key\":\"q\",\"payload\":\"x\"}");
            http.post("/api/queues/%2F/q/browse", "{\"count\":10}");
            http.post("/api/queues/%2F/q/get", "{\"count\":10,\"ackmode\":\"ack_requeue_false\"}");
        }
        await().untilAsserted(() -> {
            assertThat(broker.counters().connections()).isEqualTo(1);
            assertThat(broker.counters().consumers()).isZero();
            assertThat(broker.counters().unsettledMessages()).isZero();
            assertThat(broker.counters().messageBytes()).isZero();
        });
        assertThat(broker.failedTasks()).isZero();
    }
}
