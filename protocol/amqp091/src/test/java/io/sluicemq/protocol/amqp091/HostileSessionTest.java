package io.sluicemq.protocol.amqp091;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.connection.ConnectionLog;
import io.sluicemq.base.LogEvent;
import io.sluicemq.broker.engine.BrokerConfig;
import io.sluicemq.broker.engine.BrokerEngine;
import io.sluicemq.protocol.amqp091.codec.RawArguments;
import io.sluicemq.protocol.amqp091.codec.RawFrame;
import io.sluicemq.protocol.amqp091.codec.RawFrames;
import io.sluicemq.testkit.ManualLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.slf4j.helpers.NOPLogger;

/** A peer that keeps to no rule: the connection is closed with a code, nothing throws, nothing is left behind. */
class HostileSessionTest {

    private static final Consumer<RawArguments> NONE = out -> {};

    private final ManualLoop loop = ManualLoop.single();
    private final BrokerEngine broker = new BrokerEngine(new BrokerConfig(List.of("/"), 1 << 20), List.of(loop));

    private static byte[] frame(Random random) {
        int channel = random.nextInt(4);
        String queue = "q" + random.nextInt(3);
        return switch (random.nextInt(34)) {
            case 0 -> RawFrames.channelOpen(channel);
            case 1 -> RawFrames.channelClose(channel, 200, "x");
            case 2 -> RawFrames.channelCloseOk(channel);
            case 3 -> RawFrames.channelFlow(channel, random.nextBoolean());
            case 4 -> RawFrames.queueDeclare(channel, queue, NONE, random.nextBoolean(), random.nextBoolean());
            case 5 -> RawFrames.queueDelete(channel, queue, random.nextBoolean(), random.nextBoolean());
            case 6 -> RawFrames.queueBind(channel, queue, "amq.topic", "#", random.nextBoolean(), NONE);
            case 7 -> RawFrames.exchangeDeclare(channel, "e" + queue, "fanout", NONE);
            case 8 -> RawFrames.exchangeDelete(channel, "e" + queue, random.nextBoolean(), false);
            case 9 -> RawFrames.exchangeBind(channel, "e" + queue, "amq.topic", "k", false, NONE);
            case 10 -> RawFrames.consume(channel, queue, "", NONE, random.nextBoolean(), random.nextBoolean());
            case 11 -> RawFrames.cancel(channel, "amq.ctag-1.1", random.nextBoolean());
            case 12 -> RawFrames.get(channel, queue, random.nextBoolean());
            case 13 -> RawFrames.ack(channel, random.nextInt(5), random.nextBoolean());
            case 14 -> RawFrames.nack(channel, random.nextInt(5), random.nextBoolean(), random.nextBoolean());
            case 15 -> RawFrames.reject(channel, random.nextInt(5), random.nextBoolean());
            case 16 -> RawFrames.recover(channel, true);
            case 17 -> RawFrames.recoverAsync(channel, true);
            case 18 -> RawFrames.qos(channel, 0, random.nextInt(3), random.nextBoolean());
            case 19 -> RawFrames.confirmSelect(channel, random.nextBoolean());
            case 20 -> RawFrames.txSelect(channel);
            case 21 -> RawFrames.txCommit(channel);
            case 22 -> RawFrames.txRollback(channel);
            case 23 -> RawFrames.heartbeat();
            case 24 -> RawFrames.publish(channel, "", queue, random.nextBoolean(), false);
            case 25 -> RawFrames.header(channel, random.nextInt(4), new byte[2]);
            case 26 -> RawFrames.body(channel, new byte[random.nextInt(4)]);
            case 27 -> RawFrames.consume(channel, "amq.rabbitmq.reply-to", "", NONE, false, true);
            case 28 -> RawFrames.tuneOk(1, 4096, 1);
            case 29 -> RawFrames.connectionOpen("/");
            case 30 -> RawFrames.exchangeBound(channel, "amq.topic", "", queue);
            case 31 -> RawFrames.accessRequest(channel, "/");
            default -> Peer.message(Math.max(1, channel), "amq.topic", queue, "body");
        };
    }

    /** Frames that are right by themselves, in any order and on any channel, before and after the handshake. */
    @Property(tries = 300)
    void shouldSurviveFramesInAnyOrder(@ForAll long seed) {
        Random random = new Random(seed);
        Peer peer = new Peer(loop, broker, new Peer.PlainAuthenticator(), Peer.OPTIONS);
        if (random.nextInt(10) > 0) {
            peer.handshake(NONE, 0, 0, 0);
            peer.openChannel(1);
        } else {
            peer.send(RawFrames.protocolHeader());
        }
        for (int i = 0; i < 100 && !peer.wire.ended(); i++) {
            byte[] frame = frame(random);
            if (random.nextInt(50) == 0) {
                frame[random.nextInt(frame.length)] = (byte) random.nextInt();
            }
            peer.send(frame);
            if (!peer.wire.ended()) {
                loop.run(peer.session::flushed);
            }
        }
        List<RawFrame> frames = peer.frames();
        assertThat(frames.stream().filter(each -> each.isMethod(10, 50))).hasSizeLessThanOrEqualTo(1);
        peer.cutSocket();
        assertNothingLeft();
    }

    private void assertNothingLeft() {
        Peer last = Peer.connected(loop, broker);
        for (int i = 0; i < 3; i++) {
            last.send(RawFrames.queueDelete(1, "q" + i));
        }
        last.send(RawFrames.connectionClose(200, "done"));
        var counters = broker.counters();
        loop.runAll();
        assertThat(counters.join().connections()).isZero();
        assertThat(counters.join().channels()).isZero();
        assertThat(counters.join().consumers()).isZero();
        assertThat(counters.join().messageBytes()).isZero();
        assertThat(counters.join().unsettledMessages()).isZero();
        assertThat(loop.pendingTimers()).isZero();
    }

    /** As many channels as there are numbers: refused above the maximum, and cheap below. */
    @Test
    void shouldRefuseMoreChannelsThanAgreed() {
        Peer peer = Peer.connected(loop, broker);
        for (int channel = 2; channel <= 2047; channel++) {
            peer.send(RawFrames.channelOpen(channel));
        }
        assertThat(peer.frames()).hasSize(2046);
        peer.send(RawFrames.channelOpen(65_535));
        peer.expectConnectionClose(530, "channel 65535 is above the negotiated channel_max (2047)");
        peer.cutSocket();
        assertNothingLeft();
    }

    /** What a peer does wrong costs a few lines in the log, however often it does it. */
    @Test
    void shouldLogAtABoundedRate() {
        List<String> lines = new ArrayList<>();
        var log = new ConnectionLog(loop, "peer", NOPLogger.NOP_LOGGER, (event, line, arguments) -> lines.add(line));
        for (int i = 0; i < 1000; i++) {
            log.line(LogEvent.CONNECTION_ERROR, "line {}", i);
        }
        assertThat(lines).hasSize(5);
        loop.advance(java.time.Duration.ofSeconds(10).toNanos());
        log.line(LogEvent.CONNECTION_ERROR, "line {}", 1000);
        assertThat(lines).hasSize(6).last().asString().contains("995 lines left out");
    }
}
