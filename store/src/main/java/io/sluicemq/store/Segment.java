package io.sluicemq.store;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A stretch of the log that has a file of its own, and what is known of its use. Safe from any thread: the counters are atomic
 * because the loops that retain and release records are many.
 *
 * <p>Invariant: positions {@code start} to {@code end} are this segment's, and no two segments overlap.
 */
final class Segment {

    final long start;
    final long end;
    private final AtomicLong retainedBytes = new AtomicLong();
    private final AtomicLong retainedRecords = new AtomicLong();
    private final AtomicInteger readsUnderWay = new AtomicInteger();
    /** Set by the housekeeping thread, before the file goes. */
    volatile boolean deleted;

    Segment(long start, long end) {
        this.start = start;
        this.end = end;
    }

    String fileName() {
        return SegmentHeader.fileName(start);
    }

    long firstRecord() {
        return start + SegmentHeader.BYTES;
    }

    long sizeBytes() {
        return end - start;
    }

    /** Returns how many bytes are retained now. */
    long retain(long bytes, long records) {
        retainedRecords.addAndGet(records);
        return retainedBytes.addAndGet(bytes);
    }

    long retainedBytes() {
        return retainedBytes.get();
    }

    long retainedRecords() {
        return retainedRecords.get();
    }

    void readBegins() {
        readsUnderWay.incrementAndGet();
    }

    void readEnds() {
        readsUnderWay.decrementAndGet();
    }

    /** Nothing retained, and nobody reading. */
    boolean isIdle() {
        return retainedRecords.get() == 0 && retainedBytes.get() == 0 && readsUnderWay.get() == 0;
    }
}
