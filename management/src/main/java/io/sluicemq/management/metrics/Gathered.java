package io.sluicemq.management.metrics;

import io.sluicemq.api.operate.Measures;
import io.sluicemq.api.operate.Measures.OfAddress;
import io.sluicemq.api.operate.QueueView;
import io.sluicemq.api.operate.ServerMeasures;

/**
 * What a scrape tells of. Immutable.
 *
 * @param queueSums what queues that are not shown have counted; see {@link Gatherer}
 * @param addressSums likewise
 * @param nanos how long it took to gather it
 */
record Gathered(
        String version,
        long startedMillis,
        Measures broker,
        ServerMeasures server,
        Shown<QueueView> queues,
        long[] queueSums,
        Shown<OfAddress> addresses,
        long[] addressSums,
        long nanos) {

    /** A counter of the broker. */
    long counter(String name) {
        Long value = broker.counters().get(name);
        if (value == null) {
            throw new IllegalArgumentException("the broker does not count " + name);
        }
        return value;
    }
}
