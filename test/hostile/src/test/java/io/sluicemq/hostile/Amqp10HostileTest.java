package io.sluicemq.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluicemq.protocol.amqp10.codec.Frames;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;
import org.apache.qpid.protonj2.types.security.SaslOutcome;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Begin;
import org.apache.qpid.protonj2.types.transport.Close;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.End;
import org.apache.qpid.protonj2.types.transport.LinkError;
import org.apache.qpid.protonj2.types.transport.Open;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.Transfer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Broken and malicious peers of AMQP 1.0: they are told off, others are served, nothing is left and no trace logged. */
class Amqp10HostileTest {

    private final TestBroker broker = new TestBroker();

    @AfterEach
    void isUnharmed() throws IOException {
        broker.servesOthers();
        try (RawPeer tidy = broker.peer()) {
            tidy.send(io.sluicemq.protocol.amqp091.codec.RawFrames.queueDelete(1, "q"));
            tidy.skipTo(1, 50, 41);
            tidy.bye();
        }
        broker.isUnharmed();
        broker.close();
    }

    private Amqp10Peer dial() throws IOException {
        return Amqp10Peer.dial(broker.port(), 0);
    }

    private Amqp10Peer open() throws IOException {
        return Amqp10Peer.open(broker.port(), 0);
    }

    // §2.2, §2.3
    @Test
    void shouldTakeRandomBytesForWhatTheyAre() throws IOException {
        Random random = new Random(10);
        for (int i = 0; i < 200; i++) {
            byte[] noise = new byte[1 + random.nextInt(2_000)];
            random.nextBytes(noise);
            if (noise.length > 8) {
                // What looks like a frame of a size that does not come is waited for; here it comes.
                noise[0] = (byte) random.nextInt(1, 256);
            }
            try (Amqp10Peer peer = i % 3 == 0 ? dial() : i % 3 == 1 ? inSasl() : open()) {
                peer.send(i % 3 == 0 ? Frames.join(Frames.SASL, noise) : noise);
                if (noise.length > 8) {
                    peer.readToEnd();
                }
            }
        }
    }

    private Amqp10Peer inSasl() throws IOException {
        Amqp10Peer peer = dial();
        peer.send(Frames.SASL);
        return peer;
    }

    // §1.6.22
    @Test
    void shouldRefuseValuesThatAreNestedTooDeep() throws IOException {
        for (int code : new int[] {0xD0, 0xD1}) {
            byte[] nested = new byte[60_000];
            nested[1] = 0x53;
            nested[2] = 0x11;
            for (int at = 3; at + 9 < nested.length; at += 9) {
                int size = nested.length - at - 5;
                byte[] level = {(byte) code, (byte) (size >> 24), (byte) (size >> 16), (byte) (size >> 8), (byte) size,
                    0, 0, 0, 2};
                System.arraycopy(level, 0, nested, at, level.length);
            }
            try (Amqp10Peer peer = open()) {
                peer.send(Frames.raw(0, 1, nested));
                assertThat(peer.skipTo(Close.class).getError().getCondition()).isEqualTo(AmqpError.DECODE_ERROR);
                peer.readToEnd();
            }
        }
    }

    // §1.2
    @Test
    void shouldRefuseDescriptorsOfDescriptors() throws IOException {
        byte[] zeros = new byte[50_000];
        try (Amqp10Peer peer = open()) {
            peer.send(Frames.raw(0, 1, zeros));
            assertThat(peer.skipTo(Close.class).getError().getCondition()).isEqualTo(AmqpError.DECODE_ERROR);
        }
    }

    @Test
    void shouldNotMakeMemoryOfCountsAndSizes() throws IOException {
        for (byte[] body : List.of(
                new byte[] {0, 0x53, 0x11, (byte) 0xD0, 0, 0, 0, 4, 0x7F, -1, -1, -1},
                new byte[] {0, 0x53, 0x11, (byte) 0xC0, 4, (byte) 255, 0x43, 0x43, 0x43},
                new byte[] {0, 0x53, 0x10, (byte) 0xC0, 7, 1, (byte) 0xB1, 0x7F, -1, -1, -1, 0},
                new byte[] {0, 0x53, 0x12, (byte) 0xD0, 0, 0, 0, 14, 0, 0, 0, 1, (byte) 0xF0, 0, 0, 0, 5, 0x7F, -1, -1,
                    -1,
                    0x45},
                new byte[] {0, 0x53, 0x11, (byte) 0xD0, -1, -1, -1, -1, -1, -1, -1, -1})) {
            try (Amqp10Peer peer = open()) {
                peer.send(Frames.raw(0, 1, body));
                assertThat(peer.skipTo(Close.class).getError().getCondition()).isEqualTo(AmqpError.DECODE_ERROR);
            }
        }
    }

    /** A body that is much larger than its bytes must not be believed; and one whose arrays take no bytes. */
    @Test
    void shouldRejectMessagesThatPromiseMoreThanTheyHold() throws IOException {
        try (Amqp10Peer peer = open().attachSender(0, "q")) {
            long id = 0;
            for (byte[] message : List.of(
                    new byte[] {0, 0x53, 0x75, (byte) 0xB0, 0x7F, -1, -1, -1, 1},
                    new byte[] {0, 0x53, 0x77, (byte) 0xF0, 0, 0, 0, 5, 0x7F, -1, -1, -1, 0x40},
                    new byte[] {0, 0x53, 0x74, (byte) 0xD1, 0, 0, 0, 4, 0x7F, -1, -1, -2},
                    new byte[] {0, 0x53, 0x70, (byte) 0xC0, -1, -1})) {
                peer.send(Frames.frame(0, Amqp10Peer.transfer(0, id++), message));
                assertThat(peer.skipTo(Disposition.class).getState())
                        .isInstanceOf(org.apache.qpid.protonj2.types.messaging.Rejected.class);
            }
            peer.bye();
        }
    }

    // §2.4.1
    @Test
    void shouldEndASlowHandshake() throws IOException {
        Amqp10Peer[] slow = {dial(), inSasl(), dial()};
        slow[2].send(java.util.Arrays.copyOf(Frames.SASL, 5));
        for (Amqp10Peer peer : slow) {
            peer.readToEnd();
            peer.close();
        }
    }

    // §2.3
    @Test
    void shouldEndAFrameThatComesByteByByteForEver() throws IOException {
        try (Amqp10Peer peer = dial()) {
            peer.send(Frames.SASL, java.util.Arrays.copyOf(Frames.head(16_000, 2, 1, 0), 8));
            peer.readToEnd();
        }
    }

    // §5.3
    @Test
    void shouldSurviveAbuseOfSasl() throws IOException {
        Random random = new Random(4);
        for (int i = 0; i < 60; i++) {
            byte[] init = Frames.plain("guest", "x".repeat(random.nextInt(300)));
            if (i % 2 == 0) {
                init[8 + random.nextInt(init.length - 8)] = (byte) random.nextInt(256);
            }
            try (Amqp10Peer peer = inSasl()) {
                peer.send(init, init, Frames.AMQP, init);
                peer.readToEnd();
            }
        }
        try (Amqp10Peer peer = inSasl()) {
            peer.send(Frames.plain("guest", "wrong"));
            assertThat(peer.skipTo(SaslOutcome.class).getCode().getValue().intValue()).isEqualTo(1);
            peer.readToEnd();
        }
    }

    // §2.5.1, §2.5.2
    @Test
    void shouldBearManyBeginsAndEnds() throws IOException {
        byte[] round = Frames.join(
                Frames.frame(0, new End()), Frames.frame(0, Amqp10Peer.begin()),
                Frames.frame(7, Amqp10Peer.begin()), Frames.frame(7, new End()));
        byte[][] rounds = new byte[100][];
        java.util.Arrays.fill(rounds, round);
        byte[] all = Frames.join(rounds);
        try (Amqp10Peer peer = open()) {
            for (int i = 0; i < 50; i++) {
                peer.send(all);
                for (int answers = 0; answers < 200; answers++) {
                    peer.skipTo(Begin.class);
                }
            }
            peer.bye();
        }
    }

    // §2.6.2, §2.6.3
    @Test
    void shouldBearAFloodOfAttaches() throws IOException {
        try (Amqp10Peer peer = open()) {
            for (int round = 0; round < 5; round++) {
                for (int handle = 0; handle < 1000; handle++) {
                    peer.send(Frames.frame(0, Amqp10Peer.receiver(handle, "q")));
                }
                for (int handle = 0; handle < 1000; handle++) {
                    peer.send(Frames.frame(0, new Detach().setHandle(handle).setClosed(true)));
                }
                // A link is answered when its queue has been asked, so others may be gone by then.
                int attached = 0;
                int detached = 0;
                while (attached < 1000 || detached < 1000) {
                    Frames.Frame frame = peer.read();
                    assertThat(frame).as("the stream goes on").isNotNull();
                    attached += frame.performative() instanceof Attach ? 1 : 0;
                    detached += frame.performative() instanceof Detach ? 1 : 0;
                    assertThat(detached).isLessThanOrEqualTo(attached);
                }
            }
            peer.bye();
        }
    }

    // §2.4.6
    @Test
    void shouldLetGoOfPeersThatVanishAtAnyMoment() throws IOException {
        List<byte[]> steps = List.of(
                Frames.frame(0, Amqp10Peer.receiver(0, "q")),
                Frames.frame(0, Amqp10Peer.credit(0, 100)),
                Frames.frame(0, Amqp10Peer.sender(1, "q")),
                Frames.frame(0, Amqp10Peer.transfer(1, 0), Frames.encode(new Data(new byte[10]))),
                Frames.frame(0, Amqp10Peer.transfer(1, 1).setMore(true), new byte[50_000]),
                Frames.frame(0, new End()),
                Frames.frame(0, new Close()));
        for (int last = 0; last < steps.size(); last++) {
            for (int i = 0; i < 5; i++) {
                Amqp10Peer peer = open();
                peer.send(steps.subList(0, last + 1).toArray(byte[][]::new));
                if (i % 2 == 0) {
                    peer.cut();
                } else {
                    peer.close();
                }
            }
        }
        await().atMost(Duration.ofSeconds(10)).until(() -> broker.broker().counters().connections() == 0);
    }

    // §2.6.1, §2.6.5, §2.6.13
    @Test
    void shouldHandALinkFromConnectionToConnection() throws IOException {
        try (Amqp10Peer sender = open()) {
            sender.attachSender(0, "q").send(Frames.frame(
                    0, Amqp10Peer.transfer(0, 0), Frames.encode(new Data(new byte[100]))));
            sender.skipTo(Disposition.class);
            sender.bye();
        }
        List<Amqp10Peer> stolenFrom = new ArrayList<>();
        byte[] tag = null;
        for (int i = 0; i < 20; i++) {
            Map<Binary, DeliveryState> unsettled = new HashMap<>();
            if (tag != null) {
                unsettled.put(new Binary(tag), null);
            }
            Amqp10Peer peer = dial();
            Attach attach = Amqp10Peer.receiver(0, "q").setUnsettled(unsettled);
            attach.getSource().setExpiryPolicy(TerminusExpiryPolicy.NEVER);
            peer.send(
                    Frames.SASL, Frames.plain("guest", "guest"), Frames.AMQP,
                    Frames.frame(0, new Open().setContainerId("comes back")),
                    Frames.frame(0, Amqp10Peer.begin()),
                    Frames.frame(0, attach),
                    Frames.frame(0, Amqp10Peer.credit(0, 10)));
            Transfer transfer = peer.skipTo(Transfer.class);
            assertThat(transfer.getResume()).isEqualTo(i > 0);
            if (tag != null) {
                assertThat(transfer.getDeliveryTag().tagBytes()).isEqualTo(tag);
            }
            tag = transfer.getDeliveryTag().tagBytes();
            if (i % 2 == 0) {
                peer.close(); // the broker may know of that or not when the next one comes
            } else {
                stolenFrom.add(peer);
            }
        }
        Amqp10Peer last = stolenFrom.removeLast();
        for (Amqp10Peer each : stolenFrom) {
            assertThat(each.skipTo(Detach.class).getError().getCondition()).isEqualTo(LinkError.STOLEN);
            each.close();
        }
        last.send(
                Frames.frame(0, new Disposition().setRole(Role.RECEIVER).setFirst(0).setSettled(true)
                        .setState(Accepted.getInstance())),
                Frames.frame(0, new Detach().setHandle(0).setClosed(true)));
        assertThat(last.skipTo(Detach.class).getError()).isNull();
        last.close();
    }
}
