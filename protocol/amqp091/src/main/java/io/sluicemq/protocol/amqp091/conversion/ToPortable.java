package io.sluicemq.protocol.amqp091.conversion;

import io.sluicemq.api.Message;
import io.sluicemq.api.PortableMessage;
import io.sluicemq.api.PortableMessage.Body;
import io.sluicemq.api.PortableMessage.Property;
import io.sluicemq.api.value.Binary;
import io.sluicemq.api.value.Timestamp;
import io.sluicemq.api.value.UnsignedInteger;
import io.sluicemq.api.value.UnsignedLong;
import io.sluicemq.protocol.amqp091.codec.BasicProperties;
import io.sluicemq.protocol.amqp091.codec.BasicProperty;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Reads a message of this format for clients of other protocols. Pure. */
public final class ToPortable {

    private static final byte JMS_OBJECT = 1;
    private static final byte JMS_MAP = 2;
    private static final byte JMS_STREAM = 4;
    private static final String UUID_URN = "urn:uuid:";
    private static final int UUID_LENGTH = 36;
    private static final long MAX_UINT = 0xFFFF_FFFFL;

    private final Message message;
    private final BasicProperties basic;
    private final Map<Property, Object> properties = new EnumMap<>(Property.class);
    private final Map<String, Object> annotations = new LinkedHashMap<>();
    private final Map<String, Object> headers = new LinkedHashMap<>();

    private ToPortable(Message message) {
        this.message = message;
        this.basic = BasicProperties.of(message.header());
    }

    /** @return the message in terms of every protocol; never fails */
    public static PortableMessage of(Message message) {
        return new ToPortable(message).read();
    }

    private PortableMessage read() {
        basic.headers().forEach(this::sort);
        put(Property.MESSAGE_ID, id(basic.messageId(), Names.MESSAGE_ID));
        put(Property.CORRELATION_ID, id(basic.correlationId(), Names.CORRELATION_ID));
        put(Property.USER_ID, userId());
        boolean encoded = Names.AMQP_1_0_BODY.equals(basic.type());
        put(Property.SUBJECT, text(encoded ? null : basic.type(), Names.SUBJECT));
        put(Property.REPLY_TO, text(QpidAddress.toPlain(basic.replyTo()), Names.REPLY_TO));
        put(Property.CONTENT_TYPE, text(basic.contentType(), Names.CONTENT_TYPE));
        put(Property.CONTENT_ENCODING, text(basic.contentEncoding(), Names.CONTENT_ENCODING));
        put(Property.REPLY_TO_GROUP_ID, text(null, Names.REPLY_TO_GROUP_ID));
        if (basic.has(BasicProperty.TIMESTAMP)
                && FieldValues.instant(new Timestamp(basic.timestamp())) instanceof Instant time) {
            properties.put(Property.CREATION_TIME, time);
        }
        readGroup();
        annotate(Names.APP_ID, basic.appId());
        annotate(Names.CLUSTER_ID, basic.clusterId());
        Body body = body(encoded, new Body.Data(message.body()));
        return new PortableMessage(
                basic.has(BasicProperty.PRIORITY) ? basic.priority() : null,
                properties,
                annotations,
                headers,
                message.deaths().isEmpty() ? message.format().claimedDeaths(message) : message.deaths(),
                body);
    }

    private void put(Property property, Object value) {
        if (value != null) {
            properties.put(property, value);
        }
    }

    private void annotate(String name, String value) {
        if (value != null) {
            annotations.put(name, value);
        }
    }

    /** Headers whose names begin with {@code x-} are for the infrastructure, as annotations are. */
    private void sort(String name, Object value) {
        if (Names.isHistory(name)) {
            return;
        }
        if (name.equals("CC") && value instanceof List<?>) {
            annotations.put(PortableMessage.CC, FieldValues.toPortable(value));
        } else if (name.startsWith("x-")) {
            annotations.put(name, FieldValues.toPortable(value));
        } else {
            headers.put(name, FieldValues.toPortable(value));
        }
    }

    /** An id that is no text, or is too long for a property, came in a header of its own. */
    private Object id(String text, String header) {
        Object value = annotations.get(header);
        if (text == null) {
            if (value instanceof Binary || value instanceof String) {
                annotations.remove(header);
                return value;
            }
            return null;
        }
        if (value instanceof Long number && Long.toUnsignedString(number).equals(text)) {
            annotations.remove(header);
            return new UnsignedLong(number);
        }
        if (text.length() == UUID_URN.length() + UUID_LENGTH && text.startsWith(UUID_URN)) {
            String digits = text.substring(UUID_URN.length());
            UUID uuid = uuid(digits);
            return uuid != null && uuid.toString().equals(digits) ? uuid : text;
        }
        return text;
    }

    private static UUID uuid(String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private Object userId() {
        if (basic.userId() != null) {
            return new Binary(basic.userId().getBytes(StandardCharsets.UTF_8));
        }
        return annotations.get(Names.USER_ID) instanceof Binary ? annotations.remove(Names.USER_ID) : null;
    }

    private String text(String text, String header) {
        if (text == null && annotations.get(header) instanceof String longer) {
            annotations.remove(header);
            return longer;
        }
        return text;
    }

    private void readGroup() {
        if (headers.get(Names.GROUP_ID) instanceof String group) {
            headers.remove(Names.GROUP_ID);
            properties.put(Property.GROUP_ID, group);
        }
        Object sequence = headers.get(Names.GROUP_SEQUENCE);
        long number =
                switch (sequence) {
                    case Integer value -> Integer.toUnsignedLong(value);
                    case Long value -> value;
                    case UnsignedInteger value -> value.value();
                    case null, default -> -1;
                };
        if (number >= 0 && number <= MAX_UINT) {
            headers.remove(Names.GROUP_SEQUENCE);
            properties.put(Property.GROUP_SEQUENCE, new UnsignedInteger.OfInt(number));
        }
    }

    // ---- the body

    /** Bodies that Qpid JMS writes become what they mean; one that is not what it says stays bytes. */
    private Body body(boolean encoded, Body.Data data) {
        if (encoded) {
            return new Body.Encoded(data);
        }
        String type = basic.contentType();
        return switch (type) {
            case Names.QPID_MAP -> fields(QpidValues.map(data), data);
            case Names.JMS_MAP -> fields(TypedBytes.map(data), data);
            case Names.QPID_LIST -> elements(QpidValues.list(data), data);
            case Names.JMS_STREAM -> elements(TypedBytes.list(data), data);
            case Names.QPID_OBJECT -> {
                properties.put(Property.CONTENT_TYPE, Names.JAVA_OBJECT);
                annotations.put(PortableMessage.JMS_TYPE, JMS_OBJECT);
                yield data;
            }
            case null, default -> data;
        };
    }

    private Body fields(Map<String, Object> map, Body.Data data) {
        if (map == null) {
            return data;
        }
        isJms(JMS_MAP);
        return new Body.Fields(map, Names.NOT_ENCODED);
    }

    private Body elements(List<Object> list, Body.Data data) {
        if (list == null) {
            return data;
        }
        isJms(JMS_STREAM);
        return new Body.Elements(list, Names.NOT_ENCODED);
    }

    private void isJms(byte type) {
        properties.remove(Property.CONTENT_TYPE);
        annotations.put(PortableMessage.JMS_TYPE, type);
    }
}
