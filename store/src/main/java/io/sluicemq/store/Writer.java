package io.sluicemq.store;

import io.sluicemq.base.Distribution;
import io.sluicemq.base.Histogram;
import io.sluicemq.base.LogEvent;
import io.sluicemq.store.disk.Disk;
import io.sluicemq.store.disk.DiskFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes what is complete at the tail, in the order of positions, and syncs it; what comes while it syncs is its next batch.
 * Runs on the writer thread alone, but for the volatile fields, which others read.
 *
 * <p>A step either writes or syncs, so that a simulation can let things happen, and crash, between the two.
 *
 * <p>Invariant: {@code synced <= written}; both are ends of whole records, and bytes of a segment are written only when all
 * segments before it are sealed and synced.
 */
final class Writer implements Workers.Step {

    /** How long nothing may happen until what was synced last is marked as such. */
    private static final long MARK_AFTER_NANOS = 20_000_000;

    /** How long a close waits between looks at a record that some loop has claimed and not completed. */
    private static final long CLOSING_LOOK_NANOS = 1_000_000;

    private final Log log;
    private final Disk disk;
    private final SyncMode mode;
    private final Workers workers;
    private final Tail tail;
    private final long batchBytes;
    private final Claim claim = new Claim();
    private final ByteBuffer seal =
            ByteBuffer.allocateDirect(RecordFormat.SEAL_BYTES).order(ByteOrder.LITTLE_ENDIAN);

    private volatile AppendBuffer buffer;
    private volatile long written;
    private volatile long synced;
    private final AtomicLong syncWanted = new AtomicLong();
    private volatile boolean closing;

    private DiskFile file;
    private ByteBuffer view;
    private int offset;
    private boolean syncDue;
    private long unsyncedSinceNanos;
    private long idleSinceNanos;
    private long markedSynced = -1;
    private long markEnd;
    private boolean closingMarked;
    private volatile long syncs;
    private final Histogram syncNanos = Histogram.ofLatencies();
    private final Histogram syncBytes = Histogram.ofSizes();

    Writer(Log log, Disk disk, LogOptions options, Workers workers, Tail tail, long recoveredEnd) {
        this.log = log;
        this.disk = disk;
        this.mode = options.sync();
        this.workers = workers;
        this.tail = tail;
        this.batchBytes = (long) options.bufferBytes() * Math.max(1, options.buffers() / 4);
        this.written = recoveredEnd;
        this.synced = recoveredEnd;
        this.idleSinceNanos = workers.nanoTime();
        take(tail.current());
    }

    long written() {
        return written;
    }

    /** Up to where the disk has everything; the truth in every sync mode. */
    long synced() {
        return synced;
    }

    /** The first buffer whose bytes may not be written yet. */
    AppendBuffer oldest() {
        return buffer;
    }

    /** Asks for a sync up to {@code position} at least, in every sync mode. From any thread; the writer is to be woken after. */
    void wantSync(long position) {
        syncWanted.accumulateAndGet(position, Math::max);
    }

    void close() {
        closing = true;
    }

    @Override
    public long run() {
        if (log.state().kind() == LogState.Kind.FAILED) {
            return closing ? ended() : Workers.UNTIL_WOKEN;
        }
        try {
            return step();
        } catch (IOException | RuntimeException | Error e) {
            log.fail("the log could not be written: " + e, e);
            return closing ? ended() : Workers.UNTIL_WOKEN;
        }
    }

    private long step() throws IOException {
        if (syncDue) {
            syncDue = false;
            sync();
            return 0;
        }
        boolean wrote = writeComplete();
        long now = workers.nanoTime();
        if (wrote) {
            idleSinceNanos = now;
            if (!(mode instanceof SyncMode.Always) || onlyMarkUnsynced()) {
                log.publishDurable(written);
            }
        }
        if (mustSync(now)) {
            syncDue = true;
            return 0;
        }
        if (closing) {
            return close(wrote);
        }
        return wrote ? 0 : idle(now);
    }

    /** Whether all is synced but for a mark: who waits for the log's end, of which that is the last, must not wait for more. */
    private boolean onlyMarkUnsynced() {
        return written == markEnd && synced == markEnd - RecordFormat.recordBytes(0);
    }

    private boolean mustSync(long now) {
        if (written == synced) {
            return false;
        }
        if (syncWanted.get() > synced || closing) {
            return true;
        }
        return switch (mode) {
            case SyncMode.Always() -> written > markEnd;
            case SyncMode.Interval(long millis) -> written > markEnd && now - unsyncedSinceNanos >= millis * 1_000_000;
            case SyncMode.Os() -> false;
        };
    }

    private long idle(long now) {
        if (written == synced && markedSynced != synced) {
            long left = idleSinceNanos + MARK_AFTER_NANOS - now;
            if (left > 0) {
                return left;
            }
            return mark() ? 0 : MARK_AFTER_NANOS;
        }
        if (mode instanceof SyncMode.Interval(long millis) && written > synced && written > markEnd) {
            return Math.max(1, unsyncedSinceNanos + millis * 1_000_000 - now);
        }
        return Workers.UNTIL_WOKEN;
    }

    /** Leaves evidence that all so far is synced, for the day on which something of it is found damaged. */
    private boolean mark() {
        long position = tail.claim(RecordFormat.recordBytes(0), claim);
        if (position == LogPort.NO_ROOM) {
            return false;
        }
        claim.complete(0, RecordFormat.MARK, synced, log.logId());
        markedSynced = synced;
        if (position == synced) {
            markEnd = position + RecordFormat.recordBytes(0);
        } // else a loop has come in between: its record is to be synced, and the mark with it
        return true;
    }

    /** Writes what there is, but no more than a batch. */
    private boolean writeComplete() throws IOException {
        boolean wrote = false;
        long batchEnd = written + batchBytes;
        while (true) {
            int limit = buffer.claimedBytes();
            int end = offset;
            while (end < limit) {
                int length = RecordFormat.lengthAcquire(buffer.memory, end);
                if (length == 0) {
                    break;
                }
                end += RecordFormat.aligned(length);
            }
            if (end > offset) {
                if (written == synced) {
                    unsyncedSinceNanos = workers.nanoTime();
                }
                open();
                view.limit(end).position(offset);
                file.write(view, buffer.base + offset - buffer.segment.start);
                offset = end;
                written = buffer.base + end;
                wrote = true;
                if (buffer.slot < 0 && end == buffer.capacity) {
                    tail.longRecordWritten(); // now, for the next buffer may have to be for a long record, too
                }
            }
            AppendBuffer next = buffer.next;
            if (next == null || buffer.sealed() != offset || written >= batchEnd) {
                return wrote;
            }
            if (next.segment != buffer.segment) {
                seal(next.segment);
                written = next.base;
                synced = next.base;
                log.syncedUpTo(synced);
                log.publishDurable(next.base);
            }
            AppendBuffer done = buffer;
            take(next);
            giveBack(done);
        }
    }

    private void take(AppendBuffer next) {
        view = next.memory.duplicate();
        offset = 0;
        buffer = next;
    }

    private void giveBack(AppendBuffer done) {
        done.reused = true;
        VarHandle.fullFence(); // a reader that has copied zeros sees that they are no record
        if (done.slot >= 0) {
            MemorySegment.ofBuffer(done.memory.duplicate().position(0).limit(done.sealed())).fill((byte) 0);
        }
        tail.giveBack(done);
    }

    private void open() throws IOException {
        if (file == null) {
            file = disk.open(buffer.segment.fileName());
        }
    }

    private void seal(Segment next) throws IOException {
        open();
        long position = buffer.base + offset;
        seal.clear().putLong(RecordFormat.HEADER_BYTES, next.start);
        RecordFormat.complete(seal, 0, RecordFormat.SEAL_PAYLOAD_BYTES, RecordFormat.SEAL, position, synced,
                log.logId(), new java.util.zip.CRC32C());
        file.write(seal.clear(), position - buffer.segment.start);
        syncFile(position - synced);
        file.close();
        file = null;
    }

    private void sync() throws IOException {
        open();
        syncFile(written - synced);
        synced = written;
        log.syncedUpTo(synced);
        log.publishDurable(synced);
    }

    private void syncFile(long bytes) throws IOException {
        long began = workers.nanoTime();
        file.sync();
        syncNanos.record(workers.nanoTime() - began);
        syncBytes.record(bytes);
        syncs++;
    }

    private long close(boolean wrote) throws IOException {
        if (wrote) {
            return 0;
        }
        if (tail.claimedEnd() != written) {
            return CLOSING_LOOK_NANOS;
        }
        if (!closingMarked && markedSynced != synced) {
            closingMarked = true;
            if (mark()) {
                return 0;
            }
        }
        return ended();
    }

    private long ended() {
        if (file != null) {
            try {
                file.close();
            } catch (IOException e) {
                log.tell(LogEvent.FILE_NOT_CLOSED, "the last segment could not be closed", e);
            }
            file = null;
        }
        return Workers.ENDED;
    }

    /** How long each sync took, in nanoseconds. Any thread, as the next one. */
    Distribution syncNanos() {
        return syncNanos.snapshot();
    }

    /** How many bytes each sync made durable. */
    Distribution syncBytes() {
        return syncBytes.snapshot();
    }

    /** How often the disk was synced. */
    long syncs() {
        return syncs;
    }
}
