package io.sluicemq.test.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.server.AddressSetting;
import io.sluicemq.server.SluiceMQ;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The files of the console, and what the flow map is drawn from, over HTTP. */
class FlowMapTest {

    private static final JsonMapper JSON = new JsonMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private static SluiceMQ broker;
    private static Connection connection;

    @BeforeAll
    static void start() throws Exception {
        broker = SluiceMQ.builder()
                .port(0)
                .httpPort(0)
                .loops(2)
                .addressSettings(
                        AddressSetting.match("full").maxMessages(3).fullPolicy(FullPolicy.BLOCK),
                        AddressSetting.match("news").maxMessages(100).fullPolicy(FullPolicy.BLOCK))
                .start();
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(broker.amqpUri());
        connection = factory.newConnection("mapped");
        Channel channel = connection.createChannel();
        channel.exchangeDeclare("news", "topic");
        for (String queue : List.of("full", "sport", "idle")) {
            channel.queueDeclare(queue, false, false, false, null);
        }
        channel.queueBind("sport", "news", "sport.#");
        channel.queueBind("sport", "news", "more.#");
        channel.basicConsume("sport", false, "reader", (tag, delivery) -> {}, tag -> {});
        channel.basicPublish("news", "sport.a", null, new byte[10]);
        Channel another = connection.createChannel();
        for (int i = 0; i < 5; i++) {
            another.basicPublish("", "full", null, new byte[10]);
        }
        await().until(() -> flow("").path("waiting").size() == 1);
    }

    @AfterAll
    static void stop() {
        connection.abort(1000); // it is not read from, and would wait for an answer
        HTTP.close();
        broker.close();
    }

    private static HttpResponse<String> get(String path, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(broker.httpUri().orElseThrow() + path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new AssertionError(path, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(path, e);
        }
    }

    private static HttpResponse<String> asked(String query) {
        String login = Base64.getEncoder().encodeToString("guest:guest".getBytes(StandardCharsets.UTF_8));
        return get("/api/flow" + query, "Authorization", "Basic " + login);
    }

    private static JsonNode flow(String query) {
        HttpResponse<String> response = asked(query);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JSON.readTree(response.body());
    }

    private static List<String> names(JsonNode list, String field) {
        return list.valueStream().map(each -> each.path(field).asString()).toList();
    }

    // ---- the map

    @Test
    void shouldShowThoseThatSomebodyWaitsForFirstAndSumUpWhatIsIdle() {
        JsonNode flow = flow("");

        assertThat(names(flow.path("queues"), "name")).containsExactly("full", "sport");
        assertThat(flow.path("queues").get(0).path("waiting_producers").asInt()).isEqualTo(1);
        assertThat(flow.path("rest").path("queues").asInt()).isEqualTo(1);
        JsonNode waiting = flow.path("waiting").get(0);
        assertThat(waiting.path("address").asString()).isEqualTo("full");
        assertThat(waiting.path("waiting").get(0).path("limit").asString()).isEqualTo("max-messages 3");
        assertThat(flow.path("shortage").isNull()).isTrue();
    }

    @Test
    void shouldJoinProducersExchangesQueuesAndConsumers() {
        JsonNode flow = flow("");

        assertThat(flow.path("exchanges")).singleElement().satisfies(exchange -> {
            assertThat(exchange.path("name").asString()).isEqualTo("news");
            assertThat(exchange.path("limits").path("max_messages").asInt()).isEqualTo(100);
            assertThat(exchange.path("used_messages").asInt()).isEqualTo(1);
        });
        assertThat(flow.path("routes")).singleElement().satisfies(route -> {
            assertThat(route.path("source").asString()).isEqualTo("news");
            assertThat(route.path("destination").asString()).isEqualTo("sport");
            assertThat(route.path("bindings").asInt()).isEqualTo(2);
        });
        JsonNode first = flow.path("producers").get(0);
        assertThat(first.path("waits").asBoolean()).isTrue();
        assertThat(first.path("kind").asString()).isEqualTo("queue");
        assertThat(first.path("address").asString()).isEqualTo("full");
        assertThat(first.path("producer").asString()).isEqualTo("channel 2");
        assertThat(first.path("messages").asInt()).isEqualTo(5);
        JsonNode second = flow.path("producers").get(1);
        assertThat(second.path("waits").asBoolean()).isFalse();
        assertThat(second.path("address").asString()).isEqualTo("news");
        assertThat(flow.path("consumers").get(0).path("consumer_tag").asString()).isEqualTo("reader");
    }

    @Test
    void shouldShowTheNeighbourhoodOfOne() {
        assertThat(names(flow("?vhost=%2F&name=idle").path("queues"), "name")).containsExactly("idle");
        JsonNode ofExchange = flow("?vhost=%2F&kind=exchange&name=news");
        assertThat(names(ofExchange.path("queues"), "name")).containsExactly("sport");
        assertThat(ofExchange.path("waiting")).isEmpty();
        JsonNode one = flow("?most=1");
        assertThat(one.path("queues")).hasSize(1);
        assertThat(one.path("rest").path("queues").asInt()).isEqualTo(2);
        assertThat(one.path("rest").path("messages").asInt()).isEqualTo(1);
    }

    @Test
    void shouldRefuseWhatMakesNoSense() {
        assertThat(asked("?name=full").statusCode()).isEqualTo(400);
        assertThat(asked("?vhost=%2F&name=nobody").statusCode()).isEqualTo(404);
        assertThat(asked("?vhost=%2F&kind=exchange&name=nobody").statusCode()).isEqualTo(404);
        assertThat(asked("?vhost=nowhere").statusCode()).isEqualTo(404);
        assertThat(asked("?kind=topic").statusCode()).isEqualTo(400);
        assertThat(asked("?most=51").statusCode()).isEqualTo(400);
        assertThat(get("/api/flow").statusCode()).isEqualTo(401);
    }

    // ---- the files

    @Test
    void shouldServeThePageWithoutALogin() {
        HttpResponse<String> page = get("/");

        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Type")).contains("text/html; charset=utf-8");
        assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow())
                .contains("default-src 'none'", "script-src 'self'", "style-src 'self'")
                .doesNotContain("unsafe");
        assertThat(page.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
        assertThat(page.headers().firstValue("X-Frame-Options")).contains("DENY");
        assertThat(get("/console/app.js").headers().firstValue("Content-Type"))
                .contains("text/javascript; charset=utf-8");
        assertThat(get("/console/pages/flow.js").statusCode()).isEqualTo(200);
    }

    @Test
    void shouldSendAFileOnceUntilItChanges() {
        HttpResponse<String> first = get("/console/console.css");
        String tag = first.headers().firstValue("ETag").orElseThrow();
        HttpResponse<String> again = get("/console/console.css", "If-None-Match", "\"another\", W/" + tag);

        assertThat(first.headers().firstValue("Cache-Control")).contains("no-cache");
        assertThat(again.statusCode()).isEqualTo(304);
        assertThat(again.body()).isEmpty();
        assertThat(again.headers().firstValue("ETag")).contains(tag);
        assertThat(get("/console/console.css", "If-None-Match", "\"another\"").statusCode()).isEqualTo(200);
    }

    @Test
    void shouldServeNothingElse() {
        for (String path : List.of(
                "/console/", "/console", "/index.html", "/console/Console.class", "/console/StaticFile.class",
                "/console/%2e%2e/http/HttpApi.class", "/console/..%2fhttp%2fHttpApi.class", "/console/pages%2fflow.js",
                "/console//app.js", "/console/%2fetc%2fpasswd", "/..%2f..%2fetc%2fpasswd", "/console/app.js%00.css")) {
            HttpResponse<String> answer = get(path);
            assertThat(answer.statusCode()).as(path).isBetween(400, 499);
            assertThat(answer.headers().firstValue("Content-Type")).as(path).contains("application/json");
        }
    }
}
