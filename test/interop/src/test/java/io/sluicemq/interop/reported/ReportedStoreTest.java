package io.sluicemq.interop.reported;

import static io.sluicemq.interop.lab.Lab.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.Mailbox;
import io.sluicemq.interop.lab.Reported;
import io.sluicemq.interop.lab.Spec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Reported faults of what waits on the disk and of what a restart brings back. Each has brokers of its own, in this JVM, that
 * are stopped and started on one data folder. Those that need a kill are among the crash tests.
 */
class ReportedStoreTest {

    private static final int SEGMENT_BYTES = 1 << 20;
    private static final int SEAL_BYTES = 24;
    private static final int CONFIRM_MILLIS = 30_000;
    private static final BasicProperties PERSISTENT = new BasicProperties.Builder().deliveryMode(2).build();

    @TempDir
    Path temp;

    private Path data() {
        return temp.resolve("data");
    }

    /** Starts a broker on the test's folder, with files of 1 MiB. */
    private EmbeddedBroker start(String messageMemory) throws IOException {
        Path config = Files.writeString(temp.resolve("broker.yaml"),
                "storage:\n  segment-size: 1MiB\nlimits:\n  message-memory: " + messageMemory + "\n");
        return EmbeddedBroker.start(builder -> builder.config(config).data(data()));
    }

    private static Channel confirming(Lab lab) throws Exception {
        Channel channel = lab.connect().createChannel();
        channel.confirmSelect();
        return channel;
    }

    private static byte[] body(int number, int bytes) {
        byte[] body = Arrays.copyOf((number + ":").getBytes(StandardCharsets.US_ASCII), bytes);
        Arrays.fill(body, (number + ":").length(), bytes, (byte) 'b');
        return body;
    }

    private static int number(byte[] body) {
        String text = new String(body, StandardCharsets.US_ASCII);
        return Integer.parseInt(text.substring(0, text.indexOf(':')));
    }

    private static void publish(Channel channel, String exchange, String key, int from, int to, int bytes)
            throws Exception {
        for (int i = from; i < to; i++) {
            channel.basicPublish(exchange, key, PERSISTENT, body(i, bytes));
        }
        channel.waitForConfirmsOrDie(CONFIRM_MILLIS);
    }

    /** Takes messages, which must come in order. */
    private static void take(Lab lab, String queue, int from, int to) throws Exception {
        Channel channel = lab.connect().createChannel();
        channel.basicQos(500);
        Mailbox mailbox = Lab.consume(channel, queue, false);
        for (int i = from; i < to; i++) {
            var delivery = mailbox.next();
            assertThat(number(delivery.getBody())).isEqualTo(i);
            if (i % 100 == 99 || i == to - 1) {
                channel.basicAck(delivery.getEnvelope().getDeliveryTag(), true);
            }
        }
        channel.basicCancel(mailbox.tag());
        channel.getConnection().close();
    }

    private List<Path> segments() throws IOException {
        try (Stream<Path> files = Files.list(data().resolve("log"))) {
            return files.filter(file -> file.toString().endsWith(".log")).sorted().toList();
        }
    }

    @Test
    @Reported("ARTEMIS-2123")
    @Spec("RabbitMQ paging of queues")
    void shouldGiveTheDiskBackWhenTheLastSubscriberHasCaughtUp() throws Exception {
        try (EmbeddedBroker broker = start("4MiB")) {
            Lab lab = Lab.at(broker);
            Channel channel = confirming(lab);
            channel.exchangeDeclare("news", BuiltinExchangeType.FANOUT, true);
            for (String queue : List.of("one", "two")) {
                channel.queueDeclare(queue, true, false, false, null);
                channel.queueBind(queue, "news", "");
            }
            publish(channel, "news", "", 0, 5_000, 2_000);
            take(lab, "one", 0, 5_000);
            channel.queueUnbind("one", "news", "");
            publish(channel, "news", "", 5_000, 8_000, 2_000);
            assertThat(segments()).hasSizeGreaterThan(15);

            take(lab, "two", 0, 8_000);

            // Nobody does anything any more: the space must come back by itself.
            await().atMost(Duration.ofSeconds(20)).until(() -> segments().size() < 4);
            assertThat(broker.counters().messageBytes()).isZero();
            channel.queueDelete("one");
            channel.queueDelete("two");
            channel.exchangeDelete("news");
            lab.leave();
        }
    }

    /** Its live part has to wait until limits can be changed while the broker runs. */
    @Test
    @Reported("hornetq/hornetq#2121")
    @Spec("RabbitMQ paging of queues")
    void shouldDeliverInOrderWhatWaitedUnderOtherLimits() throws Exception {
        try (EmbeddedBroker broker = start("1MiB")) {
            Channel channel = confirming(Lab.at(broker));
            channel.queueDeclare("orders", true, false, false, null);
            publish(channel, "", "orders", 0, 20_000, 200);
        }
        try (EmbeddedBroker broker = start("100MiB")) {
            Lab lab = Lab.at(broker);
            take(lab, "orders", 0, 8_000);
            publish(confirming(lab), "", "orders", 20_000, 25_000, 200);
        }
        try (EmbeddedBroker broker = start("1MiB")) {
            Lab lab = Lab.at(broker);
            publish(confirming(lab), "", "orders", 25_000, 30_000, 200);
            take(lab, "orders", 8_000, 30_000);
            lab.connect().createChannel().queueDelete("orders");
            lab.leave();
        }
    }

    @Test
    @Reported("cloudamqp/lavinmq#1760")
    @Spec("RabbitMQ x-message-ttl")
    void shouldKeepMessagesWhoseAgeIsLimitedOverRestarts() throws Exception {
        int messages = 1_000;
        Map<String, Object> anHour = Map.of("x-message-ttl", 3_600_000);
        try (EmbeddedBroker broker = start("10MiB")) {
            Channel channel = confirming(Lab.at(broker));
            channel.queueDeclare("hour", true, false, false, anHour);
            publish(channel, "", "hour", 0, messages, 10_000);
            assertThat(segments()).hasSizeGreaterThanOrEqualTo(10);
        }
        start("10MiB").close();
        try (EmbeddedBroker broker = start("10MiB")) {
            Lab lab = Lab.at(broker);
            Channel channel = confirming(lab);
            channel.queueDeclare("hour", true, false, false, anHour);
            publish(channel, "", "hour", messages, messages + 1, 10_000);
            take(lab, "hour", 0, messages + 1);
            channel.queueDelete("hour");
            lab.leave();
        }
    }

    /** The part of the report about a file that is filled to its last byte. */
    @Test
    @Reported("cloudamqp/lavinmq#1910")
    @Spec("RabbitMQ durable queues")
    void shouldGoOnBehindAFileThatIsFullToItsLastByteAndNotNeeded() throws Exception {
        try (EmbeddedBroker broker = start("10MiB")) {
            Channel channel = confirming(Lab.at(broker));
            channel.queueDeclare("orders", true, false, false, null);
            publish(channel, "", "orders", 0, 90, 10_000);
            Path file = segments().getFirst();
            int before = settledEnd(file);
            publish(channel, "", "orders", 90, 91, 10_000);
            int beside = settledEnd(file) - before - 10_000;
            // The record of a message, rounded up to 8 bytes, and the mark that follows when the log is idle.
            int left = SEGMENT_BYTES - SEAL_BYTES - settledEnd(file);
            publish(channel, "", "orders", 91, 92, left - beside / 8 * 8 + 16);
            publish(channel, "", "orders", 92, 93, 1_000);
            byte[] bytes = Files.readAllBytes(file);
            assertThat(bytes[SEGMENT_BYTES - SEAL_BYTES]).as("the seal's length: where the file is full")
                    .isEqualTo((byte) 20);

            take(Lab.at(broker), "orders", 0, 93);
        }
        try (EmbeddedBroker broker = start("10MiB")) {
            Lab lab = Lab.at(broker);
            Channel channel = confirming(lab);
            publish(channel, "", "orders", 0, 10, 100);
            take(lab, "orders", 0, 10);
            channel.queueDelete("orders");
            lab.leave();
        }
    }

    /** The offset behind what a file holds, once that has not changed for longer than the log waits to leave its mark. */
    private static int settledEnd(Path file) {
        int[] last = {-1};
        await().pollInterval(Duration.ofMillis(150)).atMost(Duration.ofSeconds(10)).until(() -> {
            int end = end(Files.readAllBytes(file));
            boolean settled = end == last[0];
            last[0] = end;
            return settled;
        });
        return last[0];
    }

    private static int end(byte[] bytes) {
        int end = bytes.length;
        while (end > 0 && bytes[end - 1] == 0) {
            end--;
        }
        return (end + 7) / 8 * 8;
    }

    @Test
    @Reported("rabbitmq/rabbitmq-server#4831")
    @Spec("0-9-1 §4.2.5.5")
    void shouldKeepHeadersOfEveryTypeOverARestart() throws Exception {
        Map<String, Object> headers = ReportedPublishingTest.headersOfEveryType();
        try (EmbeddedBroker broker = start("10MiB")) {
            Channel channel = confirming(Lab.at(broker));
            channel.queueDeclare("orders", true, false, false, table("x-max-length", 10));
            channel.basicPublish("", "orders", PERSISTENT.builder().headers(headers).build(), Lab.bytes("m"));
            channel.waitForConfirmsOrDie(CONFIRM_MILLIS);
        }
        try (EmbeddedBroker broker = start("10MiB")) {
            Lab lab = Lab.at(broker);
            Channel channel = lab.connect().createChannel();
            GetResponse got = channel.basicGet("orders", true);
            ReportedPublishingTest.shouldBe(got.getProps().getHeaders(), headers);
            channel.queueDelete("orders");
            lab.leave();
        }
    }
}
