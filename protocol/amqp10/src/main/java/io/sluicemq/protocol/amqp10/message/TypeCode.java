package io.sluicemq.protocol.amqp10.message;

/** The constructors of the type system (part 1 §1.6) that are named here, as unsigned octets. */
final class TypeCode {

    static final int DESCRIBED = 0x00;
    static final int NULL = 0x40;
    static final int TRUE = 0x41;
    static final int FALSE = 0x42;
    static final int UINT_0 = 0x43;
    static final int ULONG_0 = 0x44;
    static final int LIST_0 = 0x45;
    static final int UBYTE = 0x50;
    static final int BYTE = 0x51;
    static final int SMALL_UINT = 0x52;
    static final int SMALL_ULONG = 0x53;
    static final int SMALL_INT = 0x54;
    static final int SMALL_LONG = 0x55;
    static final int BOOLEAN = 0x56;
    static final int USHORT = 0x60;
    static final int SHORT = 0x61;
    static final int UINT = 0x70;
    static final int INT = 0x71;
    static final int FLOAT = 0x72;
    static final int CHAR = 0x73;
    static final int DECIMAL_32 = 0x74;
    static final int ULONG = 0x80;
    static final int LONG = 0x81;
    static final int DOUBLE = 0x82;
    static final int TIMESTAMP = 0x83;
    static final int DECIMAL_64 = 0x84;
    static final int DECIMAL_128 = 0x94;
    static final int UUID = 0x98;
    static final int BINARY_8 = 0xA0;
    static final int STRING_8 = 0xA1;
    static final int SYMBOL_8 = 0xA3;
    static final int BINARY_32 = 0xB0;
    static final int STRING_32 = 0xB1;
    static final int SYMBOL_32 = 0xB3;
    static final int LIST_8 = 0xC0;
    static final int MAP_8 = 0xC1;
    static final int LIST_32 = 0xD0;
    static final int MAP_32 = 0xD1;
    static final int ARRAY_8 = 0xE0;
    static final int ARRAY_32 = 0xF0;

    /** {@link #width}: a size of one octet comes first. */
    static final int SIZE_8 = -1;
    /** {@link #width}: a size of four octets comes first. */
    static final int SIZE_32 = -4;
    /** {@link #width}: there is no such constructor, or it is {@link #DESCRIBED}. */
    static final int UNKNOWN = -9;

    private static final byte[] WIDTHS = new byte[256];

    static {
        java.util.Arrays.fill(WIDTHS, (byte) UNKNOWN);
        widths(0, NULL, TRUE, FALSE, UINT_0, ULONG_0, LIST_0);
        widths(1, UBYTE, BYTE, SMALL_UINT, SMALL_ULONG, SMALL_INT, SMALL_LONG, BOOLEAN);
        widths(2, USHORT, SHORT);
        widths(4, UINT, INT, FLOAT, CHAR, DECIMAL_32);
        widths(8, ULONG, LONG, DOUBLE, TIMESTAMP, DECIMAL_64);
        widths(16, DECIMAL_128, UUID);
        widths(SIZE_8, BINARY_8, STRING_8, SYMBOL_8, LIST_8, MAP_8, ARRAY_8);
        widths(SIZE_32, BINARY_32, STRING_32, SYMBOL_32, LIST_32, MAP_32, ARRAY_32);
    }

    private TypeCode() {}

    private static void widths(int width, int... codes) {
        for (int code : codes) {
            WIDTHS[code] = (byte) width;
        }
    }

    /** The octets of a value behind its constructor {@code code}, or one of the negative numbers above. */
    static int width(int code) {
        return WIDTHS[code];
    }

    static boolean isString(int code) {
        return code == STRING_8 || code == STRING_32;
    }

    static boolean isSymbol(int code) {
        return code == SYMBOL_8 || code == SYMBOL_32;
    }

    static boolean isBinary(int code) {
        return code == BINARY_8 || code == BINARY_32;
    }

    static boolean isUint(int code) {
        return code == UINT || code == SMALL_UINT || code == UINT_0;
    }

    static boolean isUlong(int code) {
        return code == ULONG || code == SMALL_ULONG || code == ULONG_0;
    }

    static boolean isBoolean(int code) {
        return code == TRUE || code == FALSE || code == BOOLEAN;
    }

    static boolean isList(int code) {
        return code == LIST_0 || code == LIST_8 || code == LIST_32;
    }

    static boolean isMap(int code) {
        return code == MAP_8 || code == MAP_32;
    }

    static boolean isArray(int code) {
        return code == ARRAY_8 || code == ARRAY_32;
    }
}
