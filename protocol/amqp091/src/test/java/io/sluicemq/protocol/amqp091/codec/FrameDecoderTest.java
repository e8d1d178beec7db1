package io.sluicemq.protocol.amqp091.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Framing and what the decoder judges of single frames. 0-9-1 §4.2.3, §4.2.6, §4.2.7. */
class FrameDecoderTest {

    private final FrameDecoder decoder = new FrameDecoder(new ShortStringCache());
    private final Recorder recorder = new Recorder();

    // ---- cumulation --------------------------------------------------------------------------------------------

    @Test
    void shouldDecodeTheSameWhateverTheSplit() {
        byte[] stream = session();
        List<Object> whole = decodeInPieces(stream, stream.length);
        assertThat(whole).hasSize(13);
        for (int piece = 1; piece < 40; piece++) {
            assertThat(decodeInPieces(stream, piece)).isEqualTo(whole);
        }
    }

    private static List<Object> decodeInPieces(byte[] stream, int piece) {
        FrameDecoder decoder = new FrameDecoder(new ShortStringCache());
        Recorder recorder = new Recorder();
        ByteBuf in = Unpooled.directBuffer();
        for (int at = 0; at < stream.length; at += piece) {
            in.writeBytes(stream, at, Math.min(piece, stream.length - at));
            int missing = decoder.decode(in, recorder);
            assertThat(missing).isPositive();
            in.discardReadBytes();
        }
        assertThat(in.readableBytes()).isZero();
        in.release();
        return recorder.calls;
    }

    /** At every cut: the bytes announced as missing are needed, and nothing is consumed without them. */
    @Test
    void shouldSayHowManyBytesAreMissing() {
        byte[] frame = RawFrames.publish(1, "ex", "key", false, false);
        for (int length = 0; length < frame.length; length++) {
            ByteBuf in = Unpooled.wrappedBuffer(Arrays.copyOf(frame, length));
            int missing = decoder.decode(in, recorder);
            assertThat(missing).isEqualTo(length < 7 ? 8 - length : frame.length - length);
            assertThat(in.readableBytes()).isEqualTo(length);
        }
        assertThat(recorder.calls).isEmpty();
    }

    @Test
    void shouldPause() {
        FrameHandler pausing = pausingAfterEachMethod();
        ByteBuf in = Unpooled.wrappedBuffer(RawFrames.join(
                RawFrames.txSelect(1), RawFrames.txCommit(1), RawFrames.txRollback(1)));
        for (int call = 1; call <= 3; call++) {
            assertThat(decoder.decode(in, pausing)).isZero();
            assertThat(recorder.calls).hasSize(call);
        }
        assertThat(decoder.decode(in, pausing)).isEqualTo(8);
        assertThat(recorder.calls).hasSize(3);
    }

    private FrameHandler pausingAfterEachMethod() {
        return new IgnoringHandler() {
            @Override
            public void onChannelMethod(int channel, ChannelMethod method) {
                recorder.onChannelMethod(channel, method);
                decoder.pause();
            }
        };
    }

    @Test
    void shouldConsumeAFrameBeforeItsCallback() {
        IllegalStateException failure = new IllegalStateException("from a callback");
        ByteBuf in = Unpooled.wrappedBuffer(RawFrames.join(RawFrames.txSelect(1), RawFrames.txCommit(1)));
        FrameHandler failing = new IgnoringHandler() {
            @Override
            public void onChannelMethod(int channel, ChannelMethod method) {
                recorder.onChannelMethod(channel, method);
                if (recorder.calls.size() == 1) {
                    throw failure;
                }
            }
        };
        assertThatThrownBy(() -> decoder.decode(in, failing)).isSameAs(failure);
        decoder.decode(in, failing);
        assertThat(recorder.calls).hasSize(2);
    }

    // ---- frames that are refused -------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(ints = {0, 4, 5, 6, 7, 9, 'A', 'G', 255})
    void shouldRefuseUnknownFrameTypes(int type) {
        assertLost(RawFrames.frame(type, 0, new byte[0]));
    }

    @Test
    void shouldRefuseAFrameThatDoesNotEnd() {
        byte[] frame = RawFrames.txSelect(1);
        frame[frame.length - 1] = (byte) 0xCD;
        assertLost(frame);
    }

    @ParameterizedTest
    @ValueSource(longs = {4097, 65_536, 0x7FFF_FFFFL, 0x8000_0000L, 0xFFFF_FFFFL})
    void shouldRefuseTooLargeAFrameByItsFirstSevenBytes(long size) {
        byte[] frame = RawFrames.frame(3, 1, size, new byte[0], 0);
        assertLost(Arrays.copyOf(frame, 7));
    }

    @Test
    void shouldTakeLargerFramesOnceAgreedOn() {
        decoder.frameMax(131_072);
        assertThat(decode(RawFrames.body(1, new byte[131_072]))).hasSize(1);
        assertLost(RawFrames.body(1, new byte[131_073]));
    }

    @Test
    void shouldTakeTheSmallestFrameMaxBeforeTuning() {
        assertThat(decode(RawFrames.body(1, new byte[4096]))).hasSize(1);
        assertThatThrownBy(() -> decoder.frameMax(4095)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldDiscardEverythingOnceTheStreamIsLost() {
        assertLost(RawFrames.frame(7, 0, new byte[0]));
        ByteBuf in = Unpooled.wrappedBuffer(RawFrames.connectionCloseOk());
        decoder.decode(in, recorder);
        assertThat(in.readableBytes()).isZero();
        assertThat(recorder.calls).isEmpty();
    }

    @Test
    void shouldGoOnAfterAFaultWithinAFrame() {
        ByteBuf in = Unpooled.wrappedBuffer(RawFrames.join(
                RawFrames.method(1, 60, 40, out -> out.shortInt(0)), RawFrames.connectionCloseOk()));
        assertFault(in, ReplyCode.SYNTAX_ERROR, 60, 40);
        decoder.decode(in, recorder);
        assertThat(recorder.calls).containsExactly(new ConnectionMethod.CloseOk());
    }

    @ParameterizedTest
    @CsvSource({
        "60, 41, NOT_IMPLEMENTED", "61, 10, NOT_IMPLEMENTED", "0, 0, NOT_IMPLEMENTED", "65535, 65535, NOT_IMPLEMENTED",
        "60, 60, COMMAND_INVALID", "60, 50, COMMAND_INVALID", "20, 11, COMMAND_INVALID", "85, 11, COMMAND_INVALID",
    })
    void shouldRefuseMethodsThatAreNotForABroker(int classId, int methodId, ReplyCode code) {
        assertFault(RawFrames.method(1, classId, methodId, out -> out.bytes(new byte[20])), code, classId, methodId);
    }

    @Test
    void shouldRefuseConnectionMethodsThatAreNotForABroker() {
        assertFault(RawFrames.method(0, 10, 10, out -> {}), ReplyCode.COMMAND_INVALID, 10, 10);
        assertFault(RawFrames.method(0, 10, 60, out -> {}), ReplyCode.COMMAND_INVALID, 10, 60);
        assertFault(RawFrames.method(0, 10, 99, out -> {}), ReplyCode.NOT_IMPLEMENTED, 10, 99);
    }

    @Test
    void shouldRefuseMethodsOnTheWrongChannel() {
        assertFault(RawFrames.method(1, 10, 51, out -> {}), ReplyCode.COMMAND_INVALID, 10, 51);
        assertFault(RawFrames.txSelect(0), ReplyCode.COMMAND_INVALID, 90, 10);
        assertFault(RawFrames.publish(0, "", "q", false, false), ReplyCode.COMMAND_INVALID, 60, 40);
        assertFault(RawFrames.ack(0, 1, false), ReplyCode.COMMAND_INVALID, 60, 80);
    }

    @Test
    void shouldRefuseMethodFramesWithoutAMethod() {
        for (int length = 0; length < 4; length++) {
            assertFault(RawFrames.frame(1, 0, new byte[length]), ReplyCode.SYNTAX_ERROR, 0, 0);
        }
    }

    @Test
    void shouldRefuseContentOnChannelZero() {
        assertFault(RawFrames.body(0, new byte[1]), ReplyCode.CHANNEL_ERROR, 0, 0);
        assertFault(RawFrames.header(0, 1, RawFrames.persistent()), ReplyCode.CHANNEL_ERROR, 0, 0);
    }

    @Test
    void shouldRefuseHeartbeatsThatAreNone() {
        assertFault(RawFrames.frame(8, 1, new byte[0]), ReplyCode.UNEXPECTED_FRAME, 0, 0);
        assertFault(RawFrames.frame(8, 0, new byte[1]), ReplyCode.UNEXPECTED_FRAME, 0, 0);
    }

    @Test
    void shouldRefuseContentHeadersThatCannotBe() {
        byte[] properties = RawFrames.persistent();
        assertFault(RawFrames.header(1, 20, 0, 1, properties), ReplyCode.UNEXPECTED_FRAME, 60, 40);
        assertFault(RawFrames.header(1, 60, 1, 1, properties), ReplyCode.UNEXPECTED_FRAME, 60, 40);
        assertFault(RawFrames.header(1, -1, properties), ReplyCode.SYNTAX_ERROR, 60, 40);
        assertFault(RawFrames.header(1, Long.MIN_VALUE, properties), ReplyCode.SYNTAX_ERROR, 60, 40);
        assertFault(RawFrames.header(1, 1, new byte[] {0x10, 0}), ReplyCode.SYNTAX_ERROR, 60, 40);
        for (int length = 0; length < 12; length++) {
            assertFault(RawFrames.frame(2, 1, new byte[length]), ReplyCode.SYNTAX_ERROR, 60, 40);
        }
        assertThat(decode(RawFrames.header(1, Long.MAX_VALUE, properties)))
                .containsExactly(new Recorder.Header(1, Long.MAX_VALUE, BasicProperties.of(properties)));
    }

    @Test
    void shouldRefuseNamesThatAreNotUtf8() {
        byte[] bad = {'a', (byte) 0xC0};
        assertFault(RawFrames.method(1, 60, 40, out -> out.shortInt(0).shortString(bad).shortString("k").bits()),
                ReplyCode.SYNTAX_ERROR, 60, 40);
        assertFault(RawFrames.method(1, 60, 40, out -> out.shortInt(0).shortString("e").shortString(bad).bits()),
                ReplyCode.SYNTAX_ERROR, 60, 40);
        assertFault(RawFrames.method(1, 50, 10, out -> out.shortInt(0).shortString(bad).bits().table()),
                ReplyCode.SYNTAX_ERROR, 50, 10);
    }

    /** All client methods with their payload cut or lengthened, the frame's size being right. */
    @ParameterizedTest
    @MethodSource("io.sluicemq.protocol.amqp091.codec.HostileFramesFuzz#corpus")
    void shouldFaultOnEveryTruncatedPayload(byte[] frame) {
        RawFrame whole = RawFrame.all(frame).get(0);
        int classId = whole.method() >>> 16;
        int methodId = whole.method() & 0xFFFF;
        if (whole.type() != 1) {
            return;
        }
        for (int length = 4; length < whole.payload().length; length++) {
            byte[] cut = RawFrames.frame(1, whole.channel(), Arrays.copyOf(whole.payload(), length));
            assertFault(cut, ReplyCode.SYNTAX_ERROR, classId, methodId);
        }
        byte[] longer = Arrays.copyOf(whole.payload(), whole.payload().length + 1);
        assertFault(RawFrames.frame(1, whole.channel(), longer), ReplyCode.SYNTAX_ERROR, classId, methodId);
    }

    @Test
    void shouldFaultOnEveryTruncatedPublishInADirectBuffer() {
        RawFrame whole = RawFrame.all(RawFrames.publish(1, "ex", "key", false, false)).get(0);
        for (int length = 4; length < 600; length++) {
            if (length == whole.payload().length) {
                continue;
            }
            ByteBuf in = Unpooled.directBuffer()
                    .writeBytes(RawFrames.frame(1, 1, Arrays.copyOf(whole.payload(), length)));
            assertFault(in, ReplyCode.SYNTAX_ERROR, 60, 40);
            in.release();
        }
    }

    @Test
    void shouldNotWalkStacksForGarbage() {
        var fault = catchThrowableOfType(ProtocolFaultException.class,
                () -> decode(RawFrames.frame(9, 0, new byte[0])));
        assertThat(fault.getStackTrace()).isEmpty();
        assertThat(fault.fault().hard()).isTrue();
    }

    @Test
    void shouldSayInTheTextWhatWasWrong() {
        var fault = catchThrowableOfType(ProtocolFaultException.class,
                () -> decode(RawFrames.method(1, 50, 10, out -> out.shortInt(0).octet(9))));
        assertThat(fault.fault().text()).isEqualTo("queue.declare: a short string runs past the end");
    }

    // ---- cost --------------------------------------------------------------------------------------------------

    @Test
    void shouldReuseWhatRepeats() {
        List<BasicProperties> headers = new ArrayList<>();
        List<ShortString> keys = new ArrayList<>();
        FrameHandler keeping = new IgnoringHandler() {
            @Override
            public void onPublish(int channel, ShortString exchange, ShortString key, boolean mandatory, boolean now) {
                keys.add(key);
            }

            @Override
            public void onContentHeader(int channel, long bodySize, BasicProperties properties) {
                headers.add(properties);
            }
        };
        for (int i = 0; i < 2; i++) {
            decoder.decode(Unpooled.wrappedBuffer(RawFrames.message(1, "ex", "key", new byte[0], 1)), keeping);
        }
        assertThat(headers.get(1)).isSameAs(headers.get(0));
        assertThat(keys.get(1)).isSameAs(keys.get(0));
    }

    /** The hot path: publish, header and body of a message like the one before, and settlements. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNotAllocateForMessagesThatRepeat(boolean direct) {
        ByteBuf in = direct ? Unpooled.directBuffer() : Unpooled.buffer();
        for (int i = 0; i < 10; i++) {
            in.writeBytes(RawFrames.message(1, "exchange", "a.routing.key", new byte[100], 100));
            in.writeBytes(RawFrames.ack(1, i, true));
            in.writeBytes(RawFrames.nack(1, i, true, true));
            in.writeBytes(RawFrames.reject(1, i, true));
            in.writeBytes(RawFrames.heartbeat());
        }
        FrameHandler none = new IgnoringHandler();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 20; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            in.readerIndex(0);
            decoder.decode(in, none);
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        // The measuring itself may cost a few bytes; 70 frames of one object each would cost more than a kilobyte.
        assertThat(least).isLessThan(200);
        in.release();
    }

    // ---- support -----------------------------------------------------------------------------------------------

    private static byte[] session() {
        return RawFrames.join(
                RawFrames.tuneOk(0, 0, 0), RawFrames.connectionOpen("/"),
                RawFrames.channelOpen(1),
                RawFrames.queueDeclare(1, "q", t -> t.field("x-max-length", 7), true),
                RawFrames.message(1, "", "q", new byte[300], 200),
                RawFrames.publish(1, "\u20ac", "k", true, true),
                RawFrames.header(1, 0, new byte[2]),
                RawFrames.heartbeat(), RawFrames.ack(1, 1, true), RawFrames.connectionCloseOk());
    }

    private List<Object> decode(byte[] bytes) {
        decoder.decode(Unpooled.wrappedBuffer(bytes), recorder);
        return recorder.calls;
    }

    private void assertLost(byte[] bytes) {
        var e = catchThrowableOfType(ProtocolFaultException.class,
                () -> decoder.decode(Unpooled.wrappedBuffer(bytes), recorder));
        assertThat(e).isNotNull();
        assertThat(e.fault().code()).isEqualTo(ReplyCode.FRAME_ERROR);
        assertThat(e.fault().streamLost()).isTrue();
    }

    private void assertFault(byte[] frame, ReplyCode code, int classId, int methodId) {
        assertFault(Unpooled.wrappedBuffer(frame), code, classId, methodId);
    }

    private void assertFault(ByteBuf in, ReplyCode code, int classId, int methodId) {
        var e = catchThrowableOfType(ProtocolFaultException.class, () -> decoder.decode(in, recorder));
        assertThat(e).isNotNull();
        assertThat(e.fault()).usingRecursiveComparison().ignoringFields("text")
                .isEqualTo(new ProtocolFault(code, "", classId, methodId, false));
        assertThat(recorder.calls).isEmpty();
    }
}
