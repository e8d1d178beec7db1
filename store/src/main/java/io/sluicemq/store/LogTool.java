package io.sluicemq.store;

import io.sluicemq.store.disk.Disk;
import io.sluicemq.store.disk.DiskFile;
import io.sluicemq.store.disk.FolderDisk;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BiFunction;

/**
 * Looks at the log of a stopped broker, and changes nothing: {@link #verify} checks every record of every segment and every
 * checkpoint, {@link #dump} prints the records. It goes on behind damage where it can. Runs on the caller's thread, who sees to
 * it that no broker writes meanwhile.
 */
public final class LogTool {

    private final PrintWriter out;
    private final Disk disk;
    private final boolean dump;
    private final boolean payloads;
    private final long from;
    private final BiFunction<Integer, ByteBuffer, String> words;
    private UUID log;
    private int problems;

    private LogTool(
            PrintWriter out, Disk disk, boolean dump, boolean payloads, long from,
            BiFunction<Integer, ByteBuffer, String> words) {
        this.words = words;
        this.out = out;
        this.disk = disk;
        this.dump = dump;
        this.payloads = payloads;
        this.from = from;
    }

    /**
     * Checks every record and every checkpoint, and what a start would say to them; prints a line for each file, and for each
     * damage the file and the offset in it.
     *
     * @param folder with the segment files
     * @return whether all of it is whole
     * @throws IOException if the folder can't be read or holds no log
     */
    public static boolean verify(Path folder, PrintWriter out) throws IOException {
        return new LogTool(out, new FolderDisk(folder), false, false, 0, null).run();
    }

    /**
     * Prints a line for each record: position, type, length.
     *
     * @param folder with the segment files
     * @param from the first position to print; segments that end before it are not read
     * @param payloads whether to print the payloads, too, in hexadecimal
     * @param words says what a record of a type with that payload means
     * @return whether all that was read is whole
     * @throws IOException if the folder can't be read or holds no log
     */
    public static boolean dump(
            Path folder, long from, boolean payloads, BiFunction<Integer, ByteBuffer, String> words, PrintWriter out)
            throws IOException {
        return new LogTool(out, new FolderDisk(folder), true, payloads, from, words).run();
    }

    /** Whether a folder has a file that is named as a segment. */
    public static boolean hasSegments(Path folder) throws IOException {
        return new FolderDisk(folder).list().stream().anyMatch(each -> SegmentHeader.startOf(each.name()) >= 0);
    }

    private boolean run() throws IOException {
        List<Disk.Entry> segments = new ArrayList<>();
        List<String> checkpoints = new ArrayList<>();
        for (Disk.Entry entry : disk.list()) {
            if (SegmentHeader.startOf(entry.name()) >= 0) {
                segments.add(entry);
            } else if (CheckpointFile.isName(entry.name())) {
                checkpoints.add(entry.name());
            } else {
                out.println(entry.name() + ": no part of a log, or left unfinished");
            }
        }
        if (segments.isEmpty()) {
            throw new IOException("no log in " + disk.location() + ": it holds no .log file");
        }
        int lastUsed = lastUsed(segments);
        for (int i = 0; i < segments.size(); i++) {
            Disk.Entry entry = segments.get(i);
            if (dump && SegmentHeader.startOf(entry.name()) + entry.sizeBytes() <= from) {
                continue;
            }
            segment(entry, i < lastUsed, i > lastUsed);
        }
        for (String name : checkpoints) {
            checkpoint(name);
        }
        if (!dump && problems == 0) {
            start();
        }
        out.println(problems == 0 ? "whole" : problems + " damaged");
        return problems == 0;
    }

    /** What a start would say: all files may be whole, and one be missing. */
    private void start() throws IOException {
        try {
            new Recovery(disk, new Unread()).read();
        } catch (DamagedLog e) {
            problem(e.file(), e.offset(), e.what());
        } catch (ForeignLog e) {
            problems++;
            out.println("REFUSED " + e.getMessage());
        }
    }

    /** Takes what recovery reads, and does nothing with it. */
    private static final class Unread implements LogVisitor {
        @Override
        public void checkpoint(long position, ByteBuffer piece) {}

        @Override
        public void record(long position, int type, ByteBuffer payload) {}

        @Override
        public void moved(long from, long to, int type, ByteBuffer payload) {}
    }

    /** The last segment that was written to; those behind it were made ready and not used. */
    private int lastUsed(List<Disk.Entry> segments) {
        for (int i = segments.size() - 1; i > 0; i--) {
            try (DiskFile file = disk.openReadOnly(segments.get(i).name())) {
                SegmentHeader header = header(file);
                Segment segment = new Segment(header.start(), header.start() + segments.get(i).sizeBytes());
                if (!new RecordScanner(file, segment, SegmentHeader.maskOf(header.log()), 0).isUnused()) {
                    return i;
                }
            } catch (IOException e) {
                return i; // what is wrong with it is told in its turn
            }
        }
        return 0;
    }

    private SegmentHeader header(DiskFile file) throws IOException {
        ByteBuffer block = ByteBuffer.allocate(SegmentHeader.BYTES);
        file.read(block, 0);
        return SegmentHeader.decode(block.flip(), disk.location(), file.name());
    }

    private void segment(Disk.Entry entry, boolean mustBeSealed, boolean isSpare) {
        try (DiskFile file = disk.openReadOnly(entry.name())) {
            SegmentHeader header = header(file);
            if (log == null) {
                log = header.log();
            } else if (!log.equals(header.log())) {
                problem(entry.name(), 0, "it is of another log");
                return;
            }
            Segment segment = new Segment(header.start(), header.start() + entry.sizeBytes());
            records(file, segment, mustBeSealed, isSpare);
        } catch (DamagedLog e) {
            problem(e.file(), e.offset(), e.what());
        } catch (IOException e) {
            problem(entry.name(), 0, e.getMessage());
        }
    }

    private void records(DiskFile file, Segment segment, boolean mustBeSealed, boolean isSpare) throws IOException {
        RecordScanner scanner =
                new RecordScanner(file, segment, SegmentHeader.maskOf(log), segment.firstRecord());
        long records = 0;
        while (true) {
            RecordScanner.Found found = scanner.next();
            if (found == RecordScanner.Found.NOTHING) {
                end(file, segment, scanner, records, mustBeSealed, isSpare);
                return;
            }
            records++;
            if (dump && scanner.position() >= from) {
                print(scanner);
            }
            if (found == RecordScanner.Found.SEAL) {
                out.println(file.name() + ": " + records + " records, sealed at offset "
                        + (scanner.position() - segment.start));
                return;
            }
        }
    }

    private void end(
            DiskFile file, Segment segment, RecordScanner scanner, long records, boolean mustBeSealed, boolean isSpare)
            throws IOException {
        long offset = scanner.position() - segment.start;
        RecordScanner.Leftover leftover = scanner.leftover();
        if (mustBeSealed) {
            problem(file.name(), offset, "no whole record, and later segments go on after it");
        } else if (leftover.provenBy() >= 0) {
            problem(file.name(), offset, "no whole record, but one at offset " + (leftover.provenBy() - segment.start)
                    + " that was written when this was synced");
        } else if (isSpare) {
            out.println(file.name() + ": ready for use");
        } else {
            out.println(file.name() + ": " + records + " records, the end of the log is at offset " + offset
                    + (leftover.bytes() == 0
                            ? ""
                            : "; a start would cut off " + leftover.bytes()
                                    + " bytes of unfinished writing"));
        }
    }

    private void print(RecordScanner scanner) {
        int type = scanner.type();
        ByteBuffer payload = scanner.payload();
        StringBuilder line = new StringBuilder().append(scanner.position()).append(' ');
        switch (type) {
            case RecordFormat.PAD -> line.append("pad");
            case RecordFormat.MARK -> line.append("mark, synced before: ").append(scanner.syncedBefore());
            case RecordFormat.SEAL -> line.append("seal, next segment: ").append(payload.getLong(0));
            case RecordFormat.MOVED -> {
                MovedRecord moved = MovedRecord.decode(payload);
                payload = moved.payload();
                line.append(inWords(moved.type(), payload)).append(", moved from ").append(moved.from());
            }
            default -> line.append(inWords(type, payload));
        }
        if (payloads && (type <= RecordFormat.MAX_USER_TYPE || type == RecordFormat.MOVED)) {
            byte[] bytes = new byte[payload.remaining()];
            payload.get(bytes);
            line.append(": ").append(java.util.HexFormat.of().formatHex(bytes));
        }
        out.println(line);
    }

    private String inWords(int type, ByteBuffer payload) {
        String meaning = words.apply(type, payload.duplicate().order(payload.order()));
        return "type " + type + ", " + payload.remaining() + " bytes" + (meaning.isEmpty() ? "" : ", " + meaning);
    }

    private void checkpoint(String name) throws IOException {
        CheckpointFile checkpoint = CheckpointFile.read(disk, name, piece -> {});
        if (checkpoint == null) {
            problem(name, 0, "the checkpoint is not whole");
        } else if (log != null && !checkpoint.log().equals(log)) {
            problem(name, 0, "it is of another log");
        } else {
            out.println(name + ": " + checkpoint.pieces() + " pieces, records from " + checkpoint.replayFrom()
                    + " on follow");
        }
    }

    private void problem(String file, long offset, String what) {
        problems++;
        out.println("DAMAGED " + file + " at offset " + offset + ": " + what);
    }
}
