package io.sluicemq.base;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds how often a kind of line is logged, for what peers can cause at will: one line an interval, that says how often the
 * thing has happened since the last. Safe from any thread.
 */
public final class LogLimit {

    private final long intervalNanos;
    private final AtomicLong occurrences = new AtomicLong();
    private final AtomicBoolean never = new AtomicBoolean(true);
    private final AtomicLong loggedAt = new AtomicLong();

    /** @param intervalNanos the least time between two lines */
    public LogLimit(long intervalNanos) {
        this.intervalNanos = intervalNanos;
    }

    /**
     * Counts one occurrence, and returns how many the line to log stands for: 1 or more, or 0 if none is to be logged now.
     *
     * @param nowNanos the time, always by the same clock
     */
    public long take(long nowNanos) {
        occurrences.incrementAndGet();
        if (never.compareAndSet(true, false)) {
            loggedAt.set(nowNanos);
            return occurrences.getAndSet(0);
        }
        long last = loggedAt.get();
        if (nowNanos - last < intervalNanos || !loggedAt.compareAndSet(last, nowNanos)) {
            return 0;
        }
        return occurrences.getAndSet(0);
    }
}
