package io.sluicemq.protocol.amqp091;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Client;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.protocol.amqp091.codec.MethodId;
import io.sluicemq.protocol.amqp091.codec.RawFrames;
import io.sluicemq.testkit.ManualLoop;
import org.junit.jupiter.api.Test;

/** Opening, failing and closing channels (spec, class channel), and the order of their frames. */
class ChannelTest {

    private final ManualLoop loop = ManualLoop.single();
    private final FakeClient broker = new FakeClient(loop);
    private final Peer peer = Peer.connected(loop, broker);

    @Test
    void shouldCloseAndOpenAgain() {
        for (int i = 0; i < 3; i++) {
            assertThat(broker.channels).isOne();
            peer.send(RawFrames.channelClose(1, 200, "done"));
            peer.expect(1, MethodId.CHANNEL_CLOSE_OK);
            assertThat(broker.channels).isZero();
            peer.openChannel(1);
        }
    }

    /** Spec, channel.open, rule "state": a second open is a 504. */
    @Test
    void shouldRefuseToOpenTwice() {
        peer.send(RawFrames.channelOpen(1));
        peer.expectConnectionClose(504, "second 'channel.open' seen");
    }

    /** Spec §4.2.3. */
    @Test
    void shouldRefuseFramesOnAChannelThatIsNotOpen() {
        for (byte[] frame : new byte[][] {
            RawFrames.qos(2, 0, 1, false),
            RawFrames.publish(2, "", "q", false, false),
            RawFrames.header(2, 1, new byte[2]),
            RawFrames.body(2, new byte[1]),
            RawFrames.ack(2, 1, false),
            RawFrames.nack(2, 1, false, true),
            RawFrames.reject(2, 1, true)
        }) {
            Peer each = Peer.connected(loop, new FakeClient(loop));
            each.send(frame);
            each.expectConnectionClose(504, "CHANNEL_ERROR - expected 'channel.open'");
        }
    }

    @Test
    void shouldIgnoreEverythingUntilTheCloseOkAfterAnError() {
        peer.send(RawFrames.ack(1, 9, false));
        peer.expect(1, MethodId.CHANNEL_CLOSE);
        peer.send(
                Peer.message(1, "", "q", "lost"),
                RawFrames.ack(1, 9, false),
                RawFrames.body(1, new byte[1]),
                RawFrames.queueDeclare(1, "q", out -> {}),
                RawFrames.channelOpen(1));
        peer.expectNothing();
        assertThat(broker.asked).isEmpty();
        assertThat(broker.published).isEmpty();

        peer.send(RawFrames.channelCloseOk(1));
        peer.openChannel(1);
        peer.send(Peer.message(1, "", "q", "taken"));
        assertThat(broker.publishedBodies()).containsExactly("taken");
    }

    @Test
    void shouldDropTheContentInProgressWithItsChannel() {
        peer.openChannel(2);
        peer.send(
                RawFrames.publish(1, "", "q", false, false),
                RawFrames.header(1, 10, new byte[2]),
                RawFrames.body(1, new byte[5]));
        peer.send(RawFrames.ack(2, 9, false));
        peer.expectChannelClose(2, 406, "PRECONDITION_FAILED - unknown delivery tag 9");
        peer.send(RawFrames.body(1, new byte[5]));
        assertThat(broker.published).hasSize(1);
    }

    @Test
    void shouldAnswerACloseThatCrossesItsOwn() {
        peer.send(RawFrames.ack(1, 9, false), RawFrames.channelClose(1, 200, "bye"));
        peer.expect(1, MethodId.CHANNEL_CLOSE);
        peer.expect(1, MethodId.CHANNEL_CLOSE_OK);
        peer.send(RawFrames.channelCloseOk(1));
        peer.openChannel(1);
    }

    /** A client whose own close was answered may open again without having answered ours. */
    @Test
    void shouldReopenAfterCrossingClosesWithoutACloseOk() {
        peer.send(RawFrames.ack(1, 9, false), RawFrames.channelClose(1, 200, "bye"), RawFrames.channelOpen(1));
        peer.expect(1, MethodId.CHANNEL_CLOSE);
        peer.expect(1, MethodId.CHANNEL_CLOSE_OK);
        peer.expect(1, MethodId.CHANNEL_OPEN_OK);
        peer.send(Peer.message(1, "", "q", "x"));
        assertThat(broker.published).hasSize(1);
        assertThat(broker.channels).isOne();
    }

    @Test
    void shouldTolerateACloseOkForNoChannel() {
        peer.send(RawFrames.channelCloseOk(7));
        peer.expectNothing();
    }

    @Test
    void shouldRefuseACloseOkOnAnOpenChannel() {
        peer.send(RawFrames.channelCloseOk(1));
        peer.expectConnectionClose(503, "a close-ok without a close");
    }

    // ---- the order of frames

    @Test
    void shouldProcessFramesInTheirOrderBehindARequest() {
        peer.send(
                RawFrames.queueDeclare(1, "q", out -> {}, false, false, false, false, true),
                Peer.message(1, "", "q", "one"),
                RawFrames.queueDeclare(1, "r", out -> {}),
                Peer.message(1, "", "r", "two"),
                RawFrames.channelClose(1, 200, "done"));
        peer.expectNothing();
        assertThat(broker.published).isEmpty();

        broker.answer(new Client.QueueStatus("q", 0, 0));
        assertThat(broker.publishedBodies()).containsExactly("one");
        peer.expectNothing();

        broker.answer(new Client.QueueStatus("r", 0, 0));
        assertThat(broker.publishedBodies()).containsExactly("one", "two");
        peer.expect(1, MethodId.QUEUE_DECLARE_OK);
        peer.expect(1, MethodId.CHANNEL_CLOSE_OK);
    }

    @Test
    void shouldNotHoldUpOtherChannels() {
        peer.openChannel(2);
        peer.send(RawFrames.queueDeclare(1, "q", out -> {}), Peer.message(1, "", "q", "one"));
        peer.send(Peer.message(2, "", "q", "two"));
        assertThat(broker.publishedBodies()).containsExactly("two");
    }

    @Test
    void shouldStopReadingWhenTooMuchIsParked() {
        peer.send(RawFrames.queueDeclare(1, "q", out -> {}));
        byte[] message = Peer.message(1, "", "q", "x".repeat(100_000));
        peer.send(message, message, message, message);
        assertThat(peer.wire.paused).isTrue();
        assertThat(peer.wire.keptBytes()).isGreaterThan(90_000);

        broker.answer(new Client.QueueStatus("q", 0, 0));
        loop.runAll();
        assertThat(peer.wire.paused).isFalse();
        assertThat(peer.wire.keptBytes()).isZero();
        assertThat(broker.published).hasSize(4);
    }

    @Test
    void shouldProcessWhatWasParkedBeforeTheConnectionCloses() {
        peer.send(
                RawFrames.queueDeclare(1, "q", out -> {}, false, false, false, false, true),
                Peer.message(1, "", "q", "one"),
                RawFrames.connectionClose(200, "bye"));
        peer.expectNothing();

        broker.answer(new Client.QueueStatus("q", 0, 0));
        assertThat(broker.publishedBodies()).containsExactly("one");
        assertThat(broker.request()).isInstanceOf(FakeClient.Close.class);
        broker.answer(null);
        peer.expect(MethodId.CONNECTION_CLOSE_OK);
    }

    @Test
    void shouldDropWhatIsParkedWhenAChannelFails() {
        peer.send(
                RawFrames.queueDeclare(1, "q", out -> {}, true, false, false, false, true),
                Peer.message(1, "", "q", "x".repeat(100_000)),
                Peer.message(1, "", "q", "x".repeat(100_000)),
                Peer.message(1, "", "q", "x".repeat(100_000)));
        assertThat(peer.wire.paused).isTrue();
        broker.refuse(new io.sluicemq.api.BrokerError.NotFound(io.sluicemq.api.BrokerError.Kind.QUEUE, "q", "/"));
        loop.runAll();

        peer.expectChannelClose(1, 404, "NOT_FOUND - no queue 'q' in vhost '/'");
        assertThat(broker.published).isEmpty();
        assertThat(peer.wire.paused).isFalse();
    }

    // ---- releasing what a channel holds

    @Test
    void shouldWaitForTheBrokerBeforeItIsClosed() {
        peer.send(RawFrames.consume(1, "q", "c", out -> {}));
        FakeClient.FakeConsumer consumer = broker.accept();
        FakeDelivery first = consumer.deliver("1");
        FakeDelivery second = consumer.deliver("2");
        peer.frames();

        peer.send(RawFrames.channelClose(1, 200, "done"));
        peer.expectNothing();
        assertThat(broker.request()).isEqualTo(new FakeClient.Cancel("c"));
        assertThat(broker.settled).containsExactly(first, second);
        assertThat(broker.settled).allMatch(each -> each.outcome == Outcome.REQUEUED);

        FakeDelivery late = consumer.deliver("3");
        loop.runAll();
        assertThat(late.outcome).isEqualTo(Outcome.RELEASED);

        broker.answer(null);
        peer.expect(1, MethodId.CHANNEL_CLOSE_OK);
        peer.expectNothing();
        assertThat(broker.channels).isZero();
    }

    @Test
    void shouldGiveBackWhatArrivesAfterTheChannelWasClosed() {
        peer.send(RawFrames.get(1, "q", false), RawFrames.channelClose(1, 200, "parked"));
        peer.cutSocket();
        FakeDelivery delivery = broker.delivery("x");
        broker.answer(delivery);
        assertThat(delivery.outcome).isEqualTo(Outcome.RELEASED);
        assertThat(broker.request()).isInstanceOf(FakeClient.Close.class);
    }

    @Test
    void shouldCancelASubscriptionThatIsAnsweredTooLate() {
        peer.send(RawFrames.consume(1, "q", "c", out -> {}));
        peer.cutSocket();
        FakeClient.FakeConsumer consumer = broker.accept();
        assertThat(consumer.cancelled).isTrue();
        assertThat(broker.request()).isEqualTo(new FakeClient.Cancel("c"));
        broker.answer(null);
        assertThat(broker.request()).isInstanceOf(FakeClient.Close.class);
    }

    @Test
    void shouldCloseTheClientAfterAllItsChannels() {
        peer.openChannel(2);
        peer.send(RawFrames.consume(1, "q", "c", out -> {}));
        broker.accept();
        peer.send(RawFrames.consume(2, "q", "d", out -> {}));
        broker.accept();
        peer.cutSocket();
        assertThat(broker.asked).hasSize(2);
        broker.answer(null);
        assertThat(broker.request()).isEqualTo(new FakeClient.Cancel("d"));
        broker.answer(null);
        assertThat(broker.request()).isInstanceOf(FakeClient.Close.class);
        assertThat(broker.channels).isZero();
    }

    /** Spec, access.request of old clients. */
    @Test
    void shouldAnswerAnAccessRequest() {
        peer.send(RawFrames.accessRequest(1, "/data"));
        peer.expect(1, MethodId.ACCESS_REQUEST_OK);
    }

    @Test
    void shouldIgnoreAnswersToNothing() {
        peer.send(RawFrames.channelFlowOk(1, true), RawFrames.cancelOk(1, "c"));
        peer.expectNothing();
    }
}
