package io.sluicemq.protocol.amqp091.conversion;

import io.sluicemq.api.value.Array;
import io.sluicemq.api.value.Binary;
import io.sluicemq.api.value.CodePoint;
import io.sluicemq.api.value.Described;
import io.sluicemq.api.value.LongString;
import io.sluicemq.api.value.Symbol;
import io.sluicemq.api.value.Timestamp;
import io.sluicemq.api.value.UnsignedInteger;
import io.sluicemq.api.value.UnsignedLong;
import io.sluicemq.protocol.amqp091.codec.FieldTable;
import io.sluicemq.protocol.amqp091.codec.ShortString;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Field values as {@link FieldTable} has them, and those of {@link io.sluicemq.api.PortableMessage}, in both directions. Pure. */
final class FieldValues {

    private static final long MAX_SECONDS = Long.MAX_VALUE / 1000;
    private static final int MAX_SCALE = 0xFF;

    private FieldValues() {}

    // ---- to every protocol's

    static Object toPortable(Object value) {
        return switch (value) {
            case LongString text -> new Binary(text.bytes());
            case Timestamp time -> instant(time);
            case List<?> list -> {
                List<Object> converted = new ArrayList<>(list.size());
                list.forEach(element -> converted.add(toPortable(element)));
                yield converted;
            }
            case Map<?, ?> map -> {
                Map<Object, Object> converted = new LinkedHashMap<>();
                map.forEach((key, element) -> converted.put(key, toPortable(element)));
                yield converted;
            }
            case null, default -> value;
        };
    }

    /** An Instant, or if that has no milliseconds in 64 bits the number of seconds. */
    static Object instant(Timestamp time) {
        long seconds = time.epochSeconds();
        return seconds > MAX_SECONDS || seconds < -MAX_SECONDS
                ? new UnsignedLong(seconds)
                : Instant.ofEpochSecond(seconds);
    }

    // ---- from every protocol's

    /** @param depth how deep the value stands: 1 in the outermost table */
    static Object toField(Object value, int depth) {
        return switch (value) {
            case null -> null;
            case String text -> text;
            case Boolean bool -> bool;
            case Byte number -> number;
            case Short number -> number;
            case Integer number -> number;
            case Long number -> number;
            case Float number -> number;
            case Double number -> number;
            case UnsignedInteger number -> number;
            case Binary binary -> binary;
            case UnsignedLong number -> number.bits() < 0 ? number.toString() : (Object) number.bits();
            case BigDecimal number -> fits(number) ? number : number.toString();
            case Instant time -> timestamp(time);
            case UUID uuid -> uuid.toString();
            case Symbol symbol -> symbol.name();
            case CodePoint character -> character(character.value());
            case Described described -> toField(described.value(), depth);
            case Array array -> toFields(array.elements(), depth + 1);
            case List<?> list -> toFields(list, depth + 1);
            case Map<?, ?> map -> toTable(map, depth + 1);
            default -> value.toString();
        };
    }

    private static Object toFields(List<?> list, int depth) {
        if (depth > FieldTable.MAX_DEPTH) {
            return null;
        }
        List<Object> fields = new ArrayList<>(list.size());
        list.forEach(element -> fields.add(toField(element, depth)));
        return fields;
    }

    private static Map<String, Object> toTable(Map<?, ?> map, int depth) {
        if (depth > FieldTable.MAX_DEPTH) {
            return null;
        }
        Map<String, Object> table = new LinkedHashMap<>();
        map.forEach((key, value) -> {
            String name = key instanceof Symbol symbol ? symbol.name() : String.valueOf(toField(key, depth));
            if (isShort(name)) {
                table.put(name, toField(value, depth));
            }
        });
        return table;
    }

    /** Whether a text can be a short string: a property, or the name of a header. */
    static boolean isShort(String text) {
        return text.length() <= ShortString.MAX_BYTES / 3
                || text.getBytes(StandardCharsets.UTF_8).length <= ShortString.MAX_BYTES;
    }

    private static boolean fits(BigDecimal number) {
        return number.unscaledValue().bitLength() < Integer.SIZE && number.scale() >= 0 && number.scale() <= MAX_SCALE;
    }

    static Timestamp timestamp(Instant time) {
        return new Timestamp(time.getEpochSecond());
    }

    private static Object character(int codePoint) {
        boolean isOne = Character.isValidCodePoint(codePoint)
                && (codePoint < Character.MIN_SURROGATE || codePoint > Character.MAX_SURROGATE);
        return isOne
                ? Character.toString(codePoint)
                : (Object) new UnsignedInteger.OfInt(Integer.toUnsignedLong(codePoint));
    }
}
