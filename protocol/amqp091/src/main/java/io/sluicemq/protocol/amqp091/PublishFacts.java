package io.sluicemq.protocol.amqp091;

import io.sluicemq.api.Message;
import io.sluicemq.api.Principal;
import io.sluicemq.protocol.amqp091.codec.BasicProperties;
import io.sluicemq.protocol.amqp091.codec.BasicProperty;
import java.util.ArrayList;
import java.util.List;

/**
 * What the broker has to know of a message's properties, read once for a run of messages with the same ones. Immutable.
 *
 * @param properties those of the wire
 * @param header the property bytes to pass on, without the BCC header
 * @param ttlMillis the time-to-live, or {@link Message#NO_TTL}; unless {@code expiresAtMillis} is set
 * @param expiresAtMillis when it expires, in milliseconds since 1970, for clients that send a date; else 0
 * @param extraKeys the routing keys of the CC header
 * @param hiddenKeys the routing keys of the BCC header
 * @param wantsReplies whether its reply-to is the pseudo-queue of direct reply-to
 * @param refusal why a message with these properties is not taken; null if it is
 */
record PublishFacts(
        BasicProperties properties,
        byte[] header,
        long ttlMillis,
        long expiresAtMillis,
        List<String> extraKeys,
        List<String> hiddenKeys,
        boolean wantsReplies,
        String refusal) {

    /** From here on a number is a date of our time and not a time-to-live: 2001-09-09 in milliseconds, or 31 years. */
    private static final long FIRST_DATE_MILLIS = 1_000_000_000_000L;

    private static final int LONGEST_EXPIRATION = 18;
    private static final String HIDDEN = "BCC";

    /**
     * Reads the facts.
     *
     * @param user who publishes; a user-id has to be theirs
     * @param sendsDates whether the client is one whose expiration is a date (Qpid JMS)
     */
    static PublishFacts of(BasicProperties properties, Principal user, boolean sendsDates) {
        try {
            return read(properties, user, sendsDates);
        } catch (Refused e) {
            return new PublishFacts(properties, null, 0, 0, List.of(), List.of(), false, e.getMessage());
        }
    }

    private static PublishFacts read(BasicProperties properties, Principal user, boolean sendsDates) {
        checkUserId(properties, user);
        long expiration = expiration(properties);
        boolean date = sendsDates && expiration >= FIRST_DATE_MILLIS;
        boolean never = sendsDates && expiration == 0;
        List<String> extraKeys = List.of();
        List<String> hiddenKeys = List.of();
        BasicProperties passedOn = properties;
        if (properties.has(BasicProperty.HEADERS)) {
            extraKeys = keys(properties, "CC");
            if (properties.hasHeader(HIDDEN)) {
                hiddenKeys = keys(properties, HIDDEN);
                passedOn = properties.edit().removeHeader(HIDDEN).build();
            }
        }
        boolean wantsReplies = properties.has(BasicProperty.REPLY_TO)
                && DirectReplies.PSEUDO_QUEUE.equals(properties.replyTo());
        return new PublishFacts(
                properties,
                passedOn.bytes(),
                date || never ? Message.NO_TTL : expiration,
                date ? expiration : 0,
                extraKeys,
                hiddenKeys,
                wantsReplies,
                null);
    }

    private static void checkUserId(BasicProperties properties, Principal user) {
        if (properties.has(BasicProperty.USER_ID) && !user.anonymous()) {
            String claimed = properties.userId();
            if (!claimed.equals(user.name())) {
                throw new Refused("user_id property set to '" + claimed + "' but authenticated user was '" + user.name()
                        + "'");
            }
        }
    }

    private static long expiration(BasicProperties properties) {
        if (!properties.has(BasicProperty.EXPIRATION)) {
            return Message.NO_TTL;
        }
        String text = properties.expiration();
        boolean digits = !text.isEmpty() && text.length() <= LONGEST_EXPIRATION;
        for (int i = 0; i < text.length() && digits; i++) {
            digits = text.charAt(i) >= '0' && text.charAt(i) <= '9';
        }
        if (!digits) {
            throw new Refused("invalid expiration '" + text + "': not a number of milliseconds");
        }
        return Long.parseLong(text);
    }

    private static List<String> keys(BasicProperties properties, String name) {
        if (!properties.hasHeader(name)) {
            return List.of();
        }
        if (!(properties.header(name) instanceof List<?> list)) {
            throw notAList(name);
        }
        List<String> keys = new ArrayList<>(list.size());
        for (Object key : list) {
            if (!(key instanceof String text)) {
                throw notAList(name);
            }
            keys.add(text);
        }
        return List.copyOf(keys);
    }

    private static Refused notAList(String name) {
        return new Refused("invalid message: the header " + name + " is not a list of strings");
    }

    /** How long a message published on this connection now may live, in milliseconds. */
    long ttlMillis(ConnectionSession connection) {
        return expiresAtMillis == 0 ? ttlMillis : Math.max(0, expiresAtMillis - connection.loop().currentTimeMillis());
    }

    /** The property bytes with the reply-to set to {@code address}. */
    byte[] headerWithReplyTo(String address) {
        return BasicProperties.of(header).edit().set(BasicProperty.REPLY_TO, address).build().bytes();
    }

    /** Ends the reading; its message is for the client. */
    private static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Refused(String message) {
            super(message, null, false, false);
        }
    }
}
