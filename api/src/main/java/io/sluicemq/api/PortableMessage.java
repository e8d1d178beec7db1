package io.sluicemq.api;

import java.util.List;
import java.util.Map;

/**
 * A message in terms that every protocol knows: what one format is read as, and another written from, when a client receives
 * what a client of another protocol has sent. It holds what the sender said; whether the message is durable, its time-to-live and
 * its routing are the {@link Message}'s.
 *
 * <p>Values are, by type: {@code null}, Boolean, Byte, Short, Integer, Long, {@link io.sluicemq.api.value.UnsignedInteger},
 * {@link io.sluicemq.api.value.UnsignedLong}, Float, Double, {@link java.math.BigDecimal},
 * {@link io.sluicemq.api.value.CodePoint}, {@link java.time.Instant} to the millisecond, {@link java.util.UUID},
 * {@link io.sluicemq.api.value.Binary}, String, {@link io.sluicemq.api.value.Symbol}, List, Map,
 * {@link io.sluicemq.api.value.Array} and {@link io.sluicemq.api.value.Described}; a format writes one that it lacks as what comes
 * nearest, and never fails. Immutable.
 *
 * @param priority from 0 to 255; null if the sender says nothing
 * @param properties what else the sender says in its protocol's own fields; without those it leaves out
 * @param annotations what the infrastructure is told beside it, by name: no applications' headers, no dead-letter history
 * @param headers the application's headers
 * @param deaths the dead-letter history, the latest first: the message's, or if it has none what its sender claims
 */
public record PortableMessage(
        Integer priority,
        Map<Property, Object> properties,
        Map<String, Object> annotations,
        Map<String, Object> headers,
        List<Death> deaths,
        Body body) {

    /** The annotation that says which message of Jakarta Messaging it is, a Byte, as in its mapping to AMQP 1.0. */
    public static final String JMS_TYPE = "x-opt-jms-msg-type";

    /** The annotation with the further routing keys that the message was published with, a List of Strings. */
    public static final String CC = "x-cc";

    /** What a field of a protocol's own says, and the type it has here. */
    public enum Property {
        /** String, UUID, {@link io.sluicemq.api.value.Binary} or {@link io.sluicemq.api.value.UnsignedLong}. */
        MESSAGE_ID,
        /** {@link io.sluicemq.api.value.Binary}. */
        USER_ID,
        /** String: the address that it was sent to. */
        TO,
        /** String: what it is about, or its type. */
        SUBJECT,
        /** String: the address that answers go to. */
        REPLY_TO,
        /** As {@link #MESSAGE_ID}. */
        CORRELATION_ID,
        /** String: a MIME type. */
        CONTENT_TYPE,
        /** String. */
        CONTENT_ENCODING,
        /** {@link java.time.Instant}. */
        EXPIRY_TIME,
        /** {@link java.time.Instant}. */
        CREATION_TIME,
        /** String. */
        GROUP_ID,
        /** {@link io.sluicemq.api.value.UnsignedInteger.OfInt}. */
        GROUP_SEQUENCE,
        /** String. */
        REPLY_TO_GROUP_ID
    }

    /** What the message carries. */
    public sealed interface Body {

        /** Nothing at all. */
        record Empty() implements Body {}

        /** Bytes: {@code length} of {@code bytes} from {@code from} on, not copied and not to be changed. */
        record Data(byte[] bytes, int from, int length) implements Body {

            public Data(byte[] bytes) {
                this(bytes, 0, bytes.length);
            }
        }

        /** A map, with the form that it was sent in. */
        record Fields(Map<?, ?> fields, Encoded encoded) implements Body {}

        /** A list, with the form that it was sent in. */
        record Elements(List<?> elements, Encoded encoded) implements Body {}

        /**
         * Values as they were sent: the body sections of a message of AMQP 1.0.
         *
         * @param sections their bytes; empty if they were not sent in this form
         */
        record Encoded(Data sections) implements Body {}
    }

    /** A property's value, or null. */
    public Object get(Property property) {
        return properties.get(property);
    }

    /** A property's value if it is a text, or null. */
    public String text(Property property) {
        return properties.get(property) instanceof String text ? text : null;
    }
}
