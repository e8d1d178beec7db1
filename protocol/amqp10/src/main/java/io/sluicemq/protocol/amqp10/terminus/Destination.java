package io.sluicemq.protocol.amqp10.terminus;

import java.nio.charset.StandardCharsets;

/**
 * Where messages are published to.
 *
 * @param exchange an exchange's name; empty for the default exchange
 * @param routingKey the key of all messages; null if each one's subject is its key
 * @param unreached what it means for a message that it reaches no queue there
 */
public record Destination(String exchange, String routingKey, Unreached unreached) {

    /** The longest routing key in bytes of UTF-8: what AMQP 0-9-1 can carry. */
    public static final int MAX_KEY_BYTES = 255;

    /** What it means for a message that it reaches no queue. */
    public enum Unreached {
        /** Nothing: nobody is subscribed. The message is accepted. */
        ACCEPTED,
        /** The message is released, as RabbitMQ does for exchanges that are named as such. */
        RELEASED,
        /** The queue is gone: the message is rejected with {@code amqp:not-found}. */
        NOT_FOUND
    }

    static Destination queue(String name) {
        return new Destination("", name, Unreached.NOT_FOUND);
    }

    /**
     * The routing key of a message; null if its subject is too long for one.
     *
     * @param subject may be null
     */
    public String keyOf(String subject) {
        if (routingKey != null) {
            return routingKey;
        }
        if (subject == null) {
            return "";
        }
        return fits(subject) ? subject : null;
    }

    /** Whether a text is short enough for a routing key, or for the name of a queue or an exchange. */
    static boolean fits(String text) {
        return text.length() * 3L <= MAX_KEY_BYTES
                || text.getBytes(StandardCharsets.UTF_8).length <= MAX_KEY_BYTES;
    }
}
