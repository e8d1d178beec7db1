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

    Sent(long id, String producer, boolean durable, int priority, long ttlMillis, Work work) {
        this.id = id;
        this.producer = producer;
        this.durable = durable;
        this.priority = priority;
        this.ttlMillis = ttlMillis;
        this.work = work;
    }

    @Override
    public String toString() {
        return "message " + id + " of " + producer + (durable ? "" : " (transient)");
    }
}
