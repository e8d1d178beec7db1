package io.sluicemq.protocol.amqp091;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Protocol;
import io.sluicemq.protocol.amqp091.codec.FieldTable;
import io.sluicemq.protocol.amqp091.codec.MethodId;
import io.sluicemq.protocol.amqp091.codec.RawFrame;
import io.sluicemq.protocol.amqp091.codec.RawFrames;
import io.sluicemq.testkit.ManualLoop;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Opening and closing a connection: spec §2.2.4, §4.2.2, class connection. */
class HandshakeTest {

    private final ManualLoop loop = ManualLoop.single();
    private final FakeClient broker = new FakeClient(loop);
    private final Peer peer = new Peer(loop, broker, new Peer.PlainAuthenticator(), Peer.OPTIONS);

    private void start() {
        peer.send(RawFrames.protocolHeader());
        peer.expect(MethodId.CONNECTION_START);
    }

    private void login() {
        start();
        peer.send(RawFrames.startOkPlain("guest", "guest"));
        peer.expect(MethodId.CONNECTION_TUNE);
    }

    @Test
    void shouldMatchItsHeaderOnly() {
        var protocol = new Amqp091Protocol(broker, new Peer.PlainAuthenticator(), Peer.OPTIONS);
        assertThat(protocol.match(buffer(RawFrames.protocolHeader()))).isEqualTo(Protocol.Match.YES);
        assertThat(protocol.match(buffer(new byte[] {'A', 'M', 'Q'}))).isEqualTo(Protocol.Match.NEED_MORE);
        assertThat(protocol.match(buffer(RawFrames.protocolHeader(1, 1, 0, 10)))).isEqualTo(Protocol.Match.NO);
        assertThat(protocol.match(buffer(Peer.bytes("GET / HT")))).isEqualTo(Protocol.Match.NO);
        assertThat(protocol.invitation()).isEqualTo(RawFrames.protocolHeader());
    }

    private static io.netty.buffer.ByteBuf buffer(byte[] bytes) {
        return io.netty.buffer.Unpooled.wrappedBuffer(bytes);
    }

    /** Spec, connection.start; WIRE: Qpid JMS looks for "qpid" in the product. */
    @Test
    void shouldStartWithItsPropertiesMechanismsAndLocales() {
        peer.send(RawFrames.protocolHeader());
        ByteBuffer start = peer.expect(MethodId.CONNECTION_START).arguments();

        assertThat(start.get()).isZero();
        assertThat(start.get()).isEqualTo((byte) 9);
        byte[] table = new byte[4 + start.getInt(start.position())];
        start.get(table);
        Map<String, Object> properties = FieldTable.decode(table, 0, table.length);
        assertThat(properties).containsEntry("version", "1.2.3").containsEntry("platform", "Java");
        assertThat((String) properties.get("product")).contains("SluiceMQ").containsIgnoringCase("qpid");
        assertThat((Map<?, ?>) properties.get("capabilities"))
                .hasSize(9)
                .allSatisfy((name, value) -> assertThat(value).isEqualTo(true))
                .extracting(Map::keySet)
                .asString()
                .contains("publisher_confirms", "direct_reply_to", "per_consumer_qos", "connection.blocked");
        assertThat(longString(start)).isEqualTo("PLAIN AMQPLAIN");
        assertThat(longString(start)).isEqualTo("en_US");
    }

    private static String longString(ByteBuffer in) {
        byte[] bytes = new byte[in.getInt()];
        in.get(bytes);
        return new String(bytes, java.nio.charset.StandardCharsets.UTF_8);
    }

    @Test
    void shouldOfferItsLimits() {
        start();
        peer.send(RawFrames.startOkPlain("guest", "guest"));
        ByteBuffer tune = peer.expect(MethodId.CONNECTION_TUNE).arguments();
        assertThat(tune.getShort()).isEqualTo((short) 2047);
        assertThat(tune.getInt()).isEqualTo(131072);
        assertThat(tune.getShort()).isEqualTo((short) 60);
    }

    @Test
    void shouldOpenByteByByte() {
        byte[] all = RawFrames.join(
                RawFrames.protocolHeader(),
                RawFrames.startOk(Peer.product("test"), "PLAIN", Peer.plain("guest", "guest"), "en_US"));
        for (byte each : all) {
            peer.send(new byte[] {each});
        }
        peer.expect(MethodId.CONNECTION_START);
        peer.expect(MethodId.CONNECTION_TUNE);
        peer.send(RawFrames.tuneOk(0, 0, 0), RawFrames.connectionOpen("/"), RawFrames.channelOpen(1));
        peer.expect(MethodId.CONNECTION_OPEN_OK);
        peer.expect(1, MethodId.CHANNEL_OPEN_OK);
        assertThat(broker.spec.virtualHost()).isEqualTo("/");
        assertThat(broker.spec.product()).isEqualTo("test");
        assertThat(broker.spec.protocol()).isEqualTo("AMQP 0-9-1");
        assertThat(loop.pendingTimers()).isZero();
    }

    /** RabbitMQ, authentication_failure_close. */
    @Test
    void shouldTellARefusedLoginOnlyToThoseWhoAskForIt() {
        start();
        peer.send(RawFrames.startOkPlain("guest", "wrong"));
        peer.expectNothing();
        assertThat(peer.wire.closed).isTrue();

        Peer asking = new Peer(loop, broker, new Peer.PlainAuthenticator(), Peer.OPTIONS);
        asking.send(
                RawFrames.protocolHeader(),
                RawFrames.startOk(Peer.capabilities(), "PLAIN", Peer.plain("guest", "wrong"), "en_US"));
        asking.expect(MethodId.CONNECTION_START);
        asking.expectConnectionClose(403, "ACCESS_REFUSED - Login was refused using authentication mechanism PLAIN");
        assertThat(asking.wire.closed).isTrue();
        assertThat(loop.pendingTimers()).isZero();
    }

    /** Spec, connection.secure; RFC 4422 §3.6: what comes with the outcome is a challenge of its own. */
    @Test
    void shouldExchangeChallengesUntilTheOutcome() {
        start();
        peer.send(RawFrames.startOk(Peer.product("test"), "STEPS", Peer.bytes("1"), "en_US"));
        assertThat(longString(peer.expect(MethodId.CONNECTION_SECURE).arguments())).isEqualTo("after 1");
        peer.expectNothing();
        peer.send(RawFrames.secureOk(Peer.bytes("2")));
        assertThat(longString(peer.expect(MethodId.CONNECTION_SECURE).arguments())).isEqualTo("after 2");
        peer.send(RawFrames.secureOk(Peer.bytes("3")));
        assertThat(longString(peer.expect(MethodId.CONNECTION_SECURE).arguments())).isEqualTo("welcome");
        peer.expectNothing();
        peer.send(RawFrames.secureOk(new byte[0]));
        peer.expect(MethodId.CONNECTION_TUNE);
        peer.send(RawFrames.tuneOk(0, 0, 0), RawFrames.connectionOpen("/"));
        peer.expect(MethodId.CONNECTION_OPEN_OK);
        assertThat(broker.spec.user().name()).isEqualTo("guest");
    }

    @Test
    void shouldRefuseALoginInTheMidstOfItsExchange() {
        start();
        peer.send(RawFrames.startOk(Peer.capabilities(), "STEPS", Peer.bytes("1"), "en_US"));
        peer.expect(MethodId.CONNECTION_SECURE);
        peer.send(RawFrames.secureOk(Peer.bytes("wrong")));
        peer.expectConnectionClose(403, "ACCESS_REFUSED - Login was refused using authentication mechanism STEPS");
        assertThat(peer.wire.closed).isTrue();
        assertThat(loop.pendingTimers()).isZero();
    }

    @Test
    void shouldRefuseOtherMethodsInTheMidstOfAnExchange() {
        start();
        peer.send(RawFrames.startOk(Peer.product("test"), "STEPS", Peer.bytes("1"), "en_US"));
        peer.expect(MethodId.CONNECTION_SECURE);
        peer.send(RawFrames.tuneOk(0, 0, 0));
        peer.expectConnectionClose(503, "unexpected connection.tune-ok in connection state securing");
        assertThat(peer.wire.closed).isTrue();
    }

    /** Spec, connection.secure-ok: only in answer to a challenge. */
    @Test
    void shouldRefuseAnAnswerToNoChallenge() {
        login();
        peer.send(RawFrames.secureOk(Peer.bytes("2")));
        peer.expectConnectionClose(503, "unexpected connection.secure-ok in connection state tuning");
    }

    /** Spec, connection.tune-ok: no more than was offered, and frames of 4096 bytes at least. C021. */
    @Test
    void shouldRefuseLimitsOutOfBounds() {
        assertTuneRefused(2048, 131072, "channel_max = 2048 is higher than the maximum allowed value (2047)");
        assertTuneRefused(2047, 131073, "frame_max = 131073 is higher than the maximum allowed value (131072)");
        assertTuneRefused(2047, 0xFFFF_FFFFL, "frame_max = 4294967295 is higher");
        assertTuneRefused(2047, 4095, "frame_max = 4095 is lower than the minimum allowed value (4096)");
    }

    private void assertTuneRefused(int channelMax, long frameMax, String text) {
        Peer refused = new Peer(loop, broker, new Peer.PlainAuthenticator(), Peer.OPTIONS);
        refused.send(RawFrames.protocolHeader(), RawFrames.startOkPlain("guest", "guest"));
        refused.send(RawFrames.tuneOk(channelMax, frameMax, 0));
        refused.expect(MethodId.CONNECTION_START);
        refused.expect(MethodId.CONNECTION_TUNE);
        refused.expectConnectionClose(530, text);
    }

    /** C021: channels above the agreed maximum; 0 means the broker's own. */
    @Test
    void shouldKeepToTheAgreedChannelMax() {
        peer.handshake(out -> {}, 2, 131072, 0);
        peer.openChannel(1);
        peer.openChannel(2);
        peer.send(RawFrames.channelOpen(3));
        peer.expectConnectionClose(530, "channel 3 is above the negotiated channel_max (2)");

        Peer unlimited = new Peer(loop, new FakeClient(loop), new Peer.PlainAuthenticator(), Peer.OPTIONS);
        unlimited.handshake(out -> {}, 0, 0, 0);
        for (int channel = 1; channel <= 100; channel++) {
            unlimited.openChannel(channel);
        }
        unlimited.openChannel(2047);
        unlimited.send(RawFrames.channelOpen(2048));
        unlimited.expectConnectionClose(530, "channel 2048");
    }

    @Test
    void shouldRefuseAnUnknownVirtualHost() {
        broker.refuseConnect = new BrokerError.NotFound(BrokerError.Kind.VIRTUAL_HOST, "none", "none");
        login();
        peer.send(RawFrames.tuneOk(0, 0, 0), RawFrames.connectionOpen("none"));
        peer.expectConnectionClose(530, "NOT_ALLOWED - vhost none not found");
        peer.send(RawFrames.connectionCloseOk());
        assertThat(peer.wire.closed).isTrue();
        assertThat(loop.pendingTimers()).isZero();
    }

    /** Spec §2.2.4: the order of the handshake's methods. */
    @Test
    void shouldRefuseMethodsOutOfOrder() {
        start();
        peer.send(RawFrames.tuneOk(0, 0, 0));
        peer.expectConnectionClose(503, "unexpected connection.tune-ok in connection state starting");
        assertThat(peer.wire.closed).isTrue();
    }

    @Test
    void shouldRefuseChannelFramesBeforeOpen() {
        login();
        peer.send(RawFrames.channelOpen(1));
        peer.expectConnectionClose(505, "in connection state tuning");

        Peer early = new Peer(loop, broker, new Peer.PlainAuthenticator(), Peer.OPTIONS);
        early.send(RawFrames.protocolHeader(), Peer.message(1, "", "q", "x"));
        early.expect(MethodId.CONNECTION_START);
        early.expectConnectionClose(505, "UNEXPECTED_FRAME");
        assertThat(early.wire.closed).isTrue();
    }

    @Test
    void shouldTakeOnlySmallFramesFromStrangers() {
        start();
        peer.send(RawFrames.frame(1, 0, 20_000, new byte[10], 0));
        peer.expectConnectionClose(501, "exceeds the frame-max of 16384");
        assertThat(peer.wire.closed).isTrue();
    }

    @Test
    void shouldLimitTheTimeOfTheHandshake() {
        start();
        loop.advance(Duration.ofMillis(9_999).toNanos());
        assertThat(peer.wire.aborted).isFalse();
        loop.advance(Duration.ofMillis(1).toNanos());
        assertThat(peer.wire.aborted).isTrue();
        assertThat(loop.pendingTimers()).isZero();
    }

    @Test
    void shouldNotTimeOutAfterTheHandshake() {
        peer.handshake(out -> {}, 0, 0, 0);
        loop.advance(Duration.ofHours(1).toNanos());
        assertThat(peer.wire.ended()).isFalse();
    }

    /** Spec, connection.close: the answer comes when exclusive queues are gone. */
    @Test
    void shouldAnswerACloseWhenTheBrokerIsDone() {
        peer.handshake(out -> {}, 0, 0, 0);
        peer.openChannel(1);
        peer.send(RawFrames.connectionClose(200, "bye"));
        peer.expectNothing();
        assertThat(broker.request()).isInstanceOf(FakeClient.Close.class);
        assertThat(broker.channels).isZero();

        broker.answer(null);
        peer.expect(MethodId.CONNECTION_CLOSE_OK);
        assertThat(peer.wire.closed).isTrue();
        assertThat(loop.pendingTimers()).isZero();
    }

    @Test
    void shouldIgnoreEverythingButTheCloseOkAfterItsClose() {
        peer.handshake(out -> {}, 0, 0, 0);
        peer.openChannel(1);
        peer.send(RawFrames.channelOpen(1));
        peer.expectConnectionClose(504, "second 'channel.open' seen");
        peer.send(
                RawFrames.channelOpen(2),
                Peer.message(1, "", "q", "x"),
                RawFrames.ack(1, 7, false),
                RawFrames.ack(9, 7, false),
                RawFrames.frame(1, 1, new byte[] {0, 99, 0, 99}),
                RawFrames.connectionCloseOk());
        peer.expectNothing();
        assertThat(broker.published).isEmpty();
        assertThat(peer.wire.closed).isTrue();
        assertThat(loop.pendingTimers()).isZero();
    }

    @Test
    void shouldAnswerACloseThatCrossesItsOwn() {
        peer.handshake(out -> {}, 0, 0, 0);
        peer.send(RawFrames.ack(1, 1, false));
        peer.expectConnectionClose(504, "expected 'channel.open'");
        peer.send(RawFrames.connectionClose(200, "bye"));
        peer.expect(MethodId.CONNECTION_CLOSE_OK);
        peer.send(RawFrames.connectionCloseOk());
        assertThat(peer.wire.closed).isTrue();
    }

    @Test
    void shouldNotWaitForEverForACloseOk() {
        peer.handshake(out -> {}, 0, 0, 0);
        peer.send(RawFrames.ack(1, 1, false));
        peer.expectConnectionClose(504, "");
        loop.advance(Duration.ofSeconds(10).toNanos());
        assertThat(peer.wire.aborted).isTrue();
    }

    /** A stream without frame boundaries holds no close-ok, so none is waited for. */
    @Test
    void shouldCloseAtOnceWhenTheStreamIsLost() {
        peer.handshake(out -> {}, 0, 0, 0);
        peer.send(RawFrames.frame(7, 0, new byte[0]));
        peer.expectConnectionClose(501, "unknown frame type 7");
        assertThat(peer.wire.closed).isTrue();
        assertThat(broker.request()).isInstanceOf(FakeClient.Close.class);
    }

    @Test
    void shouldCloseTheClientWhenTheSocketGoes() {
        peer.handshake(out -> {}, 0, 0, 0);
        peer.openChannel(1);
        peer.cutSocket();
        assertThat(broker.request()).isInstanceOf(FakeClient.Close.class);
        broker.answer(null);
        assertThat(loop.pendingTimers()).isZero();
    }

    @Test
    void shouldCloseForTheBroker() {
        peer.handshake(out -> {}, 0, 0, 0);
        loop.run(() -> broker.events.closeRequested("closed by an operator"));
        peer.expectConnectionClose(320, "CONNECTION_FORCED - closed by an operator");
        peer.send(RawFrames.connectionCloseOk());
        assertThat(peer.wire.closed).isTrue();

        Peer second = new Peer(loop, new FakeClient(loop), new Peer.PlainAuthenticator(), Peer.OPTIONS);
        second.handshake(out -> {}, 0, 0, 0);
        loop.run(() -> second.session.shutdown("broker shut down"));
        second.expectConnectionClose(320, "broker shut down");
    }

    /** A connection that is closed reads again, or its close-ok would never be seen. */
    @Test
    void shouldReadTheCloseOkThoughReadingWasPaused() {
        peer.handshake(out -> {}, 0, 0, 0);
        peer.openChannel(1);
        broker.congested = true;
        peer.send(Peer.message(1, "", "q", "x"));
        assertThat(peer.wire.paused).isTrue();
        loop.run(() -> broker.events.closeRequested("enough"));
        assertThat(peer.wire.paused).isFalse();
        peer.expectConnectionClose(320, "enough");
        peer.send(RawFrames.connectionCloseOk());
        assertThat(peer.wire.closed).isTrue();
        loop.run(broker.resume);
    }

    /** RabbitMQ, connection.update-secret. */
    @Test
    void shouldRenewTheSecret() {
        peer.handshake(out -> {}, 0, 0, 0);
        peer.send(RawFrames.updateSecret(Peer.bytes("new"), "expires"));
        peer.expect(MethodId.CONNECTION_UPDATE_SECRET_OK);
        peer.send(RawFrames.updateSecret(Peer.bytes("bad"), "expires"));
        peer.expectConnectionClose(530, "New secret was refused");
    }

    /** Spec §4.2.7; C019: RabbitMQ's test suite expects 505. */
    @Test
    void shouldRefuseAHeartbeatOnAChannel() {
        peer.handshake(out -> {}, 0, 0, 0);
        peer.openChannel(1);
        peer.send(RawFrames.heartbeat());
        peer.expectNothing();
        peer.send(RawFrames.frame(8, 1, new byte[0]));
        peer.expectConnectionClose(505, "a heartbeat of 0 bytes on channel 1");
    }

    @Test
    void shouldRefuseAnUnknownMethod() {
        peer.handshake(out -> {}, 0, 0, 0);
        peer.openChannel(1);
        peer.send(RawFrames.method(1, 99, 1, out -> {}));
        RawFrame close = peer.expectConnectionClose(540, "NOT_IMPLEMENTED");
        assertThat(close.arguments().getInt(close.arguments().limit() - 4)).isEqualTo(99 << 16 | 1);
    }
}
