package io.sluicemq.protocol.amqp091.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every method a broker sends, as bytes. But for exchange.bound-ok, the bytes are those of RabbitMQ's Java client
 * 5.37.1, which has both directions.
 */
class FrameEncoderTest {

    private static final ShortString TAG = ShortString.of("tag");
    private static final ShortString EXCHANGE = ShortString.of("ex");
    private static final ShortString KEY = ShortString.of("r.k");

    private static Arguments bytes(String hex, Consumer<ByteBuf> encode) {
        return arguments(hex, encode);
    }

    static Stream<Arguments> frames() {
        return Stream.of(
                bytes("0100000000002d000a000a000900000008016b5300000001760000000e504c41494e2045585445524e414c"
                        + "00000005656e5f5553ce",
                        out -> FrameEncoder.connectionStart(out, Map.of("k", "v"), "PLAIN EXTERNAL", "en_US")),
                bytes("0100000000000b000a001400000003616263ce",
                        out -> FrameEncoder.connectionSecure(out, new byte[] {'a', 'b', 'c'})),
                bytes("0100000000000c000a001e07ff00020000003cce",
                        out -> FrameEncoder.connectionTune(out, 2047, 131072, 60)),
                bytes("01000000000005000a002900ce", FrameEncoder::connectionOpenOk),
                bytes("0100000000000e000a003201f503626164003c0028ce",
                        out -> FrameEncoder.connectionClose(out, 501, "bad", MethodId.BASIC_PUBLISH)),
                bytes("0100000000000e000a003201f503626164003c0028ce",
                        out -> FrameEncoder.connectionClose(out,
                                ProtocolFault.at(MethodId.BASIC_PUBLISH, ReplyCode.FRAME_ERROR, "bad"))),
                bytes("01000000000004000a0033ce", FrameEncoder::connectionCloseOk),
                bytes("01000000000010000a003c0b6c6f77206f6e206469736bce",
                        out -> FrameEncoder.connectionBlocked(out, "low on disk")),
                bytes("01000000000004000a003dce", FrameEncoder::connectionUnblocked),
                bytes("01000000000004000a0047ce", FrameEncoder::connectionUpdateSecretOk),
                bytes("010001000000080014000b00000000ce", out -> FrameEncoder.channelOpenOk(out, 1)),
                bytes("010001000000050014001400ce", out -> FrameEncoder.channelFlow(out, 1, false)),
                bytes("010001000000050014001501ce", out -> FrameEncoder.channelFlowOk(out, 1, true)),
                bytes("0100010000000d001400280194026e6f003c0014ce",
                        out -> FrameEncoder.channelClose(out, 1, 404, "no", MethodId.BASIC_CONSUME)),
                bytes("0100010000000400140029ce", out -> FrameEncoder.channelCloseOk(out, 1)),
                bytes("01000100000006001e000b0001ce", out -> FrameEncoder.accessRequestOk(out, 1, 1)),
                bytes("010001000000040028000bce", out -> FrameEncoder.exchangeDeclareOk(out, 1)),
                bytes("0100010000000400280015ce", out -> FrameEncoder.exchangeDeleteOk(out, 1)),
                bytes("0100010000000900280017" + "0000" + "026f6b" + "ce",
                        out -> FrameEncoder.exchangeBoundOk(out, 1, 0, "ok")),
                bytes("010001000000040028001fce", out -> FrameEncoder.exchangeBindOk(out, 1)),
                bytes("0100010000000400280033ce", out -> FrameEncoder.exchangeUnbindOk(out, 1)),
                bytes("0100010000000e0032000b01710000000700000002ce",
                        out -> FrameEncoder.queueDeclareOk(out, 1, "q", 7, 2)),
                bytes("0100010000000e0032000b0171ffffffffffffffffce",
                        out -> FrameEncoder.queueDeclareOk(out, 1, "q", 1L << 40, 0xFFFF_FFFFL)),
                bytes("0100010000000400320015ce", out -> FrameEncoder.queueBindOk(out, 1)),
                bytes("0100010000000400320033ce", out -> FrameEncoder.queueUnbindOk(out, 1)),
                bytes("010001000000080032001f00000007ce", out -> FrameEncoder.queuePurgeOk(out, 1, 7)),
                bytes("010001000000080032002900000007ce", out -> FrameEncoder.queueDeleteOk(out, 1, 7)),
                bytes("01000100000004003c000bce", out -> FrameEncoder.basicQosOk(out, 1)),
                bytes("01000100000008003c001503746167ce", out -> FrameEncoder.basicConsumeOk(out, 1, "tag")),
                bytes("01000100000009003c001e0374616701ce", out -> FrameEncoder.basicCancel(out, 1, "tag")),
                bytes("01000100000008003c001f03746167ce", out -> FrameEncoder.basicCancelOk(out, 1, "tag")),
                bytes("01000100000004003c006fce", out -> FrameEncoder.basicRecoverOk(out, 1)),
                bytes("01000100000005003c004800ce", out -> FrameEncoder.basicGetEmpty(out, 1)),
                bytes("010001000000040055000bce", out -> FrameEncoder.confirmSelectOk(out, 1)),
                bytes("01000100000004005a000bce", out -> FrameEncoder.txSelectOk(out, 1)),
                bytes("01000100000004005a0015ce", out -> FrameEncoder.txCommitOk(out, 1)),
                bytes("01000100000004005a001fce", out -> FrameEncoder.txRollbackOk(out, 1)),
                bytes("0100010000000d003c0050010203040506070801ce",
                        out -> FrameEncoder.basicAck(out, 1, 0x0102030405060708L, true)),
                bytes("0100010000000d003c0078000000000000000901ce",
                        out -> FrameEncoder.basicNack(out, 1, 9, true)),
                bytes("01000100000018003c003c0374616700000000000000030102657803722e6bce",
                        out -> FrameEncoder.basicDeliver(out, 1, TAG, 3, true, EXCHANGE, KEY)),
                bytes("01000100000018003c004700000000000000030002657803722e6b00000008ce",
                        out -> FrameEncoder.basicGetOk(out, 1, 3, false, EXCHANGE, KEY, 8)),
                bytes("01000100000016003c00320138084e4f5f524f55544502657803722e6bce",
                        out -> FrameEncoder.basicReturn(out, 1, 312, "NO_ROUTE", EXCHANGE, KEY)),
                bytes("0200010000000f003c0000000000000000000a100002ce",
                        out -> FrameEncoder.contentHeader(out, 1, 10, BasicProperties.of(RawFrames.persistent()))),
                bytes("08000000000000ce", FrameEncoder::heartbeat));
    }

    @ParameterizedTest
    @MethodSource("frames")
    void shouldWriteTheBytesThatClientsExpect(String hex, Consumer<ByteBuf> encode) {
        ByteBuf out = Unpooled.buffer(1);
        encode.accept(out);
        assertThat(ByteBufUtil.hexDump(out)).isEqualTo(hex);
    }

    @Test
    void shouldCutReplyTextsAtACharacter() {
        ByteBuf out = Unpooled.buffer();
        FrameEncoder.channelClose(out, 1, 404, "x" + "\u20ac".repeat(100), 0);
        var arguments = frames(out).get(0).arguments();
        arguments.getShort();
        assertThat(RawFrame.shortString(arguments)).isEqualTo("x" + "\u20ac".repeat(84));
        assertThat(arguments.getInt()).isZero();
        assertThat(arguments.hasRemaining()).isFalse();
    }

    @Test
    void shouldRefuseNamesThatDoNotFit() {
        assertThatThrownBy(() -> FrameEncoder.basicConsumeOk(Unpooled.buffer(), 1, "\u20ac".repeat(86)))
                .isInstanceOf(IllegalArgumentException.class);
        ByteBuf out = Unpooled.buffer();
        FrameEncoder.basicConsumeOk(out, 1, "\u20ac".repeat(85));
        assertThat(frames(out)).hasSize(1);
    }

    /** 0-9-1 §4.2.6.2: a body is split by frame-max, which counts the frame's own eight bytes. */
    @Property(tries = 300)
    void shouldSplitBodiesByFrameMax(
            @ForAll @IntRange(max = 40_000) int length, @ForAll @IntRange(min = 4096, max = 9000) int frameMax,
            @ForAll long seed) {
        byte[] body = new byte[length + 20];
        new Random(seed).nextBytes(body);
        BasicProperties properties = BasicProperties.of(RawFrames.persistent());

        ByteBuf fromArray = Unpooled.buffer(1);
        FrameEncoder.delivery(fromArray, 7, frameMax, TAG, 5, false, EXCHANGE, KEY, properties, body, 11, length);
        ByteBuf source = Unpooled.directBuffer().writeBytes(body);
        source.readerIndex(3);
        ByteBuf fromBuffer = Unpooled.directBuffer(1);
        FrameEncoder.delivery(fromBuffer, 7, frameMax, TAG, 5, false, EXCHANGE, KEY, properties, source, 11, length);

        assertThat(ByteBufUtil.equals(fromArray, fromBuffer)).isTrue();
        assertThat(source.readerIndex()).isEqualTo(3);
        assertThat(fromArray.readableBytes())
                .isEqualTo(FrameEncoder.deliveryLength(frameMax, TAG, EXCHANGE, KEY, properties, length));
        List<RawFrame> frames = frames(fromArray);
        assertThat(frames).allMatch(frame -> frame.channel() == 7 && frame.payload().length + 8 <= frameMax);
        assertThat(frames.get(0).isMethod(60, 60)).isTrue();
        assertThat(frames.get(1).type()).isEqualTo(2);
        assertThat(frames).hasSize(2 + (length + frameMax - 9) / (frameMax - 8));
        assertThat(bodyOf(frames)).isEqualTo(Arrays.copyOfRange(body, 11, 11 + length));
        source.release();
        fromBuffer.release();
    }

    @Test
    void shouldNotSplitWithoutAFrameMax() {
        ByteBuf out = Unpooled.buffer();
        FrameEncoder.bodyFrames(out, 1, 0, new byte[300_000], 0, 300_000);
        assertThat(frames(out)).hasSize(1);
        assertThat(out.readableBytes()).isEqualTo(FrameEncoder.bodyFramesLength(0, 300_000));
    }

    @Test
    void shouldLetTheCallerSendTheBodyItself() {
        ByteBuf out = Unpooled.buffer();
        FrameEncoder.bodyFrameStart(out, 1, 2);
        out.writeBytes(new byte[] {1, 2}).writeByte(FrameFormat.END);
        assertThat(bodyOf(frames(out))).containsExactly(1, 2);
    }

    private static List<RawFrame> frames(ByteBuf out) {
        return RawFrame.all(ByteBufUtil.getBytes(out));
    }

    private static byte[] bodyOf(List<RawFrame> frames) {
        List<byte[]> bodies = new ArrayList<>();
        frames.stream().filter(frame -> frame.type() == 3).forEach(frame -> bodies.add(frame.payload()));
        return RawFrames.join(bodies.toArray(byte[][]::new));
    }
}
