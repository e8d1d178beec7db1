package io.sluicemq.broker.journal;

import io.sluicemq.api.value.Binary;
import io.sluicemq.api.value.LongString;
import io.sluicemq.api.value.Timestamp;
import io.sluicemq.api.value.UnsignedInteger;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Arguments in a record: every type that a protocol hands over, each read back as the same type and equal.
 *
 * <pre>
 *  map     count(varint) { key(text) value }*, in its order
 *  value   type(u8) ...
 *
 *   0 null                  6 Long i64               12 byte[] block                18 UnsignedInteger.OfShort i16
 *   1 false                 7 Float i32 (its bits)   13 List count(varint) value*   19 UnsignedInteger.OfInt i32
 *   2 true                  8 Double i64 (its bits)  14 Map map
 *   3 Byte i8               9 BigDecimal scale(i32) unscaled(block, big-endian)     block = bytes(varint) and they
 *   4 Short i16            10 BigInteger block       15 {@link LongString} block
 *   5 Integer i32          11 String text            16 {@link Binary} block
 *                          20 {@link Timestamp} i64  17 UnsignedInteger.OfByte i8
 * </pre>
 *
 * <p>Lists and maps nest at most {@link #MAX_DEPTH} deep, the outermost included. Pure.
 */
final class Values {

    /** How deep lists and maps may nest, the outermost included. */
    static final int MAX_DEPTH = 64;

    private static final int NULL = 0;
    private static final int FALSE = 1;
    private static final int TRUE = 2;
    private static final int BYTE = 3;
    private static final int SHORT = 4;
    private static final int INTEGER = 5;
    private static final int LONG = 6;
    private static final int FLOAT = 7;
    private static final int DOUBLE = 8;
    private static final int BIG_DECIMAL = 9;
    private static final int BIG_INTEGER = 10;
    private static final int STRING = 11;
    private static final int BYTES = 12;
    private static final int LIST = 13;
    private static final int MAP = 14;
    private static final int LONG_STRING = 15;
    private static final int BINARY = 16;
    private static final int UNSIGNED_BYTE = 17;
    private static final int UNSIGNED_SHORT = 18;
    private static final int UNSIGNED_INT = 19;
    private static final int TIMESTAMP = 20;

    private Values() {}

    // ---- writing -------------------------------------------------------------------------------------------------------

    /** @throws IllegalArgumentException if a value is of none of the types above, a key is no String, or it nests too deep */
    static void write(Output out, Map<?, ?> map) {
        writeMap(out, map, 1);
    }

    private static void writeMap(Output out, Map<?, ?> map, int depth) {
        checkDepth(depth);
        out.varint(map.size());
        map.forEach((key, value) -> {
            if (!(key instanceof String name)) {
                throw new IllegalArgumentException("a key that is no String: " + key);
            }
            out.text(name);
            writeValue(out, value, depth);
        });
    }

    private static void writeList(Output out, List<?> list, int depth) {
        checkDepth(depth);
        out.varint(list.size());
        list.forEach(value -> writeValue(out, value, depth));
    }

    private static void checkDepth(int depth) {
        if (depth > MAX_DEPTH) {
            throw new IllegalArgumentException("lists and maps nest deeper than " + MAX_DEPTH);
        }
    }

    private static void writeValue(Output out, Object value, int depth) {
        switch (value) {
            case null -> out.octet(NULL);
            case Boolean bool -> out.octet(bool ? TRUE : FALSE);
            case Byte number -> out.octet(BYTE).octet(number);
            case Short number -> out.octet(SHORT).fixed(number, Short.BYTES);
            case Integer number -> out.octet(INTEGER).fixed(number, Integer.BYTES);
            case Long number -> out.octet(LONG).fixed(number, Long.BYTES);
            case Float number -> out.octet(FLOAT).fixed(Float.floatToRawIntBits(number), Integer.BYTES);
            case Double number -> out.octet(DOUBLE).fixed(Double.doubleToRawLongBits(number), Long.BYTES);
            case BigDecimal number -> out.octet(BIG_DECIMAL)
                    .fixed(number.scale(), Integer.BYTES)
                    .block(number.unscaledValue().toByteArray());
            case BigInteger number -> out.octet(BIG_INTEGER).block(number.toByteArray());
            case String text -> out.octet(STRING).text(text);
            case byte[] bytes -> out.octet(BYTES).block(bytes);
            case List<?> list -> writeList(out.octet(LIST), list, depth + 1);
            case Map<?, ?> map -> writeMap(out.octet(MAP), map, depth + 1);
            case LongString string -> out.octet(LONG_STRING).block(string.bytes());
            case Binary binary -> out.octet(BINARY).block(binary.bytes());
            case UnsignedInteger.OfByte number -> out.octet(UNSIGNED_BYTE).octet((int) number.value());
            case UnsignedInteger.OfShort number -> out.octet(UNSIGNED_SHORT).fixed(number.value(), Short.BYTES);
            case UnsignedInteger.OfInt number -> out.octet(UNSIGNED_INT).fixed(number.value(), Integer.BYTES);
            case Timestamp time -> out.octet(TIMESTAMP).fixed(time.epochSeconds(), Long.BYTES);
            default -> throw new IllegalArgumentException(
                    "no record can hold a " + value.getClass().getName());
        }
    }

    /** Bytes that grow as they are written. */
    static final class Output {

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        Output octet(int value) {
            bytes.write(value);
            return this;
        }

        /** The lowest {@code count} bytes of {@code value}, the lowest first. */
        Output fixed(long value, int count) {
            for (int i = 0; i < count; i++) {
                bytes.write((int) (value >>> Byte.SIZE * i));
            }
            return this;
        }

        Output varint(long value) {
            ByteBuffer number = ByteBuffer.allocate(Numbers.MAX_VARINT_BYTES);
            Numbers.putVarint(number, value);
            bytes.write(number.array(), 0, number.position());
            return this;
        }

        Output block(byte[] block) {
            varint(block.length);
            bytes.writeBytes(block);
            return this;
        }

        Output text(String text) {
            return block(Numbers.utf8(text));
        }

        byte[] toByteArray() {
            return bytes.toByteArray();
        }
    }

    // ---- reading -------------------------------------------------------------------------------------------------------

    /** Reads a map; it is unmodifiable and in its order, as are the lists and maps in it. */
    static Map<String, Object> readMap(ByteBuffer in) throws BadRecord {
        return readMap(in, 1);
    }

    private static Map<String, Object> readMap(ByteBuffer in, int depth) throws BadRecord {
        int count = readCount(in, depth);
        if (count == 0) {
            return Map.of();
        }
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            String key = Numbers.readText(in);
            if (map.containsKey(key)) {
                throw new BadRecord("the key '" + key + "' twice");
            }
            map.put(key, readValue(in, depth));
        }
        return Collections.unmodifiableMap(map);
    }

    private static List<Object> readList(ByteBuffer in, int depth) throws BadRecord {
        int count = readCount(in, depth);
        List<Object> list = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            list.add(readValue(in, depth));
        }
        return Collections.unmodifiableList(list);
    }

    /** How many elements follow, each of which takes a byte at least. */
    private static int readCount(ByteBuffer in, int depth) throws BadRecord {
        if (depth > MAX_DEPTH) {
            throw new BadRecord("lists and maps nest deeper than " + MAX_DEPTH);
        }
        return Numbers.readVarint(in, in.remaining());
    }

    private static Object readValue(ByteBuffer in, int depth) throws BadRecord {
        int type = Numbers.readByte(in);
        return switch (type) {
            case NULL -> null;
            case FALSE -> false;
            case TRUE -> true;
            case BYTE -> (byte) Numbers.readByte(in);
            case SHORT -> (short) Numbers.readUnsignedShort(in);
            case INTEGER -> Numbers.readInt(in);
            case LONG -> Numbers.readLong(in);
            case FLOAT -> Float.intBitsToFloat(Numbers.readInt(in));
            case DOUBLE -> Double.longBitsToDouble(Numbers.readLong(in));
            case BIG_DECIMAL -> {
                int scale = Numbers.readInt(in);
                yield new BigDecimal(readBigInteger(in), scale);
            }
            case BIG_INTEGER -> readBigInteger(in);
            case STRING -> Numbers.readText(in);
            case BYTES -> Numbers.readBlock(in);
            case LIST -> readList(in, depth + 1);
            case MAP -> readMap(in, depth + 1);
            case LONG_STRING -> new LongString(Numbers.readBlock(in));
            case BINARY -> new Binary(Numbers.readBlock(in));
            case UNSIGNED_BYTE -> new UnsignedInteger.OfByte(Numbers.readByte(in) & 0xFF);
            case UNSIGNED_SHORT -> new UnsignedInteger.OfShort(Numbers.readUnsignedShort(in));
            case UNSIGNED_INT -> new UnsignedInteger.OfInt(Integer.toUnsignedLong(Numbers.readInt(in)));
            case TIMESTAMP -> new Timestamp(Numbers.readLong(in));
            default -> throw new BadRecord("a value of the type " + (type & 0xFF));
        };
    }

    private static BigInteger readBigInteger(ByteBuffer in) throws BadRecord {
        byte[] bytes = Numbers.readBlock(in);
        if (bytes.length == 0) {
            throw new BadRecord("a number of no bytes");
        }
        try {
            return new BigInteger(bytes);
        } catch (ArithmeticException tooLarge) {
            throw new BadRecord("a number of " + bytes.length + " bytes");
        }
    }
}
