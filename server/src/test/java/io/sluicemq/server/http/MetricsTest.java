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
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Prometheus scrapes of a broker with clients. */
class MetricsTest {

    private static final String OPEN_METRICS = "application/openmetrics-text;version=1.0.0,text/plain;q=0.5";

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

    private static Scrape scrape(Http http) {
        Http.Response response = http.get("/metrics");
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.header("Content-Type")).isEqualTo("text/plain; version=0.0.4; charset=utf-8");
        return Scrape.of(response.http().body());
    }

    /** Scrapes until it is so: those within a second of another tell the same. */
    private static Scrape scrapeUntil(Http http, Predicate<Scrape> isSo) {
        return Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(300))
                .until(() -> scrape(http), isSo);
    }

    @Test
    void shouldCountWhatPassesThroughTheBrokerAndItsLog() throws Exception {
        try (SluiceMQ broker = start("data: " + folder.resolve("data"));
                Http http = new Http(broker);
                Connection connection = connect(broker)) {
            Channel channel = connection.createChannel();
            channel.queueDeclare("orders", true, false, false, null);
            channel.confirmSelect();
            for (int i = 0; i < 200; i++) {
                channel.basicPublish("", "orders", MessageProperties.PERSISTENT_BASIC, new byte[1_000]);
            }
            channel.waitForConfirmsOrDie(30_000);
            for (int i = 0; i < 4; i++) {
                channel.basicAck(channel.basicGet("orders", false).getEnvelope().getDeliveryTag(), false);
            }
            channel.basicReject(channel.basicGet("orders", false).getEnvelope().getDeliveryTag(), true);
            assertThat(channel.basicGet("orders", false).getEnvelope().isRedeliver()).isTrue();
            channel.basicReject(channel.basicGet("orders", false).getEnvelope().getDeliveryTag(), false);
            channel.queueDeclarePassive("orders"); // all before it is done

            Scrape scrape = scrapeUntil(
                    http, each -> each.value("sluicemq_messages_dropped_total", "reason=\"rejected\"") == 1);

            assertThat(scrape.value("sluicemq_messages_published_total")).isEqualTo(200);
            assertThat(scrape.value("sluicemq_messages_delivered_total")).isEqualTo(7);
            assertThat(scrape.value("sluicemq_messages_redelivered_total")).isEqualTo(1);
            assertThat(scrape.value("sluicemq_messages_acknowledged_total")).isEqualTo(4);
            assertThat(scrape.value("sluicemq_messages", "state=\"ready\"")).isEqualTo(194);
            assertThat(scrape.value("sluicemq_messages", "state=\"unsettled\"")).isEqualTo(1);
            assertThat(scrape.value("sluicemq_publish_answers_total", "result=\"confirmed\"")).isEqualTo(200);
            assertThat(scrape.value("sluicemq_publish_answers_outstanding")).isZero();
            assertThat(scrape.value("sluicemq_publish_answer_seconds_count")).isBetween(1.0, 4.0);
            assertThat(scrape.value("sluicemq_queue_messages", "queue=\"orders\"", "state=\"ready\"",
                    "virtual_host=\"/\"")).isEqualTo(194);
            assertThat(scrape.value("sluicemq_queue_published_total", "queue=\"orders\"", "virtual_host=\"/\""))
                    .isEqualTo(200);
            assertThat(scrape.value(
                    "sluicemq_queue_oldest_message_age_seconds", "queue=\"orders\"", "virtual_host=\"/\""))
                    .isBetween(0.0, 60.0);
            assertThat(scrape.value("sluicemq_log_position_bytes")).isGreaterThan(200_000);
            assertThat(scrape.value("sluicemq_log_durable_position_bytes"))
                    .isBetween(200_000.0, scrape.value("sluicemq_log_position_bytes"));
            assertThat(scrape.value("sluicemq_log_sync_seconds_count")).isPositive()
                    .isEqualTo(scrape.value("sluicemq_log_sync_batch_bytes_count"));
            assertThat(scrape.value("sluicemq_log_sync_batch_bytes_sum")).isGreaterThan(200_000);
            assertThat(scrape.value("sluicemq_log_retained_bytes")).isGreaterThan(194_000);
            assertThat(scrape.value("sluicemq_disk_free_bytes")).isPositive();
            assertThat(scrape.value("sluicemq_connections", "protocol=\"AMQP 0-9-1\"")).isEqualTo(1);
            assertThat(scrape.value("sluicemq_channels", "protocol=\"AMQP 0-9-1\"")).isEqualTo(1);
            assertThat(scrape.value("sluicemq_listener_received_bytes_total", "listener=\"amqp\""))
                    .isGreaterThan(200_000);
            assertThat(scrape.seriesOf("sluicemq_loop_lag_seconds")).hasSize(2);
            assertThat(scrape.value("jvm_memory_used_bytes", "area=\"heap\"", "id=\"" + heapPart(scrape) + "\""))
                    .isPositive();
            assertThat(scrape.value("process_files_open_files")).isPositive();
        }
    }

    private static String heapPart(Scrape scrape) {
        return scrape.seriesOf("jvm_memory_used_bytes").stream()
                .filter(each -> each.contains("area=\"heap\""))
                .map(each -> each.replaceAll(".*id=\"([^\"]*)\".*", "$1"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void shouldShowAProducerThatIsHeldAndForHowLongItWas() throws Exception {
        try (SluiceMQ broker = start("""
                address-settings:
                - match: full
                  address-full-policy: block
                  max-size-bytes: 100KiB
                """);
                Http http = new Http(broker);
                Connection connection = connect(broker)) {
            Channel channel = connection.createChannel();
            channel.queueDeclare("full", false, false, false, null);
            channel.confirmSelect();
            for (int i = 0; i < 15; i++) {
                channel.basicPublish("", "full", null, new byte[10_000]);
            }
            String[] address = {"address=\"full\"", "kind=\"queue\"", "virtual_host=\"/\""};

            Scrape held = scrapeUntil(http, each -> each.value("sluicemq_producers_held") == 1
                    && each.value("sluicemq_messages_published_total") == 15);

            assertThat(held.value("sluicemq_producer_holds_total")).isEqualTo(1);
            assertThat(held.value("sluicemq_address_producers_waiting", address)).isEqualTo(1);
            assertThat(held.value("sluicemq_address_longest_wait_seconds", address)).isBetween(0.0, 60.0);
            assertThat(held.value("sluicemq_address_used_bytes", address)).isBetween(80_000.0, 102_400.0);
            assertThat(held.value("sluicemq_address_limit_bytes", "address=\"full\"", "kind=\"queue\"",
                    "policy=\"block\"", "virtual_host=\"/\"")).isEqualTo(102_400);
            assertThat(held.value("sluicemq_messages_parked")).isBetween(4.0, 7.0);
            assertThat(held.value("sluicemq_publish_answers_outstanding"))
                    .isEqualTo(held.value("sluicemq_messages_parked"));
            assertThat(held.value("sluicemq_producer_hold_seconds_count")).isZero();

            int taken = 0;
            while (taken < 15) {
                GetResponse message = channel.basicGet("full", true);
                taken += message == null ? 0 : 1;
            }
            channel.waitForConfirmsOrDie(30_000);
            Scrape after = scrapeUntil(http, each -> each.value("sluicemq_producers_held") == 0);

            assertThat(after.value("sluicemq_producer_hold_seconds_count"))
                    .isEqualTo(after.value("sluicemq_producer_holds_total"));
            assertThat(after.value("sluicemq_producer_hold_seconds_sum")).isPositive();
            assertThat(after.value("sluicemq_publish_answers_outstanding")).isZero();
            assertThat(after.value("sluicemq_messages_parked")).isZero();
        }
    }

    @Test
    void shouldCountWhatIsRefusedAndDroppedByPolicy() throws Exception {
        try (SluiceMQ broker = start("""
                address-settings:
                - match: ring
                  address-full-policy: ring
                  max-messages: 3
                - match: fail
                  address-full-policy: fail
                  max-messages: 3
                - match: drop
                  address-full-policy: drop
                  max-messages: 3
                """);
                Http http = new Http(broker);
                Connection connection = connect(broker)) {
            Channel channel = connection.createChannel();
            channel.confirmSelect();
            for (String queue : new String[] {"ring", "fail", "drop"}) {
                channel.queueDeclare(queue, false, false, false, null);
                for (int i = 0; i < 5; i++) {
                    channel.basicPublish("", queue, null, new byte[10]);
                }
            }
            assertThat(channel.waitForConfirms(30_000)).isFalse();

            Scrape scrape = scrapeUntil(http, each -> each.value("sluicemq_messages_refused_total") == 2);

            assertThat(scrape.value("sluicemq_messages_dropped_total", "reason=\"ring\"")).isEqualTo(2);
            assertThat(scrape.value("sluicemq_messages_dropped_total", "reason=\"policy\"")).isEqualTo(2);
            assertThat(scrape.value("sluicemq_publish_answers_total", "result=\"refused\"")).isEqualTo(2);
            assertThat(scrape.value(
                    "sluicemq_address_refused_total", "address=\"fail\"", "kind=\"queue\"", "virtual_host=\"/\""))
                    .isEqualTo(2);
        }
    }

    @Test
    void shouldTellOfSoManyQueuesByThemselvesAndAddTheOthersUp() throws Exception {
        try (SluiceMQ broker = start("http: {metrics-queues: 5}");
                Http http = new Http(broker);
                Connection connection = connect(broker)) {
            Channel channel = connection.createChannel();
            channel.confirmSelect();
            for (int i = 0; i < 200; i++) {
                String name = String.format("q.%03d", i);
                channel.queueDeclare(name, false, false, false, null);
                for (int j = 0; j < i % 20; j++) {
                    channel.basicPublish("", name, null, new byte[10]);
                }
            }
            channel.waitForConfirmsOrDie(30_000);

            Scrape scrape = scrapeUntil(
                    http, each -> each.value("sluicemq_messages_published_total") == 10 * (19 * 20 / 2));

            assertThat(scrape.value("sluicemq_queues")).isEqualTo(200);
            assertThat(scrape.value("sluicemq_queues_in_others")).isEqualTo(195);
            assertThat(scrape.seriesOf("sluicemq_queue_consumers")).hasSize(6);
            assertThat(scrape.seriesOf("sluicemq_queue_consumers"))
                    .filteredOn(each -> each.contains("q.019") || each.contains("q.199")).hasSize(2);
            assertThat(total(scrape, "sluicemq_queue_messages")).isEqualTo(1_900);
            assertThat(total(scrape, "sluicemq_queue_published_total")).isEqualTo(1_900);
        }
    }

    private static double total(Scrape scrape, String name) {
        return scrape.seriesOf(name).stream().mapToDouble(scrape.samples()::get).sum();
    }

    @Test
    void shouldSpeakOpenMetricsToWhoeverAcceptsThatWithNamesOfAnyCharacters() throws Exception {
        try (SluiceMQ broker = start("data: " + folder.resolve("data"));
                Http http = new Http(broker).as(null, null);
                Connection connection = connect(broker)) {
            connection.createChannel().queueDeclare("a \"b\" \\ c\nd }, ü", false, false, false, null);

            Http.Response response = http.send("GET", "/metrics", null, "Accept", OPEN_METRICS);
            Scrape scrape = Scrape.ofOpenMetrics(response.http().body());

            assertThat(response.header("Content-Type"))
                    .isEqualTo("application/openmetrics-text; version=1.0.0; charset=utf-8");
            assertThat(scrape.types()).containsEntry("sluicemq", "info")
                    .containsEntry("sluicemq_messages_published", "counter")
                    .containsEntry("sluicemq_log_sync_seconds", "histogram");
            assertThat(scrape.value(
                    "sluicemq_queue_consumers", "queue=\"a \\\"b\\\" \\\\ c\\nd }, ü\"", "virtual_host=\"/\""))
                    .isZero();
        }
    }

    @Test
    void shouldGatherOnceForScrapesWithinASecond() throws Exception {
        try (SluiceMQ broker = start("");
                Http http = new Http(broker)) {
            scrape(http); // the first loads classes

            long began = System.nanoTime();
            double first = scrape(http).value("sluicemq_gathering_seconds");
            double second = scrape(http).value("sluicemq_gathering_seconds");

            if (System.nanoTime() - began < Duration.ofMillis(900).toNanos()) {
                assertThat(second).isEqualTo(first);
            }
            scrapeUntil(http, each -> each.value("sluicemq_gathering_seconds") != second);
        }
    }

    @Test
    void shouldAskForALoginWhereTheConfigurationSaysSo() throws Exception {
        try (SluiceMQ broker = start("http: {metrics-access: monitor}");
                Http http = new Http(broker)) {
            assertThat(http.get("/metrics").status()).isEqualTo(200);
            assertThat(http.as("guest", "wrong").get("/metrics").status()).isEqualTo(401);
            assertThat(http.as(null, null).get("/metrics").status()).isEqualTo(401);
            Scrape scrape = scrapeUntil(
                    http.as("guest", "guest"), each -> each.value("sluicemq_logins_refused_total") == 1);
            assertThat(scrape.value("sluicemq_failed_tasks_total")).isZero();
        }
    }
}
