package io.sluicemq.base;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many of something there are, and how many there may be. Lowering the limit takes nothing away that is there. Safe from any thread,
 * without a lock.
 *
 * <p>Invariant: {@link #tryTake} never makes it more than the limit of that moment.
 */
public final class Quota {

    /** A limit that is none. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    private final AtomicLong used = new AtomicLong();
    private volatile long most = UNLIMITED;

    /** Takes one more, if there may be one more. */
    public boolean tryTake() {
        long before = used.get();
        while (before < most) {
            if (used.compareAndSet(before, before + 1)) {
                return true;
            }
            before = used.get();
        }
        return false;
    }

    /** Takes one more that is there already, whatever the limit. */
    public void take() {
        used.incrementAndGet();
    }

    /** Gives back what was taken. */
    public void give(long count) {
        used.addAndGet(-count);
    }

    public long used() {
        return used.get();
    }

    public long limit() {
        return most;
    }

    /** Sets the limit; {@link #UNLIMITED} for none. */
    public void limit(long atMost) {
        most = atMost;
    }
}
