package io.sluicemq.simulation;

import java.util.ArrayList;
import java.util.List;

/** A message that was published, as its publisher knows it. */
final class Sent {

    final long id;
    /** Whose messages come in the order of {@link #id}. */
    final String producer;
    final boolean durable;
    final int priority;
    final long ttlMillis;
    /** The transaction that it was published in; null if none. */
    final Work work;
    final List<Copy> copies = new ArrayList<>(1);
    /** The exchange it is published to. */
    final String exchange;
    /** The oldest limits that it may have met. */
    final int limitsFrom;
    /** When it may be delivered first, in milliseconds since 1970; 0 for at once. */
    long notBeforeMillis;
    /** The group of messages that it belongs to; negative for none. */
    int group = -1;
    /** What it counts for in each queue's account. */
    int bytes;
    /** Whether its publisher asks for an answer. */
    boolean confirmed = true;

    Sent(
            long id, String producer, boolean durable, int priority, long ttlMillis, Work work, String exchange,
            int limitsFrom) {
        this.exchange = exchange;
        this.limitsFrom = limitsFrom;
        this.id = id;
        this.producer = producer;
        this.durable = durable;
        this.priority = priority;
        this.ttlMillis = ttlMillis;
        this.work = work;
    }

    /** The addresses whose limits it may meet. */
    List<String> addresses() {
        List<String> all = new ArrayList<>();
        copies.forEach(copy -> all.add(copy.queue.name));
        if (!exchange.isEmpty()) {
            all.add(exchange);
        }
        return all;
    }

    @Override
    public String toString() {
        return "message " + id + " of " + producer + (durable ? "" : " (transient)");
    }
}
