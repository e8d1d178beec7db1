package io.sluicemq.protocol.amqp10;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.protocol.amqp10.codec.Frames;
import io.sluicemq.protocol.amqp10.codec.Frames.Frame;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.UnsignedInteger;
import org.apache.qpid.protonj2.types.UnsignedLong;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.Modified;
import org.apache.qpid.protonj2.types.messaging.Received;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Released;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;
import org.apache.qpid.protonj2.types.transactions.Coordinator;
import org.apache.qpid.protonj2.types.transactions.Declare;
import org.apache.qpid.protonj2.types.transactions.Declared;
import org.apache.qpid.protonj2.types.transactions.Discharge;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.ReceiverSettleMode;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.Transfer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What receivers say of deliveries (1.0 §2.6.12, §2.7.6, §3.4). */
class OutcomeTest {

    private final Lab lab = new Lab();
    private final Peer peer = Peer.connected(lab);

    private void publish(String queue, int messages) {
        Peer sender = Peer.connected(lab, 1);
        sender.attachSender(0, queue);
        for (int i = 0; i < messages; i++) {
            sender.send(Frames.frame(0, Peer.transfer(0, i).setSettled(true), Peer.message("" + i)));
        }
        sender.cutSocket();
    }

    private void receiver(int handle, String queue, int expected) {
        peer.attachReceiver(handle, queue);
        peer.send(Peer.credit(handle, 0, 1000));
        assertThat(peer.frames()).hasSize(expected);
    }

    private long ready() {
        return lab.counters().readyMessages();
    }

    private long unsettled() {
        return lab.counters().unsettledMessages();
    }

    // ---- ranges

    /** One disposition may speak of deliveries of several links of its session. */
    @Test
    void shouldSettleARangeOverSeveralLinks() {
        publish("a", 5);
        publish("b", 5);
        receiver(0, "a", 5);
        receiver(1, "b", 5);
        peer.send(Peer.settle(Role.RECEIVER, 1, 8, Accepted.getInstance()));
        assertThat(unsettled()).isEqualTo(2);
        peer.send(Peer.settle(Role.RECEIVER, 0, 100, Accepted.getInstance()).setBatchable(true));
        assertThat(unsettled()).isZero();
        assertThat(ready()).isZero();
    }

    @Test
    void shouldNotStumbleOverHugeRanges() {
        publish("q", 3);
        receiver(0, "q", 3);
        peer.send(Peer.settle(Role.RECEIVER, 0, 0xFFFF_FFFFL, Accepted.getInstance()));
        peer.send(Peer.settle(Role.RECEIVER, 5, 1, Accepted.getInstance()));
        peer.send(Peer.settle(Role.RECEIVER, 0x8000_0000L, 0xFFFF_FFFFL, Accepted.getInstance()));
        peer.send(Peer.settle(Role.SENDER, 0, 0x7FFF_FFFFL, Accepted.getInstance()));
        peer.send(Peer.settle(Role.RECEIVER, 0, 0x7FFF_FFFFL, Accepted.getInstance()));
        peer.expectNothing();
        assertThat(unsettled()).isZero();
    }

    @Test
    void shouldIgnoreWhatItDoesNotKnow() {
        publish("q", 1);
        receiver(0, "q", 1);
        peer.send(Peer.settle(Role.RECEIVER, 77, 99, Accepted.getInstance()));
        peer.send(Peer.settle(Role.RECEIVER, 0, 0, Accepted.getInstance()));
        peer.send(Peer.settle(Role.RECEIVER, 0, 0, Released.getInstance()));
        peer.send(Peer.settle(Role.RECEIVER, 0, 0, null));
        peer.expectNothing();
        assertThat(ready() + unsettled()).isZero();
    }

    // ---- outcomes

    private Header redelivered(DeliveryState state) {
        publish("q", 1);
        receiver(0, "q", 1);
        peer.send(Peer.settle(Role.RECEIVER, 0, 0, state));
        Frame frame = peer.next();
        assertThat(((Transfer) frame.performative()).getDeliveryId()).isEqualTo(1);
        return (Header) Sections.read(frame.payload()).getFirst();
    }

    @Test
    void shouldDeliverAgainWhatWasReleased() {
        assertThat(redelivered(Released.getInstance()).getDeliveryCount()).isZero();
    }

    @Test
    void shouldCountAFailedDelivery() {
        assertThat(redelivered(new Modified().setDeliveryFailed(true)).getDeliveryCount()).isEqualTo(1);
    }

    @Test
    void shouldNotCountAModifiedDeliveryThatDidNotFail() {
        assertThat(redelivered(new Modified()).getDeliveryCount()).isZero();
    }

    /** §3.2.1, first-acquirer: what another link has had is not told to be new, whether or not its delivery has failed. */
    @Test
    void shouldTellThatAnotherLinkHasHadWhatWasGivenBack() {
        for (DeliveryState state : new DeliveryState[] {
            Released.getInstance(), new Modified(), new Modified().setUndeliverableHere(true), null}) {
            publish("q", 1);
            peer.send(Peer.receiver(0, "r", "q"));
            peer.expect(Attach.class);
            peer.send(Peer.credit(0, 0, 1));
            assertThat(header(peer.next()).isFirstAcquirer()).isTrue();
            long id = deliveries++;
            peer.send(Peer.settle(Role.RECEIVER, id, id, state));
            closeLink();
            assertAnotherLinkReads(false);
        }
    }

    @Test
    void shouldTellThatAnotherLinkHasHadWhatItHeldWhenItEnded() {
        publish("q", 1);
        receiver(0, "q", 1);
        deliveries++;
        closeLink();
        assertAnotherLinkReads(false);
    }

    /** What its credit had brought here and it took back before anything was sent never was with that link. */
    @Test
    void shouldTellThatWhatWasNeverSentIsNew() {
        publish("q", 1);
        peer.wire.writable = false;
        peer.send(Peer.receiver(0, "r", "q"));
        peer.send(Peer.credit(0, 0, 1));
        assertThat(unsettled()).isEqualTo(1);
        peer.send(Peer.credit(0, 0, 0));
        assertThat(ready()).isEqualTo(1);
        peer.wire.writable = true;
        peer.frames();
        closeLink();
        assertAnotherLinkReads(true);
    }

    private long deliveries;

    private void closeLink() {
        peer.send(new Detach().setHandle(0).setClosed(true));
        peer.expect(Detach.class);
    }

    private void assertAnotherLinkReads(boolean first) {
        peer.send(Peer.receiver(0, "another", "q"));
        peer.expect(Attach.class);
        peer.send(Peer.credit(0, 0, 1));
        Header header = header(peer.next());
        assertThat(header.isFirstAcquirer()).isEqualTo(first);
        assertThat(header.getDeliveryCount()).isZero();
        long id = deliveries++;
        peer.send(Peer.settle(Role.RECEIVER, id, id, Accepted.getInstance()));
        closeLink();
    }

    private static Header header(Frame frame) {
        return (Header) Sections.read(frame.payload()).getFirst();
    }

    @Test
    void shouldDropWhatIsRejected() {
        publish("q", 1);
        receiver(0, "q", 1);
        peer.send(Peer.settle(Role.RECEIVER, 0, 0, new Rejected()));
        peer.expectNothing();
        assertThat(ready() + unsettled()).isZero();
    }

    /** C051. */
    @Test
    void shouldGiveWhatIsUndeliverableHereToOthersOnly() {
        for (boolean failed : new boolean[] {false, true}) {
            Lab own = new Lab();
            Peer one = Peer.connected(own);
            one.attachSender(5, "q");
            one.send(Peer.send(5, 0, "x"));
            one.frames();
            one.attachReceiver(0, "q");
            one.send(Peer.credit(0, 0, 10));
            one.receive(1, 0);
            one.send(Peer.settle(
                    Role.RECEIVER, 0, 0, new Modified().setUndeliverableHere(true).setDeliveryFailed(failed)));
            one.expectNothing();
            assertThat(own.counters().readyMessages()).isEqualTo(1);
            one.attachReceiver(1, "q");
            one.send(Peer.credit(1, 0, 10));
            assertThat(one.receive(2, 1)).isEqualTo("x");
            one.expectNothing();
        }
    }

    /** A state that is no outcome settles nothing by itself. */
    @Test
    void shouldKeepWhatIsOnlyReceived() {
        publish("q", 1);
        receiver(0, "q", 1);
        peer.send(new Disposition().setRole(Role.RECEIVER).setFirst(0)
                .setState(new Received()
                        .setSectionNumber(UnsignedInteger.ZERO).setSectionOffset(UnsignedLong.valueOf(5))));
        assertThat(unsettled()).isEqualTo(1);
        peer.send(Peer.settle(Role.RECEIVER, 0, 0, Accepted.getInstance()));
        assertThat(unsettled()).isZero();
    }

    /** §3.5.3, default-outcome: what becomes of a delivery that is settled without one. */
    @Test
    void shouldTakeTheDefaultOutcomeWhereNoneIsTold() {
        publish("q", 1);
        peer.send(Peer.receiver(0, "r", "q").setSource(new Source()
                .setAddress("q").setDefaultOutcome(new Modified().setDeliveryFailed(true))));
        assertThat(peer.expect(Attach.class).getSource().getDefaultOutcome()).isInstanceOf(Modified.class);
        peer.send(Peer.credit(0, 0, 1));
        peer.receive(0, 0);
        peer.send(Peer.settle(Role.RECEIVER, 0, 0, null));
        peer.expectNothing();
        peer.send(Peer.credit(0, 1, 1));
        Header header = (Header) Sections.read(peer.next().payload()).getFirst();
        assertThat(header.getDeliveryCount()).isEqualTo(1);
    }

    /** The receiver waits for our settlement; it comes when the outcome is final. */
    @Test
    void shouldSettleWhatTheReceiverDoesNotSettle() {
        publish("q", 4);
        peer.send(Peer.receiver(0, "r", "q").setReceiverSettleMode(ReceiverSettleMode.SECOND));
        peer.expect(Attach.class);
        peer.send(Peer.credit(0, 0, 10));
        peer.frames();
        peer.send(new Disposition().setRole(Role.RECEIVER).setFirst(0).setLast(2).setState(Accepted.getInstance()));
        Disposition settled = peer.expect(Disposition.class);
        assertThat(settled.getRole()).isEqualTo(Role.SENDER);
        assertThat(settled.getSettled()).isTrue();
        assertThat(settled.getFirst()).isZero();
        assertThat(settled.getLast()).isEqualTo(2);
        assertThat(settled.getState()).isEqualTo(Accepted.getInstance());
        peer.send(new Disposition().setRole(Role.RECEIVER).setFirst(3).setState(new Rejected()));
        settled = peer.expect(Disposition.class);
        assertThat(settled.getFirst()).isEqualTo(3);
        assertThat(settled.getState()).isInstanceOf(Rejected.class);
        assertThat(ready() + unsettled()).isZero();
    }

    // ---- what is left at the end

    @Test
    void shouldReturnWhatIsNotSettledAtADetach() {
        publish("q", 10);
        receiver(0, "q", 10);
        peer.send(Peer.settle(Role.RECEIVER, 0, 4, Accepted.getInstance()));
        peer.send(new Detach().setHandle(0).setClosed(false));
        peer.expect(Detach.class);
        assertThat(ready()).isEqualTo(5);
        assertThat(unsettled()).isZero();
        // Too late, as they are ready again.
        peer.send(Peer.settle(Role.RECEIVER, 5, 9, Accepted.getInstance()));
        assertThat(ready()).isEqualTo(5);
    }

    /** C063, receiver: no state of a link is kept that is not attached, and the answer says so; nothing is lost. */
    @Test
    void shouldSayThatNothingIsUnsettledWhenAReceiverComesBack() {
        publish("q", 10);
        receiver(0, "q", 10);
        peer.send(new Disposition().setRole(Role.RECEIVER).setFirst(0).setLast(4).setState(Accepted.getInstance()));
        peer.cutSocket();
        Peer again = Peer.connected(lab, 1);
        Map<Binary, DeliveryState> unsettled = new HashMap<>();
        for (long i = 0; i < 10; i++) {
            unsettled.put(
                    new Binary(java.nio.ByteBuffer.allocate(8).putLong(i).array()),
                    i < 5 ? Accepted.getInstance() : null);
        }
        again.send(Peer.receiver(0, "receiver 0", "q").setUnsettled(unsettled));
        Attach attach = again.expect(Attach.class);
        assertThat(attach.getUnsettled()).isNullOrEmpty();
        assertThat(attach.getIncompleteUnsettled()).isFalse();
        again.send(Peer.credit(0, 0, 100));
        List<String> texts = new ArrayList<>();
        for (Frame frame : again.frames()) {
            assertThat(((Transfer) frame.performative()).getResume()).isFalse();
            texts.add(Peer.text(frame.payload()));
        }
        assertThat(texts).containsExactly("5", "6", "7", "8", "9");
    }

    /** A receiver need not have all of a delivery to say what becomes of it. */
    @Test
    void shouldTakeTheOutcomeOfADeliveryThatIsUnderWay() {
        Peer sender = Peer.connected(lab, 1);
        sender.attachSender(0, "q");
        sender.send(Peer.inFrames(0, 0, Peer.message(new byte[400_000]), 60_000));
        for (boolean settled : new boolean[] {true, false}) {
            peer.send(1, Peer.begin().setIncomingWindow(2));
            peer.frames();
            peer.send(1, Peer.receiver(0, "r", "q"));
            peer.frames();
            peer.send(1, Peer.credit(0, 0, 1).setIncomingWindow(2));
            assertThat(peer.frames()).hasSize(2);
            peer.send(1, new Disposition().setRole(Role.RECEIVER).setFirst(0).setSettled(settled)
                    .setState(settled ? Released.getInstance() : new Rejected()));
            peer.send(1, new org.apache.qpid.protonj2.types.transport.End());
            peer.frames();
            assertThat(unsettled()).isZero();
            assertThat(ready()).isEqualTo(settled ? 1 : 0);
        }
    }

    // ---- in transactions

    /** What the receiver leaves to be settled is settled at the commit as it has said (part 4, §4.4.4.2). */
    @Test
    void shouldSettleAtTheCommitAsTheReceiverHasSaid() {
        publish("q", 2);
        receiver(0, "q", 2);
        peer.send(new Attach().setName("coordinator").setHandle(1).setRole(Role.SENDER).setInitialDeliveryCount(0)
                .setSource(new Source()).setCoordinator(new Coordinator()));
        peer.frames();
        peer.send(Frames.frame(0, Peer.transfer(1, 0), Frames.encode(new AmqpValue<>(new Declare()))));
        Binary id = ((Declared) ((Disposition) peer.next().performative()).getState()).getTxnId();
        peer.send(unsettled(0, new TransactionalState().setTxnId(id).setOutcome(new Rejected())));
        peer.send(unsettled(1, new TransactionalState().setTxnId(id).setOutcome(Accepted.getInstance())));
        peer.expectNothing();
        assertThat(unsettled()).isEqualTo(2);
        peer.send(Frames.frame(0, Peer.transfer(1, 1), Frames.encode(new AmqpValue<>(new Discharge().setTxnId(id)))));
        Map<Long, DeliveryState> ofDeliveries = new HashMap<>();
        for (Frame frame : peer.frames()) {
            if (frame.performative() instanceof Disposition told && told.getRole() == Role.SENDER) {
                assertThat(told.getSettled()).isTrue();
                ofDeliveries.put(told.getFirst(), told.getState());
            }
        }
        assertThat(ofDeliveries.get(0L)).isInstanceOf(Rejected.class);
        assertThat(ofDeliveries.get(1L)).isInstanceOf(Accepted.class);
        assertThat(ready() + unsettled()).isZero();
    }

    private static Disposition unsettled(long id, DeliveryState state) {
        return new Disposition().setRole(Role.RECEIVER).setFirst(id).setState(state);
    }

    // ---- the default outcome at the end

    /** §3.5.3: the default outcome is that of deliveries, too, whose source is destroyed before they have come to one. */
    @ParameterizedTest
    @ValueSource(strings = {"detach", "close", "end", "disconnect", "cut", "error"})
    void shouldTakeTheDefaultOutcomeWhenTheSourceEnds(String how) {
        publish("q", 2);
        peer.send(Peer.receiver(0, "r", "q").setSource(new Source()
                .setAddress("q").setExpiryPolicy(TerminusExpiryPolicy.LINK_DETACH).setDefaultOutcome(new Rejected())));
        peer.expect(Attach.class);
        peer.send(Peer.credit(0, 0, 1));
        peer.receive(0, 0);
        switch (how) {
            case "detach" -> peer.send(new Detach().setHandle(0));
            case "close" -> peer.send(new Detach().setHandle(0).setClosed(true));
            case "end" -> peer.send(new org.apache.qpid.protonj2.types.transport.End());
            case "disconnect" -> peer.send(new org.apache.qpid.protonj2.types.transport.Close());
            case "cut" -> peer.cutSocket();
            case "error" -> peer.send(Peer.receiver(1, "r", "q"));
            default -> throw new IllegalArgumentException(how);
        }
        peer.frames();
        assertThat(unsettled()).isZero();
        assertThat(ready()).isEqualTo(1);
    }

    /** Qpid JMS asks for this one always: what it has only prefetched when a consumer is closed has not failed. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldCountADeliveryAsFailedOnlyIfItsReceiverIsLost(boolean lost) {
        publish("q", 1);
        peer.send(Peer.receiver(0, "r", "q").setSource(new Source()
                .setAddress("q").setDefaultOutcome(new Modified().setDeliveryFailed(true))));
        peer.expect(Attach.class);
        peer.send(Peer.credit(0, 0, 1));
        peer.receive(0, 0);
        if (lost) {
            peer.cutSocket();
        } else {
            peer.send(new Detach().setHandle(0).setClosed(true));
            peer.expect(Detach.class);
        }
        Peer other = Peer.connected(lab, 1);
        other.attachReceiver(0, "q");
        other.send(Peer.credit(0, 0, 1));
        Header header = (Header) Sections.read(other.next().payload()).getFirst();
        assertThat(header.getDeliveryCount()).isEqualTo(lost ? 1 : 0);
    }

    /** What was not sent has come to no outcome, and needs none. */
    @Test
    void shouldNotTakeTheDefaultOutcomeForWhatWasNotSent() {
        publish("q", 3);
        peer.send(Peer.receiver(0, "r", "q").setSource(new Source()
                .setAddress("q").setDefaultOutcome(new Rejected())));
        peer.expect(Attach.class);
        peer.wire.writable = false;
        peer.send(Peer.credit(0, 0, 10));
        peer.send(new Detach().setHandle(0).setClosed(true));
        assertThat(ready()).isEqualTo(3);
    }
}
