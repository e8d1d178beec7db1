package io.sluicemq.protocol.amqp091;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.protocol.amqp091.codec.MethodId;
import io.sluicemq.protocol.amqp091.codec.RawFrame;
import io.sluicemq.protocol.amqp091.codec.RawFrames;
import io.sluicemq.testkit.ManualLoop;
import java.util.List;
import org.junit.jupiter.api.Test;

/** basic.qos as RabbitMQ reads it, and channel.flow by the client. */
class QosTest {

    private final ManualLoop loop = ManualLoop.single();
    private final FakeClient broker = new FakeClient(loop);
    private Peer peer = Peer.connected(loop, broker);

    private int delivered;

    private void qos(int count, boolean global) {
        peer.send(RawFrames.qos(1, 0, count, global));
        skipTo(MethodId.BASIC_QOS_OK);
    }

    private void flow(boolean active) {
        peer.send(RawFrames.channelFlow(1, active));
        RawFrame ok = skipTo(MethodId.CHANNEL_FLOW_OK);
        assertThat(ok.arguments().get()).isEqualTo((byte) (active ? 1 : 0));
    }

    /** The next frame of that method; deliveries before it are counted. */
    private RawFrame skipTo(int method) {
        RawFrame frame = peer.next();
        while (frame.method() != method) {
            assertThat(frame.method()).isIn(MethodId.BASIC_DELIVER, 0);
            delivered += frame.method() == 0 ? 0 : 1;
            frame = peer.next();
        }
        return frame;
    }

    private FakeClient.FakeConsumer consume(String tag, boolean... bits) {
        peer.send(RawFrames.consume(1, "q", tag, out -> {}, bits));
        FakeClient.FakeConsumer consumer = broker.accept();
        peer.expect(1, MethodId.BASIC_CONSUME_OK);
        return consumer;
    }

    private void wantsCredit(FakeClient.FakeConsumer consumer) {
        loop.run(consumer.sink::creditWanted);
    }

    /** How many deliveries there were since the last look. */
    private int deliveries() {
        int count = delivered;
        delivered = 0;
        return count + (int) peer.frames().stream()
                .filter(frame -> frame.method() == MethodId.BASIC_DELIVER)
                .count();
    }

    /** RabbitMQ: a prefetch size is not implemented. */
    @Test
    void shouldRefuseAPrefetchSize() {
        peer.send(RawFrames.qos(1, 1, 0, false));
        peer.expectConnectionClose(540, "NOT_IMPLEMENTED - prefetch_size!=0 (1)");
    }

    @Test
    void shouldGiveNewConsumersTheirOwnPrefetch() {
        qos(5, false);
        assertThat(consume("a").spec.prefetch()).isEqualTo(5);
        qos(0, false);
        assertThat(consume("b").spec.prefetch()).isZero();
        qos(5, false);
        assertThat(consume("c", false, true).spec.prefetch()).as("without acks").isZero();
        assertThat(broker.consumers.values()).noneMatch(each -> each.spec.sharedCredit());
    }

    @Test
    void shouldShareALimitInTurn() {
        qos(4, true);
        FakeClient.FakeConsumer a = consume("a");
        FakeClient.FakeConsumer b = consume("b");
        FakeClient.FakeConsumer free = consume("free", false, true);
        assertThat(a.spec.sharedCredit()).isTrue();
        assertThat(free.spec.sharedCredit()).isFalse();

        wantsCredit(a);
        assertThat(a.granted).isEqualTo(4);
        wantsCredit(b);
        assertThat(b.granted).isZero();
        a.deliver("1");
        loop.run(() -> a.sink.creditReturned(3));
        assertThat(b.granted).isEqualTo(3);
        for (String body : List.of("2", "3", "4")) {
            b.deliver(body);
        }
        wantsCredit(a);
        wantsCredit(b);
        assertThat(a.granted + b.granted).isEqualTo(7);
        assertThat(deliveries()).isEqualTo(4);

        peer.send(RawFrames.ack(1, 1, false));
        assertThat(a.granted).isEqualTo(5);
        assertThat(b.granted).isEqualTo(3);
        peer.send(RawFrames.ack(1, 2, false));
        assertThat(b.granted).isEqualTo(4);
    }

    /** C023: lowering the limit below what is unsettled. */
    @Test
    void shouldLowerTheLimit() {
        qos(10, true);
        FakeClient.FakeConsumer a = consume("a");
        FakeClient.FakeConsumer b = consume("b");
        wantsCredit(a);
        for (int i = 1; i <= 10; i++) {
            a.deliver("" + i);
        }
        wantsCredit(a);
        wantsCredit(b);
        qos(2, true);
        for (int tag = 1; tag <= 8; tag++) {
            peer.send(RawFrames.ack(1, tag, false));
            assertThat(a.granted + b.granted).isEqualTo(10);
        }
        peer.send(RawFrames.ack(1, 9, false));
        assertThat(a.granted).isEqualTo(11);
        assertThat(b.granted).isZero();
        a.deliver("11");
        wantsCredit(a);
        peer.send(RawFrames.ack(1, 10, false));
        assertThat(b.granted).isOne();
    }

    @Test
    void shouldRaiseTheLimitAtOnce() {
        qos(1, true);
        FakeClient.FakeConsumer a = consume("a");
        wantsCredit(a);
        a.deliver("1");
        wantsCredit(a);
        assertThat(a.granted).isEqualTo(1);
        qos(5, true);
        assertThat(a.granted).isEqualTo(5);
        a.deliver("2");
        a.deliver("3");
        a.deliver("4");
        a.deliver("5");
        wantsCredit(a);
        assertThat(a.granted).isEqualTo(5);
        qos(0, true);
        assertThat(a.granted).isGreaterThan(100);
    }

    /** What was granted before the limit was lowered, and comes nevertheless, is not sent. */
    @Test
    void shouldNeverSendMoreThanTheLimit() {
        qos(5, true);
        FakeClient.FakeConsumer a = consume("a");
        wantsCredit(a);
        qos(1, true);
        FakeDelivery[] all = new FakeDelivery[5];
        for (int i = 0; i < 5; i++) {
            all[i] = a.deliver("" + i);
        }
        assertThat(deliveries()).isOne();
        for (int tag = 1; tag < 5; tag++) {
            peer.send(RawFrames.ack(1, tag, false));
            assertThat(deliveries()).isOne();
            assertThat(all[tag - 1].outcome).isEqualTo(Outcome.ACCEPTED);
        }
    }

    /** A limit holds for consumers that were there before it. */
    @Test
    void shouldLimitConsumersOfBefore() {
        FakeClient.FakeConsumer a = consume("a");
        FakeClient.FakeConsumer free = consume("free", false, true);
        a.deliver("1");
        a.deliver("2");
        qos(3, true);
        assertThat(a.paused).isFalse();
        a.deliver("3");
        assertThat(a.paused).isTrue();
        a.deliver("under way");
        free.deliver("without ack");
        assertThat(deliveries()).isEqualTo(4);

        peer.send(RawFrames.ack(1, 2, true));
        assertThat(peer.delivery(1)).isEqualTo("a:5:under way");
        assertThat(a.paused).isFalse();
        assertThat(free.paused).isFalse();
    }

    @Test
    void shouldGiveTheCreditOfACancelledConsumerToOthers() {
        qos(2, true);
        FakeClient.FakeConsumer a = consume("a");
        FakeClient.FakeConsumer b = consume("b");
        wantsCredit(a);
        wantsCredit(b);
        assertThat(b.granted).isZero();
        peer.send(RawFrames.cancel(1, "a", false));
        broker.answer(null);
        assertThat(b.granted).isEqualTo(2);
        loop.run(() -> a.sink.creditReturned(2));
        b.deliver("1");
        b.deliver("2");
        wantsCredit(b);
        assertThat(b.granted).isEqualTo(2);
    }

    @Test
    void shouldCountOnlyConsumersDeliveries() {
        qos(1, true);
        FakeClient.FakeConsumer a = consume("a");
        peer.send(RawFrames.get(1, "q", false));
        broker.answer(broker.delivery("got"));
        wantsCredit(a);
        assertThat(a.granted).isOne();
        a.deliver("1");
        peer.frames();
        peer.send(RawFrames.ack(1, 1, false));
        wantsCredit(a);
        assertThat(a.granted).isOne();
        peer.send(RawFrames.ack(1, 2, false));
        assertThat(a.granted).isEqualTo(2);
    }

    /** WIRE: Qpid JMS changes the prefetch of a session with consumers by qos without the global bit. */
    @Test
    void shouldTakeQosOfQpidJmsForTheSession() {
        peer = Peer.connected(loop, broker, Peer.OPTIONS, Peer.product("qpid"));
        qos(1, false);
        FakeClient.FakeConsumer a = consume("a");
        assertThat(a.spec.sharedCredit()).isTrue();
        assertThat(a.spec.prefetch()).isZero();
        wantsCredit(a);
        a.deliver("1");
        wantsCredit(a);
        assertThat(a.granted).isOne();
        qos(2, false);
        assertThat(a.granted).isEqualTo(2);
    }

    // ---- flow

    /** Spec, channel.flow: the client may stop deliveries; Qpid JMS does and needs the answer. */
    @Test
    void shouldStopAndResumeDeliveries() {
        FakeClient.FakeConsumer a = consume("a");
        FakeClient.FakeConsumer b = consume("b", false, true);
        a.deliver("1");
        assertThat(deliveries()).isOne();
        flow(false);
        assertThat(a.paused).isTrue();
        assertThat(b.paused).isTrue();
        a.deliver("2");
        b.deliver("3");
        peer.expectNothing();

        flow(true);
        assertThat(a.paused).isFalse();
        assertThat(b.paused).isFalse();
        assertThat(deliveries()).isEqualTo(2);
    }

    @Test
    void shouldPauseConsumersThatComeWhileTheFlowIsStopped() {
        flow(false);
        FakeClient.FakeConsumer a = consume("a");
        assertThat(a.paused).isTrue();
        flow(true);
        assertThat(a.paused).isFalse();
    }

    @Test
    void shouldReturnWhatItHoldsWhenTheChannelCloses() {
        FakeClient.FakeConsumer a = consume("a");
        a.deliver("1");
        flow(false);
        a.deliver("2");
        a.deliver("3");
        peer.frames();
        peer.send(RawFrames.channelClose(1, 200, "done"));
        broker.answer(null);
        assertThat(broker.settled).asString().isEqualTo("[1=REQUEUED, 2=RELEASED, 3=RELEASED]");
    }

    @Test
    void shouldReturnWhatItHoldsForACancelledConsumer() {
        FakeClient.FakeConsumer a = consume("a");
        FakeClient.FakeConsumer b = consume("b");
        flow(false);
        a.deliver("1");
        b.deliver("2");
        a.deliver("3");
        peer.send(RawFrames.cancel(1, "a", false));
        broker.answer(null);
        loop.runAll();
        peer.expect(1, MethodId.BASIC_CANCEL_OK);
        assertThat(broker.settled).asString().isEqualTo("[1=RELEASED, 3=RELEASED]");
        flow(true);
        RawFrame frame = peer.expect(1, MethodId.BASIC_DELIVER);
        assertThat(RawFrame.shortString(frame.arguments())).isEqualTo("b");
    }
}
