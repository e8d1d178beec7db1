package io.sluicemq.base;

import java.util.Arrays;

/**
 * How values are distributed: how many were in each of some ranges, and their sum. Immutable; the arrays are not to be changed.
 *
 * @param bounds the upper bounds of the ranges, each of them within its range, ascending
 * @param counts how many values were in each range, with one more for those above all bounds
 * @param sum of all values
 */
public record Distribution(long[] bounds, long[] counts, long sum) {

    /** How many values there were. */
    public long count() {
        return Arrays.stream(counts).sum();
    }

    /** Both together; they must have the same bounds. */
    public Distribution plus(Distribution other) {
        if (!Arrays.equals(bounds, other.bounds)) {
            throw new IllegalArgumentException("distributions of other ranges can't be added");
        }
        long[] both = new long[counts.length];
        for (int i = 0; i < both.length; i++) {
            both[i] = counts[i] + other.counts[i];
        }
        return new Distribution(bounds, both, sum + other.sum);
    }
}
