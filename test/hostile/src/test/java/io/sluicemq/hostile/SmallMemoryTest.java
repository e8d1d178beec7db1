package io.sluicemq.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluicemq.protocol.amqp091.codec.RawArguments;
import io.sluicemq.protocol.amqp091.codec.RawFrame;
import io.sluicemq.protocol.amqp091.codec.RawFrames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Peers that would fill a small broker's memory, each in its own way: it stays bounded, others are served, and it recovers. */
@Execution(ExecutionMode.CONCURRENT)
class SmallMemoryTest {

    private static final int HEAP_MIB = 128;
    /** What the sockets' kernel buffers can't swallow of a peer that does not read. */
    private static final int NOT_READ = 4096;

    private HostedBroker broker;
    private final List<RawPeer> peers = new ArrayList<>();

    @BeforeEach
    void start() throws IOException {
        broker = HostedBroker.start("-Xmx" + HEAP_MIB + "m");
    }

    @AfterEach
    void recovers() throws IOException {
        for (RawPeer peer : peers) {
            peer.cut();
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> broker.numbers().counters().contains("connections=0,"));
        try (RawPeer tidy = RawPeer.withChannel(broker.port())) {
            tidy.send(RawFrames.queueDelete(1, "q"), RawFrames.exchangeDelete(1, "f", false, false));
            tidy.skipTo(1, 50, 41);
            tidy.skipTo(1, 40, 21);
            tidy.bye();
        }
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            HostedBroker.Numbers now = broker.numbers();
            assertThat(now.counters()).contains("connections=0,", "channels=0,", "queues=0,", "readyMessages=0,",
                    "unsettledMessages=0,", "messageBytes=0,", "open=0,");
            assertThat(now.failedTasks()).isZero();
        });
        assertThat(broker.log()).noneMatch(line -> line.contains("ERROR") || line.startsWith("\t"))
                .hasSizeLessThan(12);
        broker.close();
    }

    private RawPeer peer(int receiveBufferBytes) throws IOException {
        RawPeer peer = RawPeer.open(broker.port(), receiveBufferBytes, 2047, 131_072, 0).channel(1);
        peers.add(peer);
        return peer;
    }

    private RawPeer publisher() throws IOException {
        return peer(0).queue(1, "q");
    }

    /** Sends until the broker takes no more; the thread ends with the connection. */
    private static Thread flood(RawPeer peer, byte[] frames, int times) {
        return Thread.ofVirtual().start(() -> {
            try {
                for (int i = 0; i < times; i++) {
                    peer.send(frames);
                }
            } catch (IOException e) {
                // The test is over.
            }
        });
    }

    private static byte[] many(byte[] frames, int times) {
        byte[][] all = new byte[times][];
        Arrays.fill(all, frames);
        return RawFrames.join(all);
    }

    private void staysBounded() throws IOException {
        HostedBroker.Numbers now = broker.numbers();
        assertThat(now.heapBytes()).as(now.toString()).isLessThan(100L << 20);
        assertThat(now.directBytes()).as(now.toString()).isLessThan(48L << 20);
        try (RawPeer other = RawPeer.withChannel(broker.port())) {
            other.send(RawFrames.queueDeclare(1, "", none -> {}, false, false, true));
            other.expect(1, 50, 11);
            other.bye();
        }
    }

    private void waitsUntilHeld() {
        await().atMost(Duration.ofSeconds(20)).until(
                () -> broker.log().stream().anyMatch(line -> line.contains("publishers wait")));
    }

    @Test
    void shouldHoldAPublisherAndDrainAllTheSame() throws Exception {
        int messages = 400_000;
        Thread flood =
                flood(publisher(), many(RawFrames.message(1, "", "q", new byte[1], 100), 1_000), messages / 1_000);
        waitsUntilHeld();
        staysBounded();
        RawPeer consumer = peer(0);
        consumer.send(RawFrames.consume(1, "q", "t", none -> {}, false, true, false, true));
        for (int i = 0; i < messages * 3; i++) {
            assertThat(consumer.read()).isNotNull();
        }
        flood.join();
    }

    @Test
    void shouldKeepGetsWaitingForAPeerThatDoesNotRead() throws IOException {
        RawPeer publisher = publisher();
        for (int i = 0; i < 20; i++) {
            publisher.send(RawFrames.message(1, "", "q", new byte[200_000], 100_000));
        }
        publisher.depth(1, "q");
        RawPeer getter = peer(NOT_READ);
        flood(getter, many(RawFrames.join(RawFrames.get(1, "q", false), RawFrames.recover(1, true)), 500), 100);
        await().pollDelay(Duration.ofSeconds(1)).until(() -> broker.numbers().counters().contains("connections=2,"));
        staysBounded();
    }

    @Test
    void shouldBoundWhatThousandsOfConsumersOfOnePeerAreSent() throws IOException {
        RawPeer publisher = publisher();
        RawPeer consumer = peer(NOT_READ);
        for (int i = 0; i < 2_000; i++) {
            consumer.send(RawFrames.consume(1, "q", "t" + i, none -> {}, false, true, false, true));
        }
        flood(publisher, many(RawFrames.message(1, "", "q", new byte[10_000], 100_000), 100), 200);
        waitsUntilHeld();
        staysBounded();
    }

    @Test
    void shouldBoundRepliesThatAreNotRead() throws IOException {
        RawPeer server = publisher();
        RawPeer client = peer(NOT_READ);
        byte[] wantsReplies = new RawArguments().shortInt(0x0200).shortString("amq.rabbitmq.reply-to").toBytes();
        List<String> addresses = new ArrayList<>();
        for (int channel = 2; channel <= 31; channel++) {
            client.channel(channel);
            client.send(
                    RawFrames.consume(channel, "amq.rabbitmq.reply-to", "t", none -> {}, false, true, false, false));
            client.expect(channel, 60, 21);
            client.send(RawFrames.publish(channel, "", "q", false, false), RawFrames.header(channel, 0, wantsReplies));
        }
        server.send(RawFrames.consume(1, "q", "t", none -> {}, false, true, false, true));
        while (addresses.size() < 30) {
            server.skipTo(1, 60, 60);
            ByteBuffer header = ByteBuffer.wrap(server.read().payload()).position(14);
            addresses.add(RawFrame.shortString(header));
        }
        for (String address : addresses) {
            for (int i = 0; i < 10; i++) {
                server.send(RawFrames.message(1, "", address, new byte[1 << 20], 131_000));
            }
        }
        server.depth(1, "q");
        staysBounded();
    }

    @Test
    void shouldCountTheEntriesOfAFanOut() throws IOException {
        RawPeer publisher = publisher();
        publisher.send(RawFrames.exchangeDeclare(1, "f", "fanout", none -> {}, false, false, false, false, false));
        publisher.expect(1, 40, 11);
        for (int i = 0; i < 1_000; i++) {
            publisher.send(RawFrames.queueDeclare(1, "f" + i, none -> {}, false, false, true, false, true),
                    RawFrames.queueBind(1, "f" + i, "f", "", true, none -> {}));
        }
        publisher.depth(1, "q");
        flood(publisher, many(RawFrames.message(1, "f", "", new byte[10], 100), 10), 300);
        waitsUntilHeld();
        staysBounded();
    }

    @Test
    void shouldBoundAnEndlessTransaction() throws IOException {
        RawPeer publisher = publisher();
        publisher.send(RawFrames.txSelect(1));
        publisher.expect(1, 90, 11);
        flood(publisher, many(RawFrames.message(1, "", "q", new byte[10_000], 100_000), 100), 200);
        waitsUntilHeld();
        staysBounded();
    }

    @Test
    void shouldBoundWhatHundredsOfHeldPublishersHaveSent() throws IOException {
        flood(publisher(), many(RawFrames.message(1, "", "q", new byte[50_000], 100_000), 10), 200);
        waitsUntilHeld();
        byte[] frames = many(RawFrames.message(1, "", "q", new byte[1_000], 100_000), 300);
        for (int i = 0; i < 200; i++) {
            flood(peer(0), frames, 1);
        }
        staysBounded();
    }

    /** Eight messages that together have no room, published at the same time; then delivered to peers that do not read. */
    @Test
    void shouldTakeLargeMessagesInTurn() throws Exception {
        int size = 25 << 20;
        List<Thread> floods = new ArrayList<>();
        byte[] body = many(RawFrames.body(1, new byte[1 << 16]), size >> 16);
        for (int i = 0; i < 8; i++) {
            RawPeer publisher = publisher();
            publisher.send(RawFrames.publish(1, "", "q", false, false),
                    RawFrames.header(1, size, RawFrames.persistent()));
            floods.add(flood(publisher, body, 1));
        }
        RawPeer idle = peer(NOT_READ);
        idle.send(RawFrames.qos(1, 0, 1, false), RawFrames.consume(1, "q", "t", none -> {}, false, false, false, true));
        RawPeer consumer = peer(0);
        consumer.send(RawFrames.qos(1, 0, 1, false));
        consumer.expect(1, 60, 11);
        consumer.send(RawFrames.consume(1, "q", "t", none -> {}, false, true, false, true));
        for (int i = 0; i < 7; i++) {
            consumer.skipTo(1, 60, 60);
            assertThat(ByteBuffer.wrap(consumer.read().payload()).getLong(4)).isEqualTo(size);
            for (long left = size; left > 0;) {
                left -= consumer.read().payload().length;
            }
        }
        for (Thread flood : floods) {
            flood.join();
        }
        assertThat(broker.numbers().directBytes()).isLessThan(48L << 20);
    }

    /** Netty (4.2.18) forgets a socket that its peer half-closes while it is not read from. */
    @Test
    void shouldTakeAllThatAHeldPublisherSentBeforeItsEnd() throws Exception {
        flood(publisher(), RawFrames.message(1, "", "q", new byte[100_000], 100_000), 10_000);
        waitsUntilHeld();
        RawPeer last = peer(0);
        last.send(RawFrames.queueDeclare(1, "last", none -> {}));
        last.expect(1, 50, 11);
        last.send(many(RawFrames.message(1, "", "last", new byte[10_000], 100_000), 100));
        last.shutdownOutput();
        broker.numbers();
        peers.removeFirst().cut();
        RawPeer reader = peer(0);
        reader.send(RawFrames.queuePurge(1, "q", true));
        reader.send(RawFrames.consume(1, "last", "t", none -> {}, false, true, false, true));
        for (int i = 0; i < 100 * 3; i++) {
            assertThat(reader.read()).isNotNull();
        }
        last.readToEnd();
        reader.send(RawFrames.queueDelete(1, "last"));
        reader.skipTo(1, 50, 41);
    }
}
