package io.sluicemq.protocol.amqp091.codec;

import io.netty.buffer.ByteBuf;
import io.sluicemq.api.value.Binary;
import io.sluicemq.api.value.LongString;
import io.sluicemq.api.value.Timestamp;
import io.sluicemq.api.value.UnsignedInteger;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Field tables (spec §4.2.5.5) with the types as RabbitMQ reads them, which is what clients write:
 *
 * <pre>
 *  t Boolean                 I Integer (signed 32)         S String, or {@link LongString} if not UTF-8
 *  b Byte    (signed 8)      i {@link UnsignedInteger.OfInt}       x {@link Binary}
 *  B {@link UnsignedInteger.OfByte}    l L Long (signed 64; written as l)    T {@link Timestamp}
 *  s Short   (signed 16)     f Float    d Double           A List, unmodifiable
 *  u {@link UnsignedInteger.OfShort}   D BigDecimal (scale, signed 32)       F Map, unmodifiable, in order
 *                                                          V null
 * </pre>
 *
 * <p>The layout: {@code table = length(u32) { name(shortstr) type(octet) value }*}, {@code A = length(u32) { type value
 * }*}. A name that occurs twice has the value of its last occurrence, at the place of its first. Names have to be
 * UTF-8; values may be anything. Tables and arrays nest at most {@link #MAX_DEPTH} deep. Decoding allocates in
 * proportion to the bytes that have arrived and never by a length that was only announced. Stateless.
 */
public final class FieldTable {

    /** How deep tables and arrays may nest, the outermost table included. */
    public static final int MAX_DEPTH = 64;

    private FieldTable() {}

    // ---- reading; positions are indexes into the array, `end` is exclusive -------------------------------------

    /**
     * Decodes the table whose length field is at {@code from} and which has to end at {@code end}.
     *
     * @throws ProtocolFaultException 502 if it is malformed
     */
    public static Map<String, Object> decode(byte[] bytes, int from, int end) {
        int start = bodyOf(bytes, from, end);
        return readTable(bytes, start, end, 1);
    }

    /** Checks what {@link #decode} checks, without allocating. */
    static void validate(byte[] bytes, int from, int end) {
        int start = bodyOf(bytes, from, end);
        skipTable(bytes, start, end, 1);
    }

    /** Where the body of the table at {@code from} starts, which has to end exactly at {@code end}. */
    private static int bodyOf(byte[] bytes, int from, int end) {
        if (blockEnd(bytes, from, end) != end) {
            throw ProtocolFaultException.syntax("a table ends before its enclosing field");
        }
        return from + Integer.BYTES;
    }

    /** The end of the block whose u32 length is at {@code from}; it has to lie within {@code end}. */
    static int blockEnd(byte[] bytes, int from, int end) {
        require(from, Integer.BYTES, end);
        int length = intAt(bytes, from);
        if (length < 0 || length > end - from - Integer.BYTES) {
            throw ProtocolFaultException.syntax("a length of " + Integer.toUnsignedString(length)
                    + " runs past the end");
        }
        return from + Integer.BYTES + length;
    }

    /** The end of the shortstr whose length octet is at {@code from}; it has to lie within {@code end}. */
    static int shortStringEnd(byte[] bytes, int from, int end) {
        require(from, 1, end);
        int stringEnd = from + 1 + (bytes[from] & 0xFF);
        if (stringEnd > end) {
            throw ProtocolFaultException.syntax("a short string runs past the end");
        }
        return stringEnd;
    }

    /** The end of the value whose type octet is at {@code from}; what nests in it is not looked at. */
    static int valueEnd(byte[] bytes, int from, int end) {
        require(from, 1, end);
        int start = from + 1;
        int size = fixedSize(bytes[from]);
        if (size < 0) {
            return blockEnd(bytes, start, end);
        }
        require(start, size, end);
        return start + size;
    }

    private static int skipValue(byte[] bytes, int from, int end, int depth) {
        int valueEnd = valueEnd(bytes, from, end);
        int body = from + 1 + Integer.BYTES;
        switch (bytes[from]) {
            case 'A' -> skipArray(bytes, body, valueEnd, depth + 1);
            case 'F' -> skipTable(bytes, body, valueEnd, depth + 1);
            default -> { /* nothing nests in it */ }
        }
        return valueEnd;
    }

    private static void skipTable(byte[] bytes, int from, int end, int depth) {
        checkDepth(depth);
        int at = from;
        while (at < end) {
            int nameEnd = shortStringEnd(bytes, at, end);
            if (!Utf8.isValid(bytes, at + 1, nameEnd)) {
                throw badName();
            }
            at = skipValue(bytes, nameEnd, end, depth);
        }
    }

    private static void skipArray(byte[] bytes, int from, int end, int depth) {
        checkDepth(depth);
        int at = from;
        while (at < end) {
            at = skipValue(bytes, at, end, depth);
        }
    }

    private static Map<String, Object> readTable(byte[] bytes, int from, int end, int depth) {
        checkDepth(depth);
        if (from == end) {
            return Map.of();
        }
        Map<String, Object> table = new LinkedHashMap<>();
        int at = from;
        while (at < end) {
            int nameEnd = shortStringEnd(bytes, at, end);
            String name = Utf8.decode(bytes, at + 1, nameEnd);
            if (name == null) {
                throw badName();
            }
            int valueEnd = valueEnd(bytes, nameEnd, end);
            table.put(name, readValue(bytes, nameEnd, valueEnd, depth));
            at = valueEnd;
        }
        return Collections.unmodifiableMap(table);
    }

    private static List<Object> readArray(byte[] bytes, int from, int end, int depth) {
        checkDepth(depth);
        if (from == end) {
            return List.of();
        }
        List<Object> array = new ArrayList<>();
        int at = from;
        while (at < end) {
            int valueEnd = valueEnd(bytes, at, end);
            array.add(readValue(bytes, at, valueEnd, depth));
            at = valueEnd;
        }
        return Collections.unmodifiableList(array);
    }

    /** The value whose type octet is at {@code from} and which {@link #valueEnd ends} at {@code end}. */
    static Object readValue(byte[] bytes, int from, int end, int depth) {
        int at = from + 1;
        return switch (bytes[from]) {
            case 't' -> bytes[at] != 0;
            case 'b' -> bytes[at];
            case 'B' -> new UnsignedInteger.OfByte(bytes[at] & 0xFF);
            case 's' -> (short) shortAt(bytes, at);
            case 'u' -> new UnsignedInteger.OfShort(shortAt(bytes, at));
            case 'I' -> intAt(bytes, at);
            case 'i' -> new UnsignedInteger.OfInt(Integer.toUnsignedLong(intAt(bytes, at)));
            case 'l', 'L' -> longAt(bytes, at);
            case 'f' -> Float.intBitsToFloat(intAt(bytes, at));
            case 'd' -> Double.longBitsToDouble(longAt(bytes, at));
            case 'D' -> BigDecimal.valueOf(intAt(bytes, at + 1), bytes[at] & 0xFF);
            case 'T' -> new Timestamp(longAt(bytes, at));
            case 'S' -> {
                String text = Utf8.decode(bytes, at + Integer.BYTES, end);
                yield text != null ? text : new LongString(Arrays.copyOfRange(bytes, at + Integer.BYTES, end));
            }
            case 'x' -> new Binary(Arrays.copyOfRange(bytes, at + Integer.BYTES, end));
            case 'A' -> readArray(bytes, at + Integer.BYTES, end, depth + 1);
            case 'F' -> readTable(bytes, at + Integer.BYTES, end, depth + 1);
            case 'V' -> null;
            default -> throw unknownType(bytes[from]);
        };
    }

    /** Bytes of a value of this type, without the type octet; −1 if it carries its own u32 length. */
    private static int fixedSize(byte type) {
        return switch (type) {
            case 'V' -> 0;
            case 't', 'b', 'B' -> 1;
            case 's', 'u' -> 2;
            case 'I', 'i', 'f' -> 4;
            case 'D' -> 5;
            case 'l', 'L', 'd', 'T' -> 8;
            case 'S', 'x', 'A', 'F' -> -1;
            default -> throw unknownType(type);
        };
    }

    private static void require(int from, int size, int end) {
        if (end - from < size) {
            throw ProtocolFaultException.syntax("a table ends in the middle of a value");
        }
    }

    private static void checkDepth(int depth) {
        if (depth > MAX_DEPTH) {
            throw ProtocolFaultException.syntax("tables nest deeper than " + MAX_DEPTH);
        }
    }

    private static ProtocolFaultException badName() {
        return ProtocolFaultException.syntax("a name in a table is not UTF-8");
    }

    private static ProtocolFaultException unknownType(byte type) {
        return ProtocolFaultException.syntax("unknown field type 0x" + Integer.toHexString(type & 0xFF));
    }

    static int shortAt(byte[] bytes, int at) {
        return (bytes[at] & 0xFF) << 8 | bytes[at + 1] & 0xFF;
    }

    static int intAt(byte[] bytes, int at) {
        return shortAt(bytes, at) << 16 | shortAt(bytes, at + 2);
    }

    static long longAt(byte[] bytes, int at) {
        return (long) Utf8.LONGS.get(bytes, at);
    }

    // ---- writing -----------------------------------------------------------------------------------------------

    /**
     * Writes {@code table} with its length field.
     *
     * @throws IllegalArgumentException if a value is of none of the types above, a name has more than 255 bytes, a
     *     decimal does not fit, or the nesting is too deep; {@code out} then holds a part of the table
     */
    public static void write(ByteBuf out, Map<String, ?> table) {
        writeTable(out, table, 1);
    }

    private static void writeTable(ByteBuf out, Map<?, ?> table, int depth) {
        checkWriteDepth(depth);
        int lengthAt = out.writerIndex();
        out.writeInt(0);
        for (Map.Entry<?, ?> entry : table.entrySet()) {
            writeName(out, (String) entry.getKey());
            writeValue(out, entry.getValue(), depth);
        }
        out.setInt(lengthAt, out.writerIndex() - lengthAt - Integer.BYTES);
    }

    static void writeName(ByteBuf out, String name) {
        out.writeBytes(ShortString.encode(name));
    }

    /** Writes the type octet and the value. */
    static void writeValue(ByteBuf out, Object value, int depth) {
        switch (value) {
            case null -> out.writeByte('V');
            case String text -> writeBlock(out, 'S', text.getBytes(StandardCharsets.UTF_8));
            case LongString string -> writeBlock(out, 'S', string.bytes());
            case Boolean bool -> out.writeByte('t').writeBoolean(bool);
            case Byte number -> out.writeByte('b').writeByte(number);
            case Short number -> out.writeByte('s').writeShort(number);
            case Integer number -> out.writeByte('I').writeInt(number);
            case Long number -> out.writeByte('l').writeLong(number);
            case UnsignedInteger.OfByte number -> out.writeByte('B').writeByte((int) number.value());
            case UnsignedInteger.OfShort number -> out.writeByte('u').writeShort((int) number.value());
            case UnsignedInteger.OfInt number -> out.writeByte('i').writeInt((int) number.value());
            case Float number -> out.writeByte('f').writeInt(Float.floatToRawIntBits(number));
            case Double number -> out.writeByte('d').writeLong(Double.doubleToRawLongBits(number));
            case BigDecimal number -> writeDecimal(out, number);
            case Timestamp time -> out.writeByte('T').writeLong(time.epochSeconds());
            case Binary binary -> writeBlock(out, 'x', binary.bytes());
            case byte[] bytes -> writeBlock(out, 'x', bytes);
            case List<?> list -> writeArray(out, list, depth + 1);
            case Map<?, ?> map -> {
                out.writeByte('F');
                writeTable(out, map, depth + 1);
            }
            default -> throw new IllegalArgumentException("no field type for " + value.getClass().getName());
        }
    }

    private static void writeArray(ByteBuf out, List<?> list, int depth) {
        checkWriteDepth(depth);
        out.writeByte('A');
        int lengthAt = out.writerIndex();
        out.writeInt(0);
        for (Object element : list) {
            writeValue(out, element, depth);
        }
        out.setInt(lengthAt, out.writerIndex() - lengthAt - Integer.BYTES);
    }

    private static void writeBlock(ByteBuf out, char type, byte[] bytes) {
        out.writeByte(type).writeInt(bytes.length).writeBytes(bytes);
    }

    private static void writeDecimal(ByteBuf out, BigDecimal number) {
        BigInteger unscaled = number.unscaledValue();
        if (unscaled.bitLength() >= Integer.SIZE || number.scale() < 0 || number.scale() > 0xFF) {
            throw new IllegalArgumentException("a decimal field has a scale of 0 to 255 and 32 bits, unlike " + number);
        }
        out.writeByte('D').writeByte(number.scale()).writeInt(unscaled.intValue());
    }

    private static void checkWriteDepth(int depth) {
        if (depth > MAX_DEPTH) {
            throw new IllegalArgumentException("tables nest deeper than " + MAX_DEPTH);
        }
    }

    // ---- values ------------------------------------------------------------------------------------------------

    /** The number in {@code value} if it is of any integer type, signed or not; empty otherwise. */
    public static OptionalLong integer(Object value) {
        return switch (value) {
            case Byte number -> OptionalLong.of(number);
            case Short number -> OptionalLong.of(number);
            case Integer number -> OptionalLong.of(number);
            case Long number -> OptionalLong.of(number);
            case UnsignedInteger number -> OptionalLong.of(number.value());
            case null, default -> OptionalLong.empty();
        };
    }
}
