package io.sluicemq.protocol.amqp10.message;

import io.sluicemq.api.Message;
import io.sluicemq.api.PortableMessage;
import io.sluicemq.api.PortableMessage.Body;
import io.sluicemq.api.PortableMessage.Property;
import io.sluicemq.api.value.Array;
import io.sluicemq.api.value.Binary;
import io.sluicemq.api.value.Described;
import io.sluicemq.api.value.UnsignedInteger;
import io.sluicemq.api.value.UnsignedLong;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Writes what a message of another format says in sections of this one; docs/conversion.md has the table. Pure. */
final class FromPortable {

    /**
     * What the annotations begin with that stand for headers of lists and maps, which application-properties cannot hold (§3.2.5).
     */
    static final String HEADER_PREFIX = "x-opt-header.";

    private static final Property[] PROPERTIES = Property.values();
    private static final byte[] NO_BYTES = {};

    private FromPortable() {}

    // ---- message-annotations, properties, application-properties

    static void writeBeforeBody(ValueWriter out, PortableMessage portable, Message message) {
        writeAnnotations(out, portable, message);
        writeProperties(out, portable);
        writeHeaders(out, portable.headers());
    }

    private static void writeAnnotations(ValueWriter out, PortableMessage portable, Message message) {
        out.section(Section.MESSAGE_ANNOTATIONS);
        int map = out.open(TypeCode.MAP_32);
        int items = 4;
        out.symbol("x-exchange").string(message.exchange());
        out.symbol("x-routing-key").string(message.routingKey());
        for (Map.Entry<String, Object> annotation : portable.annotations().entrySet()) {
            out.symbol(annotation.getKey()).value(annotation.getValue());
            items += 2;
        }
        for (Map.Entry<String, Object> header : portable.headers().entrySet()) {
            if (!isSimple(header.getValue())) {
                out.symbol(HEADER_PREFIX + header.getKey()).value(header.getValue());
                items += 2;
            }
        }
        if (!portable.deaths().isEmpty()) {
            items += DeathAnnotations.write(out, portable.deaths());
        }
        out.close(map, items);
    }

    private static boolean isSimple(Object value) {
        return !(value instanceof List<?>
                || value instanceof Map<?, ?>
                || value instanceof Array
                || value instanceof Described);
    }

    private static void writeProperties(ValueWriter out, PortableMessage portable) {
        int last = PROPERTIES.length - 1;
        while (last >= 0 && portable.get(PROPERTIES[last]) == null) {
            last--;
        }
        if (last < 0) {
            return;
        }
        out.section(Section.PROPERTIES);
        int list = out.open(TypeCode.LIST_32);
        for (int i = 0; i <= last; i++) {
            boolean left = PROPERTIES[i] == Property.EXPIRY_TIME && !portable.deaths().isEmpty();
            writeProperty(out, PROPERTIES[i], left ? null : portable.get(PROPERTIES[i]));
        }
        out.close(list, last + 1);
    }

    /** A value that the property cannot have is left out. */
    private static void writeProperty(ValueWriter out, Property property, Object value) {
        switch (value) {
            case String text when property == Property.CONTENT_TYPE || property == Property.CONTENT_ENCODING ->
                out.symbol(text);
            case String text when isText(property) -> out.string(text);
            case UUID uuid when isId(property) -> out.value(uuid);
            case UnsignedLong number when isId(property) -> out.ulong(number.bits());
            case Binary binary when isId(property) || property == Property.USER_ID -> out.binary(binary.bytes());
            case Instant time when property == Property.EXPIRY_TIME || property == Property.CREATION_TIME ->
                out.timestamp(time.toEpochMilli());
            case UnsignedInteger.OfInt number when property == Property.GROUP_SEQUENCE -> out.uint(number.value());
            case null, default -> out.nothing();
        }
    }

    private static boolean isId(Property property) {
        return property == Property.MESSAGE_ID || property == Property.CORRELATION_ID;
    }

    private static boolean isText(Property property) {
        return switch (property) {
            case MESSAGE_ID, CORRELATION_ID, TO, SUBJECT, REPLY_TO, GROUP_ID, REPLY_TO_GROUP_ID -> true;
            case USER_ID, CONTENT_TYPE, CONTENT_ENCODING, EXPIRY_TIME, CREATION_TIME, GROUP_SEQUENCE -> false;
        };
    }

    private static void writeHeaders(ValueWriter out, Map<String, Object> headers) {
        int items = 0;
        int map = -1;
        for (Map.Entry<String, Object> header : headers.entrySet()) {
            if (isSimple(header.getValue())) {
                if (map < 0) {
                    out.section(Section.APPLICATION_PROPERTIES);
                    map = out.open(TypeCode.MAP_32);
                }
                out.string(header.getKey()).value(header.getValue());
                items += 2;
            }
        }
        if (map >= 0) {
            out.close(map, items);
        }
    }

    // ---- the body

    /** Writes the body up to the bytes that it has in common with the other format's, which are returned. */
    static Body.Data writeBody(ValueWriter out, Body body) {
        return switch (body) {
            case Body.Data data -> writeData(out, data);
            case Body.Fields map -> {
                out.section(Section.AMQP_VALUE).value(map.fields());
                yield new Body.Data(NO_BYTES);
            }
            case Body.Elements list -> {
                out.section(Section.AMQP_SEQUENCE).value(list.elements());
                yield new Body.Data(NO_BYTES);
            }
            case Body.Encoded encoded when isBody(encoded.sections()) -> encoded.sections();
            case Body.Encoded encoded -> writeData(out, encoded.sections());
            case Body.Empty ignored -> writeData(out, new Body.Data(NO_BYTES));
        };
    }

    private static Body.Data writeData(ValueWriter out, Body.Data data) {
        out.section(Section.DATA).octet(TypeCode.BINARY_32).fourOctets(data.length());
        return data;
    }

    private static boolean isBody(Body.Data sections) {
        try {
            return new IncomingMessage()
                    .read(sections.bytes(), sections.from(), sections.length())
                    .bodyOnly();
        } catch (MessageFault e) {
            // Somebody has called something else so; it is bytes then.
            return false;
        }
    }
}
