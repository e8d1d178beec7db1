package io.sluicemq.base;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds how often a kind of line is logged, for what peers can cause at will: one line an interval, that says how often the
 * thing has happened since the last. Safe from any thread.
 */
public final class LogLimit {

    private final long intervalNanos;
    private final AtomicLong occurrences = new AtomicLong();
    private final AtomicLong loggedAt;

    /**
     * @param intervalNanos the least time between two lines
     * @param nowNanos a reading of the clock that {@link #take} is given too
     */
    public LogLimit(long intervalNanos, long nowNanos) {
        this.intervalNanos = intervalNanos;
        this.loggedAt = new AtomicLong(nowNanos - intervalNanos);
    }

    /** Counts one occurrence, and returns how many the line to log stands for: 1 or more, or 0 if none is to be logged now. */
    public long take(long nowNanos) {
        occurrences.incrementAndGet();
        long last = loggedAt.get();
        if (nowNanos - last < intervalNanos || !loggedAt.compareAndSet(last, nowNanos)) {
            return 0;
        }
        return occurrences.getAndSet(0);
    }
}
