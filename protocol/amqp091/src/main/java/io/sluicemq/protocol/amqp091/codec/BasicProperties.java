package io.sluicemq.protocol.amqp091.codec;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;

/**
 * The properties of a message: a lazy view over their original bytes. Immutable, so it may be shared between loops.
 *
 * <p>The bytes are those of a content header frame after the body size (spec §4.2.6.1):
 * {@code flags(u16) property*}, each property whose flag is set in the order of {@link BasicProperty}. They have been
 * checked once when the instance was made; an accessor finds its property by walking over the ones before it, and
 * decodes only that. Continuation words of the flags are dropped on arrival if they are empty and refused if not: no
 * property is defined for them.
 */
public final class BasicProperties {

    /** No properties. */
    public static final BasicProperties EMPTY = new BasicProperties(new byte[2], (byte) 0, (byte) 0);

    private static final BasicProperty[] PROPERTIES = BasicProperty.values();
    private static final int CONTINUATION = 1;
    private static final int UNDEFINED = 2;
    private static final int FLAGS = 2;

    private final byte[] bytes;
    private final byte deliveryMode;
    private final byte priority;

    private BasicProperties(byte[] bytes, byte deliveryMode, byte priority) {
        this.bytes = bytes;
        this.deliveryMode = deliveryMode;
        this.priority = priority;
    }

    /**
     * Checks {@code bytes}, flags and properties, and wraps them; they are not to be changed afterwards.
     *
     * @throws ProtocolFaultException 502 if they are malformed
     */
    public static BasicProperties of(byte[] bytes) {
        if (bytes.length < FLAGS) {
            throw ProtocolFaultException.syntax("the property flags are missing");
        }
        if ((bytes[1] & CONTINUATION) != 0) {
            return of(withoutContinuation(bytes));
        }
        int flags = FieldTable.shortAt(bytes, 0);
        if ((flags & UNDEFINED) != 0) {
            throw undefinedFlag();
        }
        byte deliveryMode = 0;
        byte priority = 0;
        int at = FLAGS;
        for (int rest = flags; rest != 0; rest &= ~Integer.highestOneBit(rest)) {
            BasicProperty property = PROPERTIES[Integer.numberOfLeadingZeros(rest) - Short.SIZE];
            int end = checkedEnd(property, bytes, at);
            if (property == BasicProperty.DELIVERY_MODE) {
                deliveryMode = bytes[at];
            } else if (property == BasicProperty.PRIORITY) {
                priority = bytes[at];
            }
            at = end;
        }
        if (at != bytes.length) {
            throw ProtocolFaultException.syntax((bytes.length - at) + " bytes after the last property");
        }
        return new BasicProperties(bytes, deliveryMode, priority);
    }

    private static int checkedEnd(BasicProperty property, byte[] bytes, int at) {
        int end = switch (property.kind) {
            case SHORT_STRING -> FieldTable.shortStringEnd(bytes, at, bytes.length);
            case OCTET -> at + 1;
            case TIMESTAMP -> at + Long.BYTES;
            case TABLE -> {
                int tableEnd = FieldTable.blockEnd(bytes, at, bytes.length);
                FieldTable.validate(bytes, at, tableEnd);
                yield tableEnd;
            }
        };
        if (end > bytes.length) {
            throw ProtocolFaultException.syntax("the properties are cut short");
        }
        return end;
    }

    private static byte[] withoutContinuation(byte[] bytes) {
        int at = FLAGS;
        int word;
        do {
            if (at + FLAGS > bytes.length) {
                throw ProtocolFaultException.syntax("the property flags are cut short");
            }
            word = FieldTable.shortAt(bytes, at);
            at += FLAGS;
            if ((word & ~CONTINUATION) != 0) {
                throw undefinedFlag();
            }
        } while (word != 0);
        byte[] plain = new byte[bytes.length - at + FLAGS];
        plain[0] = bytes[0];
        plain[1] = (byte) (bytes[1] & ~CONTINUATION);
        System.arraycopy(bytes, at, plain, FLAGS, bytes.length - at);
        return plain;
    }

    private static ProtocolFaultException undefinedFlag() {
        return ProtocolFaultException.syntax("a property flag that no property has");
    }

    // ---- the bytes ---------------------------------------------------------------------------------------------

    /** Flags and properties as they were on the wire. Shared: not to be changed. */
    public byte[] bytes() {
        return bytes;
    }

    /** Bytes of flags and properties. */
    public int length() {
        return bytes.length;
    }

    /**
     * Bytes of the whole content header frame. A header cannot be split over frames, so a message whose header is
     * larger than a consumer's frame-max cannot be sent to it.
     */
    public int headerFrameLength() {
        return FrameFormat.OVERHEAD + FrameFormat.CONTENT_HEADER_FIXED + bytes.length;
    }

    /** Whether flags and properties are these bytes of {@code in}. */
    boolean sameBytes(ByteBuf in, int index, int length) {
        if (length != bytes.length) {
            return false;
        }
        int i = 0;
        for (; i <= length - Long.BYTES; i += Long.BYTES) {
            if (in.getLong(index + i) != FieldTable.longAt(bytes, i)) {
                return false;
            }
        }
        for (; i < length; i++) {
            if (in.getByte(index + i) != bytes[i]) {
                return false;
            }
        }
        return true;
    }

    int flags() {
        return FieldTable.shortAt(bytes, 0);
    }

    /** Where {@code property}, which is present, begins; or would begin. */
    int offsetOf(BasicProperty property) {
        int at = FLAGS;
        int before = flags() & -(property.flag << 1);
        for (int rest = before; rest != 0; rest &= ~Integer.highestOneBit(rest)) {
            at = endOf(PROPERTIES[Integer.numberOfLeadingZeros(rest) - Short.SIZE], at);
        }
        return at;
    }

    /** The end of {@code property}, which begins at {@code at}. */
    int endOf(BasicProperty property, int at) {
        return switch (property.kind) {
            case SHORT_STRING -> at + 1 + (bytes[at] & 0xFF);
            case OCTET -> at + 1;
            case TIMESTAMP -> at + Long.BYTES;
            case TABLE -> at + Integer.BYTES + FieldTable.intAt(bytes, at);
        };
    }

    // ---- the properties ----------------------------------------------------------------------------------------

    /** Whether the message has this property. */
    public boolean has(BasicProperty property) {
        return (flags() & property.flag) != 0;
    }

    /** 1 transient, 2 persistent, 0 if absent; other octets are passed on as they came, 0 to 255. */
    public int deliveryMode() {
        return deliveryMode & 0xFF;
    }

    /** Whether the delivery mode is 2. */
    public boolean persistent() {
        return deliveryMode == 2;
    }

    /** The priority, 0 to 255; 0 if absent. */
    public int priority() {
        return priority & 0xFF;
    }

    /** The MIME type, or null. */
    public String contentType() {
        return shortString(BasicProperty.CONTENT_TYPE);
    }

    /** The MIME encoding, or null. */
    public String contentEncoding() {
        return shortString(BasicProperty.CONTENT_ENCODING);
    }

    /** The correlation id, or null. */
    public String correlationId() {
        return shortString(BasicProperty.CORRELATION_ID);
    }

    /** The address to reply to, or null. */
    public String replyTo() {
        return shortString(BasicProperty.REPLY_TO);
    }

    /** The expiration as it was sent, by convention milliseconds in decimal and not checked here; or null. */
    public String expiration() {
        return shortString(BasicProperty.EXPIRATION);
    }

    /** The message id, or null. */
    public String messageId() {
        return shortString(BasicProperty.MESSAGE_ID);
    }

    /** The application's type of the message, or null. */
    public String type() {
        return shortString(BasicProperty.TYPE);
    }

    /** The user who claims to have sent the message, or null. */
    public String userId() {
        return shortString(BasicProperty.USER_ID);
    }

    /** The application's id, or null. */
    public String appId() {
        return shortString(BasicProperty.APP_ID);
    }

    /** The reserved last property, or null. */
    public String clusterId() {
        return shortString(BasicProperty.CLUSTER_ID);
    }

    /** Seconds since 1970-01-01T00:00Z, or 0 if absent: ask {@link #has}. */
    public long timestamp() {
        return has(BasicProperty.TIMESTAMP) ? FieldTable.longAt(bytes, offsetOf(BasicProperty.TIMESTAMP)) : 0;
    }

    /**
     * The text of a short string property, or null if absent. Bytes that are not UTF-8 become U+FFFD: clients put
     * binary ids there, and {@link #bytes()} still passes them on untouched.
     */
    private String shortString(BasicProperty property) {
        if (!has(property)) {
            return null;
        }
        int at = offsetOf(property);
        return new String(bytes, at + 1, bytes[at] & 0xFF, StandardCharsets.UTF_8);
    }

    // ---- the headers -------------------------------------------------------------------------------------------

    /** All headers, decoded at each call; empty if absent. The types are those of {@link FieldTable}. */
    public Map<String, Object> headers() {
        if (!has(BasicProperty.HEADERS)) {
            return Map.of();
        }
        int at = offsetOf(BasicProperty.HEADERS);
        return FieldTable.decode(bytes, at, endOf(BasicProperty.HEADERS, at));
    }

    /** The value of one header, null if it is absent or void; decodes only that one. */
    public Object header(String name) {
        int at = headerValueAt(name);
        return at < 0 ? null : FieldTable.readValue(bytes, at, FieldTable.valueEnd(bytes, at, bytes.length), 1);
    }

    /** Whether there is a header of that name. */
    public boolean hasHeader(String name) {
        return headerValueAt(name) >= 0;
    }

    /** Where the type octet of the header's last occurrence is, or −1. */
    private int headerValueAt(String name) {
        if (!has(BasicProperty.HEADERS)) {
            return -1;
        }
        byte[] wanted = name.getBytes(StandardCharsets.UTF_8);
        int table = offsetOf(BasicProperty.HEADERS);
        int end = endOf(BasicProperty.HEADERS, table);
        int found = -1;
        int at = table + Integer.BYTES;
        while (at < end) {
            int nameEnd = FieldTable.shortStringEnd(bytes, at, end);
            if (Arrays.equals(bytes, at + 1, nameEnd, wanted, 0, wanted.length)) {
                found = nameEnd;
            }
            at = FieldTable.valueEnd(bytes, nameEnd, end);
        }
        return found;
    }

    /** An editor that starts from these properties; {@code EMPTY.edit()} builds new ones. */
    public BasicPropertiesEditor edit() {
        return new BasicPropertiesEditor(this);
    }

    /** Equal if the bytes are. */
    @Override
    public boolean equals(Object other) {
        return other instanceof BasicProperties that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "BasicProperties[flags=0x" + Integer.toHexString(flags()) + ", " + bytes.length + " bytes]";
    }
}
