package io.sluicemq.protocol.amqp10;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.protocol.amqp10.codec.Frames;
import io.sluicemq.protocol.amqp10.codec.Frames.Frame;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.AmqpSequence;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Section;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.LinkError;
import org.apache.qpid.protonj2.types.transport.ReceiverSettleMode;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.SenderSettleMode;
import org.apache.qpid.protonj2.types.transport.Transfer;
import org.junit.jupiter.api.Test;

/** Transfers of a peer, and how they are settled (1.0 §2.6.10 to §2.6.12, §2.6.14, §2.7.5, §2.8.2, §2.8.3). */
class TransferTest {

    private final Lab lab = new Lab();
    private final Peer peer = Peer.connected(lab);
    private int nextReceived;

    private static byte[] more(int handle, boolean more, byte[] payload) {
        return Frames.frame(0, new Transfer().setHandle(handle).setMore(more), payload);
    }

    private byte[] receiveAll() {
        List<byte[]> parts = new ArrayList<>();
        boolean more = true;
        while (more) {
            Frame frame = peer.next();
            if (frame.performative() instanceof Transfer transfer) {
                parts.add(frame.payload());
                more = transfer.getMore();
            }
        }
        return Frames.join(parts.toArray(byte[][]::new));
    }

    /** What is wrong on a link detaches it, and no message of it is stored. */
    private void shouldDetach(org.apache.qpid.protonj2.types.Symbol condition) {
        peer.expectDetach(condition);
        peer.send(new Detach().setHandle(0).setClosed(true));
        peer.expectNothing();
        assertThat(lab.counters().readyMessages()).isZero();
        assertThat(lab.counters().messageBytes()).isZero();
        peer.attachSender(0, "q");
    }

    // ---- in several frames

    @Test
    void shouldPutAMessageTogetherWhereverItIsCut() {
        peer.attachSender(0, "q");
        peer.attachReceiver(1, "q");
        peer.send(Peer.credit(1, 0, 100_000));
        byte[] body = new byte[700];
        new Random(1).nextBytes(body);
        byte[] message = Peer.message(body);
        int id = 0;
        for (int most : new int[] {1, 2, 3, 5, 7, 8, 16, 100, 350, 351, 352, 699, 700, 701, 705, 706, 1000}) {
            peer.send(Peer.inFrames(0, id++, message, most));
            assertThat(Peer.data(receiveAll())).isEqualTo(body);
            peer.frames();
        }
    }

    /** Bodies around the sizes where one, two or three frames are needed for them. */
    @Test
    void shouldSendMessagesOfEverySizeAroundFrameBorders() {
        Peer small = Peer.opened(lab, 0, Lab.OPTIONS, Peer.open().setMaxFrameSize(512));
        small.begin(0);
        small.attachReceiver(0, "q");
        small.send(Peer.credit(0, 0, 100_000));
        peer.attachSender(0, "q");
        Random random = new Random(2);
        long id = 0;
        for (int size = 380; size < 960; size++) {
            byte[] body = new byte[size];
            random.nextBytes(body);
            peer.send(Frames.frame(0, Peer.transfer(0, id++), Peer.message(body)));
            peer.frames();
            List<byte[]> parts = new ArrayList<>();
            for (Frame frame : small.frames()) {
                assertThat(frame.size()).isLessThanOrEqualTo(512);
                parts.add(frame.payload());
            }
            assertThat(Peer.data(Frames.join(parts.toArray(byte[][]::new)))).isEqualTo(body);
            small.send(Peer.settle(Role.RECEIVER, id - 1, id - 1, Accepted.getInstance()));
        }
        assertThat(lab.counters().messageBytes()).isZero();
    }

    @Test
    void shouldTakeEmptyFramesWithinAMessage() {
        peer.attachSender(0, "q");
        peer.attachReceiver(1, "q");
        peer.send(Peer.credit(1, 0, 10));
        peer.send(
                Frames.frame(0, Peer.transfer(0, 0).setMore(true)),
                more(0, true, Peer.message("hello")),
                more(0, true, new byte[0]),
                more(0, false, new byte[0]));
        assertThat(Peer.text(receiveAll())).isEqualTo("hello");
    }

    @Test
    void shouldPutMessagesOfTwoLinksTogetherAtATime() {
        peer.attachSender(0, "q");
        peer.attachSender(2, "q");
        byte[] message = Peer.message("0123456789");
        byte[] first = Arrays.copyOf(message, 5);
        byte[] second = Arrays.copyOfRange(message, 5, message.length);
        peer.send(
                Frames.frame(0, Peer.transfer(0, 0).setMore(true), first),
                Frames.frame(0, Peer.transfer(2, 1).setMore(true), first),
                more(0, false, second),
                more(2, false, second));
        peer.expectOutcome(0, 1, Accepted.class);
    }

    @Test
    void shouldTakeTheIdOfTheDeliveryAgain() {
        peer.attachSender(0, "q");
        byte[] message = Peer.message("hello");
        peer.send(
                Frames.frame(0, Peer.transfer(0, 0).setMore(true), message),
                Frames.frame(0, Peer.transfer(0, 0), new byte[0]));
        peer.expectOutcome(0, 0, Accepted.class);
    }

    @Test
    void shouldEndForAnotherIdWithinADelivery() {
        peer.attachSender(0, "q");
        peer.send(
                Frames.frame(0, Peer.transfer(0, 0).setMore(true), Peer.message("hello")),
                Frames.frame(0, Peer.transfer(0, 1), new byte[0]));
        peer.expectEnd(AmqpError.INVALID_FIELD);
        assertThat(lab.counters().readyMessages()).isZero();
    }

    @Test
    void shouldTakeADeliveryThatIsSettledInItsLastFrame() {
        peer.attachSender(0, "q");
        peer.send(
                Frames.frame(0, Peer.transfer(0, 0).setMore(true), Peer.message("hello")),
                Frames.frame(0, new Transfer().setHandle(0).setSettled(true)));
        peer.expectNothing();
        assertThat(lab.counters().readyMessages()).isEqualTo(1);
    }

    // ---- other formats (§2.7.5, message-format)

    private void expectNotImplemented(long id) {
        Disposition disposition = peer.expect(Disposition.class);
        assertThat(disposition.getFirst()).isEqualTo(id);
        assertThat(disposition.getSettled()).isTrue();
        assertThat(((Rejected) disposition.getState()).getError().getCondition())
                .isEqualTo(AmqpError.NOT_IMPLEMENTED);
    }

    /** Its bytes would be delivered as if they were something else. The link goes on. */
    @Test
    void shouldRejectAMessageOfAFormatThatItDoesNotKnow() {
        peer.attachSender(0, "q");
        byte[] message = Peer.message("x");
        peer.send(Frames.frame(0, Peer.transfer(0, 0).setMessageFormat(17), message));
        expectNotImplemented(0);
        // Also a later version of this one (the lowest octet), one that no section of this one is in, and the highest.
        peer.send(Frames.frame(0, Peer.transfer(0, 1).setMessageFormat(1), new byte[] {1, 2, 3}));
        expectNotImplemented(1);
        peer.send(Frames.frame(0, Peer.transfer(0, 2).setMessageFormat(0xFFFF_FFFFL).setMore(true), message));
        peer.send(more(0, false, message));
        expectNotImplemented(2);
        peer.send(Frames.frame(0, Peer.transfer(0, 3).setMessageFormat(17).setSettled(true), message));
        peer.expectNothing();
        assertThat(lab.counters().readyMessages()).isZero();
        peer.send(Frames.frame(0, Peer.transfer(0, 4).setMessageFormat(0), message));
        peer.expectOutcome(4, 4, Accepted.class);
        peer.send(Frames.frame(
                0, new Transfer().setHandle(0).setDeliveryId(5).setDeliveryTag(new byte[] {5}), message));
        peer.expectOutcome(5, 5, Accepted.class);
    }

    // ---- aborted (§2.6.14)

    @Test
    void shouldDropADeliveryThatIsAbortedAtAnyPoint() {
        int credit = peer.attachSender(0, "q");
        byte[] message = Peer.message("x".repeat(100));
        long id = 0;
        for (int round = 0; round < 3 * credit; round++) {
            int sent = round % 5;
            if (sent == 0) {
                peer.send(Frames.frame(0, Peer.transfer(0, id++).setAborted(true)));
                continue;
            }
            peer.send(Frames.frame(0, Peer.transfer(0, id++).setMore(true), message));
            for (int i = 1; i < sent; i++) {
                peer.send(more(0, true, message));
            }
            peer.send(Frames.frame(0, new Transfer().setHandle(0).setAborted(true).setMore(round % 2 == 0)));
        }
        assertThat(peer.frames()).allMatch(frame -> frame.performative() instanceof Flow);
        assertThat(lab.counters().readyMessages()).isZero();
        assertThat(lab.counters().messageBytes()).isZero();
        peer.send(Frames.frame(0, Peer.transfer(0, id), message));
        assertThat(peer.frames()).anyMatch(frame -> frame.performative() instanceof Disposition);
    }

    // ---- what is wrong

    @Test
    void shouldEndForADeliveryWithoutId() {
        peer.attachSender(0, "q");
        peer.send(Frames.frame(0, new Transfer().setHandle(0).setDeliveryTag(new byte[] {1}), Peer.message("x")));
        peer.expectEnd(AmqpError.INVALID_FIELD);
    }

    @Test
    void shouldEndForAnIdThatGoesBackwards() {
        peer.attachSender(0, "q");
        peer.send(Peer.send(0, 5, "x"));
        peer.expectOutcome(5, 5, Accepted.class);
        peer.send(Peer.send(0, 4, "x"));
        peer.expectEnd(AmqpError.INVALID_FIELD);
    }

    @Test
    void shouldDetachForADeliveryWithoutTag() {
        peer.attachSender(0, "q");
        peer.send(Frames.frame(0, new Transfer().setHandle(0).setDeliveryId(0), Peer.message("x")));
        shouldDetach(AmqpError.INVALID_FIELD);
    }

    /** C049. */
    @Test
    void shouldDetachForATagThatIsNotSettled() {
        peer.send(Peer.sender(0, "s", "q").setReceiverSettleMode(ReceiverSettleMode.SECOND));
        peer.expect(Attach.class);
        peer.expect(Flow.class);
        byte[] first = Frames.frame(0, Peer.transfer(0, 0).setDeliveryTag(new byte[] {7}), Peer.message("a"));
        byte[] second = Frames.frame(0, Peer.transfer(0, 1).setDeliveryTag(new byte[] {7}), Peer.message("b"));
        peer.send(first, second);
        peer.expectDetach(AmqpError.NOT_ALLOWED);
        peer.frames();
        assertThat(lab.counters().readyMessages()).isEqualTo(1);
    }

    /** C049. */
    @Test
    void shouldTakeATagAgainThatWasSettled() {
        peer.attachSender(0, "q");
        for (int i = 0; i < 3; i++) {
            peer.send(Frames.frame(0, Peer.transfer(0, i).setDeliveryTag(new byte[] {7}), Peer.message("a")));
            peer.expectOutcome(i, i, Accepted.class);
        }
    }

    @Test
    void shouldDetachForAMessageThatIsTooLarge() {
        Amqp10Options few = new Amqp10Options(
                "1", "broker", Lab.OPTIONS.virtualHosts(), 10, 4096, 10, Lab.OPTIONS.idleTimeout(),
                Lab.OPTIONS.handshakeLimit(), Lab.OPTIONS.closeLimit(), 10_000, 4096, 100, Lab.OPTIONS.termini());
        Peer sender = Peer.opened(lab, 0, few, Peer.open());
        sender.begin(0);
        sender.send(Peer.sender(0, "s", "q"));
        assertThat(sender.expect(Attach.class).getMaxMessageSize().longValue()).isEqualTo(10_000);
        sender.expect(Flow.class);
        sender.send(Frames.frame(0, Peer.transfer(0, 0).setMore(true), Peer.message(new byte[3000])));
        for (int i = 0; i < 2; i++) {
            sender.send(more(0, true, new byte[3000]));
        }
        sender.expectNothing();
        sender.send(more(0, true, new byte[3000]));
        sender.expectDetach(LinkError.MESSAGE_SIZE_EXCEEDED);
        sender.send(more(0, true, new byte[3000]));
        sender.expectNothing();
        assertThat(lab.counters().messageBytes()).isZero();
    }

    @Test
    void shouldEndForATransferOnAReceiver() {
        peer.attachReceiver(0, "q");
        peer.send(Peer.send(0, 0, "x"));
        peer.expectEnd(AmqpError.NOT_ALLOWED);
    }

    @Test
    void shouldRejectWhatIsNoMessage() {
        peer.attachSender(0, "q");
        long id = 0;
        for (byte[] bad : List.of(
                new byte[] {1, 2, 3},
                new byte[] {0, 0x53, 0x75, (byte) 0xA0, 100, 1},
                Frames.join(Peer.message("a"), Frames.encode(new Header())),
                Frames.join(Peer.message("a"), Frames.encode(new AmqpValue<>("b"))))) {
            peer.send(Frames.frame(0, Peer.transfer(0, id++), bad));
            Disposition outcome = peer.expect(Disposition.class);
            assertThat(((Rejected) outcome.getState()).getError().getCondition()).isEqualTo(AmqpError.DECODE_ERROR);
        }
        assertThat(lab.counters().messageBytes()).isZero();
    }

    /** C077, as far as it concerns bytes: they are passed on as they came. */
    @Test
    void shouldPassOnMessagesWithOddBodies() {
        peer.attachSender(0, "q");
        peer.attachReceiver(1, "q");
        peer.send(Peer.credit(1, 0, 100));
        for (List<Section<?>> odd : List.<List<Section<?>>>of(
                List.of(new Header(), new Properties().setSubject("s")),
                List.of(new Data(new byte[0])),
                List.of(new AmqpValue<>(null)),
                List.of(new AmqpValue<>("")),
                List.of(new Data(new byte[] {1}), new Data(new byte[] {2})),
                List.of(new AmqpSequence<>(List.of())))) {
            byte[] bytes = Frames.join(odd.stream().map(Frames::encode).toArray(byte[][]::new));
            peer.send(Frames.frame(0, Peer.transfer(0, nextReceived++), bytes));
            byte[] received = receiveAll();
            byte[] sent = odd.getFirst() instanceof Header
                    ? Frames.encode(odd.get(1))
                    : bytes;
            assertThat(received).endsWith(sent);
            peer.frames();
        }
    }

    @Test
    void shouldCountMessagesWithoutBytesAsMessages() {
        peer.attachSender(0, "q");
        peer.send(Frames.frame(0, Peer.transfer(0, 0)));
        assertThat(peer.expect(Disposition.class).getState()).isInstanceOfAny(Accepted.class, Rejected.class);
    }

    // ---- settling

    @Test
    void shouldSayNothingOfWhatIsSentSettled() {
        peer.send(Peer.sender(0, "s", "q").setSenderSettleMode(SenderSettleMode.SETTLED));
        peer.expect(Attach.class);
        peer.expect(Flow.class);
        peer.send(Peer.send(0, 0, "a"));
        peer.send(Frames.frame(0, Peer.transfer(0, 1).setSettled(true), Peer.message("b")));
        peer.expectNothing();
        assertThat(lab.counters().readyMessages()).isEqualTo(2);
    }

    @Test
    void shouldTakeBothOnAMixedLink() {
        peer.attachSender(0, "q");
        peer.send(
                Frames.frame(0, Peer.transfer(0, 0).setSettled(true), Peer.message("a")),
                Peer.send(0, 1, "b"),
                Frames.frame(0, Peer.transfer(0, 2).setSettled(true), Peer.message("c")),
                Peer.send(0, 3, "d"));
        peer.expectOutcome(1, 1, Accepted.class);
        peer.expectOutcome(3, 3, Accepted.class);
    }

    /** The receiver settles second: it tells the outcome, and settles when the sender has. */
    @Test
    void shouldSettleSecond() {
        peer.send(Peer.sender(0, "s", "q").setReceiverSettleMode(ReceiverSettleMode.SECOND));
        peer.expect(Attach.class);
        peer.expect(Flow.class);
        peer.send(Peer.send(0, 0, "a"));
        Disposition outcome = peer.expect(Disposition.class);
        assertThat(outcome.getState()).isEqualTo(Accepted.getInstance());
        assertThat(outcome.getSettled()).isFalse();
        peer.send(Peer.settle(Role.SENDER, 0, 0, Accepted.getInstance()));
        peer.expectNothing();
        peer.send(Frames.frame(0,
                Peer.transfer(0, 1).setDeliveryTag("tag 0".getBytes(java.nio.charset.StandardCharsets.US_ASCII)),
                Peer.message("b")));
        assertThat(peer.expect(Disposition.class).getFirst()).isEqualTo(1);
    }

    /** §2.7.5, rcv-settle-mode: a delivery may be settled first although its link says second. */
    @Test
    void shouldSettleADeliveryFirstIfItSaysSo() {
        peer.send(Peer.sender(0, "s", "q").setReceiverSettleMode(ReceiverSettleMode.SECOND));
        peer.expect(Attach.class);
        peer.expect(Flow.class);
        peer.send(Frames.frame(
                0, Peer.transfer(0, 0).setRcvSettleMode(ReceiverSettleMode.FIRST), Peer.message("a")));
        assertThat(peer.expect(Disposition.class).getSettled()).isTrue();
    }

    @Test
    void shouldForgetWhatNobodySettlesSecondWhenTheLinkCloses() {
        for (int round = 0; round < 3; round++) {
            peer.send(Peer.sender(0, "s", "q").setReceiverSettleMode(ReceiverSettleMode.SECOND));
            peer.expect(Attach.class);
            peer.expect(Flow.class);
            for (int i = 0; i < 10; i++) {
                peer.send(Peer.send(0, 10 * round + i, "a"));
            }
            peer.send(new Detach().setHandle(0).setClosed(true));
            peer.frames();
        }
        assertThat(lab.counters().readyMessages()).isEqualTo(30);
        peer.send(Peer.settle(Role.SENDER, 0, 29, Accepted.getInstance()));
        peer.expectNothing();
    }

    // ---- deliveries that arrive in parts

    /** §2.6.12: the sender may settle a delivery before all of it was sent. */
    @Test
    void shouldTakeADeliveryThatIsSettledWhileItArrives() {
        peer.attachSender(0, "q");
        for (int settled = 0; settled < 2; settled++) {
            peer.send(Frames.frame(0, Peer.transfer(0, settled).setMore(true), Peer.message("x")));
            peer.send(Peer.settle(Role.SENDER, settled, settled, null));
            peer.send(Frames.frame(0, new Transfer().setHandle(0)));
            peer.expectNothing();
        }
        assertThat(lab.counters().readyMessages()).isEqualTo(2);
        peer.send(Frames.frame(
                0, Peer.transfer(0, 2).setDeliveryTag("tag 0".getBytes(StandardCharsets.US_ASCII)), Peer.message("x")));
        peer.expectOutcome(2, 2, Accepted.class);
    }

    /** §2.6.12: a tag is in use from its delivery's first transfer on. */
    @Test
    void shouldKnowDeliveriesThatAreCompleteInAnotherOrderThanTheyBegan() {
        peer.send(
                Frames.frame(0, second(Peer.sender(1, "second", "q"))),
                Frames.frame(0, second(Peer.sender(2, "third", "q"))));
        peer.frames();
        peer.send(Frames.frame(0, Peer.transfer(1, 0).setMore(true), Peer.message("a")));
        for (int id = 1; id < 40; id++) {
            peer.send(Frames.frame(0, Peer.transfer(2, id), Peer.message("b")));
        }
        peer.send(Frames.frame(0, new Transfer().setHandle(1)));
        for (int id = 40; id < 60; id++) {
            peer.send(Frames.frame(0, Peer.transfer(2, id), Peer.message("c")));
        }
        assertThat(peer.frames().stream().filter(frame -> frame.performative() instanceof Disposition)).isNotEmpty();
        peer.send(Peer.settle(Role.SENDER, 0, 0, Accepted.getInstance()));
        peer.send(Frames.frame(
                0, Peer.transfer(1, 60).setDeliveryTag("tag 0".getBytes(StandardCharsets.US_ASCII)),
                Peer.message("d")));
        assertThat(peer.expect(Disposition.class).getFirst()).isEqualTo(60);
    }

    private static Attach second(Attach attach) {
        return attach.setReceiverSettleMode(ReceiverSettleMode.SECOND);
    }

    /** §2.7.5: what a continuation says of its delivery is what its first transfer has said. */
    @Test
    void shouldDetachForAnotherTagWithinADelivery() {
        peer.attachSender(0, "q");
        peer.send(Frames.frame(0, Peer.transfer(0, 0).setMore(true), Peer.message("x")));
        peer.send(Frames.frame(0, Peer.transfer(0, 0).setDeliveryTag(new byte[] {7}), new byte[0]));
        peer.expectDetach(AmqpError.INVALID_FIELD);
    }

    // ---- the relay

    /** As at its first use, a queue that is named and isn't there is made. */
    @Test
    void shouldMakeAQueueOfTheRelayAgainThatWasDeleted() {
        for (int loop = 0; loop < 2; loop++) {
            Peer sender = Peer.connected(lab, loop);
            sender.send(Peer.sender(3, "relay", null).setTarget(new Target()));
            sender.expect(Attach.class);
            byte[] to = Frames.join(
                    Frames.encode(new Properties().setTo("fresh")), Peer.message("x"));
            for (int i = 0; i < 3; i++) {
                sender.send(Frames.frame(0, Peer.transfer(3, i), to));
                sender.expectOutcome(i, i, Accepted.class);
                assertThat(lab.counters().readyMessages()).isEqualTo(1);
                lab.deleteQueue("fresh");
                assertThat(lab.counters().readyMessages()).isZero();
            }
            byte[] missing = Frames.join(
                    Frames.encode(new Properties().setTo("/queues/fresh")), Peer.message("x"));
            sender.send(Frames.frame(0, Peer.transfer(3, 3), missing));
            sender.expectOutcome(3, 3, Rejected.class);
        }
    }
}
