package io.sluicemq.protocol.amqp10;

import io.sluicemq.base.LoopOwned;
import java.util.Map;
import java.util.TreeMap;

/**
 * The deliveries that a session's receivers have lost by being ended from here, for their slowness or otherwise. Their outcomes may be on their way still, or come
 * later, as the application does not know: one in a transaction must not pass for one that has been. Owned by the connection's loop.
 *
 * <p>Invariant: runs of numbers neither overlap nor touch; there are {@link #MOST_RUNS} of them at most, of which those with the lowest
 * numbers are forgotten for new ones.
 */
@LoopOwned
final class TakenBack {

    static final int MOST_RUNS = 1024;

    /** What a run takes of memory, in bytes, by rule of thumb. */
    static final int RUN_BYTES = 64;

    /** The last number of each run, by its first. */
    private final TreeMap<Long, Long> runs = new TreeMap<>();

    /** Bytes of memory that it takes. */
    int bytes() {
        return runs.size() * RUN_BYTES;
    }

    /** @param number of a delivery among all of the session, which never wraps */
    void add(long number) {
        Map.Entry<Long, Long> below = runs.floorEntry(number);
        if (below != null && below.getValue() >= number) {
            return;
        }
        long first = below != null && below.getValue() == number - 1 ? below.getKey() : number;
        Long last = runs.remove(number + 1);
        runs.put(first, last == null ? number : last);
        if (runs.size() > MOST_RUNS) {
            runs.pollFirstEntry();
        }
    }

    /** Whether one of the numbers from {@code first} to {@code last}, both included, is among them. */
    boolean anyOf(long first, long last) {
        Map.Entry<Long, Long> below = runs.floorEntry(last);
        return first <= last && below != null && below.getValue() >= first;
    }
}
