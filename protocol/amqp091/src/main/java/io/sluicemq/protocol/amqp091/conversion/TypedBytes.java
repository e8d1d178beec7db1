package io.sluicemq.protocol.amqp091.conversion;

import io.sluicemq.api.PortableMessage.Body;
import io.sluicemq.api.value.Binary;
import io.sluicemq.api.value.CodePoint;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The bodies that Qpid JMS 0-x calls {@code jms/map-message} and {@code jms/stream-message}. Pure.
 *
 * <pre>
 *  map     count(i32) { name(UTF-8, then 0) value }*        stream  value*
 *
 *  value   1 boolean(1 octet)   4 short(i16)   7 long(i64)     10 string(UTF-8, then 0)
 *          2 byte               5 char(u16)    8 float         11 null string
 *          3 bytes(i32 length,  6 int(i32)     9 double
 *            -1 for null)
 * </pre>
 */
final class TypedBytes {

    private static final int BOOLEAN = 1;
    private static final int BYTE = 2;
    private static final int BYTES = 3;
    private static final int SHORT = 4;
    private static final int CHAR = 5;
    private static final int INT = 6;
    private static final int LONG = 7;
    private static final int FLOAT = 8;
    private static final int DOUBLE = 9;
    private static final int STRING = 10;
    private static final int NULL_STRING = 11;

    private TypedBytes() {}

    /** The map in a body; null if there is none. */
    static Map<String, Object> map(Body.Data body) {
        try {
            ByteBuffer in = ByteBuffer.wrap(body.bytes(), body.from(), body.length());
            int count = in.getInt();
            Map<String, Object> map = new LinkedHashMap<>();
            for (int i = 0; i < count; i++) {
                map.put(string(in), value(in));
            }
            return count < 0 || in.hasRemaining() ? null : map;
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            // Whatever calls itself so: it stays bytes.
            return null;
        }
    }

    /** The values in a body; null if there are none. */
    static List<Object> list(Body.Data body) {
        try {
            ByteBuffer in = ByteBuffer.wrap(body.bytes(), body.from(), body.length());
            List<Object> list = new ArrayList<>();
            while (in.hasRemaining()) {
                list.add(value(in));
            }
            return list;
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            return null;
        }
    }

    private static Object value(ByteBuffer in) {
        int type = in.get();
        return switch (type) {
            case BOOLEAN -> truth(in.get());
            case BYTE -> in.get();
            case BYTES -> bytes(in);
            case SHORT -> in.getShort();
            case CHAR -> new CodePoint(in.getChar());
            case INT -> in.getInt();
            case LONG -> in.getLong();
            case FLOAT -> in.getFloat();
            case DOUBLE -> in.getDouble();
            case STRING -> string(in);
            case NULL_STRING -> null;
            default -> throw new IllegalArgumentException("no type " + type);
        };
    }

    private static Binary bytes(ByteBuffer in) {
        int length = in.getInt();
        if (length == -1) {
            return null;
        }
        if (length < 0) {
            throw new IllegalArgumentException("a length of " + length);
        }
        if (length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return new Binary(bytes);
    }

    private static String string(ByteBuffer in) {
        int from = in.position();
        while (in.get() != 0) {
            // up to the end of the text
        }
        int begin = in.arrayOffset() + from;
        int end = in.arrayOffset() + in.position() - 1;
        String text = new String(in.array(), begin, end - begin, StandardCharsets.UTF_8);
        byte[] again = text.getBytes(StandardCharsets.UTF_8);
        if (!Arrays.equals(again, 0, again.length, in.array(), begin, end)) {
            throw new IllegalArgumentException("a text that is not UTF-8"); // it would not come back as it was
        }
        return text;
    }

    /** The body of a stream message with these values; null if it cannot have them. */
    static byte[] encode(List<?> list) {
        Growing out = new Growing();
        for (Object value : list) {
            if (!put(out, value)) {
                return null;
            }
        }
        return out.toByteArray();
    }

    private static boolean put(Growing out, Object value) {
        switch (value) {
            case null -> out.octet(NULL_STRING);
            case Boolean bool -> out.octet(BOOLEAN).octet(bool ? 1 : 0);
            case Byte number -> out.octet(BYTE).octet(number);
            case Binary binary -> out.octet(BYTES).number(binary.bytes().length, Integer.BYTES).octets(binary.bytes());
            case Short number -> out.octet(SHORT).number(number, Short.BYTES);
            case CodePoint character when Character.isBmpCodePoint(character.value()) ->
                out.octet(CHAR).number(character.value(), Character.BYTES);
            case Integer number -> out.octet(INT).number(number, Integer.BYTES);
            case Long number -> out.octet(LONG).number(number, Long.BYTES);
            case Float number -> out.octet(FLOAT).number(Float.floatToRawIntBits(number), Integer.BYTES);
            case Double number -> out.octet(DOUBLE).number(Double.doubleToRawLongBits(number), Long.BYTES);
            case String text when text.indexOf('\0') < 0 ->
                out.octet(STRING).octets(text.getBytes(StandardCharsets.UTF_8)).octet(0);
            default -> {
                return false;
            }
        }
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
