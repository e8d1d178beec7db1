package io.sluicemq.broker.engine;

import io.sluicemq.base.Distribution;
import io.sluicemq.base.Histogram;
import io.sluicemq.base.LoopOwned;

/**
 * Counts the producers of one loop that wait for room in an account, with messages or for credit, and for how long they have. Owned by
 * the loop.
 */
@LoopOwned
final class Holds {

    private final Histogram nanos = Histogram.ofWaits();
    private long now;
    private long begun;

    void begin() {
        now++;
        begun++;
    }

    /** One has ended that has lasted so long. */
    void end(long heldNanos) {
        now--;
        nanos.record(heldNanos);
    }

    /** How many there are now. */
    long now() {
        return now;
    }

    /** How many have begun so far. */
    long begun() {
        return begun;
    }

    /** How long those took that have ended, in nanoseconds. */
    Distribution nanos() {
        return nanos.snapshot();
    }
}
