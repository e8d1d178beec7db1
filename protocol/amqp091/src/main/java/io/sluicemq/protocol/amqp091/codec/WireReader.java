package io.sluicemq.protocol.amqp091.codec;

import java.util.Arrays;
import java.util.Map;

/**
 * A cursor over the arguments of one method. Owned and reused by its {@link FrameDecoder}. Every read is checked
 * against the end of the payload, and an overrun is a 502.
 */
final class WireReader {

    private byte[] bytes;
    private int position;
    private int end;

    /** Starts at {@code from}; {@code end} is exclusive. */
    WireReader over(byte[] source, int from, int to) {
        bytes = source;
        position = from;
        end = to;
        return this;
    }

    /** An octet, as 0 to 255; also eight bit fields. */
    int octet() {
        return bytes[advance(1)] & 0xFF;
    }

    /** A short, as 0 to 65 535. */
    int shortUint() {
        return FieldTable.shortAt(bytes, advance(Short.BYTES));
    }

    /** A long, as 0 to 2^32 − 1. */
    long longUint() {
        return Integer.toUnsignedLong(FieldTable.intAt(bytes, advance(Integer.BYTES)));
    }

    /** A longlong. */
    long longLong() {
        return FieldTable.longAt(bytes, advance(Long.BYTES));
    }

    String shortString() {
        int from = position;
        position = FieldTable.shortStringEnd(bytes, from, end);
        String text = Utf8.decode(bytes, from + 1, position);
        if (text == null) {
            throw ProtocolFaultException.syntax("a short string is not UTF-8");
        }
        return text;
    }

    byte[] longString() {
        int from = position;
        position = FieldTable.blockEnd(bytes, from, end);
        return Arrays.copyOfRange(bytes, from + Integer.BYTES, position);
    }

    Map<String, Object> table() {
        int from = position;
        position = FieldTable.blockEnd(bytes, from, end);
        return FieldTable.decode(bytes, from, position);
    }

    /** Passes over the access ticket that 0-9-1 reserves. */
    void ticket() {
        advance(Short.BYTES);
    }

    /** Insists that nothing is left. */
    void finish() {
        if (position != end) {
            throw ProtocolFaultException.syntax((end - position) + " bytes after the last argument");
        }
        bytes = null;
    }

    private int advance(int size) {
        int from = position;
        if (end - from < size) {
            throw ProtocolFaultException.syntax("the arguments are cut short");
        }
        position = from + size;
        return from;
    }
}
