package io.sluicemq.protocol.amqp10.message;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes values of the type system (part 1) one after the other into an array that grows. Used by one thread; {@link #clear}
 * starts anew with the same array.
 */
final class ValueWriter {

    private byte[] bytes;
    private int length;

    ValueWriter(int capacity) {
        bytes = new byte[capacity];
    }

    void clear() {
        length = 0;
    }

    int length() {
        return length;
    }

    /** What is written is in the first {@link #length} bytes, until more is. */
    byte[] bytes() {
        return bytes;
    }

    ValueWriter octet(int value) {
        room(1);
        bytes[length++] = (byte) value;
        return this;
    }

    ValueWriter twoOctets(int value) {
        return octet(value >> 8).octet(value);
    }

    ValueWriter fourOctets(int value) {
        room(Integer.BYTES);
        Encoded.putInt(bytes, length, value);
        length += Integer.BYTES;
        return this;
    }

    ValueWriter eightOctets(long value) {
        room(Long.BYTES);
        Encoded.putLong(bytes, length, value);
        length += Long.BYTES;
        return this;
    }

    ValueWriter copy(byte[] source, int from, int to) {
        room(to - from);
        System.arraycopy(source, from, bytes, length, to - from);
        length += to - from;
        return this;
    }

    private void room(int more) {
        if (more > bytes.length - length) {
            bytes = Arrays.copyOf(bytes,
                    Math.max(Math.addExact(length, more), (int) Math.min(Integer.MAX_VALUE - 8L, bytes.length * 2L)));
        }
    }

    // ---- sections, lists, maps

    ValueWriter section(int code) {
        return octet(TypeCode.DESCRIBED).octet(TypeCode.SMALL_ULONG).octet(code);
    }

    /** Starts a list, map or array with sizes of four octets; returns what {@link #close} wants to know. */
    int open(int code) {
        octet(code);
        return openElement();
    }

    /** Starts a list or map that is an element of an array, which has the constructor. */
    int openElement() {
        int start = length;
        fourOctets(0).fourOctets(0);
        return start;
    }

    /** Ends the list, map or array that was opened last. */
    void close(int start, int items) {
        Encoded.putInt(bytes, start, length - start - Integer.BYTES);
        Encoded.putInt(bytes, start + Integer.BYTES, items);
    }

    // ---- values

    ValueWriter nothing() {
        return octet(TypeCode.NULL);
    }

    ValueWriter bool(boolean value) {
        return octet(value ? TypeCode.TRUE : TypeCode.FALSE);
    }

    ValueWriter ubyte(int value) {
        return octet(TypeCode.UBYTE).octet(value);
    }

    ValueWriter uint(long value) {
        if (value == 0) {
            return octet(TypeCode.UINT_0);
        }
        if (value > 0 && value <= 0xFF) {
            return octet(TypeCode.SMALL_UINT).octet((int) value);
        }
        return octet(TypeCode.UINT).fourOctets((int) value);
    }

    ValueWriter ulong(long bits) {
        if (bits == 0) {
            return octet(TypeCode.ULONG_0);
        }
        if (bits > 0 && bits <= 0xFF) {
            return octet(TypeCode.SMALL_ULONG).octet((int) bits);
        }
        return octet(TypeCode.ULONG).eightOctets(bits);
    }

    ValueWriter timestamp(long millis) {
        return octet(TypeCode.TIMESTAMP).eightOctets(millis);
    }

    ValueWriter string(String text) {
        return sized(TypeCode.STRING_8, TypeCode.STRING_32, text.getBytes(StandardCharsets.UTF_8));
    }

    /** A symbol; characters that are not ASCII, which it cannot have, become question marks. */
    ValueWriter symbol(String text) {
        return sized(TypeCode.SYMBOL_8, TypeCode.SYMBOL_32, text.getBytes(StandardCharsets.US_ASCII));
    }

    ValueWriter binary(byte[] octets) {
        return sized(TypeCode.BINARY_8, TypeCode.BINARY_32, octets);
    }

    private ValueWriter sized(int small, int large, byte[] octets) {
        if (octets.length <= 0xFF) {
            octet(small).octet(octets.length);
        } else {
            octet(large).fourOctets(octets.length);
        }
        return copy(octets, 0, octets.length);
    }
}
