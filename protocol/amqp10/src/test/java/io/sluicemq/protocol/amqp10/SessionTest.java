package io.sluicemq.protocol.amqp10;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.protocol.amqp10.codec.Frames;
import io.sluicemq.protocol.amqp10.codec.Frames.Frame;
import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Begin;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.End;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.SessionError;
import org.apache.qpid.protonj2.types.transport.Transfer;
import org.junit.jupiter.api.Test;

/** Sessions and their windows (1.0 §2.5, §2.7.2, §2.7.8). */
class SessionTest {

    private final Lab lab = new Lab();
    private final Peer peer = Peer.opened(lab, 0, Lab.OPTIONS, Peer.open());

    // ---- begin and end

    @Test
    void shouldAnswerABeginWithItsChannel() {
        peer.send(7, Peer.begin());
        Begin begin = peer.expect(7, Begin.class);
        assertThat(begin.getRemoteChannel()).isEqualTo(7);
        assertThat(begin.getIncomingWindow()).isGreaterThan(100);
        assertThat(begin.getHandleMax()).isEqualTo(Lab.OPTIONS.handleMax());
    }

    @Test
    void shouldCloseForASecondBegin() {
        peer.begin(0);
        peer.send(0, Peer.begin());
        peer.expectClose(AmqpError.ILLEGAL_STATE);
    }

    @Test
    void shouldCloseForABeginThatAnswersNone() {
        peer.send(0, Peer.begin().setRemoteChannel(0));
        peer.expectClose(AmqpError.NOT_ALLOWED);
    }

    @Test
    void shouldEndWithLinksOpen() {
        peer.begin(0);
        peer.attachSender(0, "q");
        peer.attachReceiver(1, "q");
        peer.send(Peer.send(0, 0, "a"));
        peer.expect(Disposition.class);
        peer.send(Peer.credit(1, 0, 10));
        peer.receive(1, 0);
        peer.send(new End());
        assertThat(peer.expect(End.class).getError()).isNull();
        peer.expectNothing();
        assertThat(lab.counters().consumers()).isZero();
        assertThat(lab.counters().channels()).isZero();
        assertThat(lab.counters().readyMessages()).isEqualTo(1);
    }

    /** With its end the peer frees the channel (§2.5.5), whether it is answered or not. */
    @Test
    void shouldBeginWhereAnEndIsNotAnsweredYet() {
        peer.begin(0);
        peer.attachReceiver(0, "q");
        peer.send(
                Frames.frame(0, new End()),
                Frames.frame(0, Peer.begin()),
                Frames.frame(0, Peer.receiver(0, "receiver 0", "q")),
                Frames.frame(0, new End()),
                Frames.frame(0, Peer.begin()));
        peer.expect(End.class);
        peer.expect(Begin.class);
        List<Frame> rest = peer.frames();
        assertThat(rest.getLast().performative()).isInstanceOf(Begin.class);
        assertThat(rest.get(rest.size() - 2).performative()).isInstanceOf(End.class);
        peer.attachReceiver(0, "q");
        assertThat(lab.counters().consumers()).isEqualTo(1);
    }

    /** After an end of ours the peer may still be sending for a while (§2.5.6, discarding). */
    @Test
    void shouldDiscardWhatComesBehindAnEndOfOurs() {
        peer.begin(0);
        peer.begin(1);
        peer.send(new org.apache.qpid.protonj2.types.transport.Detach().setHandle(9));
        peer.expectEnd(SessionError.UNATTACHED_HANDLE);
        peer.send(Peer.sender(0, "s", "q"));
        peer.send(Peer.flow());
        peer.send(Peer.send(4, 0, "a"));
        peer.expectNothing();
        peer.send(new End());
        peer.expectNothing();
        peer.begin(0);
        peer.attachSender(0, "q");
        peer.send(1, Peer.sender(0, "s", "q"));
        peer.expect(1, Attach.class);
    }

    /** What links have left that goes with the session has gone when its end is answered. */
    @Test
    void shouldEndAfterWhatDetachedLinksHaveLeft() {
        // Not on the loop that makes and deletes queues.
        Peer far = Peer.connected(lab, 1);
        for (int i = 0; i < 8; i++) {
            far.send(Peer.receiver(i, "r " + i, null).setSource(new Source().setDynamic(true)));
            far.expect(Attach.class);
            far.send(new Detach().setHandle(i).setClosed(false));
            far.expect(Detach.class);
        }
        far.attachSender(8, "q");
        assertThat(lab.counters().queues()).isEqualTo(9);
        far.wire.arrive(Frames.frame(0, new End()));
        assertThat(far.wire.writtenBytes()).as("written while other loops still delete queues").isEmpty();
        lab.loops.runAll();
        assertThat(lab.counters().queues()).isEqualTo(1);
        far.expect(End.class);
    }

    @Test
    void shouldBeginAndEndManyTimes() {
        for (int i = 0; i < 10_000; i++) {
            peer.send(Frames.frame(i % 7, Peer.begin()), Frames.frame(i % 7, new End()));
            peer.expect(i % 7, Begin.class);
            peer.expect(i % 7, End.class);
        }
        assertThat(lab.counters().channels()).isZero();
    }

    // ---- the window for what comes

    @Test
    void shouldOpenItsWindowAgain() {
        int window = (int) peer.begin(0).getIncomingWindow();
        peer.attachSender(0, "q");
        long told = window;
        for (int i = 0; i < 3 * window; i++) {
            assertThat(told - i).as("window left").isPositive();
            peer.send(Frames.frame(0, Peer.transfer(0, i).setSettled(true), Peer.message("x")));
            for (Frame frame : peer.frames()) {
                if (frame.performative() instanceof Flow flow) {
                    told = flow.getNextIncomingId() + flow.getIncomingWindow();
                }
            }
        }
    }

    @Test
    void shouldOpenItsWindowForThoseWhoDoNotReadThatItIsOpen() {
        int window = (int) peer.begin(0).getIncomingWindow();
        peer.attachSender(0, "q");
        List<byte[]> frames = new ArrayList<>();
        frames.add(Frames.frame(0, Peer.transfer(0, 0).setMore(true), Peer.message(new byte[window * 2])));
        for (int i = 0; i < window * 2; i++) {
            frames.add(Frames.frame(0, new Transfer().setHandle(0).setMore(true)));
        }
        // It is opened as frames come, so that nobody who reads the answers gets this error; and nobody who doesn't.
        peer.send(frames.toArray(byte[][]::new));
        assertThat(peer.frames()).isNotEmpty().allMatch(frame -> frame.performative() instanceof Flow);
    }

    @Test
    void shouldAnswerAnEchoOfASession() {
        peer.begin(0);
        peer.send(Peer.flow().setEcho(true));
        Flow flow = peer.expect(Flow.class);
        assertThat(flow.hasHandle()).isFalse();
        assertThat(flow.getNextIncomingId()).isZero();
        assertThat(flow.getEcho()).isFalse();
        peer.expectNothing();
    }

    // ---- the window for what goes

    private void fill(String queue, int messages) {
        Peer sender = Peer.connected(lab, 1);
        sender.attachSender(0, queue);
        for (int i = 0; i < messages; i++) {
            sender.send(Frames.frame(0, Peer.transfer(0, i).setSettled(true), Peer.message("" + i)));
        }
        sender.frames();
    }

    @Test
    void shouldSendWithinThePeersWindow() {
        fill("q", 10);
        peer.send(0, Peer.begin().setIncomingWindow(3));
        peer.expect(Begin.class);
        peer.attachReceiver(0, "q");
        peer.send(Peer.credit(0, 0, 100).setIncomingWindow(3));
        assertThat(peer.frames()).hasSize(3);
        peer.send(Peer.flow().setNextIncomingId(1).setIncomingWindow(3));
        assertThat(peer.receive(0, 3)).isEqualTo("3");
        peer.expectNothing();
        peer.send(Peer.flow().setNextIncomingId(4).setIncomingWindow(0));
        peer.expectNothing();
        peer.send(Peer.flow().setNextIncomingId(4).setIncomingWindow(0xFFFF_FFFFL));
        assertThat(peer.frames()).hasSize(6);
    }

    @Test
    void shouldGoOnWithAMessageWhenTheWindowOpens() {
        Peer sender = Peer.connected(lab, 1);
        sender.attachSender(0, "q");
        sender.send(Peer.send(0, 0, "x".repeat(5_000)));
        Peer small = Peer.opened(lab, 0, Lab.OPTIONS, Peer.open().setMaxFrameSize(512));
        small.send(0, Peer.begin().setIncomingWindow(2));
        small.expect(Begin.class);
        small.attachReceiver(0, "q");
        small.send(Peer.credit(0, 0, 1).setIncomingWindow(2));
        int frames = small.frames().size();
        assertThat(frames).isEqualTo(2);
        boolean more = true;
        while (more) {
            small.send(Peer.flow().setNextIncomingId(frames).setIncomingWindow(1));
            Frame frame = small.next();
            frames++;
            more = ((Transfer) frame.performative()).getMore();
            small.expectNothing();
        }
        assertThat(frames).isGreaterThan(10);
    }

    /** C055: transfer numbers wrap, and delivery numbers. */
    @Test
    void shouldGoOnWhenThePeersNumbersWrap() {
        long start = 0xFFFF_FFFFL - 9;
        peer.send(0, Peer.begin().setNextOutgoingId(start));
        peer.expect(Begin.class);
        peer.send(Peer.sender(0, "s", "q").setInitialDeliveryCount(start));
        peer.expect(Attach.class);
        Flow flow = peer.expect(Flow.class);
        assertThat(flow.getNextIncomingId()).isEqualTo(start);
        assertThat(flow.getDeliveryCount()).isEqualTo(start);
        for (int i = 0; i < 5_000; i++) {
            long id = (start + i) & 0xFFFF_FFFFL;
            peer.send(Peer.send(0, id, "x"));
            List<Frame> frames = peer.frames();
            assertThat(frames)
                    .anyMatch(frame -> frame.performative() instanceof Disposition outcome && outcome.getFirst() == id);
            for (Frame frame : frames) {
                if (frame.performative() instanceof Flow told && told.hasHandle()) {
                    assertThat(told.getNextIncomingId()).isEqualTo((id + 1) & 0xFFFF_FFFFL);
                    assertThat(told.getDeliveryCount()).isEqualTo((id + 1) & 0xFFFF_FFFFL);
                }
            }
        }
        assertThat(lab.counters().readyMessages()).isEqualTo(5_000);
    }

    /** C055: all arrive without a further flow. */
    @Test
    void shouldSendMoreThanSixteenBitsOfTransfers() {
        peer.send(0, Peer.begin().setIncomingWindow(0xFFFF_FFFFL));
        peer.expect(Begin.class);
        peer.send(Peer.receiver(0, "r", "q").setSenderSettleMode(
                org.apache.qpid.protonj2.types.transport.SenderSettleMode.SETTLED));
        peer.expect(Attach.class);
        peer.send(Peer.credit(0, 0, 200_000).setIncomingWindow(0x7FFF_FFFFL));
        Peer sender = Peer.connected(lab, 1);
        sender.attachSender(0, "q");
        int sent = 0;
        int received = 0;
        while (sent < 70_000) {
            List<byte[]> frames = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                frames.add(Frames.frame(0, Peer.transfer(0, sent++).setSettled(true), Peer.message("x")));
            }
            sender.send(frames.toArray(byte[][]::new));
            sender.wire.writtenBytes();
            peer.loop.run(peer.session::flushed);
            lab.loops.runAll();
            received += peer.frames().size();
        }
        assertThat(received).isEqualTo(70_000);
    }

    @Test
    void shouldNotLetOneSessionsErrorTouchAnother() {
        peer.begin(0);
        peer.begin(1);
        peer.send(1, Peer.sender(0, "s", "q"));
        peer.expect(1, Attach.class);
        peer.expect(1, Flow.class);
        peer.send(Peer.transfer(3, 0));
        peer.expectEnd(SessionError.UNATTACHED_HANDLE);
        peer.send(Frames.frame(1, Peer.transfer(0, 0), Peer.message("x")));
        assertThat(peer.expect(1, Disposition.class).getState()).isEqualTo(Accepted.getInstance());
    }
}
