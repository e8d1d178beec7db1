package io.sluicemq.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;

/**
 * Counts values by ranges that were fixed when it was made; nothing is allocated for a value. One thread records, its owner; any thread
 * may take a {@link #snapshot}, which is of about that moment.
 */
public final class Histogram {

    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] bounds;
    /** By range, and behind these the sum. Written by the owner alone. */
    private final long[] values;

    /** @param bounds the upper bounds of the ranges, ascending */
    public Histogram(long... bounds) {
        for (int i = 1; i < bounds.length; i++) {
            if (bounds[i] <= bounds[i - 1]) {
                throw new IllegalArgumentException("bounds must ascend: " + bounds[i - 1] + ", " + bounds[i]);
            }
        }
        this.bounds = bounds.clone();
        this.values = new long[bounds.length + 2];
    }

    /** For nanoseconds, from a tenth of a millisecond to ten seconds. */
    public static Histogram ofLatencies() {
        return new Histogram(scaled(TimeUnit.MICROSECONDS.toNanos(1),
                100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
                2_500_000, 10_000_000));
    }

    /** For nanoseconds, from a millisecond to ten minutes. */
    public static Histogram ofWaits() {
        return new Histogram(scaled(TimeUnit.MILLISECONDS.toNanos(1),
                1, 5, 10, 50, 100, 500, 1_000, 5_000, 10_000, 25_000, 60_000, 300_000, 600_000));
    }

    /** For bytes, from 1 KiB to 16 MiB. */
    public static Histogram ofSizes() {
        return new Histogram(scaled(1 << 10, 1, 4, 16, 64, 256, 1 << 10, 4 << 10, 16 << 10));
    }

    private static long[] scaled(long unit, long... bounds) {
        for (int i = 0; i < bounds.length; i++) {
            bounds[i] *= unit;
        }
        return bounds;
    }

    /** Counts a value; on the owner's thread. */
    public void record(long value) {
        int range = 0;
        while (range < bounds.length && value > bounds[range]) {
            range++;
        }
        add(range, 1);
        add(values.length - 1, value);
    }

    private void add(int index, long difference) {
        COUNT.setOpaque(values, index, values[index] + difference);
    }

    /** What was recorded so far; on any thread. */
    public Distribution snapshot() {
        long[] counts = new long[bounds.length + 1];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = (long) COUNT.getOpaque(values, i);
        }
        return new Distribution(bounds, counts, (long) COUNT.getOpaque(values, values.length - 1));
    }
}
