package io.sluicemq.base;

import java.util.concurrent.atomic.AtomicLong;

/** Counts what happens now and then on several loops. Safe from any thread. */
public final class Count {

    private final AtomicLong value = new AtomicLong();

    public void add(long occurrences) {
        value.addAndGet(occurrences);
    }

    public long sum() {
        return value.get();
    }
}
