package io.sluicemq.management.metrics;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Sums of what things count that are not shown by themselves. Since it changes which are, their counters can't be added: the sum would
 * go back when one is shown, which is taken for a restart. So what each has counted since it was looked at before is added to
 * what was there. Used by one thread at a time.
 *
 * <p>Invariant: a sum never goes back.
 */
final class Remainder<T> {

    private final Function<T, Object> key;
    private final Function<T, long[]> counted;
    private final long[] sums;
    private Map<Object, long[]> before = new HashMap<>();

    /**
     * @param key what a thing is the same by when it is looked at again
     * @param counted what it has counted, always as many numbers
     */
    Remainder(int numbers, Function<T, Object> key, Function<T, long[]> counted) {
        this.key = key;
        this.counted = counted;
        this.sums = new long[numbers];
    }

    /** Looks at all of them; returns the sums. */
    long[] look(Shown<T> all) {
        Map<Object, long[]> now = new HashMap<>();
        add(all.named(), false, now);
        add(all.others(), true, now);
        before = now;
        return sums.clone();
    }

    private void add(List<T> things, boolean counts, Map<Object, long[]> now) {
        for (T thing : things) {
            Object name = key.apply(thing);
            long[] values = counted.apply(thing);
            now.put(name, values);
            if (counts) {
                long[] last = before.get(name);
                for (int i = 0; i < sums.length; i++) {
                    // Another one of the same name begins anew.
                    sums[i] += last == null || values[i] < last[i] ? values[i] : values[i] - last[i];
                }
            }
        }
    }
}
