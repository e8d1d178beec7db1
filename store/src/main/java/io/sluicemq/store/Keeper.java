package io.sluicemq.store;

import io.sluicemq.base.LogEvent;
import io.sluicemq.store.disk.Disk;
import io.sluicemq.store.disk.DiskFile;
import io.sluicemq.store.disk.DiskFull;
import java.io.IOException;

/**
 * Keeps the house: has the next segment ready, watches the room on the disk, deletes segments that nobody needs, and empties
 * sparse ones. Runs on the housekeeping thread.
 *
 * <p>Invariant: while the log is open there is a spare segment, or one is being made; when one can't be made, or the disk has
 * less room than the floor, the log is full until that has changed, which is looked at twice a second. It is full, too, while
 * no further segment fits into the largest size of all; what is full then still gets its next segment of the usual size, so that
 * what leads to less always finds room.
 */
final class Keeper implements Workers.Step {

    private static final long SPACE_LOOK_NANOS = 500_000_000;
    private static final long DELETE_AGAIN_NANOS = 10_000_000_000L;
    /** How long a segment for a long record is tried for, and the log is full, until shorter records may have what room there is. */
    private static final long UNMET_NANOS = 10_000_000_000L;
    private static final int ALLOCATE_BYTES = 4 << 20;
    private static final String NEW_SUFFIX = CheckpointFile.NEW_SUFFIX;

    private final Log log;
    private final Disk disk;
    private final Segments segments;
    private final Tail tail;
    private final LogOptions options;
    private final Workers workers;
    private final Checkpointer checkpointer;
    private final Compactor compactor;
    private final Runnable segmentDeleted;
    private volatile boolean closing;

    private Segment making;
    private DiskFile file;
    private String fileName;
    private long allocated;
    private String noSpare;
    private String belowFloor;
    private long spareNotBefore;
    private long unmetBytes;
    private long unmetSince;
    private long floorNotBefore;
    private long deleteNotBefore;

    Keeper(
            Log log,
            Disk disk,
            Segments segments,
            Tail tail,
            LogOptions options,
            Workers workers,
            Checkpointer checkpointer,
            Compactor compactor,
            Runnable segmentDeleted) {
        this.log = log;
        this.disk = disk;
        this.segments = segments;
        this.tail = tail;
        this.options = options;
        this.workers = workers;
        this.checkpointer = checkpointer;
        this.compactor = compactor;
        this.segmentDeleted = segmentDeleted;
        long now = workers.nanoTime();
        spareNotBefore = now;
        floorNotBefore = now;
        deleteNotBefore = now;
    }

    void close() {
        closing = true;
    }

    @Override
    public long run() {
        if (closing) {
            return ended();
        }
        if (log.state().isFinal()) {
            return Workers.UNTIL_WOKEN;
        }
        try {
            long now = workers.nanoTime();
            long pause = Math.min(prepareSpare(now), watchFloor(now));
            pause = Math.min(pause, tellRoom()); // after a segment was begun, and before it is offered: then nobody is admitted to one that is too many
            return Math.min(Math.min(pause, deleteIdle(now)), compact(now));
        } catch (IOException | RuntimeException | Error e) {
            log.fail("the log's folder could not be kept: " + e, e);
            return Workers.UNTIL_WOKEN;
        }
    }

    private long compact(long now) throws IOException {
        if (compactor == null) {
            return Workers.UNTIL_WOKEN;
        }
        try {
            return compactor.step(now, checkpointer.oldestNeeded());
        } catch (DamagedLog e) {
            log.tell(LogEvent.SEGMENT_NOT_EMPTIED, "a segment can't be emptied", e);
            compactor.giveUp();
            return 0;
        }
    }

    private long prepareSpare(long now) throws IOException {
        Segment spare = tail.spare();
        long wantedBytes = Math.max(tail.wantedSegmentBytes(), unmetBytes);
        if (making == null) {
            if (spare != null && spare.sizeBytes() >= wantedBytes) {
                noSpare = null;
                unmetBytes = 0;
                return Workers.UNTIL_WOKEN;
            }
            if (now < spareNotBefore) {
                return spareNotBefore - now;
            }
        }
        // With it there must be room for another one of the usual size: else it would be there, and nobody admitted to it.
        String tooMuch = making != null || wantedBytes <= options.segmentBytes()
                ? null
                : beyondLargest(wantedBytes + options.segmentBytes() - (spare == null ? 0 : spare.sizeBytes()));
        if (tooMuch != null) {
            noSpare = tooMuch;
            return waitForRoom(wantedBytes, now);
        }
        try {
            if (making == null) {
                begin(spare, Math.max(options.segmentBytes(), wantedBytes));
                return 0;
            }
            if (allocated < making.sizeBytes()) {
                int bytes = (int) Math.min(ALLOCATE_BYTES, making.sizeBytes() - allocated);
                file.allocateZeros(allocated, bytes);
                file.sync();
                allocated += bytes;
                return 0;
            }
            finish();
            noSpare = null;
            return 0;
        } catch (DiskFull e) {
            noSpare = "there is no room on the disk of " + disk.location() + " for the next segment of "
                    + Math.max(options.segmentBytes(), wantedBytes) + " bytes" + aboveFloor();
            drop();
            return waitForRoom(wantedBytes, now);
        }
    }

    private long waitForRoom(long wantedBytes, long now) {
        tail.forgetWanted();
        rememberUnmet(wantedBytes, now);
        spareNotBefore = now + SPACE_LOOK_NANOS;
        return SPACE_LOOK_NANOS;
    }

    /** Why so many bytes more would be too many for the largest size of all segments; null if they are not. */
    private String beyondLargest(long bytes) {
        if (options.maxBytes() == 0) {
            return null;
        }
        Segment spare = tail.spare(); // before the others: it is among them when it is no more here
        long total = making == null ? 0 : making.sizeBytes();
        boolean spareInUse = spare == null;
        for (Segment segment : segments.all()) {
            total += segment.sizeBytes();
            spareInUse |= segment == spare;
        }
        total += spareInUse ? 0 : spare.sizeBytes();
        return total + bytes <= options.maxBytes()
                ? null
                : "the log in " + disk.location() + " takes " + total + " bytes, " + bytes
                        + " more would be beyond storage.max-size, " + options.maxBytes();
    }

    /**
     * A spare segment that is too short for a record is no room: else the log would be full and not, by turns, as long as somebody
     * waits with a long record.
     */
    private void rememberUnmet(long wantedBytes, long now) {
        if (tail.spare() == null || unmetBytes > 0 && now - unmetSince >= UNMET_NANOS) {
            unmetBytes = 0;
            return;
        }
        if (unmetBytes == 0) {
            unmetSince = now;
        }
        unmetBytes = wantedBytes;
    }

    private String aboveFloor() {
        return options.freeSpaceFloorBytes() == 0 ? "" : " above the floor of " + options.freeSpaceFloorBytes();
    }

    /** Begins a spare segment, or makes the one there is larger. */
    private void begin(Segment spare, long bytes) throws IOException {
        long freedBytes = spare == null ? 0 : spare.sizeBytes();
        if (disk.usableBytes() + freedBytes - bytes < options.freeSpaceFloorBytes()) {
            throw new DiskFull("the next segment would leave less than the floor", null);
        }
        long start;
        if (spare == null) {
            start = tail.lastSegment().end;
        } else if (tail.offerSpare(spare, null)) {
            start = spare.start;
            disk.delete(spare.fileName());
        } else {
            return; // it is in use by now; the next look finds no spare
        }
        Segment next = new Segment(start, start + bytes);
        fileName = next.fileName() + NEW_SUFFIX;
        file = disk.create(fileName);
        making = next;
        allocated = 0;
    }

    private void finish() throws IOException {
        file.write(new SegmentHeader(making.start, log.id()).encode(), 0);
        file.sync();
        file.close();
        file = null;
        disk.rename(fileName, making.fileName());
        disk.syncDirectory();
        Segment ready = making;
        making = null;
        tail.offerSpare(null, ready);
    }

    /** Puts away what was begun, so that its room is there for others. */
    private void drop() throws IOException {
        if (file != null) {
            file.close();
            file = null;
            disk.delete(fileName);
        }
        making = null;
    }

    private long watchFloor(long now) throws IOException {
        if (options.freeSpaceFloorBytes() == 0) {
            return Workers.UNTIL_WOKEN;
        }
        if (now >= floorNotBefore) {
            long usable = disk.usableBytes();
            belowFloor = usable >= options.freeSpaceFloorBytes()
                    ? null
                    : "the disk of " + disk.location() + " has " + usable + " bytes left, the floor is "
                            + options.freeSpaceFloorBytes();
            floorNotBefore = now + SPACE_LOOK_NANOS;
        }
        return floorNotBefore - now;
    }

    private long tellRoom() {
        String reason = belowFloor != null ? belowFloor : noSpare;
        boolean again = log.full(reason != null ? reason : beyondLargest(options.segmentBytes()));
        return again ? SPACE_LOOK_NANOS : Workers.UNTIL_WOKEN;
    }

    private long deleteIdle(long now) {
        if (now < deleteNotBefore) {
            return deleteNotBefore - now;
        }
        long oldestNeeded = checkpointer.oldestNeeded();
        boolean any = false;
        for (Segment segment : segments.all()) {
            if (segment.end > oldestNeeded) {
                break;
            }
            if (!segment.isIdle() || compactor != null && compactor.isAt(segment)) {
                continue;
            }
            segment.deleted = true;
            if (!segment.isIdle()) {
                segment.deleted = false; // a read has begun before it could see that
                continue;
            }
            try {
                disk.delete(segment.fileName());
            } catch (IOException e) {
                log.tell(LogEvent.FILE_NOT_DELETED, "a segment that nobody needs could not be deleted", e);
                deleteNotBefore = now + DELETE_AGAIN_NANOS;
                segment.deleted = false;
                return DELETE_AGAIN_NANOS;
            }
            segments.remove(segment);
            any = true;
        }
        if (any) {
            spareNotBefore = now;
            segmentDeleted.run();
            return 0; // there may be room now
        }
        return Workers.UNTIL_WOKEN;
    }

    private long ended() {
        try {
            drop();
            if (compactor != null) {
                compactor.close();
            }
        } catch (IOException e) {
            log.tell(LogEvent.FILE_NOT_DELETED, "what is left of an unfinished segment could not be deleted", e);
        }
        return Workers.ENDED;
    }
}
