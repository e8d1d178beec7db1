package io.sluicemq.protocol.amqp091;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.ConsumerSink;
import io.sluicemq.api.ConsumerSpec;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Message;
import io.sluicemq.protocol.amqp091.codec.BasicProperties;
import io.sluicemq.protocol.amqp091.codec.MethodId;
import io.sluicemq.protocol.amqp091.codec.RawArguments;
import io.sluicemq.protocol.amqp091.codec.RawFrame;
import io.sluicemq.protocol.amqp091.codec.RawFrames;
import io.sluicemq.testkit.ManualLoop;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Consumers, deliveries and their settlement, basic.get (spec, class basic; RabbitMQ's extensions). */
class ConsumingTest {

    private static final Consumer<RawArguments> NONE = out -> {};

    private final ManualLoop loop = ManualLoop.single();
    private final FakeClient broker = new FakeClient(loop);
    private Peer peer = Peer.connected(loop, broker);

    private FakeClient.FakeConsumer consume(String tag, boolean... bits) {
        return consume(1, tag, bits);
    }

    private FakeClient.FakeConsumer consume(int channel, String tag, boolean... bits) {
        peer.send(RawFrames.consume(channel, "q", tag, NONE, bits));
        FakeClient.FakeConsumer consumer = broker.accept();
        peer.expect(channel, MethodId.BASIC_CONSUME_OK);
        return consumer;
    }

    // ---- consumers

    @Test
    void shouldSubscribeAsAsked() {
        peer.send(RawFrames.qos(1, 0, 7, false));
        peer.expect(1, MethodId.BASIC_QOS_OK);
        Consumer<RawArguments> arguments = out -> out.shortString("x-priority").octet('I').longInt(5);
        peer.send(RawFrames.consume(1, "q", "c", arguments, true, false, true));
        ConsumerSpec spec = ((FakeClient.FakeConsumer) broker.request()).spec;
        assertThat(spec.queue()).isEqualTo("q");
        assertThat(spec.tag()).isEqualTo("c");
        assertThat(spec.noLocal()).isTrue();
        assertThat(spec.settled()).isFalse();
        assertThat(spec.exclusive()).isTrue();
        assertThat(spec.prefetch()).isEqualTo(7);
        assertThat(spec.sharedCredit()).isFalse();
        assertThat(spec.priority()).isEqualTo(5);
        assertThat(spec.arguments()).containsEntry("x-priority", 5);
        peer.expectNothing();

        broker.accept();
        assertThat(RawFrame.shortString(
                peer.expect(1, MethodId.BASIC_CONSUME_OK).arguments()))
                .isEqualTo("c");
    }

    @Test
    void shouldMakeTagsThatAreNotInUse() {
        consume("amq.ctag-1.2");
        List<String> tags = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            peer.send(RawFrames.consume(1, "q", "", NONE));
            broker.accept();
            tags.add(RawFrame.shortString(
                    peer.expect(1, MethodId.BASIC_CONSUME_OK).arguments()));
        }
        assertThat(tags).containsExactly("amq.ctag-1.1", "amq.ctag-1.3", "amq.ctag-1.4");
    }

    @Test
    void shouldSubscribeWithoutAnAnswer() {
        peer.send(RawFrames.consume(1, "q", "c", NONE, false, false, false, true));
        broker.accept().deliver("x");
        assertThat(peer.delivery(1)).isEqualTo("c:1:x");
    }

    /** Spec, basic.consume: a tag may not be used twice on a channel; RabbitMQ: 530. */
    @Test
    void shouldRefuseATagInUse() {
        consume("c");
        peer.openChannel(2);
        consume(2, "c");
        peer.send(RawFrames.consume(1, "q", "c", NONE));
        peer.expectConnectionClose(530, "NOT_ALLOWED - attempt to reuse consumer tag 'c'");
    }

    @Test
    void shouldForgetATagThatWasRefused() {
        peer.send(RawFrames.consume(1, "q", "c", NONE));
        broker.refuse(new BrokerError.ExclusiveUse("q", "/"));
        peer.expectChannelClose(1, 403, "ACCESS_REFUSED - queue 'q' in vhost '/' in exclusive use");
        peer.openChannel(1);
        consume("c");
    }

    @Test
    void shouldLimitTheConsumersOfAChannel() {
        Amqp091Options few = new Amqp091Options(
                "1", 2047, 131072, 60, Peer.OPTIONS.handshakeLimit(), Peer.OPTIONS.closeLimit(), 1000, 2, 1000, 4096);
        peer = Peer.connected(loop, broker, few, Peer.capabilities());
        consume("a");
        consume("b");
        peer.send(RawFrames.consume(1, "q", "c", NONE));
        peer.expectConnectionClose(530, "reached maximum (2) of consumers per channel");
    }

    /** Spec, basic.consume: an empty queue name is the last one declared on the channel. */
    @Test
    void shouldConsumeFromTheQueueDeclaredLast() {
        peer.send(RawFrames.consume(1, "", "c", NONE));
        peer.expectChannelClose(1, 404, "NOT_FOUND - no previously declared queue");
        peer.openChannel(1);
        peer.send(RawFrames.queueDeclare(1, "", NONE));
        broker.answer(new io.sluicemq.api.Client.QueueStatus("amq.gen-1", 0, 0));
        peer.expect(1, MethodId.QUEUE_DECLARE_OK);
        peer.send(RawFrames.consume(1, "", "c", NONE));
        assertThat(((FakeClient.FakeConsumer) broker.request()).spec.queue()).isEqualTo("amq.gen-1");
    }

    @Test
    void shouldRefuseAPriorityThatIsNoInteger() {
        peer.send(RawFrames.consume(1, "q", "c",
                out -> out.shortString("x-priority").octet('S').longString("high".getBytes())));
        peer.expectChannelClose(
                1, 406, "PRECONDITION_FAILED - invalid arg 'x-priority': 'high' is not a 32-bit integer");
    }

    /** WIRE: Qpid JMS sends a selector with every subscription, mostly an empty one. */
    @Test
    void shouldTakeAnEmptySelectorOnly() {
        peer.send(RawFrames.consume(1, "q", "c", selector(" ")));
        broker.accept();
        peer.expect(1, MethodId.BASIC_CONSUME_OK);
        peer.send(RawFrames.consume(1, "q", "d", selector("a = 1")));
        peer.expectChannelClose(1, 540, "NOT_IMPLEMENTED - x-filter-jms-selector 'a = 1': selectors");
        peer.openChannel(1);
        peer.send(RawFrames.consume(1, "q", "d", out -> out.shortString("x-filter-no-consume").octet('V')));
        peer.expectChannelClose(1, 540, "NOT_IMPLEMENTED - x-filter-no-consume: browsing a queue");
    }

    private static Consumer<RawArguments> selector(String selector) {
        return out -> out.shortString("x-filter-jms-selector").octet('S').longString(Peer.bytes(selector));
    }

    @Test
    void shouldReadNoLocalAsQpidJmsSendsIt() {
        peer.send(RawFrames.consume(1, "q", "c", out -> out.shortString("x-qpid-no-local").octet('t').octet(1)));
        assertThat(((FakeClient.FakeConsumer) broker.request()).spec.noLocal()).isTrue();
        broker.accept();
        peer.send(RawFrames.consume(1, "q", "d", out -> out.shortString("x-qpid-no-local").octet('t').octet(0)));
        assertThat(((FakeClient.FakeConsumer) broker.request()).spec.noLocal()).isFalse();
    }

    @Test
    void shouldCancel() {
        FakeClient.FakeConsumer consumer = consume("c");
        peer.send(RawFrames.cancel(1, "c", false));
        peer.expectNothing();
        FakeDelivery underWay = consumer.deliver("under way");
        assertThat(peer.delivery(1)).isEqualTo("c:1:under way");

        broker.answer(null);
        assertThat(RawFrame.shortString(peer.expect(1, MethodId.BASIC_CANCEL_OK).arguments())).isEqualTo("c");
        peer.send(RawFrames.ack(1, 1, false));
        assertThat(underWay.outcome).isEqualTo(Outcome.ACCEPTED);
        consume("c");
    }

    /** Spec, basic.cancel: of no use is no error. */
    @Test
    void shouldAnswerACancelOfNothing() {
        peer.send(RawFrames.cancel(1, "none", false), RawFrames.cancel(1, "none", true));
        peer.expect(1, MethodId.BASIC_CANCEL_OK);
        peer.expectNothing();
    }

    /** RabbitMQ, consumer cancel notification; C027. */
    @Test
    void shouldTellWhenTheBrokerCancels() {
        FakeClient.FakeConsumer consumer = consume("c");
        FakeDelivery held = consumer.deliver("x");
        peer.frames();
        loop.run(() -> consumer.sink.cancelled("queue deleted"));
        ByteBuffer cancel = peer.expect(1, MethodId.BASIC_CANCEL).arguments();
        assertThat(RawFrame.shortString(cancel)).isEqualTo("c");
        assertThat(cancel.get()).isEqualTo((byte) 1);

        peer.send(RawFrames.ack(1, 1, false));
        assertThat(held.outcome).isEqualTo(Outcome.ACCEPTED);
        peer.send(RawFrames.cancel(1, "c", false));
        peer.expect(1, MethodId.BASIC_CANCEL_OK);
        consume("c");
    }

    @Test
    void shouldNotTellThoseWithoutTheCapability() {
        peer = Peer.connected(loop, broker, Peer.OPTIONS, NONE);
        FakeClient.FakeConsumer consumer = consume("c");
        loop.run(() -> consumer.sink.cancelled("queue deleted"));
        peer.expectNothing();
        consume("c");
    }

    // ---- too slow

    private void tooSlow(FakeClient.FakeConsumer consumer, ConsumerSink.Cut cut) {
        loop.run(() -> consumer.sink.tooSlow(cut));
    }

    /** Spec, channel.close; the code and the text are those that clients look for. */
    @Test
    void shouldCloseTheChannelOfAConsumerThatIsTooSlow() {
        FakeClient.FakeConsumer consumer = consume("c");
        FakeDelivery held = consumer.deliver("x");
        peer.frames();
        tooSlow(consumer, ConsumerSink.Cut.CHANNEL);
        ByteBuffer close = peer.expect(1, MethodId.CHANNEL_CLOSE).arguments();
        assertThat(close.getShort()).isEqualTo((short) 506);
        assertThat(RawFrame.shortString(close)).isEqualTo("Consuming too slow.");
        assertThat(close.getInt()).as("no method of the client's").isZero();
        assertThat(consumer.cancelled).isTrue();
        assertThat(held.outcome).isEqualTo(Outcome.REQUEUED);
    }

    @Test
    void shouldCancelTheConsumerAloneAndTakeBackWhatItHolds() {
        FakeClient.FakeConsumer slow = consume("slow");
        FakeClient.FakeConsumer other = consume("other");
        FakeDelivery first = slow.deliver("1");
        FakeDelivery second = other.deliver("2");
        FakeDelivery third = slow.deliver("3");
        peer.frames();
        tooSlow(slow, ConsumerSink.Cut.CONSUMER);
        ByteBuffer cancel = peer.expect(1, MethodId.BASIC_CANCEL).arguments();
        assertThat(RawFrame.shortString(cancel)).isEqualTo("slow");
        assertThat(slow.cancelled).isTrue();
        assertThat(other.cancelled).isFalse();
        broker.answer(null);
        assertThat(first.outcome).isEqualTo(Outcome.REQUEUED);
        assertThat(third.outcome).isEqualTo(Outcome.REQUEUED);
        assertThat(second.outcome).isNull();

        peer.send(RawFrames.ack(1, 1, false));
        peer.expectNothing();
        peer.send(RawFrames.ack(1, 3, true));
        assertThat(second.outcome).as("up to a delivery that was taken back").isEqualTo(Outcome.ACCEPTED);
        peer.send(RawFrames.ack(1, 4, false));
        peer.expect(1, MethodId.CHANNEL_CLOSE);
    }

    @Test
    void shouldCloseTheChannelOfOneThatCanNotBeToldOfACancel() {
        peer = Peer.connected(loop, broker, Peer.OPTIONS, NONE);
        FakeClient.FakeConsumer consumer = consume("c");
        tooSlow(consumer, ConsumerSink.Cut.CONSUMER);
        peer.expect(1, MethodId.CHANNEL_CLOSE);
    }

    @Test
    void shouldNotCutOneThatHasEnded() {
        FakeClient.FakeConsumer consumer = consume("c");
        peer.send(RawFrames.cancel(1, "c", false));
        broker.answer(null);
        peer.expect(1, MethodId.BASIC_CANCEL_OK);
        FakeClient.FakeConsumer next = consume("c");
        tooSlow(consumer, ConsumerSink.Cut.CHANNEL);
        peer.expectNothing();
        assertThat(next.cancelled).isFalse();
    }

    // ---- deliveries

    @Test
    void shouldDeliverTheMessageAsItCame() {
        FakeClient.FakeConsumer consumer = consume("c");
        byte[] properties = BasicProperties.EMPTY.edit().setHeader("k", List.of("v", 1)).build().bytes();
        consumer.deliver(FakeClient.message("body", properties));
        ByteBuffer arguments = peer.expect(1, MethodId.BASIC_DELIVER).arguments();
        assertThat(RawFrame.shortString(arguments)).isEqualTo("c");
        assertThat(arguments.getLong()).isOne();
        assertThat(arguments.get()).isZero();
        assertThat(RawFrame.shortString(arguments)).isEqualTo("ex");
        assertThat(RawFrame.shortString(arguments)).isEqualTo("key");
        ByteBuffer header = ByteBuffer.wrap(peer.next().payload());
        assertThat(header.getInt()).isEqualTo(60 << 16);
        assertThat(header.getLong()).isEqualTo(4);
        byte[] sent = new byte[header.remaining()];
        header.get(sent);
        assertThat(sent).isEqualTo(properties);
        assertThat(peer.next().payload()).isEqualTo(Peer.bytes("body"));
        peer.expectNothing();
    }

    @Test
    void shouldSendNoBodyFrameForAnEmptyBody() {
        consume("c").deliver("");
        assertThat(peer.frames()).hasSize(2);
    }

    @Test
    void shouldNumberDeliveriesOfAChannel() {
        FakeClient.FakeConsumer first = consume("c");
        FakeClient.FakeConsumer second = consume("d", false, true);
        first.deliver("1");
        second.deliver("2");
        first.deliver("3");
        assertThat(peer.delivery(1)).isEqualTo("c:1:1");
        assertThat(peer.delivery(1)).isEqualTo("d:2:2");
        assertThat(peer.delivery(1)).isEqualTo("c:3:3");
        peer.openChannel(2);
        consume(2, "e").deliver("4");
        assertThat(peer.delivery(2)).isEqualTo("e:1:4");
    }

    /** Spec §4.2.3: no frame above the agreed size. */
    @Test
    void shouldSplitBodiesByTheAgreedFrameMax() {
        peer = new Peer(loop, broker, new Peer.PlainAuthenticator(), Peer.OPTIONS);
        peer.handshake(NONE, 0, 4096, 0);
        peer.openChannel(1);
        String body = "0123456789".repeat(1000);
        consume("c").deliver(body);
        List<RawFrame> frames = peer.frames();
        assertThat(frames).hasSize(2 + 3).allMatch(frame -> frame.payload().length + 8 <= 4096);
        assertThat(frames.get(2).payload()).hasSize(4088);
        StringBuilder joined = new StringBuilder();
        frames.subList(2, 5).forEach(frame -> joined.append(new String(frame.payload())));
        assertThat(joined).hasToString(body);
    }

    /** C037: a header that is too large for this client fails alone. */
    @Test
    void shouldSetAsideAMessageWhoseHeaderIsTooLarge() {
        peer = new Peer(loop, broker, new Peer.PlainAuthenticator(), Peer.OPTIONS);
        peer.handshake(NONE, 0, 4096, 0);
        peer.openChannel(1);
        FakeClient.FakeConsumer consumer = consume("c");
        FakeDelivery tooLarge = consumer.deliver(FakeClient.message("x", header(4096)));
        FakeDelivery fits = consumer.deliver(FakeClient.message("y", header(4000)));
        loop.runAll();
        assertThat(tooLarge.outcome).isEqualTo(Outcome.UNDELIVERABLE);
        assertThat(peer.delivery(1)).isEqualTo("c:1:y");
        peer.send(RawFrames.ack(1, 1, false));
        assertThat(fits.outcome).isEqualTo(Outcome.ACCEPTED);

        peer.send(RawFrames.get(1, "q", false));
        FakeDelivery got = new FakeDelivery(FakeClient.message("x", header(4096)), false, broker.settled);
        broker.answer(got);
        loop.runAll();
        assertThat(got.outcome).isEqualTo(Outcome.UNDELIVERABLE);
        peer.expect(1, MethodId.BASIC_GET_EMPTY);
    }

    private static byte[] header(int size) {
        return BasicProperties.EMPTY.edit().setHeader("h", "x".repeat(size - 30)).build().bytes();
    }

    @Test
    void shouldGiveBackTheWindowOnceBytesHaveLeft() {
        FakeClient.FakeConsumer first = consume("c");
        FakeClient.FakeConsumer second = consume("d");
        int size = FakeClient.message("xx").sizeBytes();
        first.deliver("xx");
        first.deliver("xx");
        second.deliver("xx");
        peer.wire.writable = false;
        loop.run(peer.session::flushed);
        assertThat(first.written).isEmpty();

        peer.wire.writable = true;
        loop.run(peer.session::writabilityChanged);
        assertThat(first.written).containsExactly(2L * size);
        assertThat(second.written).containsExactly((long) size);
        loop.run(peer.session::flushed);
        assertThat(first.written).hasSize(1);

        first.deliver("xx");
        loop.run(peer.session::flushed);
        assertThat(first.written).containsExactly(2L * size, (long) size);
    }

    @Test
    void shouldNotGiveBackTheWindowOfACancelledConsumer() {
        FakeClient.FakeConsumer consumer = consume("c");
        consumer.deliver("x");
        peer.send(RawFrames.cancel(1, "c", false));
        broker.answer(null);
        loop.run(peer.session::flushed);
        assertThat(consumer.written).isEmpty();
    }

    // ---- settlements

    @Test
    void shouldSettleOneByOne() {
        FakeClient.FakeConsumer consumer = consume("c");
        List<FakeDelivery> deliveries = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            deliveries.add(consumer.deliver("" + i));
        }
        peer.frames();
        peer.send(
                RawFrames.ack(1, 3, false),
                RawFrames.nack(1, 1, false, true),
                RawFrames.nack(1, 5, false, false),
                RawFrames.reject(1, 2, true),
                RawFrames.reject(1, 4, false));
        peer.expectNothing();
        assertThat(deliveries)
                .extracting(each -> each.outcome)
                .containsExactly(
                        Outcome.REQUEUED, Outcome.REQUEUED, Outcome.ACCEPTED, Outcome.REJECTED, Outcome.REJECTED);
    }

    @Test
    void shouldSettleManyAtOnce() {
        FakeClient.FakeConsumer consumer = consume("c");
        for (int i = 1; i <= 9; i++) {
            consumer.deliver("" + i);
        }
        peer.frames();
        peer.send(RawFrames.ack(1, 3, true), RawFrames.nack(1, 6, true, true), RawFrames.nack(1, 7, true, false));
        peer.send(RawFrames.ack(1, 0, true), RawFrames.ack(1, 0, true));
        peer.expectNothing();
        assertThat(broker.settled)
                .asString()
                .isEqualTo("[1=ACCEPTED, 2=ACCEPTED, 3=ACCEPTED, 4=REQUEUED, 5=REQUEUED, 6=REQUEUED, 7=REJECTED,"
                        + " 8=ACCEPTED, 9=ACCEPTED]");
    }

    /** RabbitMQ: 406 for a tag that is unknown, or known no more. */
    @Test
    void shouldRefuseAnUnknownTag() {
        consume("c").deliver("x");
        peer.frames();
        peer.send(RawFrames.ack(1, 1, false), RawFrames.ack(1, 1, false));
        peer.expectChannelClose(1, 406, "PRECONDITION_FAILED - unknown delivery tag 1");
        peer.openChannel(1);
        peer.send(RawFrames.ack(1, 0, false));
        peer.expectChannelClose(1, 406, "PRECONDITION_FAILED - unknown delivery tag 0");
        peer.openChannel(1);
        peer.send(RawFrames.nack(1, -1, true, true));
        peer.expectChannelClose(1, 406, "PRECONDITION_FAILED - unknown delivery tag 18446744073709551615");
        peer.openChannel(1);
        broker.answer(null);
        consume("d", false, true).deliver("no ack");
        peer.frames();
        peer.send(RawFrames.reject(1, 1, true));
        peer.expectChannelClose(1, 406, "PRECONDITION_FAILED - unknown delivery tag 1");
    }

    /** C039: settling out of order, then closing: what is left returns, each once, the oldest first. */
    @Test
    void shouldReturnWhatIsLeft() {
        FakeClient.FakeConsumer consumer = consume("c");
        for (int i = 1; i <= 100; i++) {
            consumer.deliver("" + i);
        }
        peer.frames();
        peer.send(
                RawFrames.ack(1, 50, false),
                RawFrames.ack(1, 10, false),
                RawFrames.ack(1, 90, false),
                RawFrames.nack(1, 40, true, true),
                RawFrames.reject(1, 80, true),
                RawFrames.reject(1, 70, true),
                RawFrames.reject(1, 60, true));
        assertThat(broker.settled).hasSize(3 + 39 + 3);
        broker.settled.clear();
        peer.send(RawFrames.channelClose(1, 200, "done"));
        assertThat(broker.settled).hasSize(100 - 45).allMatch(each -> each.outcome == Outcome.REQUEUED);
        List<Integer> order = broker.settled.stream()
                .map(each -> Integer.parseInt(FakeClient.text(each.message())))
                .toList();
        assertThat(order).isSorted();
    }

    /** Spec, basic.recover; RabbitMQ: only with requeue. */
    @Test
    void shouldRecover() {
        FakeClient.FakeConsumer consumer = consume("c");
        consumer.deliver("1");
        consumer.deliver("2");
        peer.frames();
        peer.send(RawFrames.recover(1, true));
        peer.expect(1, MethodId.BASIC_RECOVER_OK);
        assertThat(broker.settled).asString().isEqualTo("[1=REQUEUED, 2=REQUEUED]");

        consumer.deliver("3");
        peer.frames();
        peer.send(RawFrames.recoverAsync(1, true));
        peer.expectNothing();
        assertThat(broker.settled).hasSize(3);
    }

    /** Spec, basic.recover without requeue: to the original recipient. */
    @Test
    void shouldSendAgain() {
        FakeClient.FakeConsumer consumer = consume("c");
        FakeClient.FakeConsumer gone = consume("d");
        FakeDelivery first = consumer.deliver("1");
        FakeDelivery second = gone.deliver("2");
        FakeDelivery third = consumer.deliver("3");
        peer.send(RawFrames.get(1, "q", false));
        FakeDelivery got = broker.delivery("4");
        broker.answer(got);
        peer.send(RawFrames.cancel(1, "d", true));
        broker.answer(null);
        loop.run(peer.session::flushed);
        consumer.written.clear();
        peer.frames();

        for (int round = 1; round <= 2; round++) {
            peer.send(RawFrames.recover(1, false));
            peer.expect(1, MethodId.BASIC_RECOVER_OK);
            assertThat(broker.settled).containsExactlyInAnyOrder(second, got);
            ByteBuffer arguments = peer.expect(1, MethodId.BASIC_DELIVER).arguments();
            RawFrame.shortString(arguments);
            assertThat(arguments.getLong()).isEqualTo(3 + 2L * round);
            assertThat(arguments.get()).as("redelivered").isOne();
            assertThat(peer.content(1)).isEqualTo("1");
            assertThat(peer.delivery(1)).isEqualTo("c:" + (4 + 2 * round) + ":3");
            peer.expectNothing();
        }
        peer.send(RawFrames.ack(1, 8, true));
        assertThat(first.outcome).isEqualTo(Outcome.ACCEPTED);
        assertThat(third.outcome).isEqualTo(Outcome.ACCEPTED);
        loop.run(peer.session::flushed);
        assertThat(consumer.written).as("its window was given back before").isEmpty();
        peer.send(RawFrames.recoverAsync(1, false));
        peer.expectNothing();
    }

    // ---- get

    @Test
    void shouldGet() {
        peer.send(RawFrames.get(1, "q", false));
        assertThat(broker.request()).isEqualTo(new FakeClient.Get("q", false));
        FakeDelivery delivery = broker.delivery("x");
        delivery.remaining = 41;
        delivery.redelivered = true;
        broker.answer(delivery);
        ByteBuffer arguments = peer.expect(1, MethodId.BASIC_GET_OK).arguments();
        assertThat(arguments.getLong()).isOne();
        assertThat(arguments.get()).isOne();
        assertThat(RawFrame.shortString(arguments)).isEqualTo("ex");
        assertThat(RawFrame.shortString(arguments)).isEqualTo("key");
        assertThat(arguments.getInt()).isEqualTo(41);
        assertThat(peer.content(1)).isEqualTo("x");
        peer.send(RawFrames.ack(1, 1, false));
        assertThat(delivery.outcome).isEqualTo(Outcome.ACCEPTED);
    }

    @Test
    void shouldGetNothing() {
        peer.send(RawFrames.get(1, "q", true));
        broker.answer(null);
        peer.expect(1, MethodId.BASIC_GET_EMPTY);
    }

    @Test
    void shouldGetSettled() {
        peer.send(RawFrames.get(1, "q", true));
        Message message = FakeClient.message("x");
        broker.answer(new FakeDelivery(message, true, broker.settled));
        peer.expect(1, MethodId.BASIC_GET_OK);
        assertThat(peer.content(1)).isEqualTo("x");
        peer.send(RawFrames.ack(1, 0, true));
        assertThat(broker.settled).isEmpty();
    }
}
