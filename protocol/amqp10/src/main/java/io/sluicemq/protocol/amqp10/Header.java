package io.sluicemq.protocol.amqp10;

import io.netty.buffer.ByteBuf;

/** The header that opens a layer of the protocol (§2.2, §5.3.1). Pure. */
enum Header {
    /** AMQP itself. */
    AMQP,
    /** The SASL security layer. */
    SASL,
    /** TLS within the stream, which is not spoken. */
    TLS,
    /** Something else. */
    OTHER,
    /** Too few bytes to say. */
    NEED_MORE;

    /** Bytes of a header. */
    static final int LENGTH = 8;

    static final byte[] AMQP_BYTES = {'A', 'M', 'Q', 'P', 0, 1, 0, 0};
    static final byte[] SASL_BYTES = {'A', 'M', 'Q', 'P', 3, 1, 0, 0};

    private static final int ID_AT = 4;
    private static final int TLS_ID = 2;
    private static final int SASL_ID = 3;

    /** Says what a stream begins with, without consuming it. */
    static Header examine(ByteBuf in) {
        int start = in.readerIndex();
        int length = Math.min(LENGTH, in.readableBytes());
        Header found = AMQP;
        for (int i = 0; i < length; i++) {
            byte next = in.getByte(start + i);
            if (i == ID_AT) {
                switch (next) {
                    case 0 -> found = AMQP;
                    case TLS_ID -> found = TLS;
                    case SASL_ID -> found = SASL;
                    default -> {
                        return OTHER;
                    }
                }
            } else if (next != AMQP_BYTES[i]) {
                return OTHER;
            }
        }
        return length < LENGTH ? NEED_MORE : found;
    }
}
