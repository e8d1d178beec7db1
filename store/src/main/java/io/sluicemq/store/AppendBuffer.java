package io.sluicemq.store;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A stretch of the log in memory that records are claimed in and written from. Any thread claims, by one atomic add; the
 * writer alone reads what is complete and hands the memory back. Each use of a piece of memory has an object of its own, so that
 * a thread that was held up at an old one can't claim in the new.
 *
 * <p>Invariant: {@code memory} is zeros from the last claim on, and a record's length is 0 until the record is complete. Once
 * {@code sealed} is set no claim succeeds.
 */
final class AppendBuffer {

    /** Not sealed: claims may succeed. */
    static final int OPEN = -1;

    private static final VarHandle CLAIMED;

    static {
        try {
            CLAIMED = MethodHandles.lookup().findVarHandle(AppendBuffer.class, "claimed", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Which piece of memory this is; negative for one that was made for a single long record. */
    final int slot;
    final ByteBuffer memory;
    final Segment segment;
    /** Position of the first byte. */
    final long base;
    final int capacity;

    private volatile long claimed;
    /** Where the last record ends, once that is certain. Written by the one claim that crosses the end. */
    private volatile int sealed = OPEN;
    /** What follows. Written by whoever turns to it, read by the writer and readers. */
    volatile AppendBuffer next;
    /** The memory may hold something else by now. */
    volatile boolean reused;

    /** @param firstClaim bytes of a record that is claimed from the start, at offset 0; 0 if none is */
    AppendBuffer(int slot, ByteBuffer memory, Segment segment, long base, int capacity, int firstClaim) {
        this.slot = slot;
        this.memory = memory;
        this.segment = segment;
        this.base = base;
        this.capacity = capacity;
        this.claimed = firstClaim;
    }

    /** Zeroed memory, aligned so that a length can be written atomically. */
    static ByteBuffer allocate(int bytes) {
        return ByteBuffer.allocateDirect(bytes + RecordFormat.ALIGNMENT)
                .alignedSlice(RecordFormat.ALIGNMENT)
                .limit(bytes)
                .slice()
                .order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Claims so many bytes; returns their offset, or -1 if they don't fit any more, after which nothing does. */
    int claim(int bytes) {
        long offset = (long) CLAIMED.getAndAdd(this, (long) bytes);
        if (offset + bytes <= capacity) {
            return (int) offset;
        }
        if (offset <= capacity) {
            sealed = (int) offset;
        }
        return -1;
    }

    /** Where the last record ends; {@link #OPEN} if that isn't known. */
    int sealed() {
        return sealed;
    }

    /** A claim has crossed the end, and is about to say where the last record ends. */
    boolean isBeingSealed() {
        return claimed > capacity && sealed == OPEN;
    }

    /** Where the next claim would begin: an upper bound of what there is to write. */
    int claimedBytes() {
        int end = sealed;
        return end != OPEN ? end : (int) Math.min(claimed, capacity);
    }
}
