package io.sluicemq.protocol.amqp091;

import static io.sluicemq.protocol.amqp091.PublisherPeer.ALLOWED;
import static io.sluicemq.protocol.amqp091.PublisherPeer.KIB;
import static io.sluicemq.protocol.amqp091.PublisherPeer.TEXT;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluicemq.protocol.amqp091.PublisherPeer.Kind;
import io.sluicemq.protocol.amqp091.codec.MethodId;
import io.sluicemq.protocol.amqp091.codec.RawFrames;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** What is done about clients that go on publishing to a full address. */
class FullAddressLastResortTest {

    private static final String CLOSED_506 = "closed, 506 RESOURCE_ERROR - " + TEXT
            + ", and more was published than may wait for room on ";

    private PublisherPeer client = new PublisherPeer(Kind.PIKA);

    private boolean paused() {
        return client.peer.wire.paused;
    }

    private int parked() {
        return client.broker.parked.size();
    }

    private FakeClient.FakeConsumer consumer() {
        client.peer.send(RawFrames.consume(2, "q", "c", out -> {}));
        FakeClient.FakeConsumer consumer = client.broker.accept();
        client.peer.expect(2, MethodId.BASIC_CONSUME_OK);
        return consumer;
    }

    // ---- not read

    @ParameterizedTest
    @EnumSource(names = {"PIKA", "AMQPLIB"})
    void shouldNotReadAndSaySo(Kind kind) {
        client = new PublisherPeer(kind);
        client.publish(1, ALLOWED);
        assertThat(paused()).isFalse();
        client.publish(1, 10);
        assertThat(paused()).isTrue();
        assertThat(parked()).isEqualTo(ALLOWED + 1);
        assertThat(client.told()).containsExactly("blocked: " + TEXT);
    }

    @Test
    void shouldSayNothingToThoseWhoDoNotUnderstandIt() {
        client = new PublisherPeer(Kind.UNKNOWN);
        client.publish(1, ALLOWED + 1);
        assertThat(paused()).isTrue();
        client.broker.storeAll();
        assertThat(paused()).isFalse();
        assertThat(client.told()).isEmpty();
    }

    @Test
    void shouldReadOnWhenHalfOfTheAllowanceIsFree() {
        client.publish(1, ALLOWED + 1);
        assertThat(client.told()).containsExactly("blocked: " + TEXT);
        client.broker.store(ALLOWED / 2);
        assertThat(paused()).isTrue();
        assertThat(client.told()).isEmpty();
        client.broker.store(1);
        assertThat(paused()).isFalse();
        assertThat(client.told()).containsExactly("unblocked");
        assertThat(client.loop.pendingTimers()).isZero();
        client.broker.storeAll();
        assertThat(client.told()).isEmpty();
    }

    @Test
    void shouldTellOfEachStopOnce() {
        client.publish(1, ALLOWED * 3);
        client.seconds(3);
        assertThat(client.told()).containsExactly("blocked: " + TEXT);
        client.broker.full.clear();
        client.broker.storeAll();
        assertThat(client.told()).containsExactly("unblocked");
        assertThat(client.broker.published).hasSize(ALLOWED * 3);
        client.broker.full.put("q", PublisherPeer.PAUSE);
        client.publish(1, ALLOWED + 1);
        client.broker.storeAll();
        assertThat(client.told()).containsExactly("blocked: " + TEXT, "unblocked");
    }

    @Test
    void shouldTellOnceOfTwoCauses() {
        client.publish(1, ALLOWED + 1);
        client.loop.run(() -> client.broker.events.resourcesLow("memory"));
        assertThat(client.told()).containsExactly("blocked: " + TEXT);
        client.broker.storeAll();
        assertThat(client.told()).isEmpty();
        client.loop.run(() -> client.broker.events.resourcesRecovered());
        assertThat(client.told()).containsExactly("unblocked");

        client.loop.run(() -> client.broker.events.resourcesLow("memory"));
        client.loop.run(() -> client.broker.events.resourcesRecovered());
        assertThat(client.told()).containsExactly("blocked: memory", "unblocked");
    }

    /** It has been told and has had its time; what is in the sockets fits in. */
    @ParameterizedTest
    @EnumSource(names = {"RABBITMQ_JAVA", "RABBITMQ_DOTNET"})
    void shouldBePatientWithThoseWhoObey(Kind kind) {
        client = new PublisherPeer(kind);
        client.publish(1, 1024);
        assertThat(paused()).isFalse();
        assertThat(client.told()).containsExactly("stop on 1");
        client.publish(1, 1);
        assertThat(paused()).isTrue();
        assertThat(client.told()).containsExactly("blocked: " + TEXT);
        client.broker.storeAll();
        assertThat(client.told()).containsExactly("unblocked", "go on 1");
    }

    @Test
    void shouldGiveNoConnectionMoreThanItsShare() {
        client.broker.fairShareBytes = 16 * KIB;
        client.publish(1, 2);
        assertThat(paused()).isFalse();
        client.publish(1, 1);
        assertThat(paused()).isTrue();
    }

    // ---- slices

    @Test
    void shouldReadALittleTwiceASecond() {
        client.publish(1, ALLOWED + 100);
        client.millis(499);
        assertThat(parked()).isEqualTo(ALLOWED + 1);
        client.millis(1);
        assertThat(parked()).isEqualTo(ALLOWED + 5);
        assertThat(paused()).isTrue();
        client.millis(499);
        assertThat(parked()).isEqualTo(ALLOWED + 5);
        client.millis(1);
        assertThat(parked()).isEqualTo(ALLOWED + 9);
        assertThat(paused()).isTrue();
    }

    @Test
    void shouldServeTheOtherChannelsInASlice() {
        client.publish(1, ALLOWED + 1);
        client.peer.frames();
        client.publish(2, "other", 100, 8 * KIB);
        client.publish(1, 3);
        client.peer.send(RawFrames.qos(2, 0, 1, false));
        assertThat(client.broker.published).isEmpty();
        client.millis(500);
        assertThat(client.broker.published).hasSize(100);
        client.peer.expect(2, MethodId.BASIC_QOS_OK);
        assertThat(paused()).isFalse();
        client.publish(1, 1);
        assertThat(paused()).isTrue();
        client.peer.expectNothing();
    }

    /** Its acknowledgements may be what makes room. */
    @Test
    void shouldReadAConsumerMoreOften() {
        FakeClient.FakeConsumer consumer = consumer();
        FakeDelivery delivery = consumer.deliver("x");
        client.publish(1, ALLOWED + 1);
        client.publish(1, 6);
        client.peer.send(RawFrames.ack(2, 1, false));
        client.millis(50);
        assertThat(parked()).isEqualTo(ALLOWED + 5);
        assertThat(client.broker.settled).isEmpty();
        client.millis(50);
        assertThat(parked()).isEqualTo(ALLOWED + 7);
        assertThat(client.broker.settled).containsExactly(delivery);
    }

    @Test
    void shouldReadOneMoreOftenThatHasSomethingToSettle() {
        client.peer.send(RawFrames.get(2, "q", false));
        client.broker.answer(client.broker.delivery("x"));
        client.publish(1, ALLOWED + 1);
        client.peer.send(RawFrames.ack(2, 1, false));
        client.millis(50);
        assertThat(client.broker.settled).hasSize(1);
    }

    @Test
    void shouldReadNothingBeyondTheRoofUntilThereIsRoom() {
        client.publish(1, 10 * ALLOWED);
        client.seconds(3600);
        assertThat(parked()).isEqualTo(4 * ALLOWED + 1);
        assertThat(paused()).isTrue();
        assertThat(client.loop.pendingTimers()).isZero();

        client.broker.store(2);
        client.millis(500);
        assertThat(parked()).isEqualTo(4 * ALLOWED + 1);
        assertThat(paused()).isTrue();
        assertThat(client.loop.pendingTimers()).isZero();
    }

    /** One message alone may be larger than all that may be parked; the acknowledgements behind it are still read. */
    @Test
    void shouldReadSlicesBehindALargeMessage() {
        FakeDelivery delivery = consumer().deliver("x");
        client.publish(1, "q", 1, 3_000_000);
        assertThat(paused()).isTrue();
        client.peer.send(RawFrames.ack(2, 1, false));
        client.millis(50);
        assertThat(client.broker.settled).containsExactly(delivery);
    }

    /** A large message takes its time if it is read in slices: that is not its sender's fault. */
    @Test
    void shouldNotCallAPeerSlowThatIsReadInSlices() {
        client.publish(1, ALLOWED + 1);
        client.peer.frames();
        client.peer.send(RawFrames.publish(2, "", "other", false, false), RawFrames.header(2, 2_000_000, new byte[2]));
        client.seconds(20);
        client.publish(1, 4);
        client.seconds(20);
        assertThat(paused()).isFalse();
        client.peer.send(RawFrames.body(2, new byte[20_000]));
        client.peer.expectNothing();
        client.seconds(30);
        client.peer.expectConnectionClose(506, "only 20000 of the 2000000 bytes of a message have come in time");
    }

    // ---- heartbeats

    /** Spec §4.2.7: they are sent all the time, and a peer that is not read is never silent. */
    @Test
    void shouldKeepTheConnectionAliveWhileItIsNotRead() {
        client = new PublisherPeer(Kind.PIKA, 10);
        client.publish(1, 10 * ALLOWED);
        for (int i = 0; i < 60; i++) {
            client.seconds(10);
            assertThat(client.peer.frames()).filteredOn(frame -> frame.type() == 8).hasSizeBetween(1, 2);
        }
        assertThat(paused()).isTrue();
        assertThat(client.peer.wire.aborted).isFalse();

        client.broker.full.clear();
        client.broker.storeAll();
        assertThat(client.broker.published).hasSize(10 * ALLOWED);
        client.seconds(19);
        assertThat(client.peer.wire.aborted).isFalse();
        client.seconds(6);
        assertThat(client.peer.wire.aborted).isTrue();
    }

    @Test
    void shouldReadHeartbeatsInSlices() {
        client = new PublisherPeer(Kind.PIKA, 10);
        client.publish(1, ALLOWED + 1);
        for (int i = 0; i < 30; i++) {
            client.peer.send(RawFrames.heartbeat());
            client.seconds(9);
            assertThat(client.peer.wire.keptBytes()).isZero();
        }
        assertThat(client.peer.wire.aborted).isFalse();
    }

    // ---- closed

    @ParameterizedTest
    @EnumSource(names = {"PIKA", "AMQPLIB", "UNKNOWN"})
    void shouldCloseTheChannelIfTheAddressIsConfiguredSo(Kind kind) {
        client = new PublisherPeer(kind);
        client.broker.full.put("q", PublisherPeer.CLOSE);
        client.confirm(1);
        client.publish(2, 1);
        client.publish(1, ALLOWED - 1);
        assertThat(client.told()).isEmpty();
        client.publish(1, 5);
        assertThat(client.told()).containsExactly(CLOSED_506 + "1");
        assertThat(paused()).isFalse();
        assertThat(parked()).isEqualTo(ALLOWED + 1);

        client.publish(2, "other", 1, 1);
        client.broker.storeAll();
        client.peer.send(RawFrames.channelCloseOk(1));
        client.peer.openChannel(1);
        client.publish(1, ALLOWED);
        assertThat(client.told()).isEmpty();
    }

    @Test
    void shouldCloseTheChannelThatHasMost() {
        client.broker.full.put("q", PublisherPeer.CLOSE);
        client.publish(2, ALLOWED - 1);
        client.publish(1, 2);
        assertThat(client.told()).containsExactly(CLOSED_506 + "2");
        client.publish(1, ALLOWED - 2);
        assertThat(client.told()).isEmpty();
        client.publish(1, 1);
        assertThat(client.told()).containsExactly(CLOSED_506 + "1");
    }

    /** What a closed channel has left behind still waits, so a client could have more and more of that. */
    @Test
    void shouldBoundWhatAClientParksByOpeningChannelsAgain() {
        client.broker.full.put("q", PublisherPeer.CLOSE);
        for (int i = 1; i <= 3; i++) {
            client.publish(1, ALLOWED + 10);
            assertThat(client.told()).containsExactly(CLOSED_506 + "1");
            assertThat(parked()).isEqualTo(i * (ALLOWED + 1));
            client.peer.send(RawFrames.channelCloseOk(1));
            client.peer.openChannel(1);
        }
        client.publish(1, ALLOWED - 3);
        assertThat(client.told()).isEmpty();
        client.publish(1, 10);
        assertThat(client.told()).containsExactly("blocked: " + TEXT);
        assertThat(paused()).isTrue();
        client.seconds(3600);
        assertThat(parked()).isEqualTo(4 * ALLOWED + 1);

        client.broker.full.clear();
        client.broker.storeAll();
        assertThat(client.told()).containsExactly("unblocked");
        assertThat(client.broker.published).hasSize(4 * ALLOWED + 10);
    }

    // ---- ends

    @Test
    void shouldCloseInOrderThoughItIsNotRead() {
        client.publish(1, ALLOWED + 1);
        client.peer.frames();
        client.peer.send(RawFrames.connectionClose(200, ""));
        client.millis(500);
        client.broker.storeAll();
        client.broker.answer(null);
        assertThat(client.told()).containsExactly("connection close-ok");
        assertThat(client.loop.pendingTimers()).isZero();
    }

    @Test
    void shouldLeaveNothingBehindWhenTheSocketIsGone() {
        client.publish(1, 10 * ALLOWED);
        client.seconds(3600);
        client.peer.cutSocket();
        assertThat(client.broker.request()).isInstanceOf(FakeClient.Close.class);
        client.broker.store(1);
        assertThat(client.loop.pendingTimers()).isZero();
        client.broker.storeAll();
    }

    /** A connection that is closed reads again, or its close-ok would never be seen. */
    @Test
    void shouldReadTheCloseOkOfAConnectionThatWasNotRead() {
        client.publish(1, ALLOWED + 1);
        client.loop.run(() -> client.broker.events.closeRequested("enough"));
        assertThat(paused()).isFalse();
        assertThat(client.told()).last().isEqualTo("connection closed, CONNECTION_FORCED - enough");
        client.broker.store(1);
        assertThat(client.loop.pendingTimers()).isOne();
        client.broker.storeAll();
        client.peer.send(RawFrames.connectionCloseOk());
        assertThat(client.peer.wire.closed).isTrue();
        assertThat(client.told()).isEmpty();
    }

    // ---- the log

    @Test
    void shouldLogOneLineThatNamesConnectionAddressAndLimit() {
        Logger logger = (Logger) LoggerFactory.getLogger(ConnectionSession.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        logger.setLevel(Level.WARN);
        logger.setAdditive(false);
        try {
            for (int i = 0; i < 4; i++) {
                client.publish(1, ALLOWED + 1);
                client.broker.storeAll();
            }
            client.loop.advance(TimeUnit.SECONDS.toNanos(10));
            client.publish(1, ALLOWED + 1);
        } finally {
            logger.setLevel(Level.OFF);
            logger.setAdditive(true);
            logger.detachAppender(lines);
        }
        String line = "127.0.0.1:50123 -> 127.0.0.1:5672: channel 1: the connection is not read for a while, since "
                + TEXT + ", and its client goes on publishing; 270336 bytes of the connection wait for room";
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .isEqualTo(List.of(line, line + " (3 more such since the last line)"));
    }
}
