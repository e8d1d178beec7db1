package io.sluicemq.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import io.sluicemq.server.config.LimitsSection;
import io.sluicemq.server.config.StorageSection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker whose log may have so much of a disk that has more, and what its clients see. */
class StorageMaxSizeTest {

    private static final int MESSAGES = 1_000;
    private static final long MAX_BYTES = 6 << 20;

    @TempDir
    Path folder;

    @Test
    void shouldHoldPublishersAtTheLargestSizeUntilConsumersHaveMadeRoom() throws Exception {
        try (SluiceMQ broker = SluiceMQ.builder()
                .port(0)
                .data(folder)
                .storage(StorageSection.SEGMENT_SIZE, 1L << 20)
                .storage(StorageSection.STORAGE_MAX_SIZE, MAX_BYTES)
                .limit(LimitsSection.MAX_MESSAGE_SIZE, 100_000L)
                .start();
                Connection publishing = connect(broker);
                Connection consuming = connect(broker)) {
            BlockingQueue<String> states = new LinkedBlockingQueue<>();
            publishing.addBlockedListener(states::add, () -> states.add("unblocked"));
            Channel publisher = publishing.createChannel();
            publisher.queueDeclare("q", true, false, false, null);
            publisher.confirmSelect();
            CompletableFuture<Void> confirmed = publish(publisher);

            assertThat(states.poll(30, TimeUnit.SECONDS)).contains("storage.max-size");
            assertThat(confirmed).isNotDone();
            Channel consumer = consuming.createChannel();
            int taken = 0;
            long largest = 0;
            while (taken < MESSAGES) {
                GetResponse message = consumer.basicGet("q", false);
                if (message != null) {
                    consumer.basicAck(message.getEnvelope().getDeliveryTag(), false);
                    taken++;
                    largest = Math.max(largest, taken % 50 == 0 ? logBytes() : 0);
                }
            }

            assertThat(confirmed).succeedsWithin(30, TimeUnit.SECONDS);
            assertThat(states.poll(30, TimeUnit.SECONDS)).isEqualTo("unblocked");
            // What leads to less may take a segment of the usual size more.
            assertThat(largest).isLessThanOrEqualTo(MAX_BYTES + (1 << 20));
        }
    }

    private static CompletableFuture<Void> publish(Channel channel) {
        CompletableFuture<Void> confirmed = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                for (int i = 0; i < MESSAGES; i++) {
                    channel.basicPublish("", "q", MessageProperties.PERSISTENT_BASIC, new byte[10_000]);
                }
                channel.waitForConfirmsOrDie(60_000);
                confirmed.complete(null);
            } catch (Exception e) {
                confirmed.completeExceptionally(e);
            }
        });
        return confirmed;
    }

    private long logBytes() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("log"))) {
            return files.filter(file -> file.getFileName().toString().contains(".log"))
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }

    private static Connection connect(SluiceMQ broker) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(broker.amqpUri());
        factory.setAutomaticRecoveryEnabled(false);
        return factory.newConnection();
    }
}
