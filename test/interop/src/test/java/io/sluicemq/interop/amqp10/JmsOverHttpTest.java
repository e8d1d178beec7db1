package io.sluicemq.interop.amqp10;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.server.AddressSetting;
import io.sluicemq.server.SluiceMQ;
import jakarta.jms.Connection;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.Test;

/** What operators see over HTTP of a JMS client, and do to it. */
class JmsOverHttpTest {

    private final HttpClient http = HttpClient.newHttpClient();

    private String ask(SluiceMQ broker, String method, String path, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(broker.httpUri().orElseThrow() + path))
                .header("Authorization", "Basic "
                        + Base64.getEncoder().encodeToString("guest:guest".getBytes(StandardCharsets.UTF_8)))
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    @Test
    void shouldShowSessionsLinksAndMessagesOfJms() throws Exception {
        try (SluiceMQ broker = SluiceMQ.builder().port(0).httpPort(0).start();
                JMSContext context = new JmsConnectionFactory("guest", "guest", broker.amqpUri()).createContext()) {
            context.setClientID("shop");
            JMSProducer producer = context.createProducer();
            TextMessage message = context.createTextMessage("two espressos");
            message.setStringProperty("size", "large");
            producer.send(context.createQueue("orders"), message);
            context.createConsumer(context.createQueue("waits"));

            assertThat(ask(broker, "GET", "/api/connections", ""))
                    .contains("\"protocol\":\"AMQP 1.0\"", "\"container_id\":\"shop\"", "\"product\":\"QpidJMS",
                            "\"state\":\"running\"");
            assertThat(ask(broker, "GET", "/api/channels", ""))
                    .contains("\"role\":\"consumer\",\"address\":\"waits\"", "\"consumer_count\":1");
            assertThat(ask(broker, "POST", "/api/queues/%2F/orders/browse", "{}"))
                    .contains("two espressos", "\"size\":\"large\"", "\"format\":\"amqp-1-0\"");
            assertThat(ask(broker, "POST", "/api/exchanges/%2F/amq.default/publish",
                    "{\"routing_key\":\"waits\",\"payload\":\"hello\",\"properties\":{\"content_type\":\"text/plain\"}}"))
                    .contains("\"routed\":true");
            assertThat(context.createConsumer(context.createQueue("orders")).receive(10_000)
                    .getBody(String.class)).isEqualTo("two espressos");
        }
    }

    @Test
    void shouldShowThatAJmsProducerWaitsAndCloseIt() throws Exception {
        try (SluiceMQ broker = SluiceMQ.builder()
                .port(0)
                .httpPort(0)
                .addressSettings(AddressSetting.match("full").maxMessages(2).fullPolicy(FullPolicy.BLOCK))
                .start();
                Connection connection =
                        new JmsConnectionFactory("guest", "guest", broker.amqpUri()).createConnection()) {
            CompletableFuture<String> told = new CompletableFuture<>();
            connection.setExceptionListener(e -> told.complete(e.getMessage()));
            connection.start();
            Session session = connection.createSession();
            MessageProducer sender = session.createProducer(session.createQueue("full"));
            Thread.ofVirtual().start(() -> {
                try {
                    for (int i = 0; i < 10; i++) {
                        sender.send(session.createTextMessage("m"));
                    }
                } catch (JMSException e) {
                    told.complete(e.getMessage()); // it is closed while it waits
                }
            });
            await().untilAsserted(() -> assertThat(ask(broker, "GET", "/api/connections", ""))
                    .contains("\"state\":\"flow\"", "\"waits_for\":\"credit for 'full'\""));
            assertThat(ask(broker, "GET", "/api/why", "")).contains("\"address\":\"full\"", "\"position\":1");
            String name = ask(broker, "GET", "/api/connections?columns=name", "").split("\"")[3];
            ask(broker, "DELETE", "/api/connections/"
                    + java.net.URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20"), "");

            assertThat(told.get(20, TimeUnit.SECONDS)).contains("closed by an operator");
        }
    }
}
