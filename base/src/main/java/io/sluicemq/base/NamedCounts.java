package io.sluicemq.base;

import java.util.concurrent.ConcurrentHashMap;

/**
 * How many of something each of many names has, where what has the name comes and goes and what is counted stays. Safe from any thread.
 *
 * <p>Invariant: a name that has none takes no memory; {@link #tryTake} never makes it more than the limit that it is given.
 */
public final class NamedCounts {

    private final ConcurrentHashMap<String, Long> counts = new ConcurrentHashMap<>();

    /** Takes one more, if there may be one more. */
    public boolean tryTake(String name, long most) {
        boolean[] taken = new boolean[1];
        counts.compute(name, (same, before) -> {
            long count = before == null ? 0 : before;
            taken[0] = count < most;
            return taken[0] ? Long.valueOf(count + 1) : before;
        });
        return taken[0];
    }

    /** Takes one more that is there already. */
    public void take(String name) {
        counts.merge(name, 1L, Long::sum);
    }

    /** Gives one back that was taken. */
    public void give(String name) {
        counts.computeIfPresent(name, (same, before) -> before == 1 ? null : before - 1);
    }

    public long of(String name) {
        return counts.getOrDefault(name, 0L);
    }
}
