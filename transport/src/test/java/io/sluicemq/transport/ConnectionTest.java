package io.sluicemq.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.sluicemq.api.LateBytes;
import io.sluicemq.api.ProtocolSession;
import io.sluicemq.api.Wire;
import io.sluicemq.testkit.LogCapture;
import io.sluicemq.testkit.ManualLoop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Function;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A connection on a loop driven by hand and a channel without a socket. */
class ConnectionTest {

    private static final int LOW = 1000;
    private static final int HIGH = 4000;
    private static final int OUTPUT_LIMIT = 8000;
    private static final ListenerOptions OPTIONS = new ListenerOptions(
            "127.0.0.1", 0, 1, 10, 10, Duration.ofSeconds(10), Duration.ofSeconds(2), LOW, HIGH, OUTPUT_LIMIT, null);

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    private final ManualLoop loop = ManualLoop.single();
    private final HandChannel channel = new HandChannel();
    private final Connections connections = new Connections(List.of(loop), OPTIONS);
    private final List<String> log = new ArrayList<>();
    private final List<String> frames = new ArrayList<>();
    private Wire wire;
    private boolean mayRead = true;

    @AfterEach
    void shouldHoldNoBufferWhenClosed() {
        loop.run(channel::close);
        drive();
        channel.releaseInbound();
        channel.releaseOutbound();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
        assertThat(allocator.metric().usedHeapMemory()).isZero();
        assertThat(connections.counters().open()).isZero();
        assertThat(connections.counters().unauthenticated()).isZero();
    }

    // ------------------------------------------------------------------------------------ finding the protocol

    @Test
    void shouldWaitForAllOfTheFirstBytes() {
        connect();
        receive("EC");
        assertThat(wire).isNull();
        receive("HO");
        assertThat(wire).isNotNull();
        receive(frame("hello"));
        assertThat(sent()).isEqualTo("[hello]");
    }

    @Test
    void shouldInviteAPeerThatSpeaksSomethingUnknown() {
        connect();
        receive("GET / HTTP/1.1\r\n");
        assertThat(sent()).isEqualTo("speak ECHO");
        assertThat(channel.isOutputShutdown()).isTrue();
        assertThat(connections.counters().unknownProtocol()).isOne();

        loop.run(channel::endInput);
        drive();
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void shouldCloseWhenTheFirstBytesTakeTooLong() {
        connect();
        loop.advance(Duration.ofSeconds(9).toNanos());
        receive("EC");
        loop.advance(Duration.ofSeconds(1).toNanos() - 1);
        assertThat(channel.isOpen()).isTrue();
        loop.advance(1);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void shouldLeaveTimeToTheSessionOnceTheProtocolIsKnown() {
        connect();
        receive("ECHO");
        assertThat(loop.pendingTimers()).isZero();
        loop.advance(Duration.ofMinutes(5).toNanos());
        assertThat(channel.isOpen()).isTrue();
    }

    // ------------------------------------------------------------------------------------ input

    @Test
    void shouldKeepAPartialFrameAndNothingElse() {
        connect();
        receive("ECHO");
        receive(frame("one") + frame("two").substring(0, 5));
        assertThat(sent()).isEqualTo("[one]");
        assertThat(allocator.metric().usedDirectMemory()).isLessThan(64);

        receive(frame("two").substring(5));
        assertThat(sent()).isEqualTo("[two]");
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    @Test
    void shouldKeepWhatAPausedSessionLeavesAndDeliverItLater() {
        connect();
        receive("ECHO");
        loop.run(wire::pauseReading);
        assertThat(channel.config().isAutoRead()).isFalse();
        receive(frame("one"));
        receive(frame("two"));
        assertThat(frames).isEmpty();

        loop.run(() -> {
            wire.resumeReading();
            assertThat(frames).as("not from within the session's call").isEmpty();
        });
        assertThat(channel.config().isAutoRead()).isFalse();
        loop.runAll();
        assertThat(frames).containsExactly("one", "two");
        assertThat(channel.config().isAutoRead()).isTrue();
    }

    @Test
    void shouldDeliverAgainWhenASessionPausesAndResumesWithinItsInput() {
        connect();
        receive("ECHO");
        onFrame = text -> {
            mayRead = false;
            wire.pauseReading();
            loop.execute(() -> mayRead = true);
            wire.resumeReading();
        };
        receiveWithoutDriving(frame("one") + frame("two"));
        assertThat(frames).containsExactly("one");
        drive();
        assertThat(frames).containsExactly("one", "two");
        assertThat(channel.config().isAutoRead()).isTrue();
    }

    @Property(tries = 300)
    void shouldLoseNothingAndKeepTheOrderHoweverInputIsCutAndPaused(
            @ForAll long seed, @ForAll @IntRange(min = 1, max = 9000) int largestFrame) {
        new ConnectionTest().cutAndPause(new Random(seed), largestFrame);
    }

    private void cutAndPause(Random random, int largestFrame) {
        connect();
        var input = new StringBuilder("ECHO");
        var expected = new ArrayList<String>();
        for (int i = 0; i < 30; i++) {
            String text = i + "x".repeat(random.nextInt(largestFrame));
            expected.add(text);
            input.append(frame(text));
        }
        onFrame = text -> {
            if (random.nextInt(4) == 0) {
                wire.pauseReading();
                mayRead = false;
            }
        };
        int at = 0;
        while (at < input.length()) {
            int length = Math.min(input.length() - at, 1 + random.nextInt(random.nextBoolean() ? 20 : 20_000));
            receive(input.substring(at, at + length));
            at += length;
            if (!mayRead && random.nextInt(3) == 0) {
                mayRead = true;
                loop.run(wire::resumeReading);
                if (random.nextBoolean()) {
                    drive();
                }
            }
        }
        do {
            mayRead = true;
            loop.run(wire::resumeReading);
            drive();
        } while (!mayRead);
        assertThat(frames).isEqualTo(expected);
        var echoed = new StringBuilder();
        expected.forEach(text -> echoed.append('[').append(text).append(']'));
        assertThat(sent()).isEqualTo(echoed.toString());
        shouldHoldNoBufferWhenClosed();
    }

    // ------------------------------------------------------------------------------------ output

    @Test
    void shouldFlushOnceATurn() {
        connect();
        receive("ECHO");
        loop.run(() -> {
            for (int i = 0; i < 10; i++) {
                wire.out().writeBytes("abc".getBytes(StandardCharsets.US_ASCII));
            }
            assertThat(channel.outboundMessages()).isEmpty();
        });
        assertThat(channel.outboundMessages()).hasSize(1);
        assertThat(sent()).isEqualTo("abc".repeat(10));
        assertThat(log).containsExactly("flushed");
    }

    @Test
    void shouldHandOverALargeOutputInPiecesInOrder() {
        connect();
        receive("ECHO");
        var expected = new StringBuilder();
        loop.run(() -> {
            for (int i = 0; i < 300; i++) {
                String text = i + "-".repeat(1000);
                expected.append(text);
                wire.out().writeBytes(text.getBytes(StandardCharsets.US_ASCII));
            }
        });
        assertThat(channel.outboundMessages()).hasSizeBetween(4, 6);
        assertThat(sent()).isEqualTo(expected.toString());
        assertThat(log).containsExactly("flushed");
    }

    @Test
    void shouldNotBeWritableBeyondTheHighWaterMarkEvenWithinATurn() {
        connect();
        receive("ECHO");
        loop.run(() -> {
            wire.out().writeZero(HIGH);
            assertThat(wire.isWritable()).isTrue();
            wire.out().writeZero(1);
            assertThat(wire.isWritable()).isFalse();
        });
        assertThat(loop.call(wire::isWritable)).isTrue();
        assertThat(log).containsExactly("flushed");
    }

    @Test
    void shouldTellWhenTheSocketIsFullAndWhenItTakesBytesAgain() {
        connect();
        receive("ECHO");
        channel.setFull(true);
        loop.run(() -> wire.out().writeZero(HIGH + 1));
        assertThat(log).containsExactly("not writable");
        assertThat(loop.call(wire::isWritable)).isFalse();

        log.clear();
        loop.run(() -> channel.setFull(false));
        assertThat(log).containsExactly("writable", "flushed");
        assertThat(loop.call(wire::isWritable)).isTrue();
    }

    @Test
    void shouldNotReadFromAPeerThatTakesNoAnswers() {
        connect();
        receive("ECHO");
        channel.setFull(true);
        receive(frame("x".repeat(OUTPUT_LIMIT)));
        assertThat(channel.config().isAutoRead()).isFalse();
        receive(frame("kept"));
        assertThat(frames).doesNotContain("kept");

        loop.run(() -> channel.setFull(false));
        drive();
        assertThat(channel.config().isAutoRead()).isTrue();
        assertThat(frames).contains("kept");
    }

    @Test
    void shouldWaitForBothWhenASessionPausesAndThePeerTakesNoAnswers() {
        connect();
        receive("ECHO");
        channel.setFull(true);
        receive(frame("x".repeat(OUTPUT_LIMIT)));
        loop.run(wire::pauseReading);
        receive(frame("kept"));

        loop.run(() -> channel.setFull(false));
        drive();
        assertThat(channel.config().isAutoRead()).isFalse();
        assertThat(frames).doesNotContain("kept");

        loop.run(wire::resumeReading);
        drive();
        assertThat(channel.config().isAutoRead()).isTrue();
        assertThat(frames).contains("kept");
    }

    @Test
    void shouldWriteInTheNextTurnWhatFlushedAsksFor() {
        connect();
        receive("ECHO");
        onFlushed = () -> {
            if (log.size() < 5) {
                wire.out().writeByte('.');
            }
        };
        loop.run(() -> wire.out().writeByte('.'));
        drive();
        assertThat(log).hasSize(5);
        assertThat(sent()).isEqualTo(".....");
        assertThat(loop.isReady()).isFalse();
    }

    @Test
    void shouldSendAPartOfMuchOutputInEachTurnHoweverFastThePeer() {
        connect();
        receive("ECHO");
        int[] left = {5 * Connection.TURN_BYTES / 1000};
        onFlushed = () -> {
            while (left[0] > 0 && wire.isWritable()) {
                wire.out().writeZero(1000);
                left[0]--;
            }
        };
        loop.run(() -> wire.out().writeByte('.'));
        int all = sentBytes();
        int turns = 1;
        while (loop.isReady()) {
            loop.runTurn();
            int sent = sentBytes();
            assertThat(sent).isLessThan(Connection.TURN_BYTES + 128 * 1024);
            all += sent;
            turns++;
        }
        assertThat(all).isEqualTo(1 + 5 * Connection.TURN_BYTES / 1000 * 1000);
        assertThat(turns).isGreaterThanOrEqualTo(5);
        assertThat(left[0]).isZero();
    }

    @Test
    void shouldSendAPartOfLateOutputInEachTurnAndCloseBehindIt() {
        connect();
        receive("ECHO");
        loop.run(() -> {
            wire.write(new LateBytes() {
                @Override
                public long length() {
                    return 5L * Connection.TURN_BYTES;
                }

                @Override
                public void copy(long position, ByteBuffer target) {
                    target.put(new byte[target.remaining()]);
                }
            });
            wire.out().writeByte('.');
            wire.close();
        });
        int all = sentBytes();
        while (loop.isReady()) {
            assertThat(channel.isOutputShutdown()).isFalse();
            loop.runTurn();
            int sent = sentBytes();
            assertThat(sent).isLessThan(Connection.TURN_BYTES + 128 * 1024);
            all += sent;
        }
        assertThat(all).isEqualTo(5 * Connection.TURN_BYTES + 1);
        assertThat(channel.isOutputShutdown()).isTrue();
    }

    @Test
    void shouldEndWhenLateOutputFailsInALaterTurn() {
        connect();
        receive("ECHO");
        loop.loops().expectFailures(1);
        loop.run(() -> wire.write(new LateBytes() {
            @Override
            public long length() {
                return 5L * Connection.TURN_BYTES;
            }

            @Override
            public void copy(long position, ByteBuffer target) {
                if (position > Connection.TURN_BYTES) {
                    throw new IllegalStateException("on purpose");
                }
                target.put(new byte[target.remaining()]);
            }
        }));
        while (loop.isReady()) {
            sentBytes();
            loop.runTurn();
        }
        assertThat(channel.isOpen()).isFalse();
    }

    private int sentBytes() {
        return sent().length();
    }

    // ------------------------------------------------------------------------------------ the end

    @Test
    void shouldSendWhatWasWrittenBeforeItCloses() {
        connect();
        receive("ECHO");
        loop.run(() -> {
            wire.out().writeBytes("bye".getBytes(StandardCharsets.US_ASCII));
            wire.close();
        });
        assertThat(sent()).isEqualTo("bye");
        assertThat(channel.isOutputShutdown()).isTrue();
        assertThat(channel.isOpen()).as("the peer has yet to read it").isTrue();

        receive("ignored");
        loop.run(channel::endInput);
        drive();
        assertThat(channel.isOpen()).isFalse();
        assertThat(log).containsExactly("closed");
    }

    @Test
    void shouldWaitForThePeersEndEvenIfReadingWasPaused() {
        connect();
        receive("ECHO");
        loop.run(() -> {
            wire.pauseReading();
            assertThat(wire.isReading()).isFalse();
        });
        receive(frame("never"));
        loop.run(wire::close);
        assertThat(channel.config().isAutoRead()).isTrue();
        assertThat(frames).isEmpty();

        loop.run(channel::endInput);
        drive();
        assertThat(channel.isOpen()).isFalse();
        assertThat(log).containsExactly("closed");
    }

    @Test
    void shouldCloseAtTheLimitWhenThePeerTakesNothing() {
        connect();
        receive("ECHO");
        channel.setFull(true);
        loop.run(() -> {
            wire.out().writeBytes("bye".getBytes(StandardCharsets.US_ASCII));
            wire.close();
        });
        loop.advance(Duration.ofSeconds(2).toNanos() - 1);
        assertThat(channel.isOpen()).isTrue();
        loop.advance(1);
        drive();
        assertThat(channel.isOpen()).isFalse();
        assertThat(log).containsExactly("closed");
    }

    @Test
    void shouldCloseAtTheLimitWhenThePeerDoesNotCloseItsSide() {
        connect();
        receive("ECHO");
        loop.run(wire::close);
        loop.advance(Duration.ofSeconds(2).toNanos());
        drive();
        assertThat(channel.isOpen()).isFalse();
        assertThat(log).containsExactly("closed");
        assertThat(loop.pendingTimers()).isZero();
    }

    @Test
    void shouldCloseAtOnceWhenAborted() {
        connect();
        receive("ECHO");
        loop.run(() -> {
            wire.out().writeByte('x');
            wire.abort();
        });
        drive();
        assertThat(channel.isOpen()).isFalse();
        assertThat(sent()).isEmpty();
        assertThat(log).containsExactly("closed");
    }

    @Test
    void shouldTakeOutputOfASessionThatDoesNotKnowYetThatItIsClosed() {
        connect();
        receive("ECHO");
        loop.run(() -> {
            wire.abort();
            wire.out().writeZero(100_000);
            wire.out().writeZero(100_000);
        });
        drive();
        assertThat(log).containsExactly("closed");
        loop.run(() -> wire.out().writeByte(1));
        assertThat(sent()).isEmpty();
    }

    @Test
    void shouldDeliverWhatAPeerSentBeforeItEndedItsSide() {
        connect();
        receive("ECHO");
        receiveWithoutDriving(frame("last words"));
        loop.run(channel::endInput);
        drive();
        assertThat(sent()).isEqualTo("[last words]");
        assertThat(channel.isOpen()).isFalse();
        assertThat(frames).containsExactly("last words");
        assertThat(log).endsWith("closed").containsOnlyOnce("closed");
    }

    @Test
    void shouldDeliverToAPausedSessionWhatAPeerSentBeforeItEndedItsSide() {
        connect();
        receive("ECHO");
        loop.run(wire::pauseReading);
        receive(frame("last words"));
        loop.run(channel::endInput);
        drive();
        assertThat(channel.isOpen()).isTrue();

        loop.run(wire::resumeReading);
        drive();
        assertThat(frames).containsExactly("last words");
        assertThat(log).endsWith("closed").containsOnlyOnce("closed");
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void shouldCloseOnceWhenThePeerResetsTheConnection() {
        connect();
        receive("ECHO");
        loop.run(() -> {
            channel.pipeline().fireExceptionCaught(new IOException("Connection reset by peer"));
            channel.pipeline().fireExceptionCaught(new IOException("Broken pipe"));
        });
        drive();
        assertThat(channel.isOpen()).isFalse();
        assertThat(log).containsExactly("closed");
        assertThat(loop.loops().failures().count()).isZero();
    }

    @Test
    void shouldCloseAndCountADefectWhenASessionThrows() {
        connect();
        receive("ECHO");
        onFrame = text -> {
            throw new IllegalStateException("meant by the test");
        };
        loop.loops().expectFailures(1);
        try (var quiet = new LogCapture()) {
            receive(frame("one") + frame("two"));
            assertThat(quiet.withTrace()).hasSize(1);
        }
        assertThat(frames).containsExactly("one");
        assertThat(log).containsExactly("closed");
        assertThat(channel.isOpen()).isFalse();
        assertThat(loop.loops().failures().count()).isOne();
    }

    @Test
    void shouldCallASessionNoMoreOnceItHasThrown() {
        connect();
        receive("ECHO");
        onWritability = () -> {
            throw new IllegalStateException("meant by the test");
        };
        loop.loops().expectFailures(1);
        channel.setFull(true);
        try (var quiet = new LogCapture()) {
            loop.run(() -> wire.out().writeZero(HIGH + 1));
            drive();
            assertThat(quiet.withTrace()).hasSize(1);
        }
        assertThat(log).containsExactly("not writable", "closed");
    }

    @Test
    void shouldCountUntilThePeerIsAuthenticated() {
        connect();
        receive("ECHO");
        assertThat(connections.counters().unauthenticated()).isOne();
        loop.run(wire::authenticated);
        loop.run(wire::authenticated);
        assertThat(connections.counters().unauthenticated()).isZero();
        assertThat(connections.counters().open()).isOne();
    }

    @Test
    void shouldAskSessionsToEndAndCutThemAtTheLimit() {
        connect();
        receive("ECHO");
        var gone = connections.stop("going down", Duration.ofSeconds(5));
        drive();
        assertThat(log).containsExactly("shutdown: going down");
        assertThat(gone).isNotDone();

        loop.advance(Duration.ofSeconds(5).toNanos());
        drive();
        assertThat(log).containsExactly("shutdown: going down", "closed");
        assertThat(gone).isDone();
    }

    @Test
    void shouldCutAPeerThatHasNotSaidWhatItSpeaksWhenTheBrokerStops() {
        connect();
        var gone = connections.stop("going down", Duration.ofSeconds(5));
        drive();
        assertThat(channel.isOpen()).isFalse();
        assertThat(gone).isDone();
    }

    // ------------------------------------------------------------------------------------ the test's own

    private Consumer<String> onFrame = text -> {};
    private Runnable onFlushed = () -> {};
    private Runnable onWritability = () -> {};

    private void connect() {
        Function<Wire, ProtocolSession> sessions = opened -> {
            wire = opened;
            return new LoggingSession();
        };
        assertThat(connections.admit(null, null)).isTrue();
        channel.config().setAllocator(allocator);
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(LOW, HIGH));
        loop.run(() -> {
            channel.pipeline()
                    .addLast(new Connection(
                            loop,
                            new Rests(0, 0),
                            channel,
                            null,
                            List.of(new FrameProtocol("ECHO", sessions)),
                            OPTIONS,
                            connections,
                            loop.loops().failures()));
            channel.pipeline().fireChannelActive();
        });
    }

    private void receive(String text) {
        receiveWithoutDriving(text);
        drive();
    }

    /** What arrives comes as the transport's own receive buffers bring it: with room in front. */
    private void receiveWithoutDriving(String text) {
        ByteBuf in = allocator.directBuffer(ReceiveBuffers.HEADROOM + text.length());
        in.setIndex(ReceiveBuffers.HEADROOM, ReceiveBuffers.HEADROOM);
        in.writeCharSequence(text, StandardCharsets.ISO_8859_1);
        loop.run(() -> {
            channel.pipeline().fireChannelRead(in);
            channel.pipeline().fireChannelReadComplete();
        });
    }

    private void drive() {
        loop.runAll();
        loop.run(channel::runPendingTasks);
        loop.runAll();
    }

    /** A frame as the test's protocol has it. */
    private static String frame(String text) {
        int length = text.length();
        return "" + (char) (length >> 24 & 0xff) + (char) (length >> 16 & 0xff) + (char) (length >> 8 & 0xff)
                + (char) (length & 0xff) + text;
    }

    /** What has been sent so far and not yet been asked for. */
    private String sent() {
        var all = new StringBuilder();
        for (ByteBuf message = channel.readOutbound(); message != null; message = channel.readOutbound()) {
            all.append(message.toString(StandardCharsets.ISO_8859_1));
            message.release();
        }
        return all.toString();
    }

    private final class LoggingSession extends FrameProtocol.FrameSession {

        LoggingSession() {
            super(ConnectionTest.this.wire);
        }

        @Override
        protected boolean mayRead() {
            return mayRead;
        }

        @Override
        protected void frame(ByteBuf frame) {
            String text = frame.toString(4, frame.readableBytes() - 4, StandardCharsets.ISO_8859_1);
            frame.release();
            frames.add(text);
            wire.out().writeBytes(Unpooled.copiedBuffer("[" + text + "]", StandardCharsets.ISO_8859_1));
            onFrame.accept(text);
        }

        @Override
        public void writabilityChanged() {
            log.add(wire.isWritable() ? "writable" : "not writable");
            onWritability.run();
        }

        @Override
        public void flushed() {
            log.add("flushed");
            onFlushed.run();
        }

        @Override
        public void closed() {
            log.add("closed");
        }

        @Override
        public void shutdown(String reason) {
            log.add("shutdown: " + reason);
        }
    }
}
