package io.sluicemq.protocol.amqp10.message;

import io.sluicemq.api.Message;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.UUID;

/**
 * What a selector's identifier stands for in a message of AMQP 1.0: application-properties by their names, and the fields that
 * Jakarta Messaging names (§3.8.1.1), as its mapping to AMQP has them. Reads only what it is asked for, where it lies; makes no
 * object but the value. Pure.
 */
final class Selectable {

    private Selectable() {}

    static Object of(Message message, String identifier) {
        return identifier.startsWith("JMS") ? ofJms(message, identifier) : property(message.header(), identifier);
    }

    private static Object ofJms(Message message, String identifier) {
        byte[] header = message.header();
        return switch (identifier) {
            case "JMSMessageID" -> id(header, Section.MESSAGE_ID, true);
            case "JMSCorrelationID" -> id(header, Section.CORRELATION_ID, false);
            case "JMSType" -> text(header, Section.SUBJECT);
            case "JMSPriority" -> message.priority();
            case "JMSDeliveryMode" -> message.durable() ? "PERSISTENT" : "NON_PERSISTENT";
            case "JMSTimestamp" -> integer(header, Section.CREATION_TIME);
            case "JMSExpiration" -> integer(header, Section.ABSOLUTE_EXPIRY_TIME);
            case "JMSXGroupID" -> text(header, Section.GROUP_ID);
            case "JMSXGroupSeq" -> groupSequence(header);
            case "JMSXUserID" -> userId(header);
            default -> property(header, identifier);
        };
    }

    private static int field(byte[] header, int field) {
        int list = Encoded.findSection(header, Section.PROPERTIES);
        return list < 0 ? -1 : Encoded.field(header, list, field);
    }

    private static String text(byte[] header, int field) {
        int at = field(header, field);
        return at < 0 ? null : Encoded.text(header, at);
    }

    private static Long integer(byte[] header, int field) {
        int at = field(header, field);
        return at < 0 ? null : Encoded.integer(header, at);
    }

    /** An int as Qpid JMS shows it: of 2^31 and above only the bits. */
    private static Integer groupSequence(byte[] header) {
        int at = field(header, Section.GROUP_SEQUENCE);
        return at < 0 ? null : (int) Encoded.integer(header, at);
    }

    private static String userId(byte[] header) {
        int at = field(header, Section.USER_ID);
        return at < 0 ? null : new String(Encoded.octets(header, at), StandardCharsets.UTF_8);
    }

    /**
     * An id as Qpid JMS shows it (JMS mapping §3.2.1.1): text as it is, other types behind a prefix that names them. A message id
     * has to begin with {@code ID:}; one that does not gets a prefix that says so.
     */
    private static String id(byte[] header, int field, boolean ofMessage) {
        int at = field(header, field);
        if (at < 0) {
            return null;
        }
        int code = Encoded.code(header, at);
        if (TypeCode.isUlong(code)) {
            return "ID:AMQP_ULONG:" + Long.toUnsignedString(Encoded.integer(header, at));
        }
        if (code == TypeCode.UUID) {
            return "ID:AMQP_UUID:"
                    + new UUID(Encoded.longAt(header, at + 1), Encoded.longAt(header, at + 1 + Long.BYTES));
        }
        if (TypeCode.isBinary(code)) {
            return "ID:AMQP_BINARY:"
                    + HexFormat.of()
                            .withUpperCase()
                            .formatHex(header, Encoded.content(header, at), Encoded.end(header, at));
        }
        String text = Encoded.text(header, at);
        return ofMessage && !text.startsWith("ID:") ? "ID:AMQP_NO_PREFIX:" + text : text;
    }

    // ---- application-properties

    private static Object property(byte[] header, String name) {
        int map = Encoded.findSection(header, Section.APPLICATION_PROPERTIES);
        if (map < 0) {
            return null;
        }
        byte[] octets = null;
        int at = Encoded.firstItem(header, map);
        for (int left = Encoded.items(header, map); left > 0; left -= 2) {
            int from = Encoded.content(header, at);
            int value = Encoded.end(header, at);
            boolean named = Encoded.isAscii(header, from, value, name);
            if (!named && value - from > name.length() && !ascii(name)) {
                octets = octets == null ? name.getBytes(StandardCharsets.UTF_8) : octets;
                named = Encoded.isText(header, at, octets);
            }
            if (named) {
                return comparable(header, value);
            }
            at = Encoded.end(header, value);
        }
        return null;
    }

    private static boolean ascii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) > 0x7F) {
                return false;
            }
        }
        return true;
    }

    /** The value as a selector compares it: unsigned integers as wider signed ones, symbols as texts. */
    private static Object comparable(byte[] bytes, int at) {
        int code = Encoded.code(bytes, at);
        return switch (code) {
            case TypeCode.BYTE -> bytes[at + 1];
            case TypeCode.UBYTE, TypeCode.SHORT -> (short) Encoded.integer(bytes, at);
            case TypeCode.USHORT, TypeCode.INT, TypeCode.SMALL_INT -> (int) Encoded.integer(bytes, at);
            case TypeCode.ULONG -> unsignedLong(Encoded.integer(bytes, at));
            case TypeCode.UINT_0,
                    TypeCode.SMALL_UINT,
                    TypeCode.UINT,
                    TypeCode.LONG,
                    TypeCode.SMALL_LONG,
                    TypeCode.ULONG_0,
                    TypeCode.SMALL_ULONG,
                    TypeCode.TIMESTAMP ->
                Encoded.integer(bytes, at);
            case TypeCode.SYMBOL_8, TypeCode.SYMBOL_32 -> Encoded.text(bytes, at);
            default -> Values.at(bytes, at);
        };
    }

    private static Object unsignedLong(long bits) {
        if (bits >= 0) {
            return bits;
        }
        return (bits >>> 1) * 2.0;
    }
}
