package io.sluicemq.protocol.amqp091.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every method a client may send, as bytes. But for exchange.bound, the bytes are those that RabbitMQ's Java client
 * 5.37.1 writes. 0-9-1 reference §1.4 to §1.9 and RabbitMQ's extensions.
 */
class ClientMethodTest {

    private static final Map<String, Object> TABLE = Map.of("k", "v");

    static Stream<Arguments> methods() {
        return Stream.of(
                arguments("010001000000050014000a00ce", new ChannelMethod.ChannelOpen()),
                arguments("010001000000050014001401ce", new ChannelMethod.ChannelFlow(true)),
                arguments("010001000000050014001500ce", new ChannelMethod.ChannelFlowOk(false)),
                arguments("0100010000000d001400280194026e6f003c0014ce",
                        new ChannelMethod.ChannelClose(404, "no", 60, 20)),
                arguments("0100010000000400140029ce", new ChannelMethod.ChannelCloseOk()),
                arguments("0100010000000b001e000a052f646174610ece",
                        new ChannelMethod.AccessRequest("/data", false, true, true, true, false)),
                arguments("0100010000001c0028000a000002657805746f7069631600000008016b530000000176ce",
                        new ChannelMethod.ExchangeDeclare("ex", "topic", false, true, true, false, true, TABLE)),
                arguments("0100010000000a00280014000002657801ce",
                        new ChannelMethod.ExchangeDelete("ex", true, false)),
                arguments("0100010000000d00280016" + "026578" + "03722e6b" + "0171" + "ce",
                        new ChannelMethod.ExchangeBound("ex", "r.k", "q")),
                arguments("010001000000190028001e00000164017301720100000008016b530000000176ce",
                        new ChannelMethod.ExchangeBind("d", "s", "r", true, TABLE)),
                arguments("010001000000190028002800000164017301720000000008016b530000000176ce",
                        new ChannelMethod.ExchangeUnbind("d", "s", "r", false, TABLE)),
                arguments("0100010000001f0032000a000001710a000000120c782d6d61782d6c656e6774684900000005ce",
                        new ChannelMethod.QueueDeclare("q", false, true, false, true, false,
                                Map.of("x-max-length", 5))),
                arguments("0100010000001a003200140000017102657801720000000008016b530000000176ce",
                        new ChannelMethod.QueueBind("q", "ex", "r", false, TABLE)),
                arguments("010001000000090032001e0000017101ce", new ChannelMethod.QueuePurge("q", true)),
                arguments("01000100000009003200280000017102ce",
                        new ChannelMethod.QueueDelete("q", false, true, false)),
                arguments("010001000000190032003200000171026578017200000008016b530000000176ce",
                        new ChannelMethod.QueueUnbind("q", "ex", "r", TABLE)),
                arguments("0100010000000b003c000a0000000000fa01ce", new ChannelMethod.BasicQos(0, 250, true)),
                arguments("01000100000019003c001400000171037461670a00000008016b530000000176ce",
                        new ChannelMethod.BasicConsume("q", "tag", false, true, false, true, TABLE)),
                arguments("01000100000009003c001e0374616700ce", new ChannelMethod.BasicCancel("tag", false)),
                arguments("01000100000008003c001f03746167ce", new ChannelMethod.BasicCancelOk("tag")),
                arguments("01000100000009003c00460000017101ce", new ChannelMethod.BasicGet("q", true)),
                arguments("01000100000005003c006401ce", new ChannelMethod.BasicRecoverAsync(true)),
                arguments("01000100000005003c006e01ce", new ChannelMethod.BasicRecover(true)),
                arguments("010001000000050055000a00ce", new ChannelMethod.ConfirmSelect(false)),
                arguments("01000100000004005a000ace", new ChannelMethod.TxSelect()),
                arguments("01000100000004005a0014ce", new ChannelMethod.TxCommit()),
                arguments("01000100000004005a001ece", new ChannelMethod.TxRollback()));
    }

    @ParameterizedTest
    @MethodSource("methods")
    void shouldDecodeChannelMethods(String hex, ChannelMethod expected) {
        for (ByteBuf in : new ByteBuf[] {heap(hex), direct(hex)}) {
            Recorder recorder = decode(in);
            assertThat(recorder.calls).containsExactly(new Recorder.OnChannel(1, expected));
            in.release();
        }
    }

    @ParameterizedTest
    @MethodSource("methods")
    void shouldSayWhichMethodItIs(String hex, ChannelMethod expected) {
        assertThat(expected.id()).isEqualTo(heap(hex).getInt(7));
    }

    static Stream<Arguments> connectionMethods() {
        return Stream.of(
                arguments("0100000000000c000a001f07ff00020000003cce",
                        new ConnectionMethod.TuneOk(2047, 131072, 60)),
                arguments("01000000000008000a0028012f0000ce", new ConnectionMethod.Open("/")),
                arguments("0100000000000e000a003200c80362796500000000ce",
                        new ConnectionMethod.Close(200, "bye", 0, 0)),
                arguments("01000000000004000a0033ce", new ConnectionMethod.CloseOk()));
    }

    @ParameterizedTest
    @MethodSource("connectionMethods")
    void shouldDecodeConnectionMethods(String hex, ConnectionMethod expected) {
        assertThat(decode(heap(hex)).calls).containsExactly(expected);
        assertThat(expected.id()).isEqualTo(heap(hex).getInt(7));
    }

    @Test
    void shouldDecodeTheMethodsThatCarrySecrets() {
        var startOk = (ConnectionMethod.StartOk) decode(heap(
                "01000000000024000a000b00000008016b53000000017605504c41494e000000040075007005656e5f5553ce")).calls
                .get(0);
        assertThat(startOk.clientProperties()).isEqualTo(TABLE);
        assertThat(startOk.mechanism()).isEqualTo("PLAIN");
        assertThat(startOk.response()).asString(StandardCharsets.UTF_8).isEqualTo("\0u\0p");
        assertThat(startOk.locale()).isEqualTo("en_US");
        assertThat(startOk.id()).isEqualTo(MethodId.CONNECTION_START_OK);

        var secureOk = (ConnectionMethod.SecureOk) decode(heap("0100000000000b000a001500000003616263ce")).calls.get(0);
        assertThat(secureOk.response()).asString(StandardCharsets.UTF_8).isEqualTo("abc");
        assertThat(secureOk.id()).isEqualTo(MethodId.CONNECTION_SECURE_OK);

        var update =
                (ConnectionMethod.UpdateSecret) decode(heap("0100000000000f000a0046000000036e6577036f6c64ce")).calls
                        .get(0);
        assertThat(update.newSecret()).asString(StandardCharsets.UTF_8).isEqualTo("new");
        assertThat(update.reason()).isEqualTo("old");
        assertThat(update.id()).isEqualTo(MethodId.CONNECTION_UPDATE_SECRET);
        assertThat(update.toString()).doesNotContain("new, ").doesNotContain("[110");
    }

    @Test
    void shouldDecodeTheHotMethods() {
        String frames = "0100010000000e003c0028000002657803722e6b01ce"
                + "0100010000000d003c0050010203040506070801ce"
                + "0100010000000d003c0078000000000000000902ce"
                + "0100010000000d003c005a000000000000000901ce";
        for (ByteBuf in : new ByteBuf[] {heap(frames), direct(frames)}) {
            assertThat(decode(in).calls).containsExactly(
                    new Recorder.Publish(1, "ex", "r.k", true, false),
                    new Recorder.Ack(1, 0x0102030405060708L, true),
                    new Recorder.Nack(1, 9, false, true),
                    new Recorder.Reject(1, 9, true));
            in.release();
        }
    }

    /** The builders that other tests rely on write the same bytes. */
    @Test
    void shouldAgreeWithTheRawFrames() {
        assertThat(RawFrames.publish(1, "ex", "r.k", true, false))
                .isEqualTo(bytes("0100010000000e003c0028000002657803722e6b01ce"));
        assertThat(RawFrames.queueDeclare(1, "q", t -> t.field("x-max-length", 5), false, true, false, true, false))
                .isEqualTo(bytes("0100010000001f0032000a000001710a000000120c782d6d61782d6c656e6774684900000005ce"));
        assertThat(RawFrames.startOk(t -> t.field("k", "v"), "PLAIN", "\0u\0p".getBytes(StandardCharsets.UTF_8),
                "en_US"))
                .isEqualTo(bytes(
                        "01000000000024000a000b00000008016b53000000017605504c41494e000000040075007005656e5f5553ce"));
    }

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex);
    }

    private static ByteBuf heap(String hex) {
        return Unpooled.wrappedBuffer(bytes(hex));
    }

    private static ByteBuf direct(String hex) {
        return Unpooled.directBuffer().writeBytes(bytes(hex));
    }

    private static Recorder decode(ByteBuf in) {
        Recorder recorder = new Recorder();
        int missing = new FrameDecoder(new ShortStringCache()).decode(in, recorder);
        assertThat(in.readableBytes()).isZero();
        assertThat(missing).isEqualTo(8);
        return recorder;
    }
}
