package io.sluicemq.protocol.amqp091.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Makes {@link BasicProperties} out of others: properties and headers that are not named keep their bytes and their
 * order, whatever they are. A header that is set takes the place of its first occurrence, or goes to the end; further
 * occurrences of its name go. Used by one thread, once.
 */
public final class BasicPropertiesEditor {

    private static final BasicProperty[] PROPERTIES = BasicProperty.values();
    private static final Object REMOVED = new Object();

    private final BasicProperties original;
    private final byte[][] replaced = new byte[PROPERTIES.length][];
    private final Map<String, Object> headers = new LinkedHashMap<>();
    private int flags;

    BasicPropertiesEditor(BasicProperties original) {
        this.original = original;
        this.flags = original.flags();
    }

    /**
     * Sets a property that is a short string.
     *
     * @throws IllegalArgumentException if {@code property} is not one, or {@code value} has more than 255 bytes
     */
    public BasicPropertiesEditor set(BasicProperty property, String value) {
        require(property.kind == BasicProperty.Kind.SHORT_STRING, property);
        return replace(property, ShortString.encode(value));
    }

    /**
     * Sets the delivery mode, the priority (both 0 to 255) or the timestamp (seconds).
     *
     * @throws IllegalArgumentException if {@code property} is none of them, or the value does not fit
     */
    public BasicPropertiesEditor set(BasicProperty property, long value) {
        if (property.kind == BasicProperty.Kind.TIMESTAMP) {
            byte[] bytes = new byte[Long.BYTES];
            Utf8.LONGS.set(bytes, 0, value);
            return replace(property, bytes);
        }
        require(property.kind == BasicProperty.Kind.OCTET && value >= 0 && value <= 0xFF, property);
        return replace(property, new byte[] {(byte) value});
    }

    /** Removes a property; of {@link BasicProperty#HEADERS} all headers, with those set before this call. */
    public BasicPropertiesEditor remove(BasicProperty property) {
        if (property == BasicProperty.HEADERS) {
            headers.clear();
        }
        replaced[property.ordinal()] = null;
        flags &= ~property.flag;
        return this;
    }

    /** Sets a header to a value of a type of {@link FieldTable}; null is the void value. */
    public BasicPropertiesEditor setHeader(String name, Object value) {
        headers.put(name, value);
        return this;
    }

    /** Removes every occurrence of a header. */
    public BasicPropertiesEditor removeHeader(String name) {
        headers.put(name, REMOVED);
        return this;
    }

    private BasicPropertiesEditor replace(BasicProperty property, byte[] bytes) {
        replaced[property.ordinal()] = bytes;
        flags |= property.flag;
        return this;
    }

    private static void require(boolean condition, BasicProperty property) {
        if (!condition) {
            throw new IllegalArgumentException("not a value for " + property);
        }
    }

    /**
     * The result. A header table that becomes empty stays, empty, if there was one.
     *
     * @throws IllegalArgumentException if a header cannot be encoded, as in {@link FieldTable#write}
     */
    public BasicProperties build() {
        boolean keepsTable = (flags & BasicProperty.HEADERS.flag) != 0;
        if (!keepsTable && headers.values().stream().anyMatch(value -> value != REMOVED)) {
            flags |= BasicProperty.HEADERS.flag;
        }
        ByteBuf out = Unpooled.buffer(original.length() + 64);
        out.writeShort(flags);
        int at = 2;
        for (BasicProperty property : PROPERTIES) {
            int from = at;
            if (original.has(property)) {
                at = original.endOf(property, from);
            }
            if ((flags & property.flag) == 0) {
                continue;
            }
            byte[] replacement = replaced[property.ordinal()];
            if (replacement != null) {
                out.writeBytes(replacement);
            } else if (property == BasicProperty.HEADERS && !headers.isEmpty()) {
                writeHeaders(out, keepsTable ? from + Integer.BYTES : at, at);
            } else {
                out.writeBytes(original.bytes(), from, at - from);
            }
        }
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes);
        return BasicProperties.of(bytes);
    }

    /** Writes the table: the original entries in [from, end) with the edits applied to them, then what is new. */
    private void writeHeaders(ByteBuf out, int from, int end) {
        byte[] bytes = original.bytes();
        Map<String, Object> left = new LinkedHashMap<>(headers);
        int lengthAt = out.writerIndex();
        out.writeInt(0);
        int at = from;
        while (at < end) {
            int nameEnd = FieldTable.shortStringEnd(bytes, at, end);
            int valueEnd = FieldTable.valueEnd(bytes, nameEnd, end);
            String name = Utf8.decode(bytes, at + 1, nameEnd);
            if (!headers.containsKey(name)) {
                out.writeBytes(bytes, at, valueEnd - at);
            } else if (left.containsKey(name)) {
                writeHeader(out, name, left.remove(name));
            }
            at = valueEnd;
        }
        left.forEach((name, value) -> writeHeader(out, name, value));
        out.setInt(lengthAt, out.writerIndex() - lengthAt - Integer.BYTES);
    }

    private static void writeHeader(ByteBuf out, String name, Object value) {
        if (value != REMOVED) {
            FieldTable.writeName(out, name);
            FieldTable.writeValue(out, value, 1);
        }
    }
}
