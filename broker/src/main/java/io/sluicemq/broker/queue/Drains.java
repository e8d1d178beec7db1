package io.sluicemq.broker.queue;

import java.util.ArrayList;
import java.util.List;

/**
 * Consumers that are to be given all there is for them, and then an answer. Owned by the queue's loop. Invariant: each that was
 * added is answered once, by the first {@link #check} that finds it drained; {@link Deliveries} calls that after each event by which one
 * may be.
 */
final class Drains {

    /**
     * @param enoughLoaded how many messages must have been read back to have seen all that were there when it began
     * @param limitChanges how often its consumer's limit had been set then
     * @param ends the numbers behind those, by level, for one that doesn't take all; otherwise null
     */
    private record Drain(QueueConsumer consumer, int limitChanges, long enoughLoaded, long[] ends, Runnable answer) {}

    private final Deliveries deliveries;
    private final List<Drain> waiting = new ArrayList<>(0);

    Drains(Deliveries deliveries) {
        this.deliveries = deliveries;
    }

    void add(QueueConsumer consumer, long enoughLoaded, long[] ends, Runnable answer) {
        waiting.add(new Drain(consumer, consumer.limitChanges(), enoughLoaded, ends, answer));
    }

    /** Answers those that are drained. */
    void check() {
        for (int i = 0; i < waiting.size(); i++) {
            Drain drain = waiting.get(i);
            if (deliveries.isDrained(drain.consumer, drain.enoughLoaded, drain.ends)) {
                waiting.remove(i);
                drain.consumer.limitToGiven(drain.limitChanges);
                drain.answer.run();
                // On the same loop the answer may have changed anything.
                i = -1;
            }
        }
    }
}
