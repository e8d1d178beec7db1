package io.sluicemq.api;

/** Where a consumer's deliveries go. Called on the client's loop, first after {@link Client#subscribe} was answered. */
public interface ConsumerSink {

    /**
     * Takes a delivery. Unless it is {@linkplain Delivery#settled settled}, it must be {@linkplain Delivery#settle settled}
     * exactly once, also when the client is already gone. Its bytes must be given back by {@link Consumer#written} when
     * they have left.
     */
    void deliver(Delivery delivery);

    /** The broker has ended the consumer, for example since its queue was deleted. Nothing comes after it. */
    void cancelled(String reason);

    /** The broker has ended the consumer since its user may not read there any more. Nothing comes after it. */
    default void revoked(String reason) {
        cancelled(reason);
    }

    /** What a consumer is ended with that is too slow. */
    enum Cut {
        /** As little as the protocol allows without surprising its clients: their channel, or the link. */
        CHANNEL,
        /** The consumer alone, where the client can be told of that. */
        CONSUMER
    }

    /** What the client of a consumer is told that is too slow, where the protocol has room for it. */
    String TOO_SLOW = "Consuming too slow.";

    /**
     * The broker wants the consumer ended, since it is too slow: its client is to be told {@link #TOO_SLOW}, and what it has not
     * settled returns to the queue. The consumer is {@linkplain Consumer#cancel cancelled} as at its client's wish, behind what the
     * client is told. No effect on one that is ending already.
     */
    void tooSlow(Cut cut);

    /** How many bytes have left for its socket, or another number that grows while bytes of a large message do. */
    long sentBytes();

    /** A message waits for credit; answered sometime by {@link Consumer#grant}. Asked once until then. */
    void creditWanted();

    /** {@code messages} of granted credit were not needed. */
    void creditReturned(int messages);
}
