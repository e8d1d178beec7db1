package io.sluicemq.protocol.amqp10;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.protocol.amqp10.codec.Frames;
import io.sluicemq.protocol.amqp10.codec.Frames.Frame;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.End;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.Transfer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Messages that are large beside the broker's memory for messages, of which there are 64 MiB here. */
class LargeMessageTest {

    private static final int MIB = 1 << 20;
    private static final int PART = 60_000;

    private final Lab lab = new Lab();
    private final List<Peer> peers = new ArrayList<>();

    private Peer connect() {
        Peer peer = Peer.connected(lab, peers.size() % 2);
        peers.add(peer);
        return peer;
    }

    /** Whatever has happened: nothing is left when all have gone. */
    @AfterEach
    void nothingIsLeft() {
        for (Peer peer : peers) {
            if (!peer.wire.ended()) {
                peer.cutSocket();
            }
        }
        assertThat(lab.counters().messageBytes()).isZero();
        assertThat(lab.counters().connections()).isZero();
    }

    /** The beginning of a message of {@code size} bytes, and frames of more of it. */
    private static void begin(Peer peer, int handle, long id, int size) {
        byte[] data = {0, 0x53, 0x75, (byte) 0xB0,
            (byte) (size >> 24), (byte) (size >> 16), (byte) (size >> 8), (byte) size};
        peer.send(Frames.frame(0, Peer.transfer(handle, id).setMore(true), data));
    }

    private static void more(Peer peer, int handle, int bytes) {
        for (int left = bytes; left > 0; left -= PART) {
            peer.send(Frames.frame(0, new Transfer().setHandle(handle).setMore(true), new byte[Math.min(PART, left)]));
        }
    }

    private static void last(Peer peer, int handle) {
        peer.send(Frames.frame(0, new Transfer().setHandle(handle)));
    }

    private static boolean settled(Peer peer) {
        return peer.frames().stream().anyMatch(frame -> frame.performative() instanceof Disposition outcome
                && outcome.getState() == Accepted.getInstance());
    }

    private void consume(String queue) {
        Peer receiver = connect();
        receiver.attachReceiver(0, queue);
        receiver.send(Peer.credit(0, 0, 100).setIncomingWindow(1 << 30));
        for (int id = 0, left = (int) lab.counters().readyMessages(); id < left || lab.counters().readyMessages() > 0;
                id++) {
            receiver.frames();
            receiver.send(Peer.settle(Role.RECEIVER, 0, id, Accepted.getInstance()));
        }
        while (!receiver.frames().isEmpty()) {
            lab.loops.runAll();
        }
        receiver.send(Peer.settle(Role.RECEIVER, 0, 99, Accepted.getInstance()));
    }

    @Test
    void shouldCarryALargeMessage() {
        Peer sender = connect();
        sender.attachSender(0, "q");
        Peer receiver = connect();
        receiver.attachReceiver(0, "q");
        receiver.send(Peer.credit(0, 0, 1));
        byte[] body = new byte[5 * MIB];
        new Random(3).nextBytes(body);
        byte[] message = Peer.message(body);
        for (int at = 0; at < message.length; at += PART) {
            byte[] part = java.util.Arrays.copyOfRange(message, at, Math.min(message.length, at + PART));
            Transfer transfer = at == 0 ? Peer.transfer(0, 0) : new Transfer().setHandle(0);
            sender.send(Frames.frame(0, transfer.setMore(at + PART < message.length), part));
        }
        assertThat(settled(sender)).isTrue();
        List<byte[]> parts = new ArrayList<>();
        for (List<Frame> frames = receiver.frames(); !frames.isEmpty(); frames = receiver.frames()) {
            frames.forEach(frame -> parts.add(frame.payload()));
        }
        assertThat(Peer.data(Frames.join(parts.toArray(byte[][]::new)))).isEqualTo(body);
        receiver.send(Peer.settle(Role.RECEIVER, 0, 0, Accepted.getInstance()));
    }

    @Test
    void shouldLetLargeMessagesOfSeveralConnectionsInOneAfterTheOther() {
        Peer first = connect();
        first.attachSender(0, "q");
        Peer second = connect();
        second.attachSender(0, "q");
        begin(first, 0, 0, 20 * MIB);
        begin(second, 0, 0, 20 * MIB);
        more(first, 0, 19 * MIB);
        more(second, 0, 8 * MIB);
        assertThat(first.wire.paused).isFalse();
        assertThat(second.wire.paused).isTrue();
        assertThat(second.wire.keptBytes()).isGreaterThan(3 * MIB);
        more(first, 0, MIB);
        last(first, 0);
        assertThat(settled(first)).isTrue();
        assertThat(second.wire.paused).isFalse();
        more(second, 0, 12 * MIB);
        last(second, 0);
        assertThat(settled(second)).isTrue();
        consume("q");
    }

    /** Those who wait are sent no more window, so that who keeps to it goes on with other sessions. */
    @Test
    void shouldNotOpenTheWindowOfASessionWhoseMessageWaits() {
        Peer first = connect();
        first.attachSender(0, "q");
        begin(first, 0, 0, 30 * MIB);
        Peer second = connect();
        second.attachSender(0, "q");
        begin(second, 0, 0, 30 * MIB);
        for (int i = 1; i < 1500; i++) {
            second.send(Frames.frame(0, new Transfer().setHandle(0).setMore(true), new byte[1000]));
        }
        second.expectNothing();
        second.begin(1);
        first.cutSocket();
        assertThat(second.frames()).anyMatch(frame -> frame.performative() instanceof Flow);
    }

    @Test
    void shouldDetachOneOfTwoLargeMessagesOfAConnectionIfBothCanNotBeHeld() {
        Peer peer = connect();
        peer.attachSender(0, "q");
        peer.attachSender(1, "q");
        begin(peer, 0, 0, 20 * MIB);
        begin(peer, 1, 1, 20 * MIB);
        more(peer, 1, 3 * MIB);
        more(peer, 0, 3 * MIB);
        peer.expectNothing();
        more(peer, 1, 3 * MIB);
        peer.expectDetach(AmqpError.RESOURCE_LIMIT_EXCEEDED);
        peer.send(new Detach().setHandle(1).setClosed(true));
        more(peer, 0, 17 * MIB);
        last(peer, 0);
        assertThat(settled(peer)).isTrue();
        consume("q");
    }

    @Test
    void shouldDetachAMessageThatComesTooSlowly() {
        Peer peer = connect();
        peer.attachSender(0, "q");
        begin(peer, 0, 0, 2 * MIB);
        more(peer, 0, MIB);
        for (int i = 0; i < 5; i++) {
            lab.loops.advance(TimeUnit.SECONDS.toNanos(9));
            peer.send(Frames.empty());
        }
        peer.expectDetach(AmqpError.RESOURCE_LIMIT_EXCEEDED);
        peer.attachSender(1, "q");
        peer.send(Peer.send(1, 1, "small"));
        assertThat(settled(peer)).isTrue();
        consume("q");
    }

    /** Messages that never end, on many links: what is held of them is bounded. */
    @Test
    void shouldHoldLittleOfManyMessagesThatNeverEnd() {
        Peer peer = connect();
        for (int i = 0; i < 100; i++) {
            peer.attachSender(i, "q");
            peer.send(Frames.frame(
                    0, Peer.transfer(i, i).setMore(true), new byte[] {0, 0x53, 0x77, (byte) 0xB1, 0x7F, 0, 0, 0}));
        }
        for (int round = 0; round < 20 && !peer.wire.paused; round++) {
            for (int i = 0; i < 100 && !peer.wire.paused; i++) {
                peer.send(Frames.frame(0, new Transfer().setHandle(i).setMore(true), new byte[PART]));
            }
            peer.frames();
        }
        assertThat(lab.counters().messageBytes()).isLessThan(8 * MIB);
    }

    @Test
    void shouldGiveBackWhatItHeldWhateverEnds() {
        for (Object end : List.of(
                new Detach().setHandle(0).setClosed(true),
                new Detach().setHandle(0),
                new Transfer().setHandle(0).setAborted(true),
                new End())) {
            Peer granted = connect();
            granted.attachSender(0, "q");
            begin(granted, 0, 0, 30 * MIB);
            more(granted, 0, 2 * MIB);
            Peer waits = connect();
            waits.attachSender(0, "q");
            begin(waits, 0, 0, 30 * MIB);
            more(waits, 0, 2 * MIB);
            waits.send(end);
            granted.send(end);
            assertThat(lab.counters().messageBytes()).isZero();
            granted.cutSocket();
            waits.cutSocket();
        }
    }
}
