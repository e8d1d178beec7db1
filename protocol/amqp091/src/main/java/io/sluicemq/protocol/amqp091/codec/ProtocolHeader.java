package io.sluicemq.protocol.amqp091.codec;

import io.netty.buffer.ByteBuf;

/**
 * What the first eight bytes of a connection are (spec §4.2.2). The answer is pure; nothing is consumed.
 */
public enum ProtocolHeader {
    /** So far it may become a protocol header; ask again with more bytes. */
    NEED_MORE,
    /** {@code AMQP 0 0 9 1}. */
    AMQP_0_9_1,
    /** {@code AMQP} and four other octets: another version, or AMQP 1.0; see {@link #version}. */
    OTHER_VERSION,
    /** Not AMQP at all; known as soon as one byte differs. */
    NOT_AMQP;

    /** How many bytes a protocol header has. */
    public static final int LENGTH = 8;

    private static final int AMQP = 'A' << 24 | 'M' << 16 | 'Q' << 8 | 'P';
    private static final int VERSION_0_9_1 = 0x00_00_09_01;

    /** Looks at the readable bytes of {@code in} without consuming them. */
    public static ProtocolHeader examine(ByteBuf in) {
        int readable = in.readableBytes();
        for (int i = 0; i < Math.min(4, readable); i++) {
            if (in.getByte(in.readerIndex() + i) != (byte) (AMQP >>> 24 - 8 * i)) {
                return NOT_AMQP;
            }
        }
        if (readable < LENGTH) {
            return NEED_MORE;
        }
        return version(in) == VERSION_0_9_1 ? AMQP_0_9_1 : OTHER_VERSION;
    }

    /**
     * The four octets after "AMQP", big-endian: {@code 0x00000901} for 0-9-1, {@code 0x01010009} for 0-9,
     * {@code 0x01010800} for 0-8, {@code 0x0101000A} for 0-10, {@code 0x00010000} and {@code 0x03010000} for 1.0 and
     * its SASL layer. Needs {@link #LENGTH} readable bytes.
     */
    public static int version(ByteBuf in) {
        return in.getInt(in.readerIndex() + 4);
    }

    /** Writes {@code AMQP 0 0 9 1}: the answer to a version that is not spoken, before the socket is closed. */
    public static void write(ByteBuf out) {
        out.writeInt(AMQP);
        out.writeInt(VERSION_0_9_1);
    }
}
