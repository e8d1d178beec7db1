package io.sluicemq.store;

import java.nio.ByteBuffer;

/**
 * Records of a sparse segment, and which of them are still needed. Several loops may call {@link #keep} at once for different
 * records; one of them calls {@link #answer} when all have.
 */
public final class Candidates {

    /**
     * A record.
     *
     * @param position where it is now
     * @param type the owner's, moved before or not
     * @param payload little-endian, until the answer
     */
    public record Candidate(long position, int type, ByteBuffer payload) {}

    private final Candidate[] records;
    private final boolean[] kept;
    private final Runnable wake;
    private volatile boolean answered;

    Candidates(java.util.List<Candidate> records, Runnable wake) {
        this.records = records.toArray(Candidate[]::new);
        this.kept = new boolean[this.records.length];
        this.wake = wake;
    }

    public int size() {
        return records.length;
    }

    public Candidate get(int index) {
        return records[index];
    }

    /** Says that a record is needed. */
    public void keep(int index) {
        kept[index] = true;
    }

    /** Says that all was said. The {@link #keep} calls must have happened before. */
    public void answer() {
        answered = true;
        wake.run();
    }

    boolean isAnswered() {
        return answered;
    }

    boolean isKept(int index) {
        return kept[index];
    }
}
