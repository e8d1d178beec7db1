package io.sluicemq.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluicemq.protocol.amqp10.codec.Frames;
import io.sluicemq.protocol.amqp10.codec.Frames.Frame;
import java.io.IOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.SenderSettleMode;
import org.apache.qpid.protonj2.types.transport.Transfer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Large messages (§2.6.14) and greedy peers of AMQP 1.0 (§2.6.7), and a broker with a small heap. */
@Execution(ExecutionMode.CONCURRENT)
class Amqp10MemoryTest {

    private static final int MIB = 1 << 20;
    private static final int PART = 60_000;
    private static final int NOT_READ = 4096;

    @TempDir
    Path data;

    private HostedBroker broker;
    private final List<Amqp10Peer> peers = new ArrayList<>();

    @AfterEach
    void recovers() throws IOException {
        for (Amqp10Peer peer : peers) {
            peer.cut();
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> broker.numbers().counters().contains("connections=0,"));
        HostedBroker.Numbers now = broker.numbers();
        assertThat(now.failedTasks()).as(String.join("\n", broker.log())).isZero();
        assertThat(now.counters()).contains("channels=0,", "unsettledMessages=0,", "open=0,");
        assertThat(broker.log()).noneMatch(line -> line.contains("ERROR") || line.startsWith("\t"));
        broker.close();
    }

    private Amqp10Peer peer(int receiveBufferBytes) throws IOException {
        Amqp10Peer peer = Amqp10Peer.open(broker.port(), receiveBufferBytes);
        peers.add(peer);
        return peer;
    }

    private static byte[] more(int handle, byte[] part) {
        return Frames.frame(0, new Transfer().setHandle(handle).setMore(true), part);
    }

    /**
     * Sends a message of a pattern without having all of it; returns its digest.
     *
     * @param inTheMiddle done when half of it has been sent
     */
    private static byte[] sendLarge(
            Amqp10Peer peer, int handle, long id, int bytes, boolean durable, Runnable inTheMiddle) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        byte[] head = Frames.join(Frames.encode(new Header().setDurable(durable)), new byte[] {
            0, 0x53, 0x75, (byte) 0xB0, (byte) (bytes >> 24), (byte) (bytes >> 16), (byte) (bytes >> 8), (byte) bytes});
        peer.send(Frames.frame(0, Amqp10Peer.transfer(handle, id).setMore(true), head));
        byte[] part = new byte[PART];
        new Random(id).nextBytes(part);
        for (int at = 0; at < bytes; at += PART) {
            if (at / PART == bytes / PART / 2) {
                inTheMiddle.run();
            }
            part[0]++;
            byte[] next = at + PART < bytes ? part : Arrays.copyOf(part, bytes - at);
            digest.update(next);
            peer.send(more(handle, next));
        }
        peer.send(Frames.frame(0, new Transfer().setHandle(handle)));
        return digest.digest();
    }

    /**
     * Reads a message of one data section; returns the digest of that.
     *
     * @param inTheMiddle done when half of it has been read
     */
    private static byte[] receiveLarge(Amqp10Peer peer, int bytes, Runnable inTheMiddle) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        long arrived = 0;
        boolean more = true;
        byte[] start = {};
        while (more) {
            Frame frame = peer.read();
            assertThat(frame).isNotNull();
            if (!(frame.performative() instanceof Transfer transfer)) {
                continue;
            }
            more = transfer.getMore();
            byte[] payload = frame.payload();
            if (arrived == 0) {
                start = Frames.join(start, payload);
                int data = dataAt(start);
                payload = Arrays.copyOfRange(start, data, start.length);
            }
            digest.update(payload);
            boolean firstHalf = arrived < bytes / 2;
            arrived += payload.length;
            if (firstHalf && arrived >= bytes / 2) {
                inTheMiddle.run();
            }
        }
        assertThat(arrived).isEqualTo(bytes);
        return digest.digest();
    }

    /** Behind the header section and the beginning of the data section. */
    private static int dataAt(byte[] start) {
        for (int at = 0; at < 64; at++) {
            if (start[at] == 0 && start[at + 1] == 0x53 && start[at + 2] == 0x75) {
                return at + 8;
            }
        }
        throw new AssertionError("no data section");
    }

    /** Sends small messages one after the other, as far as it has credit, and receives them. Its counter is read by others. */
    private static final class SmallOnes {

        /** More than there is credit for at a time. */
        private static final int MANY = 3_000;

        private final Amqp10Peer peer;
        private final AtomicLong exchanged = new AtomicLong();
        private final Thread thread;
        private volatile boolean over;
        private long limit;

        SmallOnes(Amqp10Peer peer) throws IOException {
            this.peer = peer;
            peer.send(Frames.frame(0, Amqp10Peer.sender(0, "small")));
            await(Attach.class);
            await(Flow.class);
            peer.send(
                    Frames.frame(0, Amqp10Peer.receiver(1, "small")),
                    Frames.frame(0, Amqp10Peer.credit(1, 1_000_000)));
            await(Attach.class);
            thread = Thread.ofVirtual().start(this::exchange);
        }

        private <T> T await(Class<T> type) throws IOException {
            while (true) {
                Frame frame = peer.read();
                if (frame == null) {
                    throw new IOException("the stream has ended");
                }
                if (frame.performative() instanceof Flow flow && flow.hasHandle() && flow.getHandle() == 0) {
                    limit = flow.getDeliveryCount() + flow.getLinkCredit();
                }
                if (type.isInstance(frame.performative())) {
                    return type.cast(frame.performative());
                }
            }
        }

        private void exchange() {
            try {
                for (long id = 0; !over; id++) {
                    while (id >= limit) {
                        await(Flow.class);
                    }
                    peer.send(Frames.frame(
                            0, Amqp10Peer.transfer(0, id).setSettled(true), Frames.encode(new Data(new byte[100]))));
                    peer.send(Frames.frame(0, accepted(await(Transfer.class).getDeliveryId())));
                    exchanged.incrementAndGet();
                }
            } catch (IOException e) {
                // Then they don't go on.
            }
        }

        /** Returns when many more of them have passed. */
        void goOn() {
            long before = exchanged.get();
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> exchanged.get() >= before + MANY);
        }

        void end() throws InterruptedException {
            over = true;
            thread.join();
        }
    }

    private void shouldCarryAHundredMebibytes(boolean durable) throws Exception {
        broker = HostedBroker.start("-Xmx256m", "-Dhosted.data=" + data);
        int bytes = 100 * MIB;
        Amqp10Peer sender = peer(0).attachSender(0, "large");
        SmallOnes small = new SmallOnes(peer(0));
        byte[] sent = sendLarge(sender, 0, 0, bytes, durable, small::goOn);
        assertThat(sender.skipTo(Disposition.class).getState()).isEqualTo(Accepted.getInstance());
        small.goOn();
        Amqp10Peer receiver = peer(0);
        receiver.send(Frames.frame(0, Amqp10Peer.receiver(0, "large")), Frames.frame(0, Amqp10Peer.credit(0, 1)));
        receiver.skipTo(Attach.class);
        assertThat(receiveLarge(receiver, bytes, small::goOn)).isEqualTo(sent);
        small.goOn();
        receiver.send(Frames.frame(0, accepted(0)));
        small.goOn();
        small.end();
        receiver.bye();
        await().atMost(Duration.ofSeconds(20)).until(() -> broker.numbers().counters().contains("messageBytes=0,"));
    }

    private static Disposition accepted(long id) {
        return new Disposition().setRole(Role.RECEIVER).setFirst(id).setSettled(true).setState(Accepted.getInstance());
    }

    @Test
    void shouldCarryAHundredMebibytesThatAreTransient() throws Exception {
        shouldCarryAHundredMebibytes(false);
    }

    @Test
    void shouldCarryAHundredMebibytesThatAreDurable() throws Exception {
        shouldCarryAHundredMebibytes(true);
    }

    private void staysBounded() throws IOException {
        HostedBroker.Numbers now = broker.numbers();
        assertThat(now.heapBytes()).as(now.toString()).isLessThan(100L << 20);
        assertThat(now.directBytes()).as(now.toString()).isLessThan(48L << 20);
        Amqp10Peer other = Amqp10Peer.open(broker.port(), 0);
        other.send(Frames.frame(0, Amqp10Peer.receiver(0, "other")));
        other.skipTo(Attach.class);
        other.bye();
    }

    /** Several connections, each with several links that begin 100 MiB and never end: all wait or are ended, nobody else does. */
    @Test
    void shouldBoundMessagesThatNeverEnd() throws Exception {
        broker = HostedBroker.start("-Xmx128m");
        List<Thread> floods = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Amqp10Peer peer = peer(0);
            for (int handle = 0; handle < 4; handle++) {
                peer.attachSender(handle, "q");
            }
            floods.add(Thread.ofVirtual().start(() -> {
                try {
                    for (int handle = 0; handle < 4; handle++) {
                        byte[] head = {0, 0x53, 0x75, (byte) 0xB0, 6, 0x40, 0, 0};
                        peer.send(Frames.frame(0, Amqp10Peer.transfer(handle, handle).setMore(true), head));
                    }
                    for (int round = 0; round < 400; round++) {
                        peer.send(more(round % 4, new byte[PART]));
                    }
                } catch (IOException e) {
                    // The test is over.
                }
            }));
        }
        await().pollDelay(Duration.ofSeconds(1)).until(() -> broker.numbers().counters().contains("connections=5,"));
        staysBounded();
        for (Amqp10Peer peer : peers) {
            peer.cut();
        }
        for (Thread flood : floods) {
            flood.join();
        }
    }

    @Test
    void shouldBoundWhatPeersAreSentThatDoNotRead() throws Exception {
        broker = HostedBroker.start("-Xmx128m");
        Amqp10Peer publisher = peer(0).attachSender(0, "q");
        for (int i = 0; i < 200; i++) {
            publisher.send(Frames.frame(
                    0, Amqp10Peer.transfer(0, i), Frames.encode(new Data(new byte[50_000]))));
            publisher.skipTo(Disposition.class);
        }
        for (int i = 0; i < 20; i++) {
            Amqp10Peer lazy = peer(NOT_READ);
            for (int handle = 0; handle < 50; handle++) {
                Attach attach = Amqp10Peer.receiver(handle, "q").setSenderSettleMode(
                        handle % 2 == 0 ? SenderSettleMode.UNSETTLED : SenderSettleMode.SETTLED);
                attach.getSource().setDistributionMode(org.apache.qpid.protonj2.types.Symbol.valueOf("copy"));
                lazy.send(Frames.frame(0, attach), Frames.frame(0, Amqp10Peer.credit(handle, 1_000)));
            }
        }
        await().pollDelay(Duration.ofSeconds(1)).until(() -> broker.numbers().counters().contains("connections=21,"));
        staysBounded();
    }

    /** Echoes, empty begins and attaches whose answers nobody reads. */
    @Test
    void shouldBoundAnswersThatAreNotRead() throws Exception {
        broker = HostedBroker.start("-Xmx128m");
        Amqp10Peer lazy = peer(NOT_READ);
        byte[][] echoes = new byte[2_000][];
        Arrays.fill(echoes, Frames.frame(0, Amqp10Peer.credit(0, 1).setHandle(0).setEcho(true)));
        lazy.send(Frames.frame(0, Amqp10Peer.receiver(0, "q")));
        byte[] all = Frames.join(echoes);
        Thread flood = Thread.ofVirtual().start(() -> {
            try {
                for (int i = 0; i < 500; i++) {
                    lazy.send(all);
                }
            } catch (IOException e) {
                // The broker has had enough of it.
            }
        });
        await().pollDelay(Duration.ofSeconds(2)).until(() -> broker.numbers().failedTasks() == 0);
        staysBounded();
        lazy.cut();
        flood.join();
    }
}
