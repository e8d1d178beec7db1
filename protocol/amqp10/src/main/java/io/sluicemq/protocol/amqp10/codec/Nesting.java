package io.sluicemq.protocol.amqp10.codec;

import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.types.transport.AmqpError;

/** Looks at an encoded value before it is decoded, so that no nesting of types can exhaust the stack. Pure. */
final class Nesting {

    /** How deep values may be nested. */
    static final int DEEPEST = 32;

    private Nesting() {}

    /** Checks the value at the read offset, which does not change. */
    static void check(ProtonBuffer body) throws AmqpFault {
        check(body, body.getReadOffset(), body.getWriteOffset(), 0);
    }

    /** @return the offset behind the value, or the end if that is not certain: the decoder then finds out */
    private static int check(ProtonBuffer in, int from, int end, int depth) throws AmqpFault {
        if (depth > DEEPEST) {
            throw AmqpFault.connection(AmqpError.DECODE_ERROR, "values nested more than " + DEEPEST + " deep");
        }
        if (from >= end) {
            return end;
        }
        int code = in.getByte(from) & 0xFF;
        int at = from + 1;
        if (code == 0) {
            int value = check(in, at, end, depth + 1); // the descriptor
            return check(in, value, end, depth + 1);
        }
        return switch (code >> 4) {
            case 0x4 -> at;
            case 0x5 -> at + 1;
            case 0x6 -> at + 2;
            case 0x7 -> at + 4;
            case 0x8 -> at + 8;
            case 0x9 -> at + 16;
            case 0xA -> sized(in, at, end, 1);
            case 0xB -> sized(in, at, end, 4);
            case 0xC, 0xE -> compound(in, at, end, 1, code, depth);
            case 0xD, 0xF -> compound(in, at, end, 4, code, depth);
            default -> end;
        };
    }

    private static int sized(ProtonBuffer in, int at, int end, int width) {
        if (at + width > end) {
            return end;
        }
        long size = width == 1 ? in.getByte(at) & 0xFF : Integer.toUnsignedLong(in.getInt(at));
        return (int) Math.min(end, at + width + size);
    }

    private static int compound(ProtonBuffer in, int at, int end, int width, int code, int depth) throws AmqpFault {
        int next = sized(in, at, end, width);
        int value = at + 2 * width; // behind the size and the count
        if (value > next) {
            return next;
        }
        long count = width == 1 ? in.getByte(at + 1) & 0xFF : Integer.toUnsignedLong(in.getInt(at + width));
        // Each element takes a byte at least; those of an array may take none, which makes memory of nothing.
        if (count > next - value) {
            throw AmqpFault.connection(
                    AmqpError.DECODE_ERROR, count + " elements in " + (next - value) + " bytes of a performative");
        }
        if (code >= 0xE0) {
            // An array: its constructor stands once, and only an array of arrays, lists or maps can go deeper.
            if (value < next) {
                int element = in.getByte(value) & 0xFF;
                if (element == 0 || element >= 0xC0) {
                    throw AmqpFault.connection(AmqpError.DECODE_ERROR, "an array of compound values in a performative");
                }
            }
            return next;
        }
        while (value < next) {
            value = check(in, value, next, depth + 1);
        }
        return next;
    }
}
