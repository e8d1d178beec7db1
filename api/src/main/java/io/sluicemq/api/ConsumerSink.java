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

    /** A message waits for credit; answered sometime by {@link Consumer#grant}. Asked once until then. */
    void creditWanted();

    /** {@code messages} of granted credit were not needed. */
    void creditReturned(int messages);
}
