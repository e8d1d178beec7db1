package io.sluicemq.store;

import io.sluicemq.store.disk.Disk;
import io.sluicemq.store.disk.DiskFile;
import io.sluicemq.store.disk.DiskFull;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Finds out what a folder holds. First it only reads: the last whole checkpoint, then the records behind it to the end; what
 * is damaged or foreign ends it, and nothing has been touched. Then {@link #prepare} brings the folder into the state to write
 * in. Run by the thread that opens the log.
 */
final class Recovery {

    private static final Set<String> IGNORED = Set.of("lost+found");
    private static final String NEW_SUFFIX = ".new";
    private static final long PROGRESS_BYTES = 16 << 20;
    private static final int ZEROS_BYTES = 1 << 20;

    private final Disk disk;
    private final LogVisitor visitor;
    private final List<Segment> segments = new ArrayList<>();
    private final List<String> checkpointNames = new ArrayList<>();
    private final List<String> leftovers = new ArrayList<>();
    private final List<String> badCheckpoints = new ArrayList<>();
    private final List<CheckpointFile> checkpoints = new ArrayList<>();
    private UUID log;
    private Segment last;
    private Segment spare;
    private long end;
    private long records;
    private long scannedBytes;
    private long cutBytes;
    private long doneBytes;
    private long totalBytes;
    private long progressAt;

    Recovery(Disk disk, LogVisitor visitor) {
        this.disk = disk;
        this.visitor = visitor;
    }

    /** Reads everything there is to know, and hands it to the visitor. */
    void read() throws IOException {
        list();
        if (segments.isEmpty()) {
            if (!checkpointNames.isEmpty()) {
                throw damaged(checkpointNames.getLast(), 0, "there is a checkpoint, but no segment");
            }
            return;
        }
        readIdentity();
        CheckpointFile checkpoint = chooseCheckpoint();
        long from;
        if (checkpoint != null) {
            from = checkpoint.replayFrom();
        } else if (segments.getFirst().start == 0) {
            from = segments.getFirst().firstRecord();
        } else {
            throw damaged(segments.getFirst().fileName(), 0,
                    "the log begins before this segment, and there is no whole checkpoint that could stand for it");
        }
        int first = indexOf(from);
        if (first < 0) {
            throw damaged(checkpoint.name(), 0, "the segment with position " + from
                    + ", where the records begin that follow on it, is missing");
        }
        for (int i = first; i < segments.size(); i++) {
            totalBytes += segments.get(i).sizeBytes();
        }
        if (checkpoint != null) {
            totalBytes += checkpoint.sizeBytes();
            CheckpointFile.read(disk, checkpoint.name(), piece -> {
                progress(piece.remaining());
                visitor.checkpoint(checkpoint.position(), piece);
            });
        }
        scan(first, from, checkpoint == null ? from : checkpoint.position());
    }

    private void list() throws IOException {
        for (Disk.Entry entry : disk.list()) {
            String name = entry.name();
            long start = SegmentHeader.startOf(name);
            if (start >= 0) {
                add(name, start, entry.sizeBytes());
            } else if (CheckpointFile.isName(name)) {
                checkpointNames.add(name);
            } else if (name.endsWith(NEW_SUFFIX) && isOurs(name.substring(0, name.length() - NEW_SUFFIX.length()))) {
                leftovers.add(name);
            } else if (!IGNORED.contains(name)) {
                throw new ForeignLog(disk.location(), "it holds " + name + ", which is no part of a log");
            }
        }
    }

    private static boolean isOurs(String name) {
        return SegmentHeader.startOf(name) >= 0 || CheckpointFile.isName(name);
    }

    private void add(String name, long start, long sizeBytes) throws IOException {
        if (sizeBytes < SegmentHeader.BYTES || start % RecordFormat.ALIGNMENT != 0) {
            throw damaged(name, 0, "a segment of " + sizeBytes + " bytes");
        }
        if (!segments.isEmpty() && segments.getLast().end > start) {
            throw damaged(name, 0, "it overlaps with " + segments.getLast().fileName());
        }
        segments.add(new Segment(start, start + sizeBytes));
    }

    private void readIdentity() throws IOException {
        log = header(segments.getLast()).log();
    }

    private SegmentHeader header(Segment segment) throws IOException {
        try (DiskFile file = disk.openReadOnly(segment.fileName())) {
            ByteBuffer block = ByteBuffer.allocate(SegmentHeader.BYTES);
            file.read(block, 0);
            SegmentHeader header = SegmentHeader.decode(block.flip(), disk.location(), segment.fileName());
            if (log != null && !header.log().equals(log)) {
                throw new ForeignLog(disk.location(), segment.fileName() + " is of another log");
            }
            return header;
        }
    }

    private CheckpointFile chooseCheckpoint() throws IOException {
        CheckpointFile chosen = null;
        for (String name : checkpointNames.reversed()) {
            CheckpointFile checkpoint = CheckpointFile.read(disk, name, piece -> {});
            if (checkpoint == null) {
                badCheckpoints.add(name);
            } else if (!checkpoint.log().equals(log)) {
                throw new ForeignLog(disk.location(), name + " is of another log");
            } else {
                checkpoints.addFirst(checkpoint);
                if (chosen == null) {
                    chosen = checkpoint;
                }
            }
        }
        return chosen;
    }

    private int indexOf(long position) {
        for (int i = 0; i < segments.size(); i++) {
            if (position >= segments.get(i).start && position < segments.get(i).end) {
                return i;
            }
        }
        return -1;
    }

    /** Goes over segment after segment, each of which must be there and sealed, but for the last. */
    private void scan(int first, long from, long snapshot) throws IOException {
        int index = first;
        while (true) {
            Segment segment = segments.get(index);
            header(segment);
            long next = scanSegment(segment, Math.max(from, segment.firstRecord()), snapshot, index);
            if (next < 0) {
                break;
            }
            index++;
            if (index == segments.size() || segments.get(index).start != next) {
                throw damaged(SegmentHeader.fileName(next), 0, "the segment is missing");
            }
        }
        last = segments.get(index);
        if (index + 1 < segments.size() && segments.get(index + 1).start == last.end) {
            spare = segments.get(index + 1);
        }
        for (Segment unused : segments.subList(index + 1, segments.size())) {
            if (unused != spare) {
                leftovers.add(unused.fileName());
            }
        }
        segments.subList(index + 1, segments.size()).clear();
    }

    /** Returns where the next segment starts; -1 if this is the last one. */
    private long scanSegment(Segment segment, long from, long snapshot, int index) throws IOException {
        try (DiskFile file = disk.openReadOnly(segment.fileName())) {
            RecordScanner scanner = new RecordScanner(file, segment, SegmentHeader.maskOf(log), from);
            while (true) {
                switch (scanner.next()) {
                    case SEAL -> {
                        scannedBytes += scanner.endPosition() - from;
                        progress(segment.end - scanner.position());
                        return scanner.payload().getLong();
                    }
                    case NOTHING -> {
                        scannedBytes += scanner.position() - from;
                        endAt(segment, scanner, index);
                        return -1;
                    }
                    case RECORD -> visit(scanner, snapshot);
                }
            }
        }
    }

    private void visit(RecordScanner scanner, long snapshot) {
        progress(RecordFormat.aligned(RecordFormat.HEADER_BYTES + scanner.payloadBytes()));
        int type = scanner.type();
        if (type == RecordFormat.MOVED) {
            MovedRecord moved = MovedRecord.decode(scanner.payload());
            records++;
            visitor.moved(moved.from(), scanner.position(), moved.type(), moved.payload());
        } else if (type <= RecordFormat.MAX_USER_TYPE && scanner.position() >= snapshot) {
            records++;
            visitor.record(scanner.position(), type, scanner.payload());
        }
    }

    private void endAt(Segment segment, RecordScanner scanner, int index) throws IOException {
        long hole = scanner.position();
        String file = segment.fileName();
        RecordScanner.Leftover leftover = scanner.leftover();
        if (leftover.provenBy() >= 0) {
            throw damaged(file, hole - segment.start, "there is no whole record, but one at offset "
                    + (leftover.provenBy() - segment.start) + " that was written when this was synced");
        }
        for (Segment later : segments.subList(index + 1, segments.size())) {
            header(later);
            try (DiskFile laterFile = disk.openReadOnly(later.fileName())) {
                var laterScanner =
                        new RecordScanner(laterFile, later, SegmentHeader.maskOf(log), later.firstRecord());
                if (!laterScanner.isUnused()) {
                    throw damaged(file, hole - segment.start,
                            "there is no whole record, but " + later.fileName() + " goes on after it");
                }
            }
        }
        end = hole;
        cutBytes = leftover.bytes();
        progress(segment.end - hole);
    }

    private void progress(long bytes) {
        doneBytes += bytes;
        if (doneBytes >= progressAt) {
            progressAt = doneBytes + PROGRESS_BYTES;
            visitor.progress(doneBytes, Math.max(totalBytes, doneBytes));
        }
    }

    private DamagedLog damaged(String file, long offset, String what) {
        return new DamagedLog(disk.location(), file, offset, what);
    }

    /** Makes the folder fit to go on in: what was begun and not finished is removed, the torn tail becomes zeros. */
    void prepare(LogOptions options, UUID freshId) throws IOException {
        for (String name : leftovers) {
            disk.delete(name);
        }
        if (segments.isEmpty()) {
            log = freshId;
            last = new Segment(0, options.segmentBytes());
            createSegment(disk, log, last);
            segments.add(last);
            end = last.firstRecord();
        } else {
            settleTail();
            fitLast();
        }
        disk.syncDirectory();
    }

    /**
     * Zeros over what was cut off, else a later record that is shorter than one of those could leave that one's rest behind it.
     * And a sync: what was found may be the operating system's only, if it was the process that ended and not the power.
     */
    private void settleTail() throws IOException {
        try (DiskFile file = disk.open(last.fileName())) {
            ByteBuffer zeros = ByteBuffer.allocate((int) Math.min(ZEROS_BYTES, cutBytes));
            for (long done = 0; done < cutBytes; done += zeros.limit()) {
                zeros.position(0).limit((int) Math.min(zeros.capacity(), cutBytes - done));
                file.write(zeros, end - last.start + done);
            }
            file.sync();
        }
    }

    /** A file that was cut short has no room for the record that ends a segment; then it is made longer, to a whole block. */
    private void fitLast() throws IOException {
        long blocks = Math.max(last.end - last.start, end + RecordFormat.SEAL_BYTES - last.start)
                + SegmentHeader.BYTES - 1;
        Segment fitting = new Segment(last.start, last.start + blocks / SegmentHeader.BYTES * SegmentHeader.BYTES);
        if (fitting.end == last.end) {
            return;
        }
        try (DiskFile file = disk.open(last.fileName())) {
            file.allocateZeros(last.sizeBytes(), fitting.end - last.end);
            file.sync();
        }
        if (spare != null) {
            disk.delete(spare.fileName());
            spare = null;
        }
        segments.set(segments.size() - 1, fitting);
        last = fitting;
    }

    /** Makes a segment file, whole or not at all. */
    static void createSegment(Disk disk, UUID log, Segment segment) throws IOException {
        String name = segment.fileName();
        DiskFile file = disk.create(name + NEW_SUFFIX);
        try (file) {
            file.allocateZeros(0, segment.sizeBytes());
            file.write(new SegmentHeader(segment.start, log).encode(), 0);
            file.sync();
        } catch (DiskFull e) {
            disk.delete(name + NEW_SUFFIX); // the room that there is belongs to others
            throw e;
        }
        disk.rename(name + NEW_SUFFIX, name);
        disk.syncDirectory();
    }

    RecoveryReport report() {
        return new RecoveryReport(checkpoints.isEmpty() ? 0 : checkpoints.getLast().position(), end, records,
                scannedBytes, cutBytes > 0 ? last.fileName() : null, cutBytes > 0 ? end - last.start : 0, cutBytes,
                List.copyOf(badCheckpoints));
    }

    UUID log() {
        return log;
    }

    List<Segment> segments() {
        return segments;
    }

    Segment last() {
        return last;
    }

    Segment spare() {
        return spare;
    }

    long end() {
        return end;
    }

    /** The whole checkpoints, oldest first. */
    List<CheckpointFile> checkpoints() {
        return checkpoints;
    }

    /** All files that have a checkpoint's name and can't be used. */
    List<String> badCheckpoints() {
        return badCheckpoints;
    }
}
