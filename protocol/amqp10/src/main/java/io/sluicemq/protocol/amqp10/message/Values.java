package io.sluicemq.protocol.amqp10.message;

import io.sluicemq.api.value.Array;
import io.sluicemq.api.value.Binary;
import io.sluicemq.api.value.CodePoint;
import io.sluicemq.api.value.Described;
import io.sluicemq.api.value.Symbol;
import io.sluicemq.api.value.UnsignedInteger;
import io.sluicemq.api.value.UnsignedLong;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Makes objects of encoded values (part 1), with the types of {@link io.sluicemq.api.PortableMessage}. For what is converted or
 * looked at; what is only passed on stays bytes. The bytes are well formed. Pure.
 */
final class Values {

    private Values() {}

    /** The value at {@code at}. */
    static Object at(byte[] bytes, int at) {
        int code = Encoded.code(bytes, at);
        if (code == TypeCode.DESCRIBED) {
            int value = Encoded.end(bytes, at + 1);
            return new Described(at(bytes, at + 1), at(bytes, value));
        }
        return of(bytes, at + 1, code);
    }

    /** The value that begins, behind its constructor {@code code}, at {@code at}. */
    private static Object of(byte[] bytes, int at, int code) {
        return switch (code) {
            case TypeCode.NULL -> null;
            case TypeCode.TRUE -> true;
            case TypeCode.FALSE -> false;
            case TypeCode.BOOLEAN -> bytes[at] != 0;
            case TypeCode.UBYTE -> new UnsignedInteger.OfByte(bytes[at] & 0xFF);
            case TypeCode.BYTE -> bytes[at];
            case TypeCode.USHORT -> new UnsignedInteger.OfShort(Encoded.shortAt(bytes, at));
            case TypeCode.SHORT -> (short) Encoded.shortAt(bytes, at);
            case TypeCode.UINT_0 -> new UnsignedInteger.OfInt(0);
            case TypeCode.SMALL_UINT -> new UnsignedInteger.OfInt(bytes[at] & 0xFF);
            case TypeCode.UINT -> new UnsignedInteger.OfInt(Integer.toUnsignedLong(Encoded.intAt(bytes, at)));
            case TypeCode.SMALL_INT -> (int) bytes[at];
            case TypeCode.INT -> Encoded.intAt(bytes, at);
            case TypeCode.ULONG_0 -> new UnsignedLong(0);
            case TypeCode.SMALL_ULONG -> new UnsignedLong(bytes[at] & 0xFF);
            case TypeCode.ULONG -> new UnsignedLong(Encoded.longAt(bytes, at));
            case TypeCode.SMALL_LONG -> (long) bytes[at];
            case TypeCode.LONG -> Encoded.longAt(bytes, at);
            case TypeCode.FLOAT -> Float.intBitsToFloat(Encoded.intAt(bytes, at));
            case TypeCode.DOUBLE -> Double.longBitsToDouble(Encoded.longAt(bytes, at));
            case TypeCode.DECIMAL_32 -> Decimals.of32(Encoded.intAt(bytes, at));
            case TypeCode.DECIMAL_64 -> Decimals.of64(Encoded.longAt(bytes, at));
            case TypeCode.DECIMAL_128 ->
                Decimals.of128(Encoded.longAt(bytes, at), Encoded.longAt(bytes, at + Long.BYTES));
            case TypeCode.CHAR -> new CodePoint(Encoded.intAt(bytes, at));
            case TypeCode.TIMESTAMP -> Instant.ofEpochMilli(Encoded.longAt(bytes, at));
            case TypeCode.UUID -> new UUID(Encoded.longAt(bytes, at), Encoded.longAt(bytes, at + Long.BYTES));
            case TypeCode.BINARY_8, TypeCode.BINARY_32 ->
                new Binary(Arrays.copyOfRange(bytes, at + sizeWidth(code), Encoded.end(bytes, at, code)));
            case TypeCode.STRING_8, TypeCode.STRING_32 -> text(bytes, at, code);
            case TypeCode.SYMBOL_8, TypeCode.SYMBOL_32 -> new Symbol(text(bytes, at, code));
            case TypeCode.LIST_0 -> List.of();
            case TypeCode.LIST_8, TypeCode.LIST_32 -> list(bytes, at, sizeWidth(code));
            case TypeCode.MAP_8, TypeCode.MAP_32 -> map(bytes, at, sizeWidth(code));
            case TypeCode.ARRAY_8, TypeCode.ARRAY_32 -> array(bytes, at, sizeWidth(code));
            default -> throw new IllegalArgumentException("no type 0x" + Integer.toHexString(code));
        };
    }

    private static int sizeWidth(int code) {
        return -TypeCode.width(code);
    }

    private static String text(byte[] bytes, int at, int code) {
        int from = at + sizeWidth(code);
        return new String(bytes, from, Encoded.end(bytes, at, code) - from, StandardCharsets.UTF_8);
    }

    private static int number(byte[] bytes, int at, int width) {
        return width == 1 ? bytes[at] & 0xFF : Encoded.intAt(bytes, at);
    }

    private static List<Object> list(byte[] bytes, int at, int width) {
        int count = number(bytes, at + width, width);
        List<Object> list = new ArrayList<>(count);
        int item = at + 2 * width;
        for (int i = 0; i < count; i++) {
            list.add(at(bytes, item));
            item = Encoded.end(bytes, item);
        }
        return Collections.unmodifiableList(list);
    }

    private static Map<Object, Object> map(byte[] bytes, int at, int width) {
        int count = number(bytes, at + width, width);
        Map<Object, Object> map = new LinkedHashMap<>();
        int item = at + 2 * width;
        for (int i = 0; i < count; i += 2) {
            int value = Encoded.end(bytes, item);
            map.put(at(bytes, item), at(bytes, value));
            item = Encoded.end(bytes, value);
        }
        return Collections.unmodifiableMap(map);
    }

    private static Array array(byte[] bytes, int at, int width) {
        int count = number(bytes, at + width, width);
        List<Object> descriptors = new ArrayList<>(0);
        int constructor = at + 2 * width;
        while (bytes[constructor] == TypeCode.DESCRIBED) {
            descriptors.addFirst(at(bytes, constructor + 1));
            constructor = Encoded.end(bytes, constructor + 1);
        }
        int code = Encoded.code(bytes, constructor);
        List<Object> elements = new ArrayList<>(count);
        int element = constructor + 1;
        for (int i = 0; i < count; i++) {
            Object value = of(bytes, element, code);
            for (Object descriptor : descriptors) {
                value = new Described(descriptor, value);
            }
            elements.add(value);
            element = Encoded.end(bytes, element, code);
        }
        return new Array(Collections.unmodifiableList(elements));
    }

    /** The map at {@code at}, whose keys are strings or symbols; others are left out. */
    static Map<String, Object> named(byte[] bytes, int at) {
        Map<String, Object> named = new LinkedHashMap<>();
        int key = Encoded.firstItem(bytes, at);
        for (int left = Encoded.items(bytes, at); left > 0; left -= 2) {
            int value = Encoded.end(bytes, key);
            int code = Encoded.code(bytes, key);
            if (TypeCode.isString(code) || TypeCode.isSymbol(code)) {
                named.put(Encoded.text(bytes, key), at(bytes, value));
            }
            key = Encoded.end(bytes, value);
        }
        return named;
    }
}
