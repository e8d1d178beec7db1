package io.sluicemq.protocol.amqp091;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.protocol.amqp091.codec.RawFrame;
import io.sluicemq.protocol.amqp091.codec.RawFrames;
import io.sluicemq.testkit.ManualLoop;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Heartbeats (spec §4.2.7), with an interval of 10 s. */
class HeartbeatTest {

    private final ManualLoop loop = ManualLoop.single();
    private final FakeClient broker = new FakeClient(loop);
    private final Peer peer = new Peer(loop, broker, new Peer.PlainAuthenticator(), Peer.OPTIONS);

    @BeforeEach
    void open() {
        peer.handshake(Peer.capabilities(), 0, 0, 10);
        peer.openChannel(1);
    }

    private void seconds(int seconds) {
        loop.advance(TimeUnit.SECONDS.toNanos(seconds));
    }

    @Test
    void shouldSendAHeartbeatForEachHalfIntervalWithoutOutput() {
        seconds(5);
        peer.expectNothing();
        for (int i = 0; i < 3; i++) {
            peer.send(RawFrames.heartbeat());
            seconds(5);
            List<RawFrame> frames = peer.frames();
            assertThat(frames).hasSize(1);
            assertThat(frames.getFirst().type()).isEqualTo(8);
            assertThat(frames.getFirst().channel()).isZero();
        }
    }

    @Test
    void shouldCountAnyOutputAsLife() {
        for (int i = 0; i < 5; i++) {
            peer.send(RawFrames.qos(1, 0, 1, false));
            seconds(5);
            assertThat(peer.frames()).hasSize(1).allMatch(frame -> frame.type() == 1);
        }
    }

    @Test
    void shouldTakeASilentPeerForDeadAfterTwoIntervals() {
        peer.send(RawFrames.heartbeat());
        seconds(19);
        assertThat(peer.wire.aborted).isFalse();
        seconds(6);
        assertThat(peer.wire.aborted).isTrue();
        assertThat(broker.request()).isInstanceOf(FakeClient.Close.class);
        assertThat(loop.pendingTimers()).isZero();
    }

    @Test
    void shouldCountAnyInputAsLife() {
        byte[] frame = RawFrames.qos(1, 0, 1, false);
        for (byte each : frame) {
            seconds(9);
            peer.send(new byte[] {each});
        }
        assertThat(peer.wire.aborted).isFalse();
    }

    @Test
    void shouldNotCountTheTimeInWhichItDoesNotRead() {
        broker.congested = true;
        peer.send(Peer.message(1, "", "q", "x"));
        assertThat(peer.wire.paused).isTrue();
        seconds(120);
        assertThat(peer.wire.aborted).isFalse();
        assertThat(peer.frames()).isNotEmpty().allMatch(frame -> frame.type() == 8);

        broker.congested = false;
        loop.run(broker.resume);
        assertThat(peer.wire.paused).isFalse();
        seconds(19);
        assertThat(peer.wire.aborted).isFalse();
        seconds(6);
        assertThat(peer.wire.aborted).isTrue();
    }

    @Test
    void shouldNotPileUpHeartbeatsForAPeerThatDoesNotRead() {
        peer.wire.writable = false;
        for (int i = 0; i < 10; i++) {
            peer.send(RawFrames.heartbeat());
            seconds(9);
        }
        peer.expectNothing();
    }

    @Test
    void shouldHaveNoTimerWithoutHeartbeats() {
        Peer quiet = new Peer(loop, new FakeClient(loop), new Peer.PlainAuthenticator(), Peer.OPTIONS);
        int before = loop.pendingTimers();
        quiet.handshake(out -> {}, 0, 0, 0);
        assertThat(loop.pendingTimers()).isEqualTo(before - 1);
    }
}
