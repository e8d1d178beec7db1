package io.sluicemq.protocol.amqp091;

import io.sluicemq.api.Delivery;
import io.sluicemq.api.Message;
import io.sluicemq.api.PortableMessage;
import io.sluicemq.protocol.amqp091.codec.ShortString;
import io.sluicemq.protocol.amqp091.conversion.FromPortable;
import java.nio.charset.StandardCharsets;

/**
 * A message of another protocol as a content of this one, made anew for each delivery. Immutable.
 *
 * @param header the property bytes
 */
record ForeignContent(byte[] header, PortableMessage.Body.Data body) {

    /** @param sendsDates whether the client is one whose expiration is a date (Qpid JMS) */
    static ForeignContent of(Delivery delivery, boolean sendsDates) {
        Message message = delivery.message();
        PortableMessage portable = message.format().portable(message);
        FromPortable.Content content = FromPortable.of(portable, message.durable(), expiration(delivery, sendsDates));
        return new ForeignContent(
                DeliveryHeaders.of(content.properties(), portable.deaths(), delivery), content.body());
    }

    private static String expiration(Delivery delivery, boolean sendsDates) {
        long ttl = delivery.message().ttlMillis();
        if (ttl == Message.NO_TTL) {
            return null;
        }
        if (!sendsDates) {
            return Long.toString(ttl);
        }
        return delivery.expiresAtMillis() == Delivery.NEVER ? null : Long.toString(delivery.expiresAtMillis());
    }

    /** A name as far as a short string can hold it; other protocols have longer ones. */
    static String shortened(String name) {
        if (name.getBytes(StandardCharsets.UTF_8).length <= ShortString.MAX_BYTES) {
            return name;
        }
        int end = Math.min(name.length(), ShortString.MAX_BYTES);
        while (name.substring(0, end).getBytes(StandardCharsets.UTF_8).length > ShortString.MAX_BYTES
                || Character.isHighSurrogate(name.charAt(end - 1))) {
            end--;
        }
        return name.substring(0, end);
    }

    void write(ConnectionSession connection, int channel) {
        ContentWriter.write(connection, channel, header, body.bytes(), body.from(), body.length());
    }
}
