package io.sluicemq.api;

import java.util.List;
import java.util.Map;

/** How to read a message's {@linkplain Message#header own header bytes}: a protocol's, stateless, called on any loop. */
public interface MessageFormat {

    /** The format's name, such as {@code amqp-0-9-1}. */
    String name();

    /** The application's headers: names and values as plain Java types; empty if there are none. */
    Map<String, Object> headers(Message message);

    /** The dead-letter history that the sender has put into the message, the latest first; what makes no sense is left out. */
    List<Death> claimedDeaths(Message message);

    /** The message's time-to-live in milliseconds as the sender wrote it, for the dead-letter history; null if none. */
    String originalExpiration(Message message);

    /**
     * What a selector's identifier stands for in a message: a header of the application's, or one of the {@code JMS…} fields that
     * selectors may name (Jakarta Messaging §3.8.1.1); null if it is not there.
     *
     * @return a String, Boolean, Byte, Short, Integer, Long, Float or Double, or something that compares with nothing
     */
    default Object selectable(Message message, String identifier) {
        return headers(message).get(identifier);
    }

    /** The group of messages that it belongs to, as its sender wrote it; null for none. */
    default String group(Message message) {
        return null;
    }

    /**
     * The message in terms of every protocol, for a client of another. Costs what decoding costs; nothing on the way from a client to
     * another of the same protocol needs it. A format that has
     * no more to say says its headers, its deaths and its body's bytes.
     */
    default PortableMessage portable(Message message) {
        return new PortableMessage(
                null,
                Map.of(),
                Map.of(),
                headers(message),
                message.deaths().isEmpty() ? claimedDeaths(message) : message.deaths(),
                new PortableMessage.Body.Data(message.body()));
    }
}
