package io.sluicemq.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.MessageProperties;
import io.sluicemq.server.SluiceMQ;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What there is, over HTTP, of a broker with a client. */
class HttpListsTest {

    private static SluiceMQ broker;
    private static Http http;
    private static Connection connection;

    @BeforeAll
    static void start() throws Exception {
        broker = SluiceMQ.builder().port(0).httpPort(0).virtualHosts("/", "other").loops(2).start();
        http = new Http(broker);
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(broker.amqpUri());
        connection = factory.newConnection("the lister");
        Channel channel = connection.createChannel();
        for (int i = 0; i < 25; i++) {
            channel.queueDeclare(String.format("many.%02d", i), false, false, false, null);
        }
        channel.exchangeDeclare("stocks", "topic", true, false, Map.of("x-note", "n"));
        channel.queueDeclare("orders", true, false, false, Map.of("x-max-priority", 5));
        channel.queueBind("orders", "stocks", "us.#");
        channel.queueBind("orders", "stocks", "eu.#", Map.of("a", 1));
        channel.basicQos(7);
        channel.basicConsume("many.03", false, "the tag", (tag, delivery) -> {}, tag -> {});
        channel.confirmSelect();
        for (int i = 0; i < 3; i++) {
            channel.basicPublish("", "orders", MessageProperties.PERSISTENT_TEXT_PLAIN, new byte[100]);
        }
        channel.basicPublish("", "many.03", null, "held".getBytes(StandardCharsets.UTF_8));
        channel.waitForConfirmsOrDie(10_000);
    }

    @AfterAll
    static void stop() throws Exception {
        connection.close();
        http.close();
        broker.close();
    }

    private static List<String> names(JsonNode list) {
        List<String> names = new ArrayList<>();
        list.forEach(each -> names.add(each.path("name").asString()));
        return names;
    }

    @Test
    void shouldTellTheBrokersNumbers() {
        JsonNode overview = http.get("/api/overview").json();

        assertThat(overview.path("product_name").asString()).isEqualTo("SluiceMQ");
        assertThat(overview.path("object_totals").path("queues").asInt()).isEqualTo(26);
        assertThat(overview.path("object_totals").path("connections").asInt()).isEqualTo(1);
        assertThat(overview.path("object_totals").path("channels").asInt()).isEqualTo(1);
        assertThat(overview.path("queue_totals").path("messages_ready").asInt()).isEqualTo(3);
        assertThat(overview.path("queue_totals").path("messages_unacknowledged").asInt()).isEqualTo(1);
        assertThat(overview.path("message_stats").path("publish").asInt()).isEqualTo(4);
        assertThat(overview.path("shortage").isNull()).isTrue();
        assertThat(overview.path("loops").size()).isEqualTo(2);
        assertThat(overview.path("listeners").get(1).path("protocol").asString()).isEqualTo("http");
    }

    @Test
    void shouldListAllQueuesInTheOrderOfTheirNames() {
        JsonNode queues = http.get("/api/queues").json();

        assertThat(queues.isArray()).isTrue();
        assertThat(names(queues)).hasSize(26).isSorted().contains("orders", "many.00");
        assertThat(http.get("/api/queues/other").json()).isEmpty();
    }

    @Test
    void shouldDescribeAQueue() {
        JsonNode orders = http.get("/api/queues/%2F/orders").json();

        assertThat(orders.path("vhost").asString()).isEqualTo("/");
        assertThat(orders.path("durable").asBoolean()).isTrue();
        assertThat(orders.path("arguments").path("x-max-priority").asInt()).isEqualTo(5);
        assertThat(orders.path("messages_ready").asInt()).isEqualTo(3);
        assertThat(orders.path("message_bytes_ready").asInt()).isGreaterThan(300);
        assertThat(orders.path("state").asString()).isEqualTo("running");
        assertThat(orders.path("message_stats").path("publish").asInt()).isEqualTo(3);
        assertThat(orders.path("limits").path("policy").asString()).isEqualTo("page");
        assertThat(orders.path("limits").path("max_size_bytes").isNull()).isTrue();
        assertThat(orders.path("oldest_message_age_ms").asLong()).isGreaterThanOrEqualTo(0);

        JsonNode held = http.get("/api/queues/%2F/many.03").json();
        assertThat(held.path("messages_unacknowledged").asInt()).isEqualTo(1);
        assertThat(held.path("message_stats").path("deliver_get").asInt()).isEqualTo(1);
        assertThat(held.path("consumer_details").get(0).path("consumer_tag").asString()).isEqualTo("the tag");
        assertThat(held.path("consumer_details").get(0).path("prefetch_count").asInt()).isEqualTo(7);
    }

    @Test
    void shouldPageFilterAndSort() {
        JsonNode page = http.get("/api/queues?page=2&page_size=10&name=many&sort=name&sort_reverse=true").json();

        assertThat(page.path("page").asInt()).isEqualTo(2);
        assertThat(page.path("page_count").asInt()).isEqualTo(3);
        assertThat(page.path("filtered_count").asInt()).isEqualTo(25);
        assertThat(page.path("total_count").asInt()).isEqualTo(26);
        assertThat(names(page.path("items"))).hasSize(10).startsWith("many.14").endsWith("many.05");

        JsonNode byMessages = http.get("/api/queues?page=1&page_size=2&sort=messages&sort_reverse=true").json();
        assertThat(names(byMessages.path("items"))).containsExactly("orders", "many.03");

        assertThat(names(http.get("/api/queues?use_regex=true&name=" + Http.encoded("^many\\.1[0-2]$")).json()))
                .containsExactly("many.10", "many.11", "many.12");
    }

    @Test
    void shouldAnswerTheColumnsThatAreWanted() {
        JsonNode row = http.get("/api/queues?columns=name,message_stats.publish,nothing&name=orders").json().get(0);

        assertThat(row.toString()).isEqualTo("{\"name\":\"orders\",\"message_stats\":{\"publish\":3}}");
    }

    @Test
    void shouldRefuseWhatMakesNoSense() {
        assertThat(http.get("/api/queues?sort=colour").status()).isEqualTo(400);
        assertThat(http.get("/api/queues?sort=colour").reason()).startsWith("sort is 'colour': expected one of name,");
        assertThat(http.get("/api/queues?page=1&page_size=501").status()).isEqualTo(400);
        assertThat(http.get("/api/queues?page=1&page_size=1000000000000").status()).isEqualTo(400);
        assertThat(http.get("/api/queues?page=0").status()).isEqualTo(400);
        assertThat(http.get("/api/queues?page=99").status()).isEqualTo(400);
        assertThat(http.get("/api/queues?use_regex=true&name=%5B").status()).isEqualTo(400);
        assertThat(http.get("/api/queues?use_regex=perhaps&name=a").status()).isEqualTo(400);
    }

    @Test
    void shouldListExchanges() {
        assertThat(names(http.get("/api/exchanges/%2F").json()))
                .containsExactly("", "amq.direct", "amq.fanout", "amq.headers", "amq.match", "amq.topic", "stocks");
        JsonNode stocks = http.get("/api/exchanges/%2F/stocks").json();
        assertThat(stocks.path("type").asString()).isEqualTo("topic");
        assertThat(stocks.path("bindings").asInt()).isEqualTo(2);
        assertThat(stocks.path("arguments").path("x-note").asString()).isEqualTo("n");
        assertThat(http.get("/api/exchanges/%2F/stocks/bindings/source").json()).hasSize(2);
        assertThat(http.get("/api/exchanges/%2F/stocks/bindings/destination").json()).isEmpty();
        assertThat(http.get("/api/exchanges/%2F/amq.default").json().path("name").asString()).isEmpty();
    }

    @Test
    void shouldListBindings() {
        JsonNode between = http.get("/api/bindings/%2F/e/stocks/q/orders").json();
        assertThat(between).hasSize(2);
        for (JsonNode binding : between) {
            String key = binding.path("properties_key").asString();
            assertThat(http.get("/api/bindings/%2F/e/stocks/q/orders/" + Http.encoded(key)).json()).isEqualTo(binding);
        }
        assertThat(http.get("/api/queues/%2F/orders/bindings").json()).hasSize(3);
        assertThat(http.get("/api/bindings/%2F").json()).hasSize(28);
        assertThat(http.get("/api/bindings").json()).hasSize(28);
    }

    @Test
    void shouldTellOfConnectionsChannelsAndConsumers() {
        JsonNode one = http.get("/api/connections").json().get(0);
        String name = one.path("name").asString();
        assertThat(name).matches("127\\.0\\.0\\.1:\\d+ -> 127\\.0\\.0\\.1:" + broker.amqpPort() + " the lister");
        assertThat(one.path("user").asString()).isEqualTo("guest");
        assertThat(one.path("protocol").asString()).isEqualTo("AMQP 0-9-1");
        assertThat(one.path("state").asString()).isEqualTo("running");
        assertThat(one.path("channels").asInt()).isEqualTo(1);
        assertThat(one.path("recv_oct").asLong()).isGreaterThan(1000);
        assertThat(one.path("send_oct").asLong()).isGreaterThan(500);
        assertThat(one.path("client_properties").path("product").asString()).isEqualTo("RabbitMQ");
        assertThat(one.path("client_properties").path("capabilities").path("basic.nack").asBoolean()).isTrue();

        JsonNode channel = http.get("/api/connections/" + Http.encoded(name)).json().path("channel_details").get(0);
        assertThat(channel.path("number").asInt()).isEqualTo(1);
        assertThat(channel.path("prefetch_count").asInt()).isEqualTo(7);
        assertThat(channel.path("confirm").asBoolean()).isTrue();
        assertThat(channel.path("messages_unacknowledged").asInt()).isEqualTo(1);
        assertThat(http.get("/api/channels/" + Http.encoded(name + " (1)")).json()).isEqualTo(channel);

        JsonNode consumer = http.get("/api/consumers/%2F").json().get(0);
        assertThat(consumer.path("queue").path("name").asString()).isEqualTo("many.03");
        assertThat(consumer.path("channel_details").path("connection_name").asString()).isEqualTo(name);
        assertThat(consumer.path("ack_required").asBoolean()).isTrue();
        assertThat(http.get("/api/consumers/other").json()).isEmpty();
        assertThat(http.get("/api/vhosts/other/connections").json()).isEmpty();
        assertThat(http.get("/api/connections/nobody").status()).isEqualTo(404);
    }

    @Test
    void shouldTellOfVirtualHostsUsersAndWhoAsks() {
        assertThat(names(http.get("/api/vhosts").json())).containsExactly("/", "other");
        JsonNode host = http.get("/api/vhosts/%2F").json();
        assertThat(host.path("messages_ready").asInt()).isEqualTo(3);
        assertThat(host.path("queues").asInt()).isEqualTo(26);
        assertThat(http.get("/api/vhosts/nowhere").status()).isEqualTo(404);
        assertThat(http.get("/api/whoami").json().toString())
                .isEqualTo("{\"name\":\"guest\",\"tags\":[\"administrator\"]}");
        assertThat(names(http.get("/api/users").json())).containsExactly("guest");
        assertThat(http.get("/api/users/guest/permissions").json()).hasSize(2);
        assertThat(http.get("/api/users").http().body()).doesNotContain("\"password\"", "hash");
        assertThat(http.get("/api/nodes").json().get(0).path("running").asBoolean()).isTrue();
    }

    @Test
    void shouldTellWhatItWouldBeMadeAgainFrom() {
        JsonNode definitions = http.get("/api/definitions").json();

        assertThat(names(definitions.path("queues"))).containsExactly("orders");
        assertThat(names(definitions.path("exchanges"))).containsExactly("stocks");
        assertThat(definitions.path("bindings")).hasSize(2);
        assertThat(definitions.path("vhosts")).hasSize(2);
    }

    @Test
    void shouldTellOfAddressesAndWhatHasHappened() {
        JsonNode orders = http.get("/api/addresses/%2F/orders").json().get(0);
        assertThat(orders.path("kind").asString()).isEqualTo("queue");
        assertThat(orders.path("used_messages").asInt()).isEqualTo(3);
        assertThat(http.get("/api/addresses/%2F?page=1&sort=used_messages&sort_reverse=true").json()
                .path("items").get(0).path("address").asString()).isEqualTo("orders");
        JsonNode why = http.get("/api/why").json();
        assertThat(why.path("addresses")).isEmpty();
        assertThat(why.path("shortage").isNull()).isTrue();
        JsonNode opened = http.get("/api/events?kind=connection_opened").json().get(0);
        assertThat(opened.path("subject").asString()).contains("the lister");
        assertThat(http.get("/api/events?kind=storm").status()).isEqualTo(400);
    }

    @Test
    void shouldTellTheSettingsWithoutSecrets() {
        JsonNode settings = http.get("/api/settings").json();

        assertThat(settings.path("limits.heartbeat").asString()).isEqualTo("60s");
        assertThat(settings.path("virtual-hosts").asString()).isEqualTo("/, other");
    }
}
