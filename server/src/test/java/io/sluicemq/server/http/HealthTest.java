package io.sluicemq.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import io.sluicemq.server.SluiceMQ;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What health and metrics say of a broker that has no room. Nobody logs in for that. */
class HealthTest {

    @TempDir
    Path folder;

    private SluiceMQ start(String yaml) throws Exception {
        Path file = Files.writeString(folder.resolve("sluicemq.yaml"), yaml);
        return SluiceMQ.builder().config(file).port(0).httpPort(0).loops(2).start();
    }

    private static Connection connect(SluiceMQ broker) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(broker.amqpUri());
        factory.setAutomaticRecoveryEnabled(false);
        return factory.newConnection();
    }

    private static Http.Response readyUntil(Http http, int status) {
        return Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> http.get("/health/ready"), response -> response.status() == status);
    }

    @Test
    void shouldBeLiveAndReady() throws Exception {
        try (SluiceMQ broker = start("");
                Http http = new Http(broker).as(null, null)) {
            assertThat(http.get("/health/live").status()).isEqualTo(200);
            assertThat(http.get("/health/live").json().path("status").asString()).isEqualTo("live");
            assertThat(http.get("/health/ready").status()).isEqualTo(200);
            assertThat(http.get("/health/ready").header("Content-Type")).isEqualTo("application/json");
            assertThat(http.send("POST", "/health/ready", "{}").status()).isIn(401, 405);
        }
    }

    @Test
    void shouldNotBeReadyWhileTheLogIsAtItsLimitAndSoAgain() throws Exception {
        try (SluiceMQ broker = start("""
                data: %s
                storage: {segment-size: 1MiB, max-size: 6MiB}
                limits: {max-message-size: 100KB}
                """.formatted(folder.resolve("data")));
                Http http = new Http(broker).as(null, null);
                Connection publishing = connect(broker);
                Connection consuming = connect(broker)) {
            Channel publisher = publishing.createChannel();
            publisher.queueDeclare("q", true, false, false, null);
            publisher.confirmSelect();
            Thread.ofPlatform().daemon().start(() -> {
                try {
                    for (int i = 0; i < 1_000; i++) {
                        publisher.basicPublish("", "q", MessageProperties.PERSISTENT_BASIC, new byte[10_000]);
                    }
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });

            Http.Response full = readyUntil(http, 503);
            assertThat(full.json().path("status").asString()).isEqualTo("not ready");
            assertThat(full.json().path("reasons").size()).isEqualTo(1);
            assertThat(full.json().path("reasons").get(0).path("reason").asString()).isEqualTo("log-full");
            assertThat(full.http().body()).doesNotContain(folder.toString());
            assertThat(http.get("/health/live").status()).isEqualTo(200);
            Scrape scrape = Scrape.of(http.get("/metrics").http().body());
            assertThat(scrape.value("sluicemq_log_limit_bytes")).isEqualTo(6 << 20);
            assertThat(scrape.value("sluicemq_log_segment_bytes")).isBetween(3.0 * (1 << 20), 7.0 * (1 << 20));

            Channel consumer = consuming.createChannel();
            int taken = 0;
            while (taken < 1_000) {
                GetResponse message = consumer.basicGet("q", true);
                taken += message == null ? 0 : 1;
            }
            publisher.waitForConfirmsOrDie(30_000);
            readyUntil(http, 200);
        }
    }

    @Test
    void shouldNotBeReadyWhileMessagesTakeAllTheirMemoryAndCountForHowLong() throws Exception {
        try (SluiceMQ broker = start("limits: {message-memory: 8MiB}");
                Http http = new Http(broker).as(null, null);
                Connection publishing = connect(broker);
                Connection consuming = connect(broker)) {
            Channel publisher = publishing.createChannel();
            publisher.queueDeclare("q", false, false, false, null);
            Thread.ofPlatform().daemon().start(() -> {
                try {
                    for (int i = 0; i < 1_000; i++) {
                        publisher.basicPublish("", "q", null, new byte[20_000]);
                    }
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });

            Http.Response low = readyUntil(http, 503);
            assertThat(low.json().path("reasons").get(0).path("reason").asString()).isEqualTo("memory-shortage");
            Scrape scrape = Scrape.of(http.get("/metrics").http().body());
            assertThat(scrape.value("sluicemq_shortage")).isEqualTo(1);
            assertThat(scrape.value("sluicemq_shortage_seconds_total")).isPositive();
            assertThat(scrape.value("sluicemq_memory_used_bytes"))
                    .isGreaterThan(scrape.value("sluicemq_memory_limit_bytes"));

            Channel consumer = consuming.createChannel();
            int taken = 0;
            while (taken < 1_000) {
                GetResponse message = consumer.basicGet("q", true);
                taken += message == null ? 0 : 1;
            }
            readyUntil(http, 200);
        }
    }
}
