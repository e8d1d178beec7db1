package io.sluicemq.broker.routing;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The arguments of a binding or an exchange: kept as they were given, compared by what they mean.
 *
 * <p>Two are equal if they have the same keys with the same values, where a number is its value whatever its width or kind, a
 * string its content whatever its class, and lists, tables and byte arrays are compared element by element. Clients of different
 * languages choose different integer widths for the same number, and would otherwise make two bindings of one.
 *
 * <p>Immutable, as long as nobody changes what was put in.
 */
public final class Arguments {

    public static final Arguments NONE = new Arguments(Map.of(), Map.of());

    private final Map<String, Object> given;
    private final Map<String, Object> comparable;
    private final int hash;

    private Arguments(Map<String, Object> given, Map<String, Object> comparable) {
        this.given = given;
        this.comparable = comparable;
        this.hash = comparable.hashCode();
    }

    /** The arguments in {@code given}, which is copied; values may be null. */
    public static Arguments of(Map<String, Object> given) {
        if (given.isEmpty()) {
            return NONE;
        }
        Map<String, Object> comparable = HashMap.newHashMap(given.size());
        given.forEach((key, value) -> comparable.put(key, comparable(value)));
        return new Arguments(Collections.unmodifiableMap(new LinkedHashMap<>(given)), comparable);
    }

    /** The arguments as they were given, unmodifiable and in their order. */
    public Map<String, Object> asMap() {
        return given;
    }

    /** The arguments with each value in the form that {@link #comparable(Object)} gives it. */
    Map<String, Object> comparableMap() {
        return comparable;
    }

    public boolean isEmpty() {
        return given.isEmpty();
    }

    /**
     * A stand-in for a field value whose {@code equals} and {@code hashCode} go by meaning: integers of any width and floats
     * without a fraction become {@code Long}, other floats {@code Double}, character sequences {@code String}, byte arrays,
     * lists and maps their content. What is not known here stands for itself.
     */
    static Object comparable(Object value) {
        return switch (value) {
            case null -> null;
            case String string -> string;
            case Long number -> number;
            case Integer number -> number.longValue();
            case Short number -> number.longValue();
            case Byte number -> number.longValue();
            case Double number -> comparable(number.doubleValue());
            case Float number -> comparable(number.doubleValue());
            case BigInteger number when number.bitLength() < Long.SIZE -> number.longValue();
            case CharSequence characters -> characters.toString();
            case byte[] bytes -> ByteBuffer.wrap(bytes.clone());
            case List<?> list -> {
                List<Object> elements = new ArrayList<>(list.size());
                list.forEach(element -> elements.add(comparable(element)));
                yield elements;
            }
            case Map<?, ?> map -> {
                Map<Object, Object> entries = HashMap.newHashMap(map.size());
                map.forEach((key, element) -> entries.put(comparable(key), comparable(element)));
                yield entries;
            }
            default -> value;
        };
    }

    private static Object comparable(double number) {
        long whole = (long) number;
        // The upper bound of the cast is excluded: 2^63 as a double saturates to a long that is one less.
        return whole == number && whole != Long.MAX_VALUE ? (Object) whole : (Object) number;
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof Arguments that && hash == that.hash && comparable.equals(that.comparable);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return given.toString();
    }
}
