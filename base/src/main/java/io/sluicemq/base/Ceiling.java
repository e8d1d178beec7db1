package io.sluicemq.base;

/** A limit of what is not counted here, such as a size. It can be changed while it holds, by any thread, and asked by any. */
public final class Ceiling {

    private volatile long most = Quota.UNLIMITED;

    /** {@link Quota#UNLIMITED} for none. */
    public long get() {
        return most;
    }

    /** Sets it; {@link Quota#UNLIMITED} for none. */
    public void set(long atMost) {
        most = atMost;
    }
}
