package io.sluicemq.store;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The end of the log in memory: where records are claimed. Used by all loops and the log's own threads at once.
 *
 * <p>A claim is one atomic add to the current buffer. The one claim that crosses its end seals it; after that, whoever comes
 * first turns to the next buffer, under {@code turning}, a flag that is tried and never waited for: who doesn't get it is
 * told that there is no room, and by {@code onRoom} as soon as there is. So no thread waits here for another.
 *
 * <p>Invariant: positions are handed out once and without gaps within a segment; a segment's last {@link RecordFormat#SEAL_BYTES}
 * are never claimed; at most {@code maxBuffers} pieces of memory and one for a long record are in use.
 */
final class Tail {

    private static final int SPINS = 64;

    private final int bufferBytes;
    private final int maxBuffers;
    private final Segments segments;
    private final ConcurrentLinkedQueue<AppendBuffer> free = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean turning = new AtomicBoolean();
    private final AtomicBoolean longRecordInUse = new AtomicBoolean();
    private final AtomicReference<Segment> spare = new AtomicReference<>();
    private volatile AppendBuffer current;
    private int allocated; // owned by who holds `turning`
    private volatile boolean turnedAway;
    private volatile long wantedSegmentBytes;
    private Runnable onRoom;
    private Runnable onSpareWanted;

    /** @param end where the next record goes, in the last of the segments */
    Tail(LogOptions options, Segments segments, Segment last, long end) {
        this.bufferBytes = options.bufferBytes();
        this.maxBuffers = options.buffers();
        this.segments = segments;
        int capacity = (int) Math.min(bufferBytes, last.end - RecordFormat.SEAL_BYTES - end);
        this.current = new AppendBuffer(0, AppendBuffer.allocate(bufferBytes), last, end, capacity, 0);
        this.allocated = 1;
    }

    /**
     * Says whom to tell.
     *
     * @param onRoom called when a claim that failed may succeed, on whatever thread
     * @param onSpareWanted called when the spare segment is gone, or too small
     */
    void tell(Runnable onRoom, Runnable onSpareWanted) {
        this.onRoom = onRoom;
        this.onSpareWanted = onSpareWanted;
    }

    AppendBuffer current() {
        return current;
    }

    /**
     * Claims bytes for a record.
     *
     * @param bytes all of the record, aligned
     * @param claim told where
     * @return the position, or {@link LogPort#NO_ROOM}
     */
    long claim(int bytes, Claim claim) {
        for (int spins = 0; spins < SPINS; spins++) {
            AppendBuffer buffer = current;
            int offset = buffer.claim(bytes);
            if (offset >= 0) {
                claim.set(buffer, offset);
                return buffer.base + offset;
            }
            if (current != buffer) {
                continue;
            }
            if (spins == SPINS - 1) {
                turnedAway = true; // whoever has the flag looks at this after giving it up
            }
            if (turning.compareAndSet(false, true)) {
                AppendBuffer turned;
                try {
                    turned = current != buffer ? null : turn(buffer, bytes);
                } finally {
                    turning.set(false);
                }
                if (turnedAway) {
                    turnedAway = false;
                    onRoom.run();
                }
                if (turned != null) {
                    claim.set(turned, 0);
                    return turned.base;
                }
                if (current == buffer && buffer.sealed() != AppendBuffer.OPEN) {
                    return LogPort.NO_ROOM;
                }
            }
            Thread.onSpinWait();
        }
        return LogPort.NO_ROOM;
    }

    /** Turns to the next buffer, in which the first record is the caller's; null if that can't be done. */
    private AppendBuffer turn(AppendBuffer buffer, int bytes) {
        int sealed = buffer.sealed();
        if (sealed == AppendBuffer.OPEN) {
            return null; // the claim that crosses the end is about to say where that is
        }
        long end = buffer.base + sealed;
        Segment segment = buffer.segment;
        long room = segment.end - RecordFormat.SEAL_BYTES - end;
        boolean newSegment = room < bytes;
        if (newSegment) {
            segment = spare.get();
            room = segment == null ? 0 : segment.end - RecordFormat.SEAL_BYTES - segment.firstRecord();
            if (room < bytes) {
                wantedSegmentBytes = Math.max(wantedSegmentBytes, segmentBytesFor(bytes));
                onSpareWanted.run();
                return null;
            }
            end = segment.firstRecord();
        }
        AppendBuffer next = take(segment, end, room, bytes);
        if (next == null) {
            return null;
        }
        if (newSegment) {
            segments.add(segment);
            wantedSegmentBytes = 0;
        }
        buffer.next = next;
        current = next;
        if (newSegment) {
            spare.set(null); // after `current`: who finds no spare looks there for the last segment
            onSpareWanted.run();
        }
        return next;
    }

    private AppendBuffer take(Segment segment, long base, long room, int bytes) {
        if (bytes > bufferBytes) {
            if (!longRecordInUse.compareAndSet(false, true)) {
                return null;
            }
            boolean done = false;
            try {
                AppendBuffer own = new AppendBuffer(-1, AppendBuffer.allocate(bytes), segment, base, bytes, bytes);
                done = true;
                return own;
            } finally {
                if (!done) {
                    longRecordInUse.set(false); // no memory now; others may find some
                }
            }
        }
        int capacity = (int) Math.min(bufferBytes, room);
        AppendBuffer old = free.poll();
        if (old != null) {
            return new AppendBuffer(old.slot, old.memory, segment, base, capacity, bytes);
        }
        if (allocated == maxBuffers) {
            return null;
        }
        AppendBuffer fresh = new AppendBuffer(
                allocated, AppendBuffer.allocate(bufferBytes), segment, base, capacity, bytes);
        allocated++;
        return fresh;
    }

    /** Takes back a buffer that was written. Called by the writer, which has filled its memory with zeros. */
    void giveBack(AppendBuffer buffer) {
        if (buffer.slot >= 0) {
            free.add(buffer);
        }
        onRoom.run();
    }

    /** Says that the one buffer for a long record is written. Called by the writer. */
    void longRecordWritten() {
        longRecordInUse.set(false);
        onRoom.run();
    }

    /** The size of the segment that a claim of so many bytes would need. */
    static long segmentBytesFor(int recordBytes) {
        long bytes = SegmentHeader.BYTES + (long) recordBytes + RecordFormat.SEAL_BYTES;
        return (bytes + SegmentHeader.BYTES - 1) / SegmentHeader.BYTES * SegmentHeader.BYTES;
    }

    /** The size that a claim waits for the spare segment to have; 0 if none does. */
    long wantedSegmentBytes() {
        return wantedSegmentBytes;
    }

    /** The segment that is ready to be written next; null if none is. */
    Segment spare() {
        return spare.get();
    }

    /**
     * Puts a spare segment in the place of {@code old}; false if that has been taken into use meanwhile. Called by the
     * housekeeping thread.
     */
    boolean offerSpare(Segment old, Segment fresh) {
        boolean offered = spare.compareAndSet(old, fresh);
        onRoom.run();
        return offered;
    }

    /** The last segment that is in use. */
    Segment lastSegment() {
        return current.segment;
    }

    /** Has no claim wait for a larger segment any more: it can't be made. The claim asks again if it still wants it. */
    void forgetWanted() {
        wantedSegmentBytes = 0;
    }

    /** The position behind all that was claimed. */
    long claimedEnd() {
        AppendBuffer buffer = current;
        while (buffer.isBeingSealed()) {
            Thread.onSpinWait(); // for the one instruction that says where the last record ends
        }
        return buffer.base + buffer.claimedBytes();
    }
}
