package io.sluicemq.protocol.amqp091.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Strict UTF-8 over byte ranges, with a fast path for ASCII. Stateless. Strict means RFC 3629: no overlong forms, no
 * surrogates, nothing above U+10FFFF; so a String made here encodes to the very same bytes again.
 */
final class Utf8 {

    static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

    private Utf8() {}

    static boolean isAscii(byte[] bytes, int from, int to) {
        int i = from;
        for (; i <= to - Long.BYTES; i += Long.BYTES) {
            if (((long) LONGS.get(bytes, i) & HIGH_BITS) != 0) {
                return false;
            }
        }
        for (; i < to; i++) {
            if (bytes[i] < 0) {
                return false;
            }
        }
        return true;
    }

    static boolean isValid(byte[] bytes, int from, int to) {
        if (isAscii(bytes, from, to)) {
            return true;
        }
        int i = from;
        while (i < to) {
            int lead = bytes[i];
            if (lead >= 0) {
                i++;
                continue;
            }
            int length = sequenceLength(bytes, i, to);
            if (length == 0) {
                return false;
            }
            i += length;
        }
        return true;
    }

    /** The length of the multi-byte sequence at {@code i}, or 0 if there is none that is well formed. */
    private static int sequenceLength(byte[] bytes, int i, int to) {
        int lead = bytes[i] & 0xFF;
        if (lead < 0xC2) {
            return 0;
        }
        if (lead < 0xE0) {
            return continues(bytes, i + 1, to) ? 2 : 0;
        }
        if (lead < 0xF0) {
            if (!continues(bytes, i + 1, to) || !continues(bytes, i + 2, to)) {
                return 0;
            }
            int second = bytes[i + 1] & 0xFF;
            boolean overlong = lead == 0xE0 && second < 0xA0;
            boolean surrogate = lead == 0xED && second > 0x9F;
            return overlong || surrogate ? 0 : 3;
        }
        if (lead > 0xF4 || !continues(bytes, i + 1, to) || !continues(bytes, i + 2, to)
                || !continues(bytes, i + 3, to)) {
            return 0;
        }
        int second = bytes[i + 1] & 0xFF;
        boolean overlong = lead == 0xF0 && second < 0x90;
        boolean beyond = lead == 0xF4 && second > 0x8F;
        return overlong || beyond ? 0 : 4;
    }

    private static boolean continues(byte[] bytes, int i, int to) {
        return i < to && (bytes[i] & 0xC0) == 0x80;
    }

    /** The range as a String, or null if it is not UTF-8. */
    static String decode(byte[] bytes, int from, int to) {
        if (from == to) {
            return "";
        }
        if (isAscii(bytes, from, to)) {
            return new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
        }
        return isValid(bytes, from, to) ? new String(bytes, from, to - from, StandardCharsets.UTF_8) : null;
    }

    /** The longest prefix of {@code text} whose UTF-8 form has at most {@code maxBytes} bytes, encoded. */
    static byte[] encodeAtMost(String text, int maxBytes) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= maxBytes) {
            return bytes;
        }
        int end = maxBytes;
        while (end > 0 && (bytes[end] & 0xC0) == 0x80) {
            end--;
        }
        return Arrays.copyOf(bytes, end);
    }
}
