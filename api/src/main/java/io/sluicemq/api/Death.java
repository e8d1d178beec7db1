package io.sluicemq.api;

import java.util.List;

/**
 * That a message left a queue other than by being consumed.
 *
 * @param count how often for this queue and reason
 * @param firstTimeMillis when first, in milliseconds since 1970
 * @param exchange where the message was published before it came to that queue
 * @param routingKeys the keys it was published with
 * @param originalExpiration the time-to-live it lost, in milliseconds as the sender wrote it; null if none
 * @param claimed whether only the message's sender says so, who sends on what he once received: such a death is counted
 *     and shown, but proves no cycle
 */
public record Death(
        String queue,
        Reason reason,
        long count,
        long firstTimeMillis,
        String exchange,
        List<String> routingKeys,
        String originalExpiration,
        boolean claimed) {

    /** A death that the broker has seen itself. */
    public Death(
            String queue,
            Reason reason,
            long count,
            long firstTimeMillis,
            String exchange,
            List<String> routingKeys,
            String originalExpiration) {
        this(queue, reason, count, firstTimeMillis, exchange, routingKeys, originalExpiration, false);
    }

    /** Why. */
    public enum Reason {
        REJECTED("rejected"),
        EXPIRED("expired"),
        MAX_LENGTH("maxlen"),
        DELIVERY_LIMIT("delivery_limit");

        private final String word;

        Reason(String word) {
            this.word = word;
        }

        /** The word that users of the dead-letter history know. */
        public String word() {
            return word;
        }
    }
}
