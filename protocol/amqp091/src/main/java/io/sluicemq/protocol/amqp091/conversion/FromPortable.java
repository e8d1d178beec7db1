package io.sluicemq.protocol.amqp091.conversion;

import io.sluicemq.api.PortableMessage;
import io.sluicemq.api.PortableMessage.Body;
import io.sluicemq.api.PortableMessage.Property;
import io.sluicemq.api.value.Binary;
import io.sluicemq.api.value.UnsignedInteger;
import io.sluicemq.api.value.UnsignedLong;
import io.sluicemq.protocol.amqp091.codec.BasicProperties;
import io.sluicemq.protocol.amqp091.codec.BasicPropertiesEditor;
import io.sluicemq.protocol.amqp091.codec.BasicProperty;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.UUID;

/** Writes what a message of another format says in properties and a body of this one. Used once. */
public final class FromPortable {

    private static final byte[] NO_BYTES = {};

    private final PortableMessage message;
    private final BasicPropertiesEditor editor = BasicProperties.EMPTY.edit();
    private String contentType;
    private boolean encoded;
    private Body.Data body;

    private FromPortable(PortableMessage message) {
        this.message = message;
    }

    /**
     * A content of this format.
     *
     * @param properties without the dead-letter history
     */
    public record Content(BasicProperties properties, Body.Data body) {}

    /**
     * The content; never fails.
     *
     * @param durable whether it is persistent
     * @param expiration what the property of that name says; null to leave it out
     */
    public static Content of(PortableMessage message, boolean durable, String expiration) {
        return new FromPortable(message).write(durable, expiration);
    }

    private Content write(boolean durable, String expiration) {
        contentType = message.text(Property.CONTENT_TYPE);
        body = body(message.body());
        editor.set(BasicProperty.DELIVERY_MODE, durable ? 2 : 1);
        if (message.priority() != null) {
            editor.set(BasicProperty.PRIORITY, message.priority());
        }
        if (expiration != null) {
            editor.set(BasicProperty.EXPIRATION, expiration);
        }
        writeHeaders();
        text(BasicProperty.CONTENT_TYPE, contentType, Names.CONTENT_TYPE);
        text(BasicProperty.CONTENT_ENCODING, message.text(Property.CONTENT_ENCODING), Names.CONTENT_ENCODING);
        String replyTo = message.text(Property.REPLY_TO);
        text(BasicProperty.REPLY_TO, replyTo == null ? null : QpidAddress.fromAddress(replyTo), Names.REPLY_TO);
        String subject = message.text(Property.SUBJECT);
        if (encoded) {
            editor.set(BasicProperty.TYPE, Names.AMQP_1_0_BODY);
            header(Names.SUBJECT, subject);
        } else {
            text(BasicProperty.TYPE, subject, Names.SUBJECT);
        }
        id(BasicProperty.MESSAGE_ID, message.get(Property.MESSAGE_ID), Names.MESSAGE_ID);
        id(BasicProperty.CORRELATION_ID, message.get(Property.CORRELATION_ID), Names.CORRELATION_ID);
        userId();
        if (message.get(Property.CREATION_TIME) instanceof Instant time) {
            editor.set(BasicProperty.TIMESTAMP, FieldValues.timestamp(time).epochSeconds());
        }
        header(Names.GROUP_ID, message.text(Property.GROUP_ID));
        if (message.get(Property.GROUP_SEQUENCE) instanceof UnsignedInteger.OfInt number) {
            editor.setHeader(Names.GROUP_SEQUENCE, (int) number.value());
        }
        header(Names.REPLY_TO_GROUP_ID, message.text(Property.REPLY_TO_GROUP_ID));
        return new Content(editor.build(), body);
    }

    private void writeHeaders() {
        message.annotations().forEach((name, value) -> {
            switch (name) {
                case PortableMessage.CC -> editor.setHeader("CC", FieldValues.toField(value, 1));
                case Names.APP_ID -> annotation(BasicProperty.APP_ID, name, value);
                case Names.CLUSTER_ID -> annotation(BasicProperty.CLUSTER_ID, name, value);
                case PortableMessage.JMS_TYPE -> {
                    if (!isToldByContentType(value)) {
                        setHeader(name, value);
                    }
                }
                default -> setHeader(name, value);
            }
        });
        message.headers().forEach(this::setHeader);
    }

    private void annotation(BasicProperty property, String name, Object value) {
        if (value instanceof String text && FieldValues.isShort(text)) {
            editor.set(property, text);
        } else {
            setHeader(name, value);
        }
    }

    private void setHeader(String name, Object value) {
        if (FieldValues.isShort(name) && !Names.isHistory(name) && !name.equals("BCC")) {
            editor.setHeader(name, FieldValues.toField(value, 1));
        }
    }

    private void header(String name, String value) {
        if (value != null) {
            editor.setHeader(name, value);
        }
    }

    private void text(BasicProperty property, String text, String header) {
        if (text != null && FieldValues.isShort(text)) {
            editor.set(property, text);
        } else {
            header(header, text);
        }
    }

    private void id(BasicProperty property, Object id, String header) {
        switch (id) {
            case String text -> text(property, text, header);
            case UUID uuid -> editor.set(property, "urn:uuid:" + uuid);
            case UnsignedLong number -> {
                editor.set(property, number.toString());
                editor.setHeader(header, number.bits());
            }
            case Binary binary -> editor.setHeader(header, binary);
            case null, default -> { /* there is none */ }
        }
    }

    private void userId() {
        if (!(message.get(Property.USER_ID) instanceof Binary user)) {
            return;
        }
        String text = utf8(user.bytes());
        if (text != null && FieldValues.isShort(text)) {
            editor.set(BasicProperty.USER_ID, text);
        } else {
            editor.setHeader(Names.USER_ID, user);
        }
    }

    private static String utf8(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    // ---- the body

    private Body.Data body(Body from) {
        return switch (from) {
            case Body.Data data -> {
                contentType = bytesType();
                yield data;
            }
            case Body.Fields map -> known(QpidValues.encode(map.fields()), Names.QPID_MAP, map.encoded());
            case Body.Elements list -> known(TypedBytes.encode(list.elements()), Names.JMS_STREAM, list.encoded());
            case Body.Encoded sections -> sections(sections);
            case Body.Empty ignored -> {
                contentType = bytesType();
                yield new Body.Data(NO_BYTES);
            }
        };
    }

    private Body.Data known(byte[] bytes, String type, Body.Encoded original) {
        if (bytes == null) {
            return sections(original);
        }
        contentType = type;
        return new Body.Data(bytes);
    }

    private Body.Data sections(Body.Encoded original) {
        encoded = true;
        return original.sections();
    }

    /** Java's objects have another name here; a JMS message that says what it is, but not its MIME type, gets one. */
    private String bytesType() {
        if (contentType == null) {
            return message.annotations().get(PortableMessage.JMS_TYPE) instanceof Byte type
                    ? Names.contentType(type)
                    : null;
        }
        return contentType.equals(Names.JAVA_OBJECT) ? Names.QPID_OBJECT : contentType;
    }

    private boolean isToldByContentType(Object jmsType) {
        return !encoded
                && contentType != null
                && jmsType instanceof Byte type
                && contentType.equals(Names.contentType(type));
    }
}
