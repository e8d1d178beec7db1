package io.sluicemq.base;

import java.util.concurrent.atomic.AtomicInteger;

/** Counts down the holders of something that several loops share, to tell the last one. Safe from any thread. */
public final class Shares {

    private final AtomicInteger holders;

    public Shares(int holders) {
        this.holders = new AtomicInteger(holders);
    }

    /** One holder lets go; returns whether it was the last. */
    public boolean releaseOne() {
        return holders.decrementAndGet() == 0;
    }
}
