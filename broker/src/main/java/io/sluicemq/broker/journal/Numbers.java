package io.sluicemq.broker.journal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Numbers in a record: little-endian whatever the order that a buffer is set to, and variable-length ones of seven bits a
 * byte, the lowest first, the highest bit set in all bytes but the last. What may be negative and is mostly near zero is
 * written zigzag: 0, −1, 1, −2 as 0, 1, 2, 3. Pure.
 */
public final class Numbers {

    /** The most bytes that a variable-length number of 64 bits takes. */
    public static final int MAX_VARINT_BYTES = 10;

    private static final VarHandle SHORT =
            MethodHandles.byteBufferViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private Numbers() {}

    // ---- of fixed length, at an index --------------------------------------------------------------------------------

    static int unsignedShortAt(ByteBuffer in, int at) {
        return (short) SHORT.get(in, at) & 0xFFFF;
    }

    public static int intAt(ByteBuffer in, int at) {
        return (int) INT.get(in, at);
    }

    static long longAt(ByteBuffer in, int at) {
        return (long) LONG.get(in, at);
    }

    public static void setInt(ByteBuffer out, int at, int value) {
        INT.set(out, at, value);
    }

    // ---- of fixed length, at the position, which moves on -------------------------------------------------------------

    static void putShort(ByteBuffer out, int value) {
        int at = advance(out, Short.BYTES);
        SHORT.set(out, at, (short) value);
    }

    public static void putInt(ByteBuffer out, int value) {
        int at = advance(out, Integer.BYTES);
        INT.set(out, at, value);
    }

    static void putLong(ByteBuffer out, long value) {
        int at = advance(out, Long.BYTES);
        LONG.set(out, at, value);
    }

    static int readByte(ByteBuffer in) throws BadRecord {
        require(in, 1);
        return in.get();
    }

    static int readUnsignedShort(ByteBuffer in) throws BadRecord {
        require(in, Short.BYTES);
        return unsignedShortAt(in, advance(in, Short.BYTES));
    }

    public static int readInt(ByteBuffer in) throws BadRecord {
        require(in, Integer.BYTES);
        return intAt(in, advance(in, Integer.BYTES));
    }

    static long readLong(ByteBuffer in) throws BadRecord {
        require(in, Long.BYTES);
        return longAt(in, advance(in, Long.BYTES));
    }

    private static int advance(ByteBuffer buffer, int bytes) {
        int at = buffer.position();
        buffer.position(at + bytes);
        return at;
    }

    /** Checks that {@code in} still has {@code bytes} bytes. */
    static void require(ByteBuffer in, int bytes) throws BadRecord {
        if (bytes < 0 || bytes > in.remaining()) {
            throw new BadRecord(
                    "needs " + bytes + " more bytes at offset " + in.position() + ", has " + in.remaining());
        }
    }

    /** The next {@code bytes} bytes; nothing is allocated for those that are not there. */
    static byte[] readBytes(ByteBuffer in, int bytes) throws BadRecord {
        require(in, bytes);
        byte[] read = new byte[bytes];
        in.get(read);
        return read;
    }

    // ---- text: its bytes' count (varint), UTF-8 ------------------------------------------------------------------------

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static int textBytes(String text) {
        int bytes = utf8(text).length;
        return varintBytes(bytes) + bytes;
    }

    static void putText(ByteBuffer out, String text) {
        putBlock(out, utf8(text));
    }

    /** Writes the count of {@code bytes} (varint) and them. */
    static void putBlock(ByteBuffer out, byte[] bytes) {
        putVarint(out, bytes.length);
        out.put(bytes);
    }

    static byte[] readBlock(ByteBuffer in) throws BadRecord {
        return readBytes(in, readVarint(in, Integer.MAX_VALUE));
    }

    static String readText(ByteBuffer in) throws BadRecord {
        byte[] bytes = readBlock(in);
        String text = new String(bytes, StandardCharsets.UTF_8);
        // The stand-in for what is no character: the text may have held it, or not.
        if (text.indexOf('\uFFFD') >= 0 && !Arrays.equals(utf8(text), bytes)) {
            throw new BadRecord("a text that is not UTF-8 before offset " + in.position());
        }
        return text;
    }

    static void skipText(ByteBuffer in) throws BadRecord {
        int bytes = readVarint(in, Integer.MAX_VALUE);
        require(in, bytes);
        in.position(in.position() + bytes);
    }

    // ---- of variable length --------------------------------------------------------------------------------------------

    /** Writes {@code value}, taken as unsigned. */
    public static void putVarint(ByteBuffer out, long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            out.put((byte) (rest | 0x80));
            rest >>>= 7;
        }
        out.put((byte) rest);
    }

    /** The bytes that {@link #putVarint} writes. */
    static int varintBytes(long value) {
        return Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(value) + 6) / 7);
    }

    /** Reads an unsigned number. */
    public static long readVarint(ByteBuffer in) throws BadRecord {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            if (!in.hasRemaining()) {
                throw new BadRecord("ends in the middle of a number at offset " + in.position());
            }
            byte next = in.get();
            if (shift == 63 && (next & ~1) != 0) {
                break;
            }
            value |= (next & 0x7FL) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new BadRecord("a number of more than 64 bits before offset " + in.position());
    }

    /** Reads an unsigned number that has to be at most {@code max}. */
    public static int readVarint(ByteBuffer in, int max) throws BadRecord {
        long value = readVarint(in);
        if (value < 0 || value > max) {
            throw new BadRecord(Long.toUnsignedString(value) + " is more than " + max + " before offset "
                    + in.position());
        }
        return (int) value;
    }

    public static long zigzag(long value) {
        return value << 1 ^ value >> 63;
    }

    public static long unzigzag(long value) {
        return value >>> 1 ^ -(value & 1);
    }
}
