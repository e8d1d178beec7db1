package io.sluicemq.store;

/** Records that were copied from one position to another. */
public final class Moves {

    private final long[] from;
    private final long[] to;
    private final int[] payloadBytes;
    private final int size;
    private final Runnable wake;
    private volatile boolean applied;

    Moves(long[] from, long[] to, int[] payloadBytes, int size, Runnable wake) {
        this.from = from;
        this.to = to;
        this.payloadBytes = payloadBytes;
        this.size = size;
        this.wake = wake;
    }

    public int size() {
        return size;
    }

    public long from(int index) {
        return from[index];
    }

    public long to(int index) {
        return to[index];
    }

    /** The length of the record's own payload, the same at both places. */
    public int payloadBytes(int index) {
        return payloadBytes[index];
    }

    /** Says that nothing refers to the old positions any more. */
    public void applied() {
        applied = true;
        wake.run();
    }

    boolean isApplied() {
        return applied;
    }
}
