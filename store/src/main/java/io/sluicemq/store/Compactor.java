package io.sluicemq.store;

import io.sluicemq.store.disk.Disk;
import io.sluicemq.store.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Empties sparse segments: asks the owner which records are needed, copies those to the tail, tells where they are now. One
 * batch of records at a time, at a bounded rate. Runs on the housekeeping thread.
 *
 * <p>Invariant: from before the first copy of a batch is claimed until the owner has applied the batch, {@code unapplied} is
 * at or below all of the batch's new positions. So a checkpoint that may not know of them can be replayed from there.
 */
final class Compactor {

    private static final int BATCH_BYTES = 256 << 10;
    private static final int BATCH_RECORDS = 1024;
    /** To go over bytes that nobody needs costs less than to copy and sync them; so much more of them is read in a second. */
    private static final int SCAN_FACTOR = 16;
    private static final long NO_ROOM_NANOS = 10_000_000;

    /** What is waited for. */
    private enum Phase {
        LOOK, SCAN, ANSWER, COPY, SYNC, APPLIED
    }

    private final Log log;
    private final Disk disk;
    private final Segments segments;
    private final Tail tail;
    private final LogOptions options;
    private final Liveness liveness;
    private final Runnable wake;
    private final Claim claim = new Claim();
    private volatile long unapplied = Long.MAX_VALUE;

    private Phase phase = Phase.LOOK;
    private long notBefore;
    private long noRoomUntil = Long.MIN_VALUE;
    private Segment segment;
    private DiskFile file;
    private RecordScanner scanner;
    /** Whether the segment's last record has been read. */
    private boolean sealed;
    private Candidates candidates;
    private int copied;
    private long[] from;
    private long[] to;
    private int[] payloadBytes;
    private int moveCount;
    private long copiesEnd;
    private Moves moves;
    private final java.util.Map<Segment, Long> fruitless = new java.util.HashMap<>();
    private long bytesCopied;
    private int batchBytes;

    Compactor(Log log, Disk disk, Segments segments, Tail tail, LogOptions options, Liveness liveness, Runnable wake) {
        this.log = log;
        this.disk = disk;
        this.segments = segments;
        this.tail = tail;
        this.options = options;
        this.liveness = liveness;
        this.wake = wake;
    }

    /** The lowest position of a copy that the owner may not know yet; {@link Long#MAX_VALUE} if there is none. Any thread. */
    long unapplied() {
        return unapplied;
    }

    /** Whether files of this segment are in use here. */
    boolean isAt(Segment other) {
        return segment == other;
    }

    /** Does the next bit; returns nanoseconds to wait. */
    long step(long now, long oldestNeeded) throws IOException {
        switch (phase) {
            case LOOK -> {
                return look(now, oldestNeeded);
            }
            case SCAN -> {
                return scan(now);
            }
            case ANSWER -> {
                if (!candidates.isAnswered()) {
                    return Workers.UNTIL_WOKEN;
                }
                startCopying();
                return 0;
            }
            case COPY -> {
                return copy(now);
            }
            case SYNC -> {
                if (log.synced() < copiesEnd) {
                    log.wantSync(copiesEnd);
                    return Workers.UNTIL_WOKEN;
                }
                moves = new Moves(from, to, payloadBytes, moveCount, wake);
                phase = Phase.APPLIED;
                liveness.moved(moves);
                return 0;
            }
            case APPLIED -> {
                if (!moves.isApplied()) {
                    return Workers.UNTIL_WOKEN;
                }
                unapplied = Long.MAX_VALUE;
                moves = null;
                phase = Phase.SCAN;
                return 0;
            }
        }
        throw new AssertionError(phase);
    }

    private long look(long now, long oldestNeeded) throws IOException {
        if (now < notBefore) {
            return notBefore - now;
        }
        segment = sparsest(oldestNeeded);
        if (segment == null) {
            return Workers.UNTIL_WOKEN;
        }
        file = disk.openReadOnly(segment.fileName());
        scanner = new RecordScanner(file, segment, log.logId(), segment.firstRecord());
        sealed = false;
        phase = Phase.SCAN;
        return 0;
    }

    private Segment sparsest(long oldestNeeded) {
        Segment best = null;
        double bestPart = options.sparseBelow();
        fruitless.keySet().removeIf(each -> each.deleted);
        for (Segment each : segments.all()) {
            if (each.end > oldestNeeded) {
                break;
            }
            double part = (double) each.retainedBytes() / each.sizeBytes();
            Long before = fruitless.get(each);
            if (part < bestPart && !each.isIdle() && (before == null || each.retainedBytes() < before)) {
                best = each;
                bestPart = part;
            }
        }
        return best;
    }

    private long scan(long now) throws IOException {
        if (segment.retainedRecords() == 0) {
            return leave(now);
        }
        if (sealed) {
            return leave(now);
        }
        if (now < notBefore) {
            return notBefore - now;
        }
        List<Candidates.Candidate> batch = new ArrayList<>();
        int bytes = 0;
        RecordScanner.Found found = RecordScanner.Found.RECORD;
        while (bytes < BATCH_BYTES && batch.size() < BATCH_RECORDS) {
            found = scanner.next();
            if (found != RecordScanner.Found.RECORD) {
                break;
            }
            bytes += scanner.payloadBytes() + RecordFormat.HEADER_BYTES;
            addCandidate(batch);
        }
        if (found == RecordScanner.Found.NOTHING) {
            throw new DamagedLog(disk.location(), segment.fileName(), scanner.position() - segment.start,
                    "there is no whole record");
        }
        // The scanner must not be asked for what comes behind the end.
        sealed = found == RecordScanner.Found.SEAL;
        notBefore = now + nanosFor(bytes) / SCAN_FACTOR;
        if (!batch.isEmpty()) {
            candidates = new Candidates(batch, wake);
            phase = Phase.ANSWER;
            liveness.examine(candidates);
            return 0;
        }
        return sealed ? leave(now) : 0;
    }

    private void addCandidate(List<Candidates.Candidate> batch) {
        int type = scanner.type();
        ByteBuffer payload = scanner.payload();
        if (type == RecordFormat.MOVED) {
            MovedRecord moved = MovedRecord.decode(payload);
            batch.add(new Candidates.Candidate(scanner.position(), moved.type(), copyOf(moved.payload())));
        } else if (type <= RecordFormat.MAX_USER_TYPE) {
            batch.add(new Candidates.Candidate(scanner.position(), type, copyOf(payload)));
        }
    }

    private static ByteBuffer copyOf(ByteBuffer payload) {
        byte[] bytes = new byte[payload.remaining()];
        payload.get(bytes);
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** The segment was gone over. If it is not empty now, another look is of use only when less of it is retained. */
    private long leave(long now) throws IOException {
        if (!segment.isIdle()) {
            fruitless.put(segment, segment.retainedBytes());
        }
        close();
        notBefore = Math.max(notBefore, now);
        phase = Phase.LOOK;
        return 0;
    }

    private void startCopying() {
        int size = candidates.size();
        from = new long[size];
        to = new long[size];
        payloadBytes = new int[size];
        moveCount = 0;
        copied = 0;
        phase = Phase.COPY;
    }

    private long copy(long now) {
        if (now < noRoomUntil) {
            return noRoomUntil - now; // a claim that finds no room wakes this thread, which must not claim again at once
        }
        for (; copied < candidates.size(); copied++) {
            if (!candidates.isKept(copied)) {
                continue;
            }
            if (moveCount == 0) {
                unapplied = tail.claimedEnd();
            }
            Candidates.Candidate record = candidates.get(copied);
            int length = RecordFormat.MOVED_PREFIX_BYTES + record.payload().limit();
            int bytes = RecordFormat.recordBytes(length);
            long position = log.claim(bytes, claim, true);
            if (position == LogPort.NO_ROOM) {
                log.wakeWriter();
                noRoomUntil = now + NO_ROOM_NANOS;
                return NO_ROOM_NANOS;
            }
            ByteBuffer target = claim.payload(length);
            MovedRecord.encodePrefix(target, record.position(), record.type());
            target.put(record.payload().duplicate().clear());
            claim.complete(length, RecordFormat.MOVED, log.synced(), log.logId());
            from[moveCount] = record.position();
            to[moveCount] = position;
            payloadBytes[moveCount++] = record.payload().limit();
            copiesEnd = position + bytes;
            bytesCopied += bytes;
            batchBytes += bytes;
        }
        candidates = null;
        if (moveCount == 0) {
            phase = Phase.SCAN;
            return 0;
        }
        log.wakeWriter();
        notBefore += nanosFor(batchBytes);
        batchBytes = 0;
        phase = Phase.SYNC;
        return 0;
    }

    private long nanosFor(int bytes) {
        return (long) (bytes * 1e9 / options.compactionBytesPerSecond());
    }

    /** Gives the segment at hand up, which can't be read; it is not tried again. */
    void giveUp() throws IOException {
        if (segment != null) {
            fruitless.put(segment, 0L);
        }
        close();
        phase = Phase.LOOK;
    }

    /** Lets go of the segment at hand. */
    void close() throws IOException {
        if (file != null) {
            file.close();
            file = null;
        }
        segment = null;
        scanner = null;
    }

    /** Bytes of all copies made so far. */
    long bytesCopied() {
        return bytesCopied;
    }
}
