package io.sluicemq.protocol.amqp091.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** 0-9-1 §4.2.2. */
class ProtocolHeaderTest {

    @Test
    void shouldKnowItsOwnVersion() {
        assertThat(examine(RawFrames.protocolHeader())).isEqualTo(ProtocolHeader.AMQP_0_9_1);
    }

    @Test
    void shouldAskForMoreAtEveryPrefix() {
        byte[] header = RawFrames.protocolHeader();
        for (int length = 0; length < header.length; length++) {
            assertThat(examine(Arrays.copyOf(header, length))).isEqualTo(ProtocolHeader.NEED_MORE);
        }
    }

    @Test
    void shouldTellOtherVersionsApart() {
        byte[] header = RawFrames.protocolHeader(3, 1, 0, 0);
        assertThat(examine(header)).isEqualTo(ProtocolHeader.OTHER_VERSION);
        assertThat(ProtocolHeader.version(Unpooled.wrappedBuffer(header))).isEqualTo(0x03010000);
        assertThat(examine(RawFrames.protocolHeader(1, 1, 0, 9))).isEqualTo(ProtocolHeader.OTHER_VERSION);
    }

    @Test
    void shouldRefuseOtherProtocolsAtTheirFirstWrongByte() {
        assertThat(examine("G".getBytes(StandardCharsets.US_ASCII))).isEqualTo(ProtocolHeader.NOT_AMQP);
        assertThat(examine("AMQX".getBytes(StandardCharsets.US_ASCII))).isEqualTo(ProtocolHeader.NOT_AMQP);
        assertThat(examine(new byte[] {1, 0, 0})).isEqualTo(ProtocolHeader.NOT_AMQP);
    }

    @Test
    void shouldConsumeNothingAndWriteItsOwn() {
        ByteBuf out = Unpooled.buffer();
        ProtocolHeader.write(out);
        ProtocolHeader.examine(out);
        assertThat(out.readableBytes()).isEqualTo(ProtocolHeader.LENGTH);
        assertThat(examine(Arrays.copyOf(out.array(), 8))).isEqualTo(ProtocolHeader.AMQP_0_9_1);
    }

    private static ProtocolHeader examine(byte[] bytes) {
        return ProtocolHeader.examine(Unpooled.wrappedBuffer(bytes));
    }
}
