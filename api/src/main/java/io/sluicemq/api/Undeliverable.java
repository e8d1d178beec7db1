package io.sluicemq.api;

/**
 * What is to become of messages of a queue that nobody takes, as the configuration says it for an address. It is for protocols that
 * make queues which nobody has declared. Immutable.
 *
 * @param maxDeliveryAttempts how often a message is delivered at most; {@link #UNLIMITED} for as often as it takes
 * @param deadLetterAddress the queue that messages go to which were rejected or delivered too often; null if they are dropped
 * @param expiryAddress the queue that messages go to which have expired; null for the one of dead letters
 */
public record Undeliverable(int maxDeliveryAttempts, String deadLetterAddress, String expiryAddress) {

    public static final int UNLIMITED = 0;

    /** Nothing is said: messages come again, and those that are rejected or have expired are dropped. */
    public static final Undeliverable DROPPED = new Undeliverable(UNLIMITED, null, null);
}
