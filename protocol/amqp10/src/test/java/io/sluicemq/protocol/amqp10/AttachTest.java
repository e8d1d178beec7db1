package io.sluicemq.protocol.amqp10;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.protocol.amqp10.codec.Frames;
import io.sluicemq.protocol.amqp10.codec.Frames.Frame;
import java.util.List;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.messaging.Terminus;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.ConnectionError;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.End;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.LinkError;
import org.apache.qpid.protonj2.types.transport.ReceiverSettleMode;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.SenderSettleMode;
import org.apache.qpid.protonj2.types.transport.SessionError;
import org.junit.jupiter.api.Test;

/** Attaching and detaching links (1.0 §2.6.1 to §2.6.6, §2.7.3, §2.7.7). */
class AttachTest {

    private final Lab lab = new Lab();
    private final Peer peer = Peer.connected(lab);

    // ---- handles

    @Test
    void shouldEndForAHandleInUse() {
        peer.attachSender(0, "q");
        peer.send(Peer.sender(0, "another", "q"));
        peer.expectEnd(SessionError.HANDLE_IN_USE);
    }

    @Test
    void shouldCloseForAHandleAboveHandleMax() {
        peer.attachSender(Lab.OPTIONS.handleMax(), "q");
        peer.send(Peer.sender(Lab.OPTIONS.handleMax() + 1, "another", "q"));
        peer.expectClose(ConnectionError.FRAMING_ERROR);
    }

    @Test
    void shouldNotUseHandlesAboveThePeersHandleMax() {
        peer.send(1, Peer.begin().setHandleMax(1));
        peer.expect(1, org.apache.qpid.protonj2.types.transport.Begin.class);
        for (int i = 0; i < 2; i++) {
            peer.send(1, Peer.receiver(i + 10, "r" + i, "q"));
            assertThat(peer.expect(1, Attach.class).getHandle()).isEqualTo(i);
        }
        peer.send(1, Peer.receiver(2, "r2", "q"));
        assertThat(peer.expect(1, End.class).getError().getCondition()).isEqualTo(AmqpError.RESOURCE_LIMIT_EXCEEDED);
    }

    @Test
    void shouldAttachAThousandLinks() {
        for (int i = 0; i < 500; i++) {
            peer.attachSender(2 * i, "q" + i % 10);
            peer.attachReceiver(2 * i + 1, "q" + i % 10);
        }
        assertThat(lab.counters().consumers()).isEqualTo(500);
        for (int i = 0; i < 1000; i++) {
            peer.send(new Detach().setHandle(i).setClosed(true));
            assertThat(peer.expect(Detach.class).getClosed()).isTrue();
        }
        assertThat(lab.counters().consumers()).isZero();
    }

    @Test
    void shouldEndForFramesOfHandlesThatNoLinkHas() {
        for (Object frame : List.of(
                new Detach().setHandle(5), Peer.credit(5, 0, 1), Peer.transfer(5, 0))) {
            Peer each = Peer.connected(lab);
            each.send(frame);
            each.expectEnd(SessionError.UNATTACHED_HANDLE);
        }
    }

    // ---- names

    @Test
    void shouldGiveANameToTheOneWhoAsksLast() {
        peer.send(Peer.receiver(0, "same", "q"));
        peer.expect(Attach.class);
        peer.send(Peer.receiver(1, "same", "other"));
        peer.expectDetach(LinkError.STOLEN);
        Attach attach = peer.expect(Attach.class);
        assertThat(attach.getName()).isEqualTo("same");
        assertThat(attach.getSource().getAddress()).isEqualTo("other");
        assertThat(lab.counters().consumers()).isEqualTo(1);
    }

    @Test
    void shouldGiveANameToTheLastOfManyAtOnce() {
        peer.send(
                Frames.frame(0, Peer.receiver(0, "same", "q")),
                Frames.frame(0, Peer.receiver(1, "same", "q")),
                Frames.frame(0, Peer.receiver(2, "same", "q")));
        List<Frame> frames = peer.frames();
        assertThat(frames.stream().filter(frame -> frame.performative() instanceof Detach)).hasSize(2).allSatisfy(
                frame -> assertThat(((Detach) frame.performative()).getError().getCondition())
                        .isEqualTo(LinkError.STOLEN));
        assertThat(((Attach) frames.getLast().performative()).getSource()).isNotNull();
        peer.send(new Detach().setHandle(0).setClosed(true));
        peer.send(new Detach().setHandle(1).setClosed(true));
        peer.expectNothing();
        assertThat(lab.counters().consumers()).isEqualTo(1);
        peer.send(new Detach().setHandle(2).setClosed(true));
        assertThat(peer.expect(Detach.class).getError()).isNull();
    }

    /** Names are unique in each direction for itself (§2.6.1). */
    @Test
    void shouldNotMindOneNameInBothDirections() {
        peer.send(Peer.receiver(0, "same", "q"));
        peer.expect(Attach.class);
        peer.send(Peer.sender(1, "same", "q"));
        peer.expect(Attach.class);
        peer.expect(Flow.class);
        peer.expectNothing();
    }

    @Test
    void shouldTakeANameFromAnotherSession() {
        peer.begin(1);
        peer.send(Peer.receiver(0, "same", "q"));
        peer.expect(Attach.class);
        peer.send(1, Peer.receiver(0, "same", "q"));
        peer.expectDetach(LinkError.STOLEN);
        assertThat(peer.expect(1, Attach.class).getSource()).isNotNull();
    }

    // ---- termini

    @Test
    void shouldRefuseASenderWithoutATarget() {
        peer.send(Peer.sender(0, "s", "q").setTarget((Target) null));
        Attach attach = peer.expect(Attach.class);
        assertThat(attach.hasTargetOrCoordinator()).isFalse();
        peer.expectDetach(AmqpError.INVALID_FIELD);
        peer.send(new Detach().setHandle(0).setClosed(true));
        peer.expectNothing();
        peer.attachSender(0, "q");
    }

    @Test
    void shouldRefuseAReceiverWithoutASourceThatNobodyKnows() {
        peer.send(Peer.receiver(0, "r", "q").setSource(null));
        assertThat(peer.expect(Attach.class).hasSource()).isFalse();
        peer.expectDetach(AmqpError.NOT_FOUND);
    }

    @Test
    void shouldRefuseATargetThatIsASource() {
        byte[] attach = Frames.encode(Peer.sender(0, "s", "q").setTarget((Terminus) new Target().setAddress("q")));
        for (int i = attach.length - 3; i > 0; i--) {
            if (attach[i] == 0 && attach[i + 1] == 0x53 && attach[i + 2] == 0x29) {
                attach[i + 2] = 0x28;
                break;
            }
        }
        peer.send(Frames.raw(0, 0, attach));
        assertThat(peer.next().performative()).isInstanceOfAny(
                Attach.class, End.class, org.apache.qpid.protonj2.types.transport.Close.class);
    }

    @Test
    void shouldEndForASenderWithoutInitialDeliveryCount() {
        peer.send(new Attach()
                .setName("s").setHandle(0).setRole(Role.SENDER).setSource(new Source())
                .setTarget(new Target().setAddress("q")));
        peer.expectEnd(AmqpError.INVALID_FIELD);
    }

    @Test
    void shouldRefuseAnAddressThatIsNone() {
        peer.send(Peer.receiver(0, "r", "/queues/nowhere"));
        assertThat(peer.expect(Attach.class).hasSource()).isFalse();
        peer.expectDetach(AmqpError.NOT_FOUND);
        assertThat(lab.counters().consumers()).isZero();
    }

    @Test
    void shouldSayHowItSettles() {
        peer.send(Peer.receiver(0, "r", "q")
                .setSenderSettleMode(SenderSettleMode.SETTLED).setReceiverSettleMode(ReceiverSettleMode.SECOND));
        Attach attach = peer.expect(Attach.class);
        assertThat(attach.getSenderSettleMode()).isEqualTo(SenderSettleMode.SETTLED);
        assertThat(attach.getReceiverSettleMode()).isEqualTo(ReceiverSettleMode.SECOND);
        peer.send(Peer.sender(1, "s", "q")
                .setSenderSettleMode(SenderSettleMode.UNSETTLED).setReceiverSettleMode(ReceiverSettleMode.SECOND));
        attach = peer.expect(Attach.class);
        assertThat(attach.getSenderSettleMode()).isEqualTo(SenderSettleMode.UNSETTLED);
        assertThat(attach.getReceiverSettleMode()).isEqualTo(ReceiverSettleMode.SECOND);
    }

    // ---- detach

    @Test
    void shouldAnswerADetachInKind() {
        for (boolean closed : new boolean[] {false, true}) {
            peer.attachSender(0, "q");
            peer.send(new Detach().setHandle(0).setClosed(closed));
            assertThat(peer.expect(Detach.class).getClosed()).isEqualTo(closed);
            peer.expectNothing();
        }
    }

    @Test
    void shouldAttachAgainAfterADetach() {
        for (int i = 0; i < 300; i++) {
            peer.attachReceiver(0, "q");
            peer.send(Peer.credit(0, 0, 10));
            peer.send(new Detach().setHandle(0).setClosed(i % 2 == 0));
            peer.expect(Detach.class);
            peer.expectNothing();
        }
        assertThat(lab.counters().consumers()).isZero();
    }

    /** With its detach the peer has freed the handle (§2.6.4), whether it is answered or not. */
    @Test
    void shouldAttachWhereADetachIsNotAnsweredYet() {
        peer.attachReceiver(0, "q");
        peer.send(
                Frames.frame(0, new Detach().setHandle(0).setClosed(false)),
                Frames.frame(0, Peer.receiver(0, "receiver 0", "q")),
                Frames.frame(0, Peer.credit(0, 0, 5)),
                Frames.frame(0, new Detach().setHandle(0).setClosed(true)),
                Frames.frame(0, Peer.receiver(0, "receiver 0", "q")),
                Frames.frame(0, Peer.credit(0, 0, 5)));
        peer.expect(Detach.class);
        peer.expect(Attach.class);
        peer.expect(Detach.class);
        assertThat(peer.expect(Attach.class).getSource()).isNotNull();
        peer.expectNothing();
        peer.attachSender(1, "q");
        peer.send(Peer.send(1, 0, "hello"));
        assertThat(peer.frames()).anyMatch(frame -> !(frame.performative() instanceof Disposition));
        assertThat(lab.counters().consumers()).isEqualTo(1);
    }

    @Test
    void shouldDetachBeforeTheAttachIsAnswered() {
        peer.send(
                Frames.frame(0, Peer.receiver(0, "r", "q")),
                Frames.frame(0, new Detach().setHandle(0).setClosed(true)),
                Frames.frame(0, Peer.sender(1, "s", "q")),
                Frames.frame(0, new Detach().setHandle(1).setClosed(true)));
        List<Frame> frames = peer.frames();
        assertThat(frames.stream().filter(frame -> frame.performative() instanceof Attach)).hasSize(2);
        assertThat(frames.stream().filter(frame -> frame.performative() instanceof Detach)).hasSize(2);
        assertThat(lab.counters().consumers()).isZero();
    }

    @Test
    void shouldEndBeforeTheAttachIsAnswered() {
        peer.send(
                Frames.frame(0, Peer.receiver(0, "r", "q")),
                Frames.frame(0, Peer.sender(1, "s", "q")),
                Frames.frame(0, new End()));
        assertThat(peer.frames().getLast().performative()).isInstanceOf(End.class);
        assertThat(lab.counters().consumers()).isZero();
        assertThat(lab.counters().channels()).isZero();
    }

    /** What was sent when our detach was under way is dropped silently (§2.6.5). */
    @Test
    void shouldDiscardTransfersBehindADetachOfOurs() {
        peer.send(Peer.sender(0, "s", "q").setTarget((Target) null));
        peer.expect(Attach.class);
        peer.expect(Detach.class);
        peer.send(Peer.send(0, 0, "late"));
        peer.send(Peer.credit(0, 0, 10).setEcho(true));
        peer.expectNothing();
    }

    @Test
    void shouldEndForATransferBehindThePeersDetach() {
        peer.attachSender(0, "q");
        peer.send(Frames.frame(0, new Detach().setHandle(0)), Peer.send(0, 0, "late"));
        assertThat(peer.frames().getLast().performative()).isInstanceOfSatisfying(End.class,
                end -> assertThat(end.getError().getCondition()).isEqualTo(SessionError.UNATTACHED_HANDLE));
    }

    /** Nothing of a link is left that we have detached, though the peer never answers. */
    @Test
    void shouldNotWaitForADetachWhenTheSessionOrTheConnectionEnds() {
        peer.begin(1);
        for (int channel = 0; channel < 2; channel++) {
            peer.send(channel, Peer.sender(0, "s" + channel, "q").setTarget((Target) null));
            peer.expect(channel, Attach.class);
            peer.expect(channel, Detach.class);
        }
        peer.send(new End());
        peer.expect(End.class);
        assertThat(lab.counters().channels()).isEqualTo(1);
        peer.cutSocket();
        assertThat(lab.counters().channels()).isZero();
        assertThat(lab.counters().connections()).isZero();
    }

    /** What a browser is sent is settled, whatever it asks for (§2.6.12). */
    @Test
    void shouldSayThatABrowsersDeliveriesAreSettled() {
        peer.send(Peer.receiver(0, "r", null)
                .setSource(new org.apache.qpid.protonj2.types.messaging.Source()
                        .setAddress("q").setDistributionMode(org.apache.qpid.protonj2.types.Symbol.valueOf("copy")))
                .setSenderSettleMode(SenderSettleMode.UNSETTLED));
        assertThat(peer.expect(Attach.class).getSenderSettleMode()).isEqualTo(SenderSettleMode.SETTLED);
    }
}
