package io.sluicemq.protocol.amqp10.message;

import io.sluicemq.api.value.Array;
import io.sluicemq.api.value.Binary;
import io.sluicemq.api.value.CodePoint;
import io.sluicemq.api.value.Described;
import io.sluicemq.api.value.Symbol;
import io.sluicemq.api.value.UnsignedInteger;
import io.sluicemq.api.value.UnsignedLong;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;

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

    // ---- values of any type

    /** Writes a value of the types of {@link io.sluicemq.api.PortableMessage}; one of another type becomes a string. */
    ValueWriter value(Object value) {
        switch (value) {
            case null -> nothing();
            case BigDecimal number -> decimal(number);
            case Described described -> {
                octet(TypeCode.DESCRIBED);
                value(described.descriptor());
                value(described.value());
            }
            case Array array -> array(array);
            default -> {
                octet(code(value));
                content(value);
            }
        }
        return this;
    }

    private void decimal(BigDecimal number) {
        if (!Decimals.write(this, number)) {
            string(number.toString());
        }
    }

    /** The constructor with which every value of a type can be written; a string's for a type that is unknown. */
    private static int code(Object value) {
        return switch (value) {
            case Boolean ignored -> TypeCode.BOOLEAN;
            case Byte ignored -> TypeCode.BYTE;
            case Short ignored -> TypeCode.SHORT;
            case Integer ignored -> TypeCode.INT;
            case Long ignored -> TypeCode.LONG;
            case UnsignedInteger.OfByte ignored -> TypeCode.UBYTE;
            case UnsignedInteger.OfShort ignored -> TypeCode.USHORT;
            case UnsignedInteger.OfInt ignored -> TypeCode.UINT;
            case UnsignedLong ignored -> TypeCode.ULONG;
            case Float ignored -> TypeCode.FLOAT;
            case Double ignored -> TypeCode.DOUBLE;
            case CodePoint ignored -> TypeCode.CHAR;
            case Instant ignored -> TypeCode.TIMESTAMP;
            case UUID ignored -> TypeCode.UUID;
            case Binary ignored -> TypeCode.BINARY_32;
            case Symbol ignored -> TypeCode.SYMBOL_32;
            case List<?> ignored -> TypeCode.LIST_32;
            case Map<?, ?> ignored -> TypeCode.MAP_32;
            default -> TypeCode.STRING_32;
        };
    }

    private void content(Object value) {
        switch (value) {
            case Boolean bool -> octet(bool ? 1 : 0);
            case Byte number -> octet(number);
            case Short number -> twoOctets(number);
            case Integer number -> fourOctets(number);
            case Long number -> eightOctets(number);
            case UnsignedInteger.OfByte number -> octet((int) number.value());
            case UnsignedInteger.OfShort number -> twoOctets((int) number.value());
            case UnsignedInteger.OfInt number -> fourOctets((int) number.value());
            case UnsignedLong number -> eightOctets(number.bits());
            case Float number -> fourOctets(Float.floatToRawIntBits(number));
            case Double number -> eightOctets(Double.doubleToRawLongBits(number));
            case CodePoint character -> fourOctets(character.value());
            case Instant time -> eightOctets(time.toEpochMilli());
            case UUID uuid -> eightOctets(uuid.getMostSignificantBits()).eightOctets(uuid.getLeastSignificantBits());
            case Binary binary -> sized(binary.bytes());
            case Symbol symbol -> sized(symbol.name().getBytes(StandardCharsets.US_ASCII));
            case List<?> list -> list(list);
            case Map<?, ?> map -> map(map);
            default -> sized(value.toString().getBytes(StandardCharsets.UTF_8));
        }
    }

    private void sized(byte[] octets) {
        fourOctets(octets.length).copy(octets, 0, octets.length);
    }

    private void list(List<?> list) {
        int start = openElement();
        for (Object element : list) {
            value(element);
        }
        close(start, list.size());
    }

    private void map(Map<?, ?> map) {
        int start = openElement();
        map.forEach((key, value) -> value(key).value(value));
        close(start, 2 * map.size());
    }

    /** An array if all its elements can have one constructor, else a list. */
    private void array(Array array) {
        List<?> elements = array.elements();
        Object first = elements.isEmpty() ? "" : elements.getFirst();
        boolean alike = true;
        for (Object element : elements) {
            alike &= element != null
                    && element.getClass() == first.getClass()
                    && !(element instanceof BigDecimal || element instanceof Described || element instanceof Array);
        }
        if (!alike) {
            value(elements);
            return;
        }
        int start = open(TypeCode.ARRAY_32);
        octet(code(first));
        for (Object element : elements) {
            content(element);
        }
        close(start, elements.size());
    }
}
