package io.sluicemq.protocol.amqp091;

import static io.sluicemq.protocol.amqp091.PublisherPeer.KIB;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Completion;
import io.sluicemq.protocol.amqp091.PublisherPeer.Kind;
import io.sluicemq.protocol.amqp091.codec.MethodId;
import io.sluicemq.protocol.amqp091.codec.RawFrames;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What clients that cooperate see while their publishes wait for room in their address. */
class FullAddressTest {

    private PublisherPeer client = new PublisherPeer(Kind.RABBITMQ_JAVA);

    // ---- channel.flow

    /** Spec §1.4.2.3, channel.flow: one channel is stopped, and goes on when nothing of it waits any more. */
    @ParameterizedTest
    @EnumSource(names = {"RABBITMQ_JAVA", "RABBITMQ_DOTNET", "QPID_JMS"})
    void shouldStopOneChannelOfAClientThatObeys(Kind kind) {
        client = new PublisherPeer(kind);
        client.publish(1, 7);
        assertThat(client.told()).isEmpty();
        client.publish(1, 1);
        assertThat(client.told()).containsExactly("stop on 1");
        client.publish(1, 1);
        client.peer.send(RawFrames.channelFlowOk(1, false));
        client.publish(2, "other", 3, 8 * KIB);
        assertThat(client.broker.published).hasSize(3);
        assertThat(client.peer.wire.paused).isFalse();

        client.broker.store(8);
        assertThat(client.told()).isEmpty();
        client.broker.store(1);
        assertThat(client.told()).containsExactly("go on 1");
        client.publish(1, 7);
        assertThat(client.told()).isEmpty();
    }

    @Test
    void shouldStopAChannelOfManySmallMessages() {
        client.publish(1, "q", 255, 1);
        assertThat(client.told()).isEmpty();
        client.publish(1, "q", 1, 1);
        assertThat(client.told()).containsExactly("stop on 1");
        client.broker.storeAll();
        assertThat(client.told()).containsExactly("go on 1");
    }

    /** pika ignores channel.flow, amqplib breaks by it. */
    @ParameterizedTest
    @EnumSource(names = {"PIKA", "AMQPLIB", "UNKNOWN"})
    void shouldTellOthersNothing(Kind kind) {
        client = new PublisherPeer(kind);
        client.publish(1, PublisherPeer.ALLOWED);
        assertThat(client.peer.wire.paused).isFalse();
        client.loop.run(() -> client.broker.producer.hold());
        client.broker.storeAll();
        client.loop.run(() -> client.broker.producer.release());
        assertThat(client.told()).isEmpty();
    }

    @Test
    void shouldStopEveryChannelThatHasSomethingParkedWhenItIsMuchAltogether() {
        client.broker.fairShareBytes = 128 * KIB;
        client.peer.openChannel(3);
        client.publish(1, 4);
        client.publish(2, 4);
        assertThat(client.told()).isEmpty();
        client.publish(2, 1);
        assertThat(client.told()).containsExactly("stop on 1", "stop on 2");
        client.publish(3, 1);
        assertThat(client.told()).containsExactly("stop on 3");
        client.broker.store(4);
        assertThat(client.told()).containsExactly("go on 1");
    }

    @Test
    void shouldHaveOneStateWithPacing() {
        client.publish(1, 1);
        client.loop.run(() -> client.broker.producer.hold());
        assertThat(client.told()).containsExactly("stop on 1");
        client.publish(1, 8);
        client.loop.run(() -> client.broker.producer.release());
        assertThat(client.told()).isEmpty();
        client.loop.run(() -> client.broker.producer.hold());
        client.broker.storeAll();
        assertThat(client.told()).isEmpty();
        client.loop.run(() -> client.broker.producer.release());
        assertThat(client.told()).containsExactly("go on 1");
    }

    // ---- Qpid JMS, whose publish fails after 60 s

    @Test
    void shouldLetQpidJmsPublishOnceInAWhile() {
        client = new PublisherPeer(Kind.QPID_JMS);
        client.publish(1, 8);
        assertThat(client.told()).containsExactly("stop on 1");
        for (int i = 0; i < 5; i++) {
            client.seconds(24);
            assertThat(client.told()).isEmpty();
            client.seconds(1);
            assertThat(client.told()).containsExactly("go on 1");
            client.seconds(100);
            client.publish(1, "other", 1, 10);
            assertThat(client.told()).isEmpty();
            client.publish(1, 1);
            assertThat(client.told()).containsExactly("stop on 1");
        }
        client.broker.storeAll();
        assertThat(client.told()).containsExactly("go on 1");
        client.seconds(100);
        assertThat(client.told()).isEmpty();
    }

    @Test
    void shouldLetQpidJmsOnOnlyWithinItsAllowance() {
        client = new PublisherPeer(Kind.QPID_JMS);
        client.broker.fairShareBytes = 128 * KIB;
        client.publish(1, 8);
        client.publish(2, 8);
        assertThat(client.told()).containsExactly("stop on 1", "stop on 2");
        client.seconds(40);
        assertThat(client.told()).isEmpty();
        client.broker.store(1);
        assertThat(client.told()).containsExactly("go on 1", "go on 2");
    }

    @Test
    void shouldNotLetQpidJmsOnAgainstItsPace() {
        client = new PublisherPeer(Kind.QPID_JMS);
        client.publish(1, 8);
        client.loop.run(() -> client.broker.producer.hold());
        client.seconds(30);
        assertThat(client.told()).containsExactly("stop on 1");
        client.loop.run(() -> client.broker.producer.release());
        assertThat(client.told()).containsExactly("go on 1");
    }

    @Test
    void shouldKeepOthersStopped() {
        client.publish(1, 8);
        assertThat(client.told()).containsExactly("stop on 1");
        client.seconds(3600);
        assertThat(client.told()).isEmpty();
    }

    // ---- answers

    @Test
    void shouldConfirmWhenThereIsRoom() {
        client.confirm(1);
        client.publish(1, 2);
        client.publish(1, "other", 1, 1);
        assertThat(client.told()).containsExactly("ack 3 on 1");
        client.broker.storeAll();
        assertThat(client.told()).containsExactly("ack 2* on 1");
    }

    @Test
    void shouldRefuseByANackInConfirmMode() {
        client.confirm(1);
        client.publish(1, 2);
        client.broker.refuseParked();
        assertThat(client.told()).containsExactly("nack 1 on 1");
        client.broker.storeAll();
        assertThat(client.told()).containsExactly("ack 2 on 1");
    }

    @Test
    void shouldRefuseByClosingTheChannelWithoutConfirms() {
        client.publish(1, 2);
        client.broker.refuseParked();
        assertThat(client.told())
                .containsExactly("closed, 506 RESOURCE_ERROR - address 'q' in vhost '/' is full: max-size 1,"
                        + " hold-limit 5s on 1");
        client.broker.refuseParked();
        client.peer.send(RawFrames.channelCloseOk(1));
        assertThat(client.told()).isEmpty();
    }

    /** Only publishes to the full address wait. */
    @Test
    void shouldHoldBackNoOtherMethods() {
        client.publish(1, 9);
        client.peer.frames();
        client.peer.send(RawFrames.qos(1, 0, 5, false), RawFrames.consume(1, "q", "c", out -> {}));
        client.peer.expect(1, MethodId.BASIC_QOS_OK);
        FakeClient.FakeConsumer consumer = client.broker.accept();
        client.peer.expect(1, MethodId.BASIC_CONSUME_OK);
        FakeDelivery delivery = consumer.deliver("x");
        client.peer.send(RawFrames.ack(1, 1, false), RawFrames.get(1, "q", true));
        assertThat(client.broker.settled).containsExactly(delivery);
        assertThat(client.broker.request()).isEqualTo(new FakeClient.Get("q", true));
    }

    // ---- the client closes a channel

    /** Spec §1.4.2.5, channel.close: what came before it is dealt with first. */
    @Test
    void shouldWithholdTheCloseOkUntilNothingWaits() {
        client.confirm(1);
        client.publish(1, 3);
        client.publish(2, 1);
        client.peer.send(RawFrames.channelClose(1, 200, ""));
        client.publish(1, 1);
        client.broker.store(1);
        assertThat(client.told()).containsExactly("ack 1 on 1");
        client.broker.store(2);
        assertThat(client.told()).containsExactly("ack 3* on 1", "close-ok on 1");
        assertThat(client.broker.parked).hasSize(1);
        assertThat(client.broker.channels).isEqualTo(1);
        client.peer.openChannel(1);
        client.publish(2, "other", 1, 1);
        assertThat(client.broker.publishedBodies()).hasSize(4);
    }

    /** What a queue on another loop has parked is heard of later than what it has stored, perhaps. */
    @Test
    void shouldWithholdTheCloseOkForWhatIsParkedLate() {
        client.publish(1, 1);
        client.peer.send(RawFrames.channelClose(1, 200, ""));
        client.loop.run(() -> {
            client.broker.producer.unparked(8 * KIB);
            client.broker.producer.parked(PublisherPeer.PAUSE, 1);
        });
        client.loop.runAll();
        assertThat(client.told()).isEmpty();
        client.loop.run(() -> client.broker.producer.unparked(1));
        client.loop.runAll();
        assertThat(client.told()).containsExactly("close-ok on 1");
    }

    /** The order in which a broker tells of a refusal and of the end of the wait does not matter. */
    @Test
    void shouldTellOfRefusalsBeforeTheCloseOk() {
        client.confirm(1);
        client.publish(1, 1);
        client.peer.send(RawFrames.channelClose(1, 200, ""));
        client.broker.refuseParked();
        assertThat(client.told()).containsExactly("nack 1 on 1", "close-ok on 1");
    }

    @Test
    void shouldNotCloseAChannelThatItsClientHasClosed() {
        client.publish(1, 1);
        client.peer.send(RawFrames.channelClose(1, 200, ""));
        client.broker.refuseParked();
        assertThat(client.told()).containsExactly("close-ok on 1");
    }

    @Test
    void shouldEndConsumersAtOnceThoughTheCloseOkIsWithheld() {
        client.peer.send(RawFrames.consume(1, "q", "c", out -> {}));
        client.broker.accept().deliver("x");
        client.publish(1, 1);
        client.peer.frames();
        client.peer.send(RawFrames.channelClose(1, 200, ""));
        assertThat(client.broker.request()).isEqualTo(new FakeClient.Cancel("c"));
        assertThat(client.broker.settled).hasSize(1);
        client.broker.storeAll();
        assertThat(client.told()).isEmpty();
        client.broker.answer(null);
        assertThat(client.told()).containsExactly("close-ok on 1");
    }

    /** RabbitMQ's Java client waits for 10 s, and then takes the number to be free. */
    @Test
    void shouldLetAClientThatNoLongerWaitsForTheCloseOkReuseTheNumber() {
        client.confirm(1);
        client.publish(1, 9);
        client.peer.frames();
        client.peer.send(RawFrames.channelClose(1, 200, ""), RawFrames.channelOpen(1));
        assertThat(client.told()).containsExactly("opened on 1");
        assertThat(client.broker.channels).isEqualTo(2);
        client.confirm(1);
        client.publish(1, 1);
        client.broker.store(9);
        assertThat(client.told()).isEmpty();
        client.peer.send(RawFrames.channelClose(1, 200, ""));
        assertThat(client.told()).isEmpty();
        client.broker.store(1);
        assertThat(client.told()).containsExactly("ack 1 on 1", "close-ok on 1");
    }

    // ---- we close a channel

    @Test
    void shouldKeepWhatWaitsWhenItsChannelFails() {
        client.confirm(1);
        client.publish(1, 9);
        assertThat(client.told()).containsExactly("stop on 1");
        client.peer.send(RawFrames.ack(1, 5, false));
        client.peer.expectChannelClose(1, 406, "PRECONDITION_FAILED - unknown delivery tag 5");
        assertThat(client.broker.channels).isEqualTo(1);
        client.broker.store(4);
        client.peer.openChannel(1);
        client.publish(1, 1);
        client.broker.store(4);
        client.broker.refuseParked();
        assertThat(client.told()).isEmpty();
        assertThat(client.broker.published).hasSize(8);
        client.broker.storeAll();
        assertThat(client.told()).isEmpty();
    }

    @Test
    void shouldNotLetQpidJmsOnOnAChannelThatHasFailed() {
        client = new PublisherPeer(Kind.QPID_JMS);
        client.publish(1, 9);
        client.peer.frames();
        client.peer.send(RawFrames.ack(1, 5, false));
        client.peer.expectChannelClose(1, 406, "PRECONDITION_FAILED - unknown delivery tag 5");
        assertThat(client.loop.pendingTimers()).isZero();
    }

    // ---- the connection closes

    /** Spec §1.4.1.7, connection.close. */
    @Test
    void shouldWithholdTheConnectionsCloseOkUntilNothingWaits() {
        client.confirm(1);
        client.publish(1, 2);
        client.publish(2, 1);
        client.peer.send(RawFrames.ack(2, 5, false));
        client.peer.expectChannelClose(2, 406, "PRECONDITION_FAILED - unknown delivery tag 5");
        client.peer.send(RawFrames.connectionClose(200, ""));
        client.broker.store(2);
        assertThat(client.told()).containsExactly("ack 2* on 1");
        assertThat(client.broker.asked).isEmpty();
        client.broker.store(1);
        assertThat(client.broker.request()).isInstanceOf(FakeClient.Close.class);
        client.broker.answer(null);
        assertThat(client.told()).containsExactly("connection close-ok");
        assertThat(client.peer.wire.closed).isTrue();
        assertThat(client.loop.pendingTimers()).isZero();
    }

    @Test
    void shouldWithholdTheConnectionsCloseOkForAChannelThatIsClosing() {
        client.publish(1, 1);
        client.peer.send(RawFrames.channelClose(1, 200, ""), RawFrames.connectionClose(200, ""));
        assertThat(client.told()).isEmpty();
        assertThat(client.broker.asked).isEmpty();
        client.broker.storeAll();
        assertThat(client.broker.request()).isInstanceOf(FakeClient.Close.class);
        client.broker.answer(null);
        assertThat(client.told()).containsExactly("connection close-ok");
    }

    @Test
    void shouldConfirmInTheTurnInWhichTheConnectionCanClose() {
        client.confirm(1);
        client.publish(1, 1);
        client.peer.send(RawFrames.connectionClose(200, ""));
        client.broker.storeAll();
        assertThat(client.told()).containsExactly("ack 1 on 1");
        client.broker.answer(null);
        assertThat(client.told()).containsExactly("connection close-ok");
    }

    @Test
    void shouldConfirmWhatWaitedBeforeTheCloseOk() {
        client.confirm(1);
        client.publish(1, 2);
        client.peer.send(RawFrames.channelClose(1, 200, ""));
        List<Completion> underWay = client.broker.admitAll();
        assertThat(client.told()).isEmpty();
        client.broker.stored(underWay);
        assertThat(client.told()).containsExactly("ack 2* on 1", "close-ok on 1");
    }

    @Test
    void shouldConfirmWhatWaitedBeforeTheConnectionsCloseOk() {
        client.confirm(1);
        client.publish(1, 2);
        client.peer.send(RawFrames.connectionClose(200, ""));
        List<Completion> underWay = client.broker.admitAll();
        assertThat(client.told()).isEmpty();
        client.broker.stored(underWay);
        client.broker.answer(null);
        assertThat(client.told()).containsExactly("ack 2* on 1", "connection close-ok");
    }

    /** The broker drops what waits when its client is closed. */
    @ParameterizedTest
    @EnumSource(names = {"RABBITMQ_JAVA", "QPID_JMS"})
    void shouldEndAtOnceWhenTheSocketIsGone(Kind kind) {
        client = new PublisherPeer(kind);
        client.publish(1, 9);
        client.publish(2, 9);
        client.peer.send(RawFrames.channelClose(1, 200, ""));
        client.peer.cutSocket();
        assertThat(client.broker.asked).hasSize(1);
        assertThat(client.broker.request()).isInstanceOf(FakeClient.Close.class);
        assertThat(client.loop.pendingTimers()).isZero();
        client.broker.storeAll();
        client.broker.answer(null);
    }

    @Test
    void shouldNotConfirmOnASocketThatIsGone() {
        client.confirm(1);
        client.peer.send(RawFrames.consume(1, "q", "c", out -> {}));
        client.broker.accept();
        client.publish(1, 2);
        client.peer.send(RawFrames.channelClose(1, 200, ""));
        client.peer.cutSocket();
        client.peer.frames();
        client.broker.storeAll();
        client.broker.answer(null);
        assertThat(client.broker.request()).isInstanceOf(FakeClient.Close.class);
        assertThat(client.told()).isEmpty();
    }

    /** A close-ok would say that all is dealt with. */
    @Test
    void shouldCloseByForceWhenTheBrokerStopsWhileACloseOkIsWithheld() {
        client.publish(1, 1);
        client.peer.send(RawFrames.connectionClose(200, ""));
        client.loop.run(() -> client.peer.session.shutdown("the broker is stopping"));
        client.peer.expectConnectionClose(320, "the broker is stopping");
        assertThat(client.broker.request()).isInstanceOf(FakeClient.Close.class);
        client.peer.send(RawFrames.connectionCloseOk());
        assertThat(client.peer.wire.closed).isTrue();
        client.broker.answer(null);
        assertThat(client.told()).isEmpty();
    }

    /** Whatever a client's channels do, the number of open ones comes out even. */
    @Test
    void shouldCountChannelsOnce() {
        IntStream.rangeClosed(3, 10).forEach(client.peer::openChannel);
        IntStream.rangeClosed(1, 10).forEach(channel -> client.publish(channel, 1));
        IntStream.rangeClosed(1, 5).forEach(channel -> client.peer.send(RawFrames.channelClose(channel, 200, "")));
        client.broker.store(3);
        assertThat(client.broker.channels).isEqualTo(7);
        client.peer.send(RawFrames.connectionClose(200, ""));
        client.broker.storeAll();
        assertThat(client.broker.channels).isZero();
        assertThat(client.broker.asked).hasSize(1);
    }
}
