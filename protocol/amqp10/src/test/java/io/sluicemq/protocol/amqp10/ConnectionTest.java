package io.sluicemq.protocol.amqp10;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.protocol.amqp10.codec.Frames;
import io.sluicemq.protocol.amqp10.codec.Frames.Frame;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.security.SaslCode;
import org.apache.qpid.protonj2.types.security.SaslMechanisms;
import org.apache.qpid.protonj2.types.security.SaslOutcome;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Begin;
import org.apache.qpid.protonj2.types.transport.Close;
import org.apache.qpid.protonj2.types.transport.ConnectionError;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.End;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.Open;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Headers, SASL, frames, open and close (1.0 §2.2, §2.3, §2.4, §5.3). */
class ConnectionTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final Lab lab = new Lab();

    private Peer fresh(String... mechanisms) {
        return new Peer(lab, 0, Lab.OPTIONS, new Login(mechanisms.length == 0 ? new String[] {"PLAIN"} : mechanisms));
    }

    private Peer opened(Open open) {
        return Peer.opened(lab, 0, Lab.OPTIONS, open);
    }

    // ---- headers (§2.2)

    @ParameterizedTest
    @ValueSource(
            strings = {"AMQP\2\1\0\0", "AMQP\3\1\0\1", "AMQP\3\2\0\0", "AMQP\0\0\11\1", "AMQP\7\1\0\0", "HTTP/1.1"})
    void shouldAnswerAHeaderThatIsNotSpokenWithOneThatIs(String header) {
        Peer peer = fresh();
        peer.send(header.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
        peer.expectHeader(Frames.SASL);
        peer.expectNothing();
        assertThat(peer.wire.closed).isTrue();
    }

    @Test
    void shouldDemandSaslWhereNobodyMayBeAnonymous() {
        Peer peer = fresh();
        peer.send(Frames.AMQP);
        peer.expectHeader(Frames.SASL);
        assertThat(peer.wire.closed).isTrue();
    }

    @Test
    void shouldDoWithoutSaslWhereOneMayBeAnonymous() {
        Peer peer = fresh("PLAIN", "ANONYMOUS");
        peer.send(Frames.AMQP, Frames.frame(0, Peer.open()), Frames.frame(0, Peer.begin()));
        peer.expectHeader(Frames.AMQP);
        peer.expect(Open.class);
        peer.expect(Begin.class);
    }

    @Test
    void shouldTakeAHeaderInPieces() {
        Peer peer = fresh();
        for (byte each : Frames.SASL) {
            peer.expectNothing();
            peer.send(new byte[] {each});
        }
        peer.expectHeader(Frames.SASL);
        peer.expect(SaslMechanisms.class);
    }

    @Test
    void shouldTakeAllOfAConversationInOnePacket() {
        Peer peer = fresh();
        peer.send(
                Frames.SASL,
                Frames.plain("guest", "guest"),
                Frames.AMQP,
                Frames.frame(0, Peer.open()),
                Frames.frame(0, Peer.begin()),
                Frames.frame(0, Peer.receiver(0, "in", "q")),
                Frames.frame(0, Peer.credit(0, 0, 10)),
                Frames.frame(0, Peer.sender(1, "out", "q")));
        peer.expectHeader(Frames.SASL);
        peer.expect(SaslMechanisms.class);
        peer.expect(SaslOutcome.class);
        peer.expectHeader(Frames.AMQP);
        peer.expect(Open.class);
        peer.expect(Begin.class);
        peer.expect(Attach.class);
        peer.expect(Attach.class);
        peer.expect(Flow.class);
        peer.send(Peer.send(1, 0, "hello"));
        assertThat(peer.receive(0, 0)).isEqualTo("hello");
    }

    @Test
    void shouldEndAfterAHeaderThatIsNotAmqpBehindSasl() {
        Peer peer = fresh();
        peer.send(Frames.SASL, Frames.plain("guest", "guest"), Frames.SASL);
        peer.expectHeader(Frames.SASL);
        peer.expect(SaslMechanisms.class);
        peer.expect(SaslOutcome.class);
        peer.expectHeader(Frames.AMQP);
        assertThat(peer.wire.closed).isTrue();
    }

    // ---- SASL (§5.3)

    @Test
    void shouldRefuseAWrongPassword() {
        Peer peer = fresh();
        peer.send(Frames.SASL, Frames.plain("guest", "other"), Frames.AMQP, Frames.frame(0, Peer.open()));
        peer.expectHeader(Frames.SASL);
        peer.expect(SaslMechanisms.class);
        assertThat(peer.expect(SaslOutcome.class).getCode()).isEqualTo(SaslCode.AUTH);
        peer.expectNothing();
        assertThat(peer.wire.closed).isTrue();
    }

    /** C045. */
    @Test
    void shouldTakeAPasswordOfSixKibibytes() {
        Peer peer = fresh();
        peer.send(Frames.SASL, Frames.plain("guest", "guest" + "x".repeat(6 * 1024)));
        peer.expectHeader(Frames.SASL);
        peer.expect(SaslMechanisms.class);
        assertThat(peer.expect(SaslOutcome.class).getCode()).isEqualTo(SaslCode.OK);
    }

    @Test
    void shouldNotTakeAFrameOfAmqpWithinSasl() {
        Peer peer = fresh();
        peer.send(Frames.SASL, Frames.frame(0, Peer.open()));
        assertThat(peer.wire.closed).isTrue();
        assertThat(lab.counters().connections()).isZero();
    }

    // ---- frames (§2.3; C047)

    @Test
    void shouldCloseForFramesThatAreNone() {
        byte[] open = Frames.encode(Peer.begin());
        for (byte[] bad : List.of(
                Frames.head(0, 2, 0, 0),
                Frames.head(7, 2, 0, 0),
                Frames.head(8 + open.length, 1, 0, 0, open),
                Frames.head(8 + open.length, 0, 0, 0, open),
                Frames.head(16, 5, 0, 0, new byte[8]),
                Frames.head(64 * 1024 + 1, 2, 0, 0, open),
                Frames.head(-1, 2, 0, 0, open),
                Frames.head(8 + open.length, 2, 1, 0, open),
                Frames.head(8 + open.length, 2, 9, 0, open))) {
            Peer peer = opened(Peer.open());
            peer.send(bad, Frames.frame(0, Peer.begin()));
            peer.expectClose(ConnectionError.FRAMING_ERROR);
            peer.expectNothing();
            assertThat(peer.wire.closed).isTrue();
        }
        assertThat(lab.counters().channels()).isZero();
        assertThat(lab.counters().connections()).isZero();
    }

    @Test
    void shouldTakeAnEmptyFrameForASignOfLifeOnly() {
        Peer peer = opened(Peer.open());
        peer.send(Frames.empty(), Frames.raw(0, 99), Frames.empty());
        peer.expectNothing();
        peer.begin(0);
    }

    @Test
    void shouldSkipAnExtendedHeader() {
        Peer peer = opened(Peer.open());
        byte[] begin = Frames.encode(Peer.begin());
        peer.send(Frames.head(8 + 8 + begin.length, 4, 0, 0, Frames.join(new byte[8], begin)));
        peer.expect(Begin.class);
    }

    @Test
    void shouldCloseForABodyThatIsNoPerformative() {
        for (byte[] body : List.of(
                new byte[] {0x40},
                new byte[] {0, 0x53, 0x70, 0x45},
                new byte[] {0, 0x53, 0x11},
                new byte[] {0, 0x53, 0x11, (byte) 0xC0, 100, 1, 0x43},
                new byte[] {0, 0x53, 0x18, 0x41},
                new byte[] {0, (byte) 0x80, 1, 2, 3, 4, 5, 6, 7, 8, 0x45})) {
            Peer peer = opened(Peer.open());
            peer.send(Frames.raw(0, 0, body));
            peer.expectClose(AmqpError.DECODE_ERROR);
            assertThat(peer.wire.closed).isTrue();
        }
    }

    /** A list may be shorter than it could be, not than its mandatory fields. */
    @Test
    void shouldCloseForMissingMandatoryFields() {
        for (int descriptor : new int[] {0x11, 0x12, 0x13, 0x14, 0x15, 0x16}) {
            Peer peer = Peer.connected(lab);
            peer.send(Frames.raw(0, 7, new byte[] {0, 0x53, 0x11, 0x45}));
            peer.expectClose(AmqpError.DECODE_ERROR);
            Peer other = Peer.connected(lab);
            other.send(Frames.raw(0, 0, new byte[] {0, 0x53, (byte) descriptor, 0x45}));
            Object answer = other.next().performative();
            ErrorCondition error = answer instanceof End end ? end.getError() : ((Close) answer).getError();
            assertThat(error.getCondition()).as("0x%x", descriptor).isIn(
                    AmqpError.DECODE_ERROR, AmqpError.ILLEGAL_STATE, AmqpError.INVALID_FIELD);
        }
    }

    // ---- open (§2.4.1, §2.7.1)

    private void shouldRefuse(Open open, Symbol condition) {
        Peer peer = fresh();
        peer.login();
        peer.send(open);
        assertThat(peer.expect(Open.class).getProperties())
                .containsEntry(Symbol.valueOf("amqp:connection-establishment-failed"), true);
        peer.expectClose(condition);
        assertThat(peer.wire.closed).isTrue();
        assertThat(lab.counters().connections()).isZero();
    }

    @Test
    void shouldRefuseAnOpenWithoutContainerId() {
        Peer peer = fresh();
        peer.login();
        peer.send(Frames.raw(0, 0, new byte[] {0, 0x53, 0x10, (byte) 0xC0, 2, 1, 0x40}));
        peer.expect(Open.class);
        assertThat(peer.expect(Close.class).getError().getCondition())
                .isIn(AmqpError.DECODE_ERROR, AmqpError.INVALID_FIELD);
    }

    @Test
    void shouldRefuseAMaxFrameSizeBelow512() {
        shouldRefuse(Peer.open().setMaxFrameSize(511), AmqpError.INVALID_FIELD);
    }

    @Test
    void shouldRefuseAnIdleTimeOutThatNobodyCanKeep() {
        shouldRefuse(Peer.open().setIdleTimeout(1), AmqpError.NOT_ALLOWED);
    }

    @Test
    void shouldRefuseAVirtualHostThatIsNotThere() {
        shouldRefuse(Peer.open().setHostname("vhost:nowhere"), AmqpError.NOT_FOUND);
    }

    @Test
    void shouldFindTheVirtualHostByTheHostname() {
        Peer other = opened(Peer.open().setHostname("vhost:other"));
        other.begin(0);
        other.attachSender(0, "q");
        Peer alike = opened(Peer.open().setHostname("other"));
        alike.begin(0);
        alike.attachReceiver(0, "q");
        alike.send(Peer.credit(0, 0, 1));
        Peer elsewhere = opened(Peer.open().setHostname("broker.example"));
        elsewhere.begin(0);
        elsewhere.attachReceiver(0, "q");
        elsewhere.send(Peer.credit(0, 0, 1));
        other.send(Peer.send(0, 0, "hello"));
        assertThat(alike.receive(0, 0)).isEqualTo("hello");
        elsewhere.expectNothing();
    }

    @Test
    void shouldTellItsLimits() {
        Peer peer = fresh();
        peer.login();
        peer.send(Peer.open());
        Open open = peer.expect(Open.class);
        assertThat(open.getContainerId()).isNotEmpty();
        assertThat(open.getMaxFrameSize()).isEqualTo(Lab.OPTIONS.frameMax());
        assertThat(open.getChannelMax()).isEqualTo(Lab.OPTIONS.channelMax());
        assertThat(open.getIdleTimeout()).isEqualTo(30_000);
    }

    /** A capability is offered to those who want it. */
    @Test
    void shouldOfferWhatIsDesired() {
        Peer peer = fresh();
        peer.login();
        peer.send(Peer.open().setDesiredCapabilities(Symbol.valueOf("ANONYMOUS-RELAY"), Symbol.valueOf("FLYING")));
        assertThat(peer.expect(Open.class).getOfferedCapabilities()).containsExactly(Symbol.valueOf("ANONYMOUS-RELAY"));
    }

    @Test
    void shouldNotLetTwoHaveOneNameIfTheyDoNotWantTo() {
        Open open = Peer.open().setDesiredCapabilities(Symbol.valueOf("sole-connection-for-container"));
        opened(open);
        Peer second = fresh();
        second.login();
        second.send(open);
        second.expect(Open.class);
        ErrorCondition error = second.expectClose(AmqpError.INVALID_FIELD);
        assertThat(error.getInfo())
                .isEqualTo(Map.of(Symbol.valueOf("invalid-field"), Symbol.valueOf("container-id")));
    }

    @Test
    void shouldCloseForASecondOpen() {
        Peer peer = opened(Peer.open());
        peer.send(Peer.open());
        peer.expectClose(AmqpError.ILLEGAL_STATE);
        assertThat(peer.wire.closed).isFalse();
        peer.send(new Close());
        peer.expectNothing();
        assertThat(peer.wire.closed).isTrue();
    }

    @Test
    void shouldCloseForAnythingBeforeTheOpen() {
        for (Object early : List.of(Peer.begin(), Peer.sender(0, "s", "q"), new Close(), new End())) {
            Peer peer = fresh();
            peer.login();
            peer.send(early);
            peer.expect(Open.class);
            peer.expectClose(AmqpError.ILLEGAL_STATE);
        }
    }

    @Test
    void shouldEndAHandshakeThatTakesTooLong() {
        Peer peer = fresh();
        peer.send(Frames.SASL);
        lab.loops.advance(10 * SECOND);
        lab.loops.runAll();
        assertThat(peer.wire.aborted).isTrue();
    }

    // ---- frames of 512 bytes

    @Test
    void shouldNeverExceedTheSmallestFrameSize() {
        Peer peer = opened(Peer.open().setMaxFrameSize(512));
        peer.begin(0);
        peer.send(Peer.sender(0, "n".repeat(150), "q".repeat(100)));
        peer.expect(Attach.class);
        peer.expect(Flow.class);
        peer.attachReceiver(1, "q".repeat(100));
        peer.send(Peer.credit(1, 0, 10));
        String large = "x".repeat(5_000);
        peer.send(Peer.send(0, 0, large));
        List<Frame> frames = peer.frames();
        assertThat(frames).hasSizeGreaterThan(10)
                .allSatisfy(frame -> assertThat(frame.size()).isLessThanOrEqualTo(512));
        assertThat(frames.getFirst().size()).isGreaterThan(480);
    }

    /** What can't be said in a frame that the peer takes ends the connection with just this reason (§2.8.15). */
    @Test
    void shouldCloseIfAnAttachDoesNotFitIntoAFrame() {
        Peer peer = opened(Peer.open().setMaxFrameSize(512));
        peer.begin(0);
        peer.send(Peer.sender(0, "n".repeat(600), "q"));
        assertThat(peer.expectClose(AmqpError.FRAME_SIZE_TOO_SMALL).getDescription()).contains("attach");
    }

    @Test
    void shouldMakeItsErrorsFitIntoAFrame() {
        Peer peer = opened(Peer.open().setMaxFrameSize(512));
        peer.begin(0);
        peer.send(Peer.sender(0, "s", "/queues/" + "ü".repeat(400)).setTarget(
                new org.apache.qpid.protonj2.types.messaging.Target().setAddress("/queues/" + "%C3%BC".repeat(120))));
        assertThat(peer.frames()).isNotEmpty().allSatisfy(frame -> assertThat(frame.size()).isLessThanOrEqualTo(512));
    }

    // ---- idle time-outs (§2.4.5; C043)

    @Test
    void shouldSendEmptyFramesWithinThePeersIdleTimeOut() {
        Peer peer = opened(Peer.open().setIdleTimeout(2_000));
        for (int i = 0; i < 10; i++) {
            lab.loops.advance(SECOND);
            lab.loops.runAll();
        }
        assertThat(peer.frames()).hasSizeBetween(8, 10).allMatch(Frame::isEmpty);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 0xFFFF_FFFFL, 0x8000_0000L})
    void shouldSendHardlyAnythingWhereNothingIsAskedFor(long idleTimeOut) {
        Open open = Peer.open();
        if (idleTimeOut >= 0) {
            open.setIdleTimeout(idleTimeOut);
        }
        Peer peer = opened(open);
        for (int i = 0; i < 20; i++) {
            lab.loops.advance(SECOND);
            lab.loops.runAll();
            peer.send(Frames.empty());
        }
        peer.expectNothing();
        assertThat(peer.wire.ended()).isFalse();
    }

    @Test
    void shouldCloseWhenNothingComes() {
        Peer peer = opened(Peer.open());
        lab.loops.advance(59 * SECOND);
        peer.send(Frames.empty());
        lab.loops.advance(59 * SECOND);
        lab.loops.runAll();
        peer.expectNothing();
        lab.loops.advance(62 * SECOND);
        lab.loops.runAll();
        peer.expectClose(AmqpError.RESOURCE_LIMIT_EXCEEDED);
        lab.loops.advance(10 * SECOND);
        lab.loops.runAll();
        assertThat(peer.wire.aborted).isTrue();
        assertThat(lab.counters().connections()).isZero();
    }

    // ---- sessions of a connection

    @Test
    void shouldCloseForAChannelAboveChannelMax() {
        Peer peer = opened(Peer.open());
        peer.begin(Lab.OPTIONS.channelMax());
        peer.send(Lab.OPTIONS.channelMax() + 1, Peer.begin());
        peer.expectClose(ConnectionError.FRAMING_ERROR);
    }

    /** The peer's channel-max holds for us: an answer to this begin would be above it. */
    @Test
    void shouldCloseForAChannelThatCanNotBeAnswered() {
        Peer peer = opened(Peer.open().setChannelMax(3));
        peer.begin(3);
        peer.send(4, Peer.begin());
        peer.expectClose(AmqpError.NOT_ALLOWED);
    }

    @Test
    void shouldCloseForFramesWhereNoSessionIs() {
        for (Object frame : List.of(new End(), Peer.sender(0, "s", "q"), Peer.flow(), new Detach().setHandle(0))) {
            Peer peer = opened(Peer.open());
            peer.send(5, frame);
            peer.expectClose(AmqpError.ILLEGAL_STATE);
        }
    }

    // ---- close (§2.4.3, §2.7.9)

    @Test
    void shouldAnswerACloseWhenAllIsGivenBack() {
        Peer peer = Peer.connected(lab);
        peer.attachReceiver(0, "q");
        peer.attachSender(1, "q");
        peer.send(Peer.credit(0, 0, 10));
        peer.send(Peer.send(1, 0, "kept"));
        peer.frames();
        peer.send(new Close());
        assertThat(peer.expect(Close.class).getError()).isNull();
        peer.expectNothing();
        assertThat(peer.wire.closed).isTrue();
        assertThat(lab.counters()).satisfies(counters -> {
            assertThat(counters.connections()).isZero();
            assertThat(counters.channels()).isZero();
            assertThat(counters.consumers()).isZero();
            assertThat(counters.readyMessages()).isEqualTo(1);
            assertThat(counters.unsettledMessages()).isZero();
        });
    }

    @Test
    void shouldIgnoreWhatComesBehindAClose() {
        Peer peer = Peer.connected(lab);
        peer.send(Frames.frame(0, new Close()), Frames.frame(3, Peer.begin()), Frames.frame(0, new Close()));
        peer.expect(Close.class);
        peer.expectNothing();
    }

    @Test
    void shouldEndWithTheSocket() {
        Peer peer = Peer.connected(lab);
        peer.attachReceiver(0, "q");
        peer.attachSender(1, "q");
        peer.send(Frames.frame(0, Peer.credit(0, 0, 10)), Peer.send(1, 0, "one"));
        peer.cutSocket();
        assertThat(lab.counters().connections()).isZero();
        assertThat(lab.counters().unsettledMessages()).isZero();
    }

    @Test
    void shouldSayThatItIsShutDown() {
        Peer peer = Peer.connected(lab);
        peer.loop.run(() -> peer.session.shutdown("the broker stops"));
        lab.loops.runAll();
        peer.expectClose(ConnectionError.CONNECTION_FORCED);
        peer.send(new Close());
        assertThat(peer.wire.closed).isTrue();
    }

    @Test
    void shouldNotWaitForEverForTheAnswerToAClose() {
        Peer peer = Peer.connected(lab);
        peer.loop.run(() -> peer.session.shutdown("the broker stops"));
        peer.expectClose(ConnectionError.CONNECTION_FORCED);
        peer.send(Peer.sender(0, "s", "q"));
        peer.expectNothing();
        lab.loops.advance(11 * SECOND);
        lab.loops.runAll();
        assertThat(peer.wire.aborted).isTrue();
    }

    @Test
    void shouldSettleWhatWasSentBeforeTheClose() {
        Peer peer = Peer.connected(lab);
        peer.attachSender(0, "q");
        peer.send(Peer.send(0, 0, "a"));
        assertThat(peer.expect(Disposition.class).getState()).isEqualTo(Accepted.getInstance());
    }

    /** The peer has closed already: nothing more is to be waited for (§2.4.3). */
    @Test
    void shouldEndAtOnceForAnErrorBehindTheClose() {
        Peer peer = Peer.connected(lab, 1);
        peer.attachReceiver(0, "q");
        peer.wire.arrive(Frames.frame(0, new Close()));
        assertThat(peer.wire.closed).as("closed while it still gives back what it had").isFalse();
        // Frames without a channel's session, and with a type that there isn't.
        peer.wire.arrive(Frames.raw(9, 0, (byte) 1));
        assertThat(peer.wire.closed).isTrue();
        peer.expectClose(ConnectionError.FRAMING_ERROR);
        lab.loops.runAll();
        assertThat(lab.counters().connections()).isZero();
        assertThat(lab.counters().consumers()).isZero();
    }

    /** So if what is wrong is not where its frames begin. */
    @Test
    void shouldEndAtOnceForSilenceBehindTheClose() {
        Peer peer = Peer.connected(lab, 1);
        peer.attachReceiver(0, "q");
        peer.wire.arrive(Frames.frame(0, new Close()));
        peer.loop.run(() -> peer.session.fail(io.sluicemq.protocol.amqp10.codec.AmqpFault.connection(
                AmqpError.RESOURCE_LIMIT_EXCEEDED, "silent")));
        assertThat(peer.wire.closed).isTrue();
        peer.expectClose(AmqpError.RESOURCE_LIMIT_EXCEEDED);
        lab.loops.runAll();
        assertThat(lab.counters().connections()).isZero();
    }
}
