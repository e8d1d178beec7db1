package io.sluicemq.protocol.amqp10.message;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads values of the type system (part 1) where they lie, out of bytes that a {@link ValueCheck} has found to be well formed:
 * it checks nothing itself. A position is that of the value's constructor. Pure.
 */
final class Encoded {

    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private Encoded() {}

    static int code(byte[] bytes, int at) {
        return bytes[at] & 0xFF;
    }

    static int shortAt(byte[] bytes, int at) {
        return (bytes[at] & 0xFF) << 8 | bytes[at + 1] & 0xFF;
    }

    static int intAt(byte[] bytes, int at) {
        return (int) INTS.get(bytes, at);
    }

    static long longAt(byte[] bytes, int at) {
        return (long) LONGS.get(bytes, at);
    }

    static void putInt(byte[] bytes, int at, int value) {
        INTS.set(bytes, at, value);
    }

    static void putLong(byte[] bytes, int at, long value) {
        LONGS.set(bytes, at, value);
    }

    /** Where the value at {@code at} ends. */
    static int end(byte[] bytes, int at) {
        int code = code(bytes, at);
        if (code == TypeCode.DESCRIBED) {
            return end(bytes, end(bytes, at + 1));
        }
        return end(bytes, at + 1, code);
    }

    /** Where the value ends that begins, behind its constructor {@code code}, at {@code at}. */
    static int end(byte[] bytes, int at, int code) {
        int width = TypeCode.width(code);
        return switch (width) {
            case TypeCode.SIZE_8 -> at + 1 + code(bytes, at);
            case TypeCode.SIZE_32 -> at + Integer.BYTES + intAt(bytes, at);
            default -> at + width;
        };
    }

    static boolean isNull(byte[] bytes, int at) {
        return code(bytes, at) == TypeCode.NULL;
    }

    // ---- variable width

    /** Where the octets of a string, symbol or binary begin; they go on to its {@link #end}. */
    static int content(byte[] bytes, int at) {
        return TypeCode.width(code(bytes, at)) == TypeCode.SIZE_8 ? at + 2 : at + 1 + Integer.BYTES;
    }

    /** The text of a string or symbol; what is not UTF-8 becomes U+FFFD. */
    static String text(byte[] bytes, int at) {
        int from = content(bytes, at);
        return new String(bytes, from, end(bytes, at) - from, StandardCharsets.UTF_8);
    }

    /** The text of a string or symbol that begins, behind its constructor {@code code}, at {@code at}. */
    static String text(byte[] bytes, int at, int code) {
        int from = TypeCode.width(code) == TypeCode.SIZE_8 ? at + 1 : at + Integer.BYTES;
        return new String(bytes, from, end(bytes, at, code) - from, StandardCharsets.UTF_8);
    }

    static byte[] octets(byte[] bytes, int at) {
        return Arrays.copyOfRange(bytes, content(bytes, at), end(bytes, at));
    }

    /** Whether the string or symbol at {@code at} has these octets. */
    static boolean isText(byte[] bytes, int at, byte[] octets) {
        int from = content(bytes, at);
        return Arrays.equals(bytes, from, end(bytes, at), octets, 0, octets.length);
    }

    /** Whether the range holds this text, which is ASCII. */
    static boolean isAscii(byte[] bytes, int from, int to, String text) {
        if (to - from != text.length()) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            if (bytes[from + i] != text.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    // ---- numbers

    static boolean bool(byte[] bytes, int at) {
        int code = code(bytes, at);
        return code == TypeCode.TRUE || code == TypeCode.BOOLEAN && bytes[at + 1] != 0;
    }

    /** Whether there is an integer of any width, or a timestamp. */
    static boolean isInteger(byte[] bytes, int at) {
        return switch (code(bytes, at)) {
            case TypeCode.UINT_0,
                    TypeCode.ULONG_0,
                    TypeCode.UBYTE,
                    TypeCode.BYTE,
                    TypeCode.SMALL_UINT,
                    TypeCode.SMALL_ULONG,
                    TypeCode.SMALL_INT,
                    TypeCode.SMALL_LONG,
                    TypeCode.USHORT,
                    TypeCode.SHORT,
                    TypeCode.UINT,
                    TypeCode.INT,
                    TypeCode.ULONG,
                    TypeCode.LONG,
                    TypeCode.TIMESTAMP ->
                true;
            default -> false;
        };
    }

    /** An {@linkplain #isInteger integer}; an unsigned long's bits. */
    static long integer(byte[] bytes, int at) {
        return switch (code(bytes, at)) {
            case TypeCode.UINT_0, TypeCode.ULONG_0 -> 0;
            case TypeCode.UBYTE, TypeCode.SMALL_UINT, TypeCode.SMALL_ULONG -> bytes[at + 1] & 0xFF;
            case TypeCode.BYTE, TypeCode.SMALL_INT, TypeCode.SMALL_LONG -> bytes[at + 1];
            case TypeCode.USHORT -> shortAt(bytes, at + 1);
            case TypeCode.SHORT -> (short) shortAt(bytes, at + 1);
            case TypeCode.UINT -> Integer.toUnsignedLong(intAt(bytes, at + 1));
            case TypeCode.INT -> intAt(bytes, at + 1);
            case TypeCode.ULONG, TypeCode.LONG, TypeCode.TIMESTAMP -> longAt(bytes, at + 1);
            default -> throw new IllegalArgumentException("no integer");
        };
    }

    // ---- lists and maps

    /** How many items a list or map has, a map's keys and values each for themselves. */
    static int items(byte[] bytes, int at) {
        return switch (TypeCode.width(code(bytes, at))) {
            case TypeCode.SIZE_8 -> code(bytes, at + 2);
            case TypeCode.SIZE_32 -> intAt(bytes, at + 1 + Integer.BYTES);
            default -> 0;
        };
    }

    /** Where the first item of a list or map is, or would be. */
    static int firstItem(byte[] bytes, int at) {
        return switch (TypeCode.width(code(bytes, at))) {
            case TypeCode.SIZE_8 -> at + 3;
            case TypeCode.SIZE_32 -> at + 1 + 2 * Integer.BYTES;
            default -> at + 1;
        };
    }

    /** Where the {@code index}-th field of a list is; −1 if it is null or left out. */
    static int field(byte[] bytes, int list, int index) {
        if (index >= items(bytes, list)) {
            return -1;
        }
        int at = firstItem(bytes, list);
        for (int i = 0; i < index; i++) {
            at = end(bytes, at);
        }
        return isNull(bytes, at) ? -1 : at;
    }

    /** Where the value is that a map has for a string or symbol of these octets; −1 if there is none. */
    static int mapped(byte[] bytes, int map, byte[] key) {
        int at = firstItem(bytes, map);
        for (int left = items(bytes, map); left > 0; left -= 2) {
            int code = code(bytes, at);
            int value = end(bytes, at);
            if ((TypeCode.isString(code) || TypeCode.isSymbol(code)) && isText(bytes, at, key)) {
                return value;
            }
            at = end(bytes, value);
        }
        return -1;
    }

    // ---- sections

    /** The code of the section at {@code at}. */
    static int section(byte[] bytes, int at) {
        int descriptor = at + 1;
        return TypeCode.isSymbol(code(bytes, descriptor))
                ? Section.codeOf(bytes, content(bytes, descriptor), end(bytes, descriptor))
                : (int) integer(bytes, descriptor);
    }

    /** Where the value of the section of this code is, in sections that begin at 0; −1 if there is none. */
    static int findSection(byte[] bytes, int code) {
        int at = 0;
        while (at < bytes.length) {
            int here = section(bytes, at);
            int value = end(bytes, at + 1);
            if (here == code) {
                return value;
            }
            if (here > code) {
                return -1;
            }
            at = end(bytes, value);
        }
        return -1;
    }
}
