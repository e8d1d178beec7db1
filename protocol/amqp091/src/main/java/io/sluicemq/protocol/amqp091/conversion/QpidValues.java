package io.sluicemq.protocol.amqp091.conversion;

import io.sluicemq.api.PortableMessage.Body;
import io.sluicemq.api.value.Array;
import io.sluicemq.api.value.Binary;
import io.sluicemq.api.value.CodePoint;
import io.sluicemq.api.value.UnsignedInteger;
import io.sluicemq.api.value.UnsignedLong;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The bodies that Qpid's clients call {@code amqp/map} and {@code amqp/list}: the map and list of AMQP 0-10 (§3.3), as far as
 * those clients use its types. Pure.
 *
 * <pre>
 *  map    size(u32, of what follows) count(u32) { name(length u8, UTF-8) type(u8) value }*
 *  list   size(u32) count(u32) { type value }*
 *  array  size(u32) type count(u32) value*
 * </pre>
 */
final class QpidValues {

    private static final int INT8 = 0x01;
    private static final int UINT8 = 0x02;
    private static final int CHAR = 0x04;
    private static final int BOOLEAN = 0x08;
    private static final int INT16 = 0x11;
    private static final int UINT16 = 0x12;
    private static final int INT32 = 0x21;
    private static final int UINT32 = 0x22;
    private static final int FLOAT = 0x23;
    private static final int CHAR_UTF32 = 0x27;
    private static final int INT64 = 0x31;
    private static final int UINT64 = 0x32;
    private static final int DOUBLE = 0x33;
    private static final int DATETIME = 0x38;
    private static final int UUID_128 = 0x48;
    private static final int VBIN8 = 0x80;
    private static final int STR8_LATIN = 0x84;
    private static final int STR8 = 0x85;
    private static final int STR8_UTF16 = 0x86;
    private static final int VBIN16 = 0x90;
    private static final int STR16_LATIN = 0x94;
    private static final int STR16 = 0x95;
    private static final int STR16_UTF16 = 0x96;
    private static final int VBIN32 = 0xA0;
    private static final int MAP = 0xA8;
    private static final int LIST = 0xA9;
    private static final int ARRAY = 0xAA;
    private static final int VOID = 0xF0;

    private static final int MAX_DEPTH = 32;
    private static final int MAX_OCTET = 0xFF;
    private static final int MAX_SHORT = 0xFFFF;

    private QpidValues() {}

    // ---- reading

    /** The map in a body; null if there is none. */
    static Map<String, Object> map(Body.Data body) {
        try {
            ByteBuffer in = ByteBuffer.wrap(body.bytes(), body.from(), body.length());
            Map<String, Object> map = map(in, 1);
            return in.hasRemaining() ? null : map;
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            // Whatever calls itself so: it stays bytes.
            return null;
        }
    }

    /** The list in a body; null if there is none. */
    static List<Object> list(Body.Data body) {
        try {
            ByteBuffer in = ByteBuffer.wrap(body.bytes(), body.from(), body.length());
            List<Object> list = list(in, 1);
            return in.hasRemaining() ? null : list;
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            return null;
        }
    }

    private static Map<String, Object> map(ByteBuffer in, int depth) {
        int end = end(in, depth);
        int count = in.getInt();
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            String name = text(in, in.get() & MAX_OCTET, StandardCharsets.UTF_8);
            map.put(name, value(in, in.get() & MAX_OCTET, depth));
        }
        checkEnd(in, end);
        return map;
    }

    private static List<Object> list(ByteBuffer in, int depth) {
        int end = end(in, depth);
        int count = in.getInt();
        List<Object> list = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            list.add(value(in, in.get() & MAX_OCTET, depth));
        }
        checkEnd(in, end);
        return list;
    }

    private static Array array(ByteBuffer in, int depth) {
        int end = end(in, depth);
        if (in.position() == end) {
            return new Array(List.of());
        }
        int type = in.get() & MAX_OCTET;
        int count = in.getInt();
        if (count > end - in.position()) {
            throw new IllegalArgumentException("an array with more elements than bytes");
        }
        List<Object> list = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            list.add(value(in, type, depth));
        }
        checkEnd(in, end);
        return new Array(list);
    }

    private static int end(ByteBuffer in, int depth) {
        int size = in.getInt();
        if (size < 0 || size > in.remaining() || depth > MAX_DEPTH) {
            throw new IllegalArgumentException("no size of a map, list or array");
        }
        return in.position() + size;
    }

    private static void checkEnd(ByteBuffer in, int end) {
        if (in.position() != end) {
            throw new IllegalArgumentException("a map, list or array that is not as long as it says");
        }
    }

    private static Object value(ByteBuffer in, int type, int depth) {
        return switch (type) {
            case INT8 -> in.get();
            case UINT8 -> new UnsignedInteger.OfByte(in.get() & MAX_OCTET);
            case CHAR -> new CodePoint(in.get() & MAX_OCTET);
            case BOOLEAN -> truth(in.get());
            case INT16 -> in.getShort();
            case UINT16 -> new UnsignedInteger.OfShort(in.getShort() & MAX_SHORT);
            case INT32 -> in.getInt();
            case UINT32 -> new UnsignedInteger.OfInt(Integer.toUnsignedLong(in.getInt()));
            case FLOAT -> in.getFloat();
            case CHAR_UTF32 -> new CodePoint(in.getInt());
            case INT64 -> in.getLong();
            case UINT64 -> new UnsignedLong(in.getLong());
            case DOUBLE -> in.getDouble();
            case DATETIME -> Instant.ofEpochMilli(in.getLong());
            case UUID_128 -> new UUID(in.getLong(), in.getLong());
            case VBIN8 -> new Binary(octets(in, in.get() & MAX_OCTET));
            case VBIN16 -> new Binary(octets(in, in.getShort() & MAX_SHORT));
            case VBIN32 -> new Binary(octets(in, in.getInt()));
            case STR8_LATIN -> text(in, in.get() & MAX_OCTET, StandardCharsets.ISO_8859_1);
            case STR8 -> text(in, in.get() & MAX_OCTET, StandardCharsets.UTF_8);
            case STR8_UTF16 -> text(in, in.get() & MAX_OCTET, StandardCharsets.UTF_16);
            case STR16_LATIN -> text(in, in.getShort() & MAX_SHORT, StandardCharsets.ISO_8859_1);
            case STR16 -> text(in, in.getShort() & MAX_SHORT, StandardCharsets.UTF_8);
            case STR16_UTF16 -> text(in, in.getShort() & MAX_SHORT, StandardCharsets.UTF_16);
            case MAP -> map(in, depth + 1);
            case LIST -> list(in, depth + 1);
            case ARRAY -> array(in, depth + 1);
            case VOID -> null;
            default -> throw new IllegalArgumentException("no type " + type);
        };
    }

    private static byte[] octets(ByteBuffer in, int length) {
        if (length < 0 || length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] octets = new byte[length];
        in.get(octets);
        return octets;
    }

    private static String text(ByteBuffer in, int length, Charset charset) {
        return new String(octets(in, length), charset);
    }

    // ---- writing

    /** The body with this map; null if it cannot have it. */
    static byte[] encode(Map<?, ?> map) {
        Growing out = new Growing();
        return put(out, map, 1) ? out.toByteArray() : null;
    }

    private static boolean put(Growing out, Map<?, ?> map, int depth) {
        if (depth > MAX_DEPTH) {
            return false;
        }
        Growing entries = new Growing();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            if (!(entry.getKey() instanceof String name) || !FieldValues.isShort(name)) {
                return false;
            }
            byte[] octets = name.getBytes(StandardCharsets.UTF_8);
            entries.octet(octets.length).octets(octets);
            if (!put(entries, entry.getValue(), depth)) {
                return false;
            }
        }
        close(out, entries, map.size());
        return true;
    }

    private static boolean put(Growing out, List<?> list, int depth) {
        if (depth > MAX_DEPTH) {
            return false;
        }
        Growing elements = new Growing();
        for (Object element : list) {
            if (!put(elements, element, depth)) {
                return false;
            }
        }
        close(out, elements, list.size());
        return true;
    }

    private static void close(Growing out, Growing items, int count) {
        out.number(items.length() + Integer.BYTES, Integer.BYTES).number(count, Integer.BYTES);
        out.octets(items.toByteArray());
    }

    private static boolean put(Growing out, Object value, int depth) {
        switch (value) {
            case null -> out.octet(VOID);
            case Boolean bool -> out.octet(BOOLEAN).octet(bool ? 1 : 0);
            case Byte number -> out.octet(INT8).octet(number);
            case Short number -> out.octet(INT16).number(number, Short.BYTES);
            case Integer number -> out.octet(INT32).number(number, Integer.BYTES);
            case Long number -> out.octet(INT64).number(number, Long.BYTES);
            case UnsignedInteger.OfByte number -> out.octet(UINT8).number(number.value(), Byte.BYTES);
            case UnsignedInteger.OfShort number -> out.octet(UINT16).number(number.value(), Short.BYTES);
            case UnsignedInteger.OfInt number -> out.octet(UINT32).number(number.value(), Integer.BYTES);
            case UnsignedLong number -> out.octet(UINT64).number(number.bits(), Long.BYTES);
            case Float number -> out.octet(FLOAT).number(Float.floatToRawIntBits(number), Integer.BYTES);
            case Double number -> out.octet(DOUBLE).number(Double.doubleToRawLongBits(number), Long.BYTES);
            case CodePoint character when character.value() >= 0 && character.value() <= MAX_OCTET ->
                out.octet(CHAR).octet(character.value());
            case CodePoint character when Character.isValidCodePoint(character.value()) ->
                text(out, Character.toString(character.value()));
            case Instant time -> out.octet(DATETIME).number(time.toEpochMilli(), Long.BYTES);
            case UUID uuid ->
                out.octet(UUID_128)
                        .number(uuid.getMostSignificantBits(), Long.BYTES)
                        .number(uuid.getLeastSignificantBits(), Long.BYTES);
            case Binary binary ->
                out.octet(VBIN32).number(binary.bytes().length, Integer.BYTES).octets(binary.bytes());
            case String text -> {
                return text(out, text);
            }
            case Map<?, ?> map -> {
                return put(out.octet(MAP), map, depth + 1);
            }
            case List<?> list -> {
                return put(out.octet(LIST), list, depth + 1);
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private static boolean text(Growing out, String text) {
        byte[] octets = text.getBytes(StandardCharsets.UTF_8);
        if (octets.length > MAX_SHORT) {
            return false;
        }
        out.octet(STR16).number(octets.length, Short.BYTES).octets(octets);
        return true;
    }

    /** Another octet than 0 and 1 would not come back as it was. */
    private static boolean truth(byte octet) {
        if (octet != 0 && octet != 1) {
            throw new IllegalArgumentException("a boolean of " + octet);
        }
        return octet == 1;
    }
}
