package io.sluicemq.protocol.amqp10.message;

import io.sluicemq.api.Message;
import io.sluicemq.api.PortableMessage;
import io.sluicemq.api.PortableMessage.Body;
import io.sluicemq.api.PortableMessage.Property;
import io.sluicemq.api.value.Array;
import io.sluicemq.api.value.Symbol;
import io.sluicemq.api.value.UnsignedInteger;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads a message of this format for clients of other protocols; docs/conversion.md has the table. Pure. */
final class ToPortable {

    private static final int JMS_MAP = 2;
    private static final int JMS_STREAM = 4;
    private static final String TEXT = "text/plain";
    private static final Property[] PROPERTIES = Property.values();

    private final Message message;
    private final byte[] header;
    private final Map<Property, Object> properties = new EnumMap<>(Property.class);
    private Map<String, Object> annotations = Map.of();
    private Map<String, Object> headers = Map.of();
    private Integer priority;

    private ToPortable(Message message) {
        this.message = message;
        this.header = message.header();
    }

    static PortableMessage of(Message message) {
        return new ToPortable(message).read();
    }

    private PortableMessage read() {
        int at = 0;
        while (at < header.length) {
            int section = Encoded.section(header, at);
            int value = Encoded.end(header, at + 1);
            switch (section) {
                case Section.HEADER -> {
                    boolean said = Encoded.field(header, value, Section.PRIORITY) >= 0;
                    priority = said ? message.priority() : null;
                }
                case Section.MESSAGE_ANNOTATIONS -> annotations = Values.named(header, value);
                case Section.PROPERTIES -> readProperties(value);
                case Section.APPLICATION_PROPERTIES -> headers = Values.named(header, value);
                default -> { /* a body is none of the header's sections */ }
            }
            at = Encoded.end(header, value);
        }
        Body body = readBody();
        sortAnnotations();
        return new PortableMessage(
                priority,
                properties,
                annotations,
                headers,
                message.deaths().isEmpty() ? Amqp10Format.INSTANCE.claimedDeaths(message) : message.deaths(),
                body);
    }

    private void readProperties(int list) {
        int items = Encoded.items(header, list);
        int at = Encoded.firstItem(header, list);
        for (int i = 0; i < items; i++) {
            Object value = Values.at(header, at);
            if (value instanceof Symbol symbol) {
                value = symbol.name();
            }
            if (value != null) {
                properties.put(PROPERTIES[i], value);
            }
            at = Encoded.end(header, at);
        }
    }

    /** Takes out what has its own place: the history of deaths, routing of long ago, and headers that are lists or maps. */
    private void sortAnnotations() {
        if (annotations.isEmpty()) {
            return;
        }
        Map<String, Object> kept = new LinkedHashMap<>();
        Map<String, Object> withLists = new LinkedHashMap<>(headers);
        annotations.forEach((name, value) -> {
            if (name.startsWith(FromPortable.HEADER_PREFIX)) {
                withLists.putIfAbsent(name.substring(FromPortable.HEADER_PREFIX.length()), value);
            } else if (name.equals(PortableMessage.CC)) {
                kept.put(name, value instanceof Array array ? array.elements() : value);
            } else if (!DeathAnnotations.isOne(name) && !name.equals("x-exchange") && !name.equals("x-routing-key")) {
                kept.put(name, value);
            }
        });
        annotations = kept;
        headers = withLists;
    }

    // ---- the body

    private Body readBody() {
        byte[] body = message.body();
        int first = body.length == 0 ? Section.FOOTER : Encoded.section(body, 0);
        return switch (first) {
            case Section.DATA -> readData(body);
            case Section.AMQP_VALUE -> readValue(body, Encoded.end(body, 1));
            case Section.AMQP_SEQUENCE -> isJms(JMS_STREAM) ? readSequences(body) : asSent();
            default -> new Body.Empty();
        };
    }

    private Body.Encoded asSent() {
        return new Body.Encoded(new Body.Data(message.body()));
    }

    /** One data section stays where it lies; several are put together. */
    private static Body readData(byte[] body) {
        int value = Encoded.end(body, 1);
        int end = Encoded.end(body, value);
        int from = Encoded.content(body, value);
        if (end == body.length || Encoded.section(body, end) != Section.DATA) {
            return new Body.Data(body, from, end - from);
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream(body.length);
        int at = 0;
        while (at < body.length && Encoded.section(body, at) == Section.DATA) {
            value = Encoded.end(body, at + 1);
            at = Encoded.end(body, value);
            from = Encoded.content(body, value);
            all.write(body, from, at - from);
        }
        return new Body.Data(all.toByteArray());
    }

    private Body readValue(byte[] body, int value) {
        int code = Encoded.code(body, value);
        if (code == TypeCode.NULL) {
            return new Body.Empty();
        }
        if (TypeCode.isString(code) || TypeCode.isBinary(code)) {
            if (TypeCode.isString(code)) {
                properties.putIfAbsent(Property.CONTENT_TYPE, TEXT);
            }
            int from = Encoded.content(body, value);
            return new Body.Data(body, from, Encoded.end(body, value) - from);
        }
        if (TypeCode.isMap(code) && isJms(JMS_MAP)) {
            return new Body.Fields((Map<?, ?>) Values.at(body, value), asSent());
        }
        if (TypeCode.isList(code) && isJms(JMS_STREAM)) {
            return new Body.Elements((List<?>) Values.at(body, value), asSent());
        }
        return asSent();
    }

    private Body readSequences(byte[] body) {
        List<Object> elements = new ArrayList<>();
        int at = 0;
        while (at < body.length && Encoded.section(body, at) == Section.AMQP_SEQUENCE) {
            int value = Encoded.end(body, at + 1);
            elements.addAll((List<?>) Values.at(body, value));
            at = Encoded.end(body, value);
        }
        return new Body.Elements(elements, asSent());
    }

    private boolean isJms(int type) {
        return switch (annotations.get(PortableMessage.JMS_TYPE)) {
            case Byte number -> number == type;
            case UnsignedInteger.OfByte number -> number.value() == type;
            case null, default -> false;
        };
    }
}
