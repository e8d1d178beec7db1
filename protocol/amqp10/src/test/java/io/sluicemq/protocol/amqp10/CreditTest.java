package io.sluicemq.protocol.amqp10;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.protocol.amqp10.codec.Frames;
import io.sluicemq.protocol.amqp10.codec.Frames.Frame;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.types.DescribedType;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnknownDescribedType;
import org.apache.qpid.protonj2.types.UnsignedLong;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Released;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Begin;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.LinkError;
import org.apache.qpid.protonj2.types.transport.ReceiverSettleMode;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.SenderSettleMode;
import org.apache.qpid.protonj2.types.transport.Transfer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Flow and drain, both ways (1.0 §2.6.7, §2.6.8, §2.7.4). */
class CreditTest {

    private final Lab lab = new Lab();
    private final Peer peer = Peer.connected(lab);

    private void publish(Lab to, String queue, String... texts) {
        Peer sender = Peer.connected(to, 1);
        sender.attachSender(0, queue);
        for (int i = 0; i < texts.length; i++) {
            sender.send(Peer.inFrames(0, i, Peer.message(texts[i]), 60_000));
        }
        sender.cutSocket();
    }

    private static Flow drain(int handle, long deliveryCount, long credit) {
        return Peer.credit(handle, deliveryCount, credit).setDrain(true);
    }

    private void expectDrained(int handle, long deliveryCount) {
        Flow flow = peer.expect(Flow.class);
        assertThat(flow.getHandle()).isEqualTo(handle);
        assertThat(flow.getLinkCredit()).isZero();
        assertThat(flow.getDeliveryCount()).isEqualTo(deliveryCount);
        assertThat(flow.getDrain()).isTrue();
    }

    // ---- to a receiver

    @Test
    void shouldSendWhatThereIsCreditFor() {
        publish(lab, "q", "a", "b", "c");
        peer.attachReceiver(0, "q");
        peer.expectNothing();
        peer.send(Peer.credit(0, 0, 2));
        assertThat(peer.receive(0, 0)).isEqualTo("a");
        assertThat(peer.receive(0, 1)).isEqualTo("b");
        peer.expectNothing();
        peer.send(Peer.credit(0, 2, 1));
        assertThat(peer.receive(0, 2)).isEqualTo("c");
    }

    /** What is in flight counts: the peer had not seen it when it wrote. */
    @Test
    void shouldCountCreditFromWhatThePeerHadSeen() {
        publish(lab, "q", "a", "b", "c", "d");
        peer.attachReceiver(0, "q");
        peer.send(Peer.credit(0, 0, 2));
        assertThat(peer.frames()).hasSize(2);
        peer.send(Peer.credit(0, 1, 2));
        assertThat(peer.receive(0, 2)).isEqualTo("c");
        peer.expectNothing();
        peer.send(Peer.credit(0, 0, 3));
        peer.expectNothing();
    }

    @Test
    void shouldAnswerAnEchoOfALink() {
        peer.attachReceiver(0, "q");
        peer.send(Peer.credit(0, 0, 7).setEcho(true));
        Flow flow = peer.expect(Flow.class);
        assertThat(flow.getHandle()).isZero();
        assertThat(flow.getLinkCredit()).isEqualTo(7);
        assertThat(flow.getDeliveryCount()).isZero();
        int credit = peer.attachSender(1, "q");
        peer.send(Peer.flow().setHandle(1).setEcho(true));
        flow = peer.expect(Flow.class);
        assertThat(flow.getHandle()).isEqualTo(1);
        assertThat(flow.getLinkCredit()).isEqualTo(credit);
        peer.expectNothing();
    }

    @Test
    void shouldAnswerAnEchoThatCameBeforeTheAttachWasAnswered() {
        peer.send(
                Frames.frame(0, Peer.receiver(0, "r", "q")),
                Frames.frame(0, Peer.credit(0, 0, 7).setEcho(true)));
        peer.expect(Attach.class);
        assertThat(peer.expect(Flow.class).getLinkCredit()).isEqualTo(7);
    }

    // ---- drain (C053)

    @Test
    void shouldAnswerADrainOfAnEmptyQueue() {
        peer.attachReceiver(0, "q");
        peer.send(drain(0, 0, 10));
        expectDrained(0, 10);
        publish(lab, "q", "a");
        peer.expectNothing();
        peer.send(Peer.credit(0, 10, 1));
        assertThat(peer.receive(0, 0)).isEqualTo("a");
    }

    @Test
    void shouldSendWhatThereIsAndAnswerTheDrain() {
        publish(lab, "q", "a", "b");
        peer.attachReceiver(0, "q");
        peer.send(drain(0, 0, 10));
        peer.receive(0, 0);
        peer.receive(0, 1);
        expectDrained(0, 10);
        peer.expectNothing();
    }

    @Test
    void shouldAnswerADrainThatUsesUpAllCredit() {
        publish(lab, "q", "a", "b");
        peer.attachReceiver(0, "q");
        peer.send(drain(0, 0, 2));
        peer.receive(0, 0);
        peer.receive(0, 1);
        expectDrained(0, 2);
    }

    @Test
    void shouldAnswerADrainWithoutCredit() {
        peer.attachReceiver(0, "q");
        peer.send(drain(0, 0, 0));
        expectDrained(0, 0);
    }

    @Test
    void shouldAnswerADrainWhereNothingMatches() {
        publish(lab, "q", "a", "b");
        DescribedType selector = new UnknownDescribedType(Symbol.valueOf("apache.org:selector-filter:string"), "k=2");
        peer.send(Peer.receiver(0, "r", "q").setSource(new Source()
                .setAddress("q").setFilter(Map.of(Symbol.valueOf("jms-selector"), selector))));
        assertThat(peer.expect(Attach.class).getSource().getFilter()).hasSize(1);
        peer.send(drain(0, 0, 10));
        expectDrained(0, 10);
    }

    @Test
    void shouldAnswerADrainWhereAnotherHoldsAll() {
        publish(lab, "q", "a", "b");
        peer.attachReceiver(0, "q");
        peer.send(Peer.credit(0, 0, 10));
        assertThat(peer.frames()).hasSize(2);
        peer.attachReceiver(1, "q");
        peer.send(drain(1, 0, 10));
        expectDrained(1, 10);
        // What comes back then is not for the one that has no credit any more.
        peer.send(Peer.settle(Role.RECEIVER, 0, 1, Released.getInstance()));
        assertThat(peer.frames()).hasSize(2).allMatch(
                frame -> ((Transfer) frame.performative()).getHandle() == 0);
    }

    @Test
    void shouldAnswerADrainBehindAReceiverOfHigherPriority() {
        peer.send(Peer.receiver(0, "high", "q").setProperties(Map.of(Symbol.valueOf("priority"), 9)));
        peer.expect(Attach.class);
        peer.send(Peer.credit(0, 0, 100));
        peer.attachReceiver(1, "q");
        peer.send(drain(1, 0, 10));
        expectDrained(1, 10);
    }

    @Test
    void shouldAnswerADrainWhenALargeDeliveryIsThrough() {
        String large = "x".repeat(1_000_000);
        publish(lab, "q", large);
        peer.attachReceiver(0, "q");
        peer.wire.writable = false;
        peer.send(Peer.credit(0, 0, 10));
        peer.send(drain(0, 0, 10));
        peer.expectNothing();
        peer.wire.writable = true;
        peer.loop.run(peer.session::writabilityChanged);
        lab.loops.runAll();
        List<Frame> frames = peer.frames();
        assertThat(((Transfer) frames.getFirst().performative()).getMore()).isTrue();
        assertThat(((Transfer) frames.get(frames.size() - 2).performative()).getMore()).isFalse();
        Flow flow = (Flow) frames.getLast().performative();
        assertThat(flow.getLinkCredit()).isZero();
        assertThat(flow.getDeliveryCount()).isEqualTo(10);
    }

    @Test
    void shouldAnswerADrainAmidALargeDelivery() {
        String large = "x".repeat(1_000_000);
        publish(lab, "q", large);
        peer.send(1, Peer.begin().setIncomingWindow(4));
        peer.frames();
        peer.send(1, Peer.receiver(0, "r", "q"));
        peer.frames();
        peer.send(1, Peer.credit(0, 0, 10).setIncomingWindow(4));
        assertThat(peer.frames()).hasSize(4);
        peer.send(1, drain(0, 0, 10).setNextIncomingId(4).setIncomingWindow(4));
        assertThat(peer.frames()).hasSize(4);
        peer.send(1, drain(0, 0, 10).setNextIncomingId(8).setIncomingWindow(1000));
        List<Frame> frames = peer.frames();
        assertThat(((Flow) frames.getLast().performative()).getDeliveryCount()).isEqualTo(10);
        assertThat(frames.stream().filter(frame -> frame.performative() instanceof Flow)).hasSize(1);
    }

    /** The prefetch race: more credit, and another drain, before the first drain was answered. */
    @Test
    void shouldAnswerADrainThatFollowsAnother() {
        peer.attachReceiver(0, "q");
        publish(lab, "q", "a", "b", "c");
        peer.send(
                Frames.frame(0, drain(0, 0, 1)),
                Frames.frame(0, Peer.credit(0, 0, 2)),
                Frames.frame(0, drain(0, 0, 5)));
        List<Frame> frames = peer.frames();
        assertThat(frames.stream().filter(frame -> frame.performative() instanceof Transfer)).hasSize(3);
        Flow last = (Flow) frames.getLast().performative();
        assertThat(last.getLinkCredit()).isZero();
        assertThat(last.getDeliveryCount()).isEqualTo(5);
        peer.send(Peer.credit(0, 5, 1));
        publish(lab, "q", "d", "e");
        assertThat(peer.receive(0, 3)).isEqualTo("d");
        peer.expectNothing();
    }

    @Test
    void shouldAnswerEveryDrainOfMany() {
        peer.attachReceiver(0, "q");
        for (int i = 0; i < 100; i++) {
            peer.send(drain(0, i, 1));
            expectDrained(0, i + 1);
        }
    }

    @Test
    void shouldAnswerADrainThatCameBeforeTheAttachWasAnswered() {
        peer.send(Frames.frame(0, Peer.receiver(0, "r", "q")), Frames.frame(0, drain(0, 0, 3)));
        peer.expect(Attach.class);
        expectDrained(0, 3);
    }

    // ---- lowered credit

    @Test
    void shouldStopWhenCreditIsTakenAway() {
        peer.attachReceiver(0, "q");
        peer.send(Peer.credit(0, 0, 10));
        peer.send(Peer.credit(0, 0, 0));
        publish(lab, "q", "a");
        peer.expectNothing();
        peer.attachReceiver(1, "q");
        peer.send(Peer.credit(1, 0, 1));
        assertThat(peer.receive(1, 0)).isEqualTo("a");
    }

    /** What could not be sent yet is for others, in its old order; a drain is answered nevertheless. */
    @Test
    void shouldGiveBackWhatItHasNoCreditForAnyMore() {
        publish(lab, "q", "a", "b", "c");
        peer.attachReceiver(0, "q");
        peer.wire.writable = false;
        peer.send(Peer.credit(0, 0, 10));
        peer.send(Peer.credit(0, 0, 1));
        peer.send(drain(0, 0, 1));
        Peer other = Peer.connected(lab, 1);
        other.attachReceiver(0, "q");
        other.send(Peer.credit(0, 0, 10));
        assertThat(other.receive(0, 0)).isEqualTo("b");
        assertThat(other.receive(0, 1)).isEqualTo("c");
        peer.wire.writable = true;
        peer.loop.run(peer.session::writabilityChanged);
        lab.loops.runAll();
        assertThat(peer.receive(0, 0)).isEqualTo("a");
        expectDrained(0, 1);
        peer.send(Peer.credit(0, 1, 2));
        publish(lab, "q", "d", "e", "f");
        other.send(Peer.credit(0, 2, 0));
        List<String> all = new ArrayList<>();
        all.addAll(peer.frames().stream().map(frame -> Peer.text(frame.payload())).toList());
        all.addAll(other.frames().stream().map(frame -> Peer.text(frame.payload())).toList());
        assertThat(all).containsExactlyInAnyOrder("d", "e", "f");
    }

    @Test
    void shouldCountDeliveriesAcrossTheWrap() {
        peer.attachReceiver(0, "q");
        peer.send(drain(0, 0, 0xFFFF_FFFFL - 9));
        Flow flow = peer.expect(Flow.class);
        long count = flow.getDeliveryCount();
        while (count != 0xFFFF_FFFFL - 9) {
            long rest = (0xFFFF_FFFFL - 9 - count) & 0xFFFF_FFFFL;
            peer.send(drain(0, count, Math.min(rest, 0x4000_0000L)));
            count = peer.expect(Flow.class).getDeliveryCount();
        }
        for (int i = 0; i < 20; i++) {
            publish(lab, "q", "" + i);
        }
        peer.send(Peer.credit(0, count, 15));
        assertThat(peer.frames()).hasSize(15);
        peer.send(Peer.credit(0, 5, 2));
        assertThat(peer.frames()).hasSize(2);
        peer.send(drain(0, 7, 10));
        List<Frame> frames = peer.frames();
        assertThat(frames).hasSize(4);
        assertThat(((Flow) frames.getLast().performative()).getDeliveryCount()).isEqualTo(17);
    }

    // ---- to a sender

    @Test
    void shouldGiveASenderNewCreditInTime() {
        int credit = peer.attachSender(0, "q");
        assertThat(credit).isPositive();
        long limit = credit;
        for (int i = 0; i < 5 * credit; i++) {
            assertThat(limit - i).as("credit left").isPositive();
            peer.send(Frames.frame(0, Peer.transfer(0, i).setSettled(true), Peer.message("x")));
            for (Frame frame : peer.frames()) {
                if (frame.performative() instanceof Flow flow && flow.hasHandle()) {
                    limit = flow.getDeliveryCount() + flow.getLinkCredit();
                }
            }
        }
    }

    private static AddressSettings blocking(String match, long messages) {
        return new AddressSettings(List.of(new AddressSettings.Rule(
                match, null, messages, FullPolicy.BLOCK, null, null, null, null)));
    }

    @Test
    void shouldDetachASenderThatSendsWithoutCredit() {
        Lab full = new Lab(blocking("full", 3));
        Peer sender = Peer.connected(full);
        int credit = sender.attachSender(0, "full");
        assertThat(credit).isLessThanOrEqualTo(3);
        List<byte[]> frames = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            frames.add(Peer.send(0, i, "x"));
        }
        sender.send(frames.toArray(byte[][]::new));
        List<Frame> answers = sender.frames();
        assertThat(answers).anySatisfy(frame -> assertThat(frame.performative()).isInstanceOfSatisfying(
                org.apache.qpid.protonj2.types.transport.Detach.class,
                detach -> assertThat(detach.getError().getCondition()).isEqualTo(LinkError.TRANSFER_LIMIT_EXCEEDED)));
        assertThat(full.counters().readyMessages()).isLessThanOrEqualTo(3);
    }

    /** The window of a session is open for others whatever one of its addresses is. */
    @Test
    void shouldKeepTheSessionOpenForOthersWhenAnAddressIsFull() {
        Lab full = new Lab(blocking("full", 3));
        Peer sender = Peer.connected(full);
        int credit = sender.attachSender(0, "full");
        int id = 0;
        for (int i = 0; i < credit; i++) {
            sender.send(Peer.send(0, id++, "x"));
        }
        sender.frames();
        int other = sender.attachSender(1, "q");
        assertThat(other).isPositive();
        for (int i = 0; i < 3_000; i++) {
            sender.send(Peer.send(1, id++, "y"));
            assertThat(sender.frames()).anySatisfy(frame -> assertThat(frame.performative())
                    .isInstanceOfSatisfying(Disposition.class, outcome -> assertThat(outcome.getState())
                            .isEqualTo(Accepted.getInstance())));
        }
    }

    @Test
    void shouldRejectAtAnAddressThatIsToFail() {
        Lab full = new Lab(new AddressSettings(List.of(new AddressSettings.Rule(
                "full", null, 1L, FullPolicy.FAIL, null, null, null, null))));
        Peer sender = Peer.connected(full);
        sender.attachSender(0, "full");
        sender.send(Peer.send(0, 0, "x"));
        assertThat(sender.frames()).anyMatch(frame -> frame.performative() instanceof Disposition outcome
                && outcome.getState() == Accepted.getInstance());
        sender.send(Peer.send(0, 1, "y"));
        Disposition outcome = (Disposition) sender.frames().stream()
                .map(Frame::performative)
                .filter(Disposition.class::isInstance)
                .findFirst()
                .orElseThrow();
        assertThat(outcome.getState()).isInstanceOfSatisfying(
                org.apache.qpid.protonj2.types.messaging.Rejected.class,
                rejected -> assertThat(rejected.getError().getCondition())
                        .isEqualTo(org.apache.qpid.protonj2.types.transport.AmqpError.RESOURCE_LIMIT_EXCEEDED));
    }

    @Test
    void shouldSendPresettledMessagesWithinTheirCreditToo() {
        publish(lab, "q", "a", "b", "c");
        peer.send(Peer.receiver(0, "r", "q").setSenderSettleMode(SenderSettleMode.SETTLED));
        peer.expect(Attach.class);
        peer.send(Peer.credit(0, 0, 2));
        assertThat(peer.frames()).hasSize(2).allMatch(frame -> ((Transfer) frame.performative()).getSettled());
        peer.send(drain(0, 2, 5));
        assertThat(peer.receive(0, 2)).isEqualTo("c");
        expectDrained(0, 7);
        assertThat(lab.counters().unsettledMessages()).isZero();
    }

    /** What is given back before it was written has no part in what the socket is waited for. */
    @Test
    void shouldSendAgainWhatWasGivenBackForLackOfCredit() {
        String[] texts = new String[40];
        java.util.Arrays.fill(texts, "x".repeat(50_000));
        publish(lab, "q", texts);
        peer.attachReceiver(0, "q");
        peer.send(Peer.credit(0, 0, 40).setIncomingWindow(0));
        peer.send(Peer.credit(0, 0, 0).setIncomingWindow(0));
        peer.expectNothing();
        peer.send(Peer.credit(0, 0, 40));
        int received = 0;
        for (int more = peer.frames().size(); more > 0; more = peer.frames().size()) {
            received += more;
            peer.loop.run(peer.session::flushed);
            lab.loops.runAll();
        }
        assertThat(received).isEqualTo(40);
    }

    // ---- deliveries that come to nothing

    /** An aborted delivery takes credit (§2.6.14 leaves it open): it is given again. */
    @Test
    void shouldGiveTheCreditOfAbortedDeliveriesAgain() {
        Lab full = new Lab(blocking("full", 3));
        Peer sender = Peer.connected(full);
        sender.attachSender(0, "full");
        for (int i = 0; i < 10; i++) {
            sender.send(
                    Frames.frame(0, Peer.transfer(0, i).setMore(true), Peer.message("x")),
                    Frames.frame(0, new Transfer().setHandle(0).setAborted(true)));
            assertThat(sender.expect(Flow.class).getLinkCredit()).isPositive();
        }
        int id = 10;
        for (int i = 0; i < 3; i++) {
            sender.send(Peer.send(0, id++, "x"));
        }
        assertThat(full.counters().readyMessages()).isEqualTo(3);
    }

    /** So with what is refused before it is published. */
    @Test
    void shouldGiveTheCreditOfMessagesThatAreNoneAgain() {
        Lab full = new Lab(blocking("full", 3));
        Peer sender = Peer.connected(full);
        sender.attachSender(0, "full");
        for (int i = 0; i < 10; i++) {
            sender.send(Frames.frame(0, Peer.transfer(0, i), new byte[] {1, 2, 3}));
            sender.expect(Disposition.class);
            assertThat(sender.expect(Flow.class).getLinkCredit()).isPositive();
            sender.expectNothing();
        }
        for (int i = 0; i < 3; i++) {
            sender.send(Peer.send(0, 10 + i, "x"));
        }
        assertThat(full.counters().readyMessages()).isEqualTo(3);
    }

    // ---- what a peer may leave unsettled

    @Test
    void shouldGiveNoMoreCreditWhileTooMuchIsUnsettled() {
        Amqp10Options small = Lab.OPTIONS;
        small = new Amqp10Options(
                small.version(), small.containerId(), small.virtualHosts(), small.channelMax(), small.frameMax(),
                small.handleMax(), small.idleTimeout(), small.handshakeLimit(), small.closeLimit(),
                small.maxMessageBytes(), small.windowBytes(), 10, small.termini());
        Peer sender = Peer.opened(lab, 0, small, Peer.open());
        sender.begin(0);
        sender.send(Peer.sender(0, "s", "q").setReceiverSettleMode(ReceiverSettleMode.SECOND));
        sender.expect(Attach.class);
        int id = 0;
        for (long credit = sender.expect(Flow.class).getLinkCredit(); credit > 0 && id < 1_000;) {
            sender.send(Peer.send(0, id++, "x"));
            credit--;
            for (Frame frame : sender.frames()) {
                if (frame.performative() instanceof Flow flow && flow.hasHandle()) {
                    credit = flow.getLinkCredit();
                }
            }
        }
        assertThat(id).isBetween(160, 170);
        sender.send(Peer.settle(Role.SENDER, 0, id - 1, Accepted.getInstance()));
        assertThat(sender.expect(Flow.class).getLinkCredit()).isPositive();
    }

    /** §2.8.7: a tag has 32 bytes at most. */
    @Test
    void shouldRefuseALongDeliveryTag() {
        peer.attachSender(0, "q");
        peer.send(Frames.frame(0, Peer.transfer(0, 0).setDeliveryTag(new byte[33]), Peer.message("x")));
        peer.expectDetach(org.apache.qpid.protonj2.types.transport.AmqpError.INVALID_FIELD);
    }

    /** §2.7.3, max-message-size: what a receiver can't take stays for others. */
    @Test
    void shouldNotSendAReceiverMoreThanItTakes() {
        publish(lab, "q", "a", "x".repeat(1_000), "b", "y".repeat(1_000), "c");
        peer.send(Peer.receiver(0, "small", "q").setMaxMessageSize(UnsignedLong.valueOf(500)));
        peer.expect(Attach.class);
        peer.send(drain(0, 0, 3));
        assertThat(peer.receive(0, 0)).isEqualTo("a");
        assertThat(peer.receive(0, 1)).isEqualTo("b");
        assertThat(peer.receive(0, 2)).isEqualTo("c");
        expectDrained(0, 3);
        assertThat(lab.counters().readyMessages()).isEqualTo(2);
        peer.attachReceiver(1, "q");
        peer.send(Peer.credit(1, 0, 10));
        assertThat(peer.receive(1, 3)).startsWith("x");
        assertThat(peer.receive(1, 4)).startsWith("y");
    }

    // ---- flows that say less than others

    /** A flow need not say what the credit is; then that stays as it was. */
    @Test
    void shouldKeepTheCreditThatCameBeforeTheAttachWasAnswered() {
        publish(lab, "q", "a");
        Peer far = Peer.connected(lab, 1);
        far.send(
                Frames.frame(0, Peer.receiver(0, "r", "q")),
                Frames.frame(0, Peer.credit(0, 0, 7)),
                Frames.frame(0, Peer.flow().setHandle(0).setEcho(true)));
        far.expect(Attach.class);
        List<Frame> frames = far.frames();
        assertThat(frames).hasSize(2);
        assertThat(frames).anyMatch(frame -> frame.performative() instanceof Transfer);
        assertThat(frames).anyMatch(frame -> frame.performative() instanceof Flow flow
                && flow.getDeliveryCount() + flow.getLinkCredit() == 7);
    }

    @Test
    void shouldAnswerTheDrainThatCameBeforeTheAttachWasAnswered() {
        Peer far = Peer.connected(lab, 1);
        far.send(
                Frames.frame(0, Peer.receiver(0, "r", "q")),
                Frames.frame(0, drain(0, 0, 3)),
                Frames.frame(0, Peer.flow().setHandle(0).setEcho(true)));
        far.expect(Attach.class);
        assertThat(far.frames()).anySatisfy(frame -> assertThat(frame.performative())
                .isInstanceOfSatisfying(Flow.class, flow -> {
                    assertThat(flow.getDrain()).isTrue();
                    assertThat(flow.getDeliveryCount()).isEqualTo(3);
                }));
    }

    @Test
    void shouldAnswerADrainThoughAFlowWithoutCreditFollows() {
        Peer far = Peer.connected(lab, 1);
        far.attachReceiver(0, "q");
        far.send(
                Frames.frame(0, drain(0, 0, 10)),
                Frames.frame(0, Peer.flow().setHandle(0).setEcho(true)));
        assertThat(far.frames()).anySatisfy(frame -> assertThat(frame.performative())
                .isInstanceOfSatisfying(Flow.class, flow -> {
                    assertThat(flow.getDrain()).isTrue();
                    assertThat(flow.getDeliveryCount()).isEqualTo(10);
                    assertThat(flow.getLinkCredit()).isZero();
                }));
    }

    /** A drain that is taken back leaves the credit that there was. */
    @Test
    void shouldKeepTheCreditOfADrainThatIsTakenBack() {
        Peer far = Peer.connected(lab, 1);
        far.attachReceiver(0, "q");
        far.send(
                Frames.frame(0, drain(0, 0, 10)),
                Frames.frame(0, Peer.flow().setHandle(0).setDrain(false)));
        far.expectNothing();
        publish(lab, "q", "a");
        assertThat(far.receive(0, 0)).isEqualTo("a");
    }

    /** What is passed over behind the broker's answer to a drain may have others behind it: they are part of what there is. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldDrainWhatStandsBehindAMessageThatIsTooLarge(int loop) {
        publish(lab, "q", "a", "x".repeat(1_000), "b", "c");
        Peer far = Peer.connected(lab, loop);
        far.send(1, Peer.begin().setIncomingWindow(1));
        far.expect(1, Begin.class);
        far.send(1, Peer.receiver(0, "small", "q").setMaxMessageSize(UnsignedLong.valueOf(500)));
        far.expect(1, Attach.class);
        far.send(1, drain(0, 0, 2).setIncomingWindow(1));
        assertThat(Peer.text(far.next().payload())).isEqualTo("a");
        far.send(1, Peer.flow().setNextIncomingId(1).setIncomingWindow(10));
        List<Frame> frames = far.frames();
        assertThat(Peer.text(frames.getFirst().payload())).isEqualTo("b");
        assertThat(frames).hasSize(2);
        Flow drained = (Flow) frames.getLast().performative();
        assertThat(drained.getDeliveryCount()).isEqualTo(2);
        assertThat(drained.getLinkCredit()).isZero();
        far.attachReceiver(1, "q");
        far.send(Peer.credit(1, 0, 10));
        assertThat(far.frames()).hasSize(2);
    }
}
