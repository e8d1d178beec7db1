package io.sluicemq.store;

/** When what is written is made to survive the loss of power, and when it counts as {@link Log#durable durable}. */
public sealed interface SyncMode {

    /** Durable is what was synced: nothing that was confirmed is lost. */
    record Always() implements SyncMode {}

    /**
     * Durable is what the operating system has, so it survives the end of this process; the disk has it at most about {@code
     * millis} milliseconds later, so the loss of power costs no more than that.
     */
    record Interval(long millis) implements SyncMode {
        public Interval {
            if (millis < 1) {
                throw new IllegalArgumentException("a sync interval of " + millis + " ms");
            }
        }
    }

    /** Durable is what the operating system has, and it alone decides when the disk does, but at the end of a segment. */
    record Os() implements SyncMode {}
}
