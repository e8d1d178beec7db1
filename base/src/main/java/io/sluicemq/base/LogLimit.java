package io.sluicemq.base;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds how often a kind of line is logged, for what peers can cause at will: a line or a few an interval, each of which says
 * how often the thing has happened since the last. Safe from any thread.
 */
public final class LogLimit {

    private final long intervalNanos;
    private final int linesAnInterval;
    private final AtomicLong occurrences = new AtomicLong();
    private final AtomicInteger linesLeft;
    /** When the interval began; of no meaning before the first line. */
    private final AtomicLong intervalStart = new AtomicLong();

    /** @param intervalNanos the least time between two lines */
    public LogLimit(long intervalNanos) {
        this(intervalNanos, 1);
    }

    /**
     * @param intervalNanos begins with a line and allows {@code linesAnInterval}
     * @param linesAnInterval at least 1
     */
    public LogLimit(long intervalNanos, int linesAnInterval) {
        this.intervalNanos = intervalNanos;
        this.linesAnInterval = linesAnInterval;
        this.linesLeft = new AtomicInteger(linesAnInterval);
    }

    /**
     * Counts one occurrence, and returns how many the line to log stands for: 1 or more, or 0 if none is to be logged now.
     *
     * @param nowNanos the time, always by the same clock
     */
    public long take(long nowNanos) {
        occurrences.incrementAndGet();
        long start = intervalStart.get();
        int left = linesLeft.get();
        if (left == linesAnInterval || nowNanos - start >= intervalNanos) {
            if (intervalStart.compareAndSet(start, nowNanos)) {
                linesLeft.set(linesAnInterval - 1);
                return occurrences.getAndSet(0);
            }
            left = linesLeft.get();
        }
        while (left > 0) {
            if (linesLeft.compareAndSet(left, left - 1)) {
                return occurrences.getAndSet(0);
            }
            left = linesLeft.get();
        }
        return 0;
    }
}
