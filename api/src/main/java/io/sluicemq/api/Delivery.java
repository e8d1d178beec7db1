package io.sluicemq.api;

/**
 * A message on its way to a consumer: it belongs to the client's loop from {@link ConsumerSink#deliver} until it is
 * settled.
 */
public interface Delivery {

    /** {@link #expiresAtMillis}: it does not expire. */
    long NEVER = Long.MAX_VALUE;

    /** How a delivery ends. */
    enum Outcome {
        /** Done with: the message leaves the queue. */
        ACCEPTED,
        /** Refused for good: the message is dead-lettered, or dropped if the queue has nowhere to send it. */
        REJECTED,
        /**
         * Cannot be given to this client: the message is dead-lettered or dropped as if it had been refused, but by nobody, so
         * that it does not come back here by a cycle of dead-letter exchanges.
         */
        UNDELIVERABLE,
        /** Not done: the message returns to its place and counts one failed delivery. */
        REQUEUED,
        /** Never reached the client: the message returns to its place as if it had not left. */
        RELEASED,
        /** The client has had it and gives it back, which is no failure: the message returns to its place and counts nothing. */
        RETURNED,
        /** As {@link #REQUEUED}, but this consumer is not to have it again. */
        REQUEUED_ELSEWHERE,
        /** As {@link #RELEASED}, but this consumer is not to have it again. */
        RELEASED_ELSEWHERE,
        /** As {@link #RETURNED}, but this consumer is not to have it again. */
        RETURNED_ELSEWHERE
    }

    Message message();

    /** The name of the queue it comes from; empty if it comes from none. */
    String queue();

    /** Whether it was delivered before. */
    boolean redelivered();

    /**
     * Whether a client may have had it before, {@linkplain #redelivered redelivered} or {@linkplain Outcome#RETURNED returned}. It is
     * false only if none has.
     */
    default boolean acquiredBefore() {
        return redelivered();
    }

    /** How many deliveries of it have failed before. */
    int deliveryCount();

    /** When it would have expired in its queue, in milliseconds since 1970, or {@link #NEVER}. */
    default long expiresAtMillis() {
        return NEVER;
    }

    /** Whether the queue counts failed deliveries against a limit. */
    boolean counted();

    /** Whether it counts as accepted already, so must not be settled. */
    boolean settled();

    /** How many messages stayed ready in the queue when {@link Client#get} took this one; 0 for a consumer's. */
    long remaining();

    /** Bytes it takes of the consumer's window. */
    int windowBytes();

    /** The queue's own delivery, for which this one may stand. */
    default Delivery origin() {
        return this;
    }

    /** Ends it, once, on the client's loop. */
    default void settle(Outcome outcome) {
        settle(outcome, null);
    }

    /**
     * Ends it, once, on the client's loop.
     *
     * @param completion has taken on an obligation for it, met when the outcome is final: a message that leaves the queue is out
     *     of the store then, too. May be null if nobody waits.
     */
    void settle(Outcome outcome, Completion completion);
}
