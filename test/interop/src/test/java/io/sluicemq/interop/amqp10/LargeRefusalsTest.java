package io.sluicemq.interop.amqp10;

import static io.sluicemq.interop.amqp10.ProtonClient.SOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.BuiltinExchangeType;
import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.hostile.Amqp10Peer;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.Reported;
import io.sluicemq.interop.lab.Spec;
import io.sluicemq.protocol.amqp10.codec.Frames;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.qpid.protonj2.client.Connection;
import org.apache.qpid.protonj2.client.Message;
import org.apache.qpid.protonj2.client.Rejected;
import org.apache.qpid.protonj2.client.Sender;
import org.apache.qpid.protonj2.client.Tracker;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Large durable messages that come to nothing leave nothing, in memory or on the disk. */
@DisabledIfSystemProperty(named = "interop.uri", matches = ".+", disabledReason = "needs a broker that it may restart")
class LargeRefusalsTest {

    private static final int BYTES = 10 << 20;
    private static final int ROUNDS = 20;
    private static final long SEGMENT_BYTES = 64 << 20;

    private static EmbeddedBroker start(Path data) {
        return EmbeddedBroker.start(builder -> builder.data(data.resolve("data")));
    }

    /** Bytes of all files of the broker. */
    private static long bytesOnDisk(Path data) throws IOException {
        try (Stream<Path> files = Files.walk(data)) {
            return files.filter(Files::isRegularFile).mapToLong(file -> {
                try {
                    return Files.size(file);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }).sum();
        }
    }

    private static void shouldHoldNothing(EmbeddedBroker broker) {
        await().pollInterval(Duration.ofMillis(5)).atMost(Duration.ofSeconds(5)).untilAsserted(() -> {
            assertThat(broker.counters().messageBytes()).isZero();
            assertThat(broker.counters().readyMessages()).isZero();
        });
    }

    /** An empty log has two segments already; what is sent here would need more. */
    private static void shouldHaveWrittenNothing(Path data) throws IOException {
        assertThat(bytesOnDisk(data)).isLessThan(2 * SEGMENT_BYTES + BYTES);
    }

    @Test
    @Spec({"1.0 §3.4.3", "1.0 §2.6.14"})
    @Reported("ARTEMIS-4982")
    void shouldLeaveNothingIfTheirSenderMayNot(@TempDir Path data) throws Exception {
        try (EmbeddedBroker broker = start(data)) {
            Lab lab = Lab.at(broker);
            String internal = lab.forgetExchange(lab.name("internal"));
            lab.channel().exchangeDeclare(internal, BuiltinExchangeType.FANOUT, true, false, true, Map.of());
            String open = lab.queue();
            Connection connection = ProtonClient.connect(lab);
            Sender sender = connection.openAnonymousSender();
            Message<byte[]> message = Message.create(new byte[BYTES]).durable(true);
            Message<byte[]> forged = Message.create(new byte[BYTES]).durable(true).to(open)
                    .userId("somebody else".getBytes(StandardCharsets.UTF_8));
            Map<String, String> refusals = Map.of("/queues/" + lab.name("nowhere"), "amqp:not-found",
                    "/exchanges/" + internal, "amqp:not-allowed");
            for (int i = 0; i < ROUNDS / 3; i++) {
                for (Map.Entry<String, String> each : refusals.entrySet()) {
                    shouldBeRefused(sender.send(message.to(each.getKey())), each.getValue());
                }
                shouldBeRefused(sender.send(forged), "amqp:unauthorized-access");
            }
            shouldHoldNothing(broker);
            shouldHaveWrittenNothing(data);
            lab.leave();
        }
        try (EmbeddedBroker broker = start(data)) {
            shouldHoldNothing(broker);
            shouldHaveWrittenNothing(data);
        }
    }

    private static void shouldBeRefused(Tracker tracker, String condition) throws Exception {
        tracker.awaitSettlement(SOON, TimeUnit.MILLISECONDS);
        assertThat(tracker.remoteState()).isInstanceOfSatisfying(Rejected.class,
                rejected -> assertThat(rejected.getCondition()).isEqualTo(condition));
    }

    @Test
    @Spec({"1.0 §2.6.14", "1.0 §2.7.5"})
    @Reported("ARTEMIS-4982")
    void shouldLeaveNothingIfTheyAreAborted(@TempDir Path data) throws Exception {
        byte[] piece = Frames.join(Frames.encode(new Header().setDurable(true)),
                Frames.encode(new Data(new byte[100_000])));
        try (EmbeddedBroker broker = start(data)) {
            Amqp10Peer peer = Amqp10Peer.open(broker.port(), 0).attachSender(0, "orders");
            for (int i = 0; i < ROUNDS; i++) {
                for (int sent = 0; sent < BYTES * 3 / 4; sent += piece.length) {
                    peer.send(Frames.frame(0, Amqp10Peer.transfer(0, i).setMore(true), piece));
                }
                peer.send(Frames.frame(0, Amqp10Peer.transfer(0, i).setAborted(true)));
            }
            peer.send(Frames.frame(0, Amqp10Peer.transfer(0, ROUNDS), Frames.encode(new Data(new byte[1]))));
            Disposition outcome = peer.skipTo(Disposition.class);
            assertThat(outcome.getFirst()).isEqualTo(ROUNDS);
            assertThat(outcome.getState()).isEqualTo(Accepted.getInstance());
            Lab lab = Lab.at(broker);
            assertThat(lab.take("orders")).hasSize(1);
            shouldHoldNothing(broker);
            shouldHaveWrittenNothing(data);
            peer.bye();
            lab.leave();
        }
        try (EmbeddedBroker broker = start(data)) {
            shouldHoldNothing(broker);
            shouldHaveWrittenNothing(data);
        }
    }
}
