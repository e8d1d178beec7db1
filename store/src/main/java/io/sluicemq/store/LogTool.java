package io.sluicemq.store;

import io.sluicemq.store.disk.Disk;
import io.sluicemq.store.disk.DiskFile;
import io.sluicemq.store.disk.FolderDisk;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Looks at the log of a stopped broker, and changes nothing: {@code verify} checks every record of every segment and every
 * checkpoint, {@code dump} prints them. It goes on behind damage where it can. Runs on the caller's thread.
 */
public final class LogTool {

    private static final int OK = 0;
    private static final int DAMAGED = 1;
    private static final int USAGE = 2;
    private static final String HELP = """
            usage: log verify DIR
                   log dump DIR [--from POSITION] [--payload]

            DIR is the folder with the .log files of a broker that is stopped. Nothing in it is changed.
            verify  checks every record; exit code 0: all whole, 1: damage, 2: could not be read
            dump    prints a line for every record: position, type, length; --payload: the bytes, too
            """;

    private final PrintStream out;
    private final Disk disk;
    private final boolean dump;
    private final boolean payloads;
    private final long from;
    private UUID log;
    private int problems;

    private LogTool(PrintStream out, Disk disk, boolean dump, boolean payloads, long from) {
        this.out = out;
        this.disk = disk;
        this.dump = dump;
        this.payloads = payloads;
        this.from = from;
    }

    /**
     * Runs the command.
     *
     * @param args {@code verify DIR} or {@code dump DIR [--from POSITION] [--payload]}
     * @return the exit code: 0 for a whole log, 1 for a damaged one, 2 for a folder or arguments that are of no use
     */
    public static int run(String[] args, PrintStream out, PrintStream err) {
        if (args.length < 2 || !args[0].equals("verify") && !args[0].equals("dump")) {
            err.print(HELP);
            return USAGE;
        }
        boolean payloads = false;
        long from = 0;
        for (int i = 2; i < args.length; i++) {
            if (args[i].equals("--payload") && args[0].equals("dump")) {
                payloads = true;
            } else if (args[i].equals("--from") && args[0].equals("dump") && i + 1 < args.length) {
                try {
                    from = Long.decode(args[++i]);
                } catch (NumberFormatException e) {
                    err.println("not a position: " + args[i]);
                    return USAGE;
                }
            } else {
                err.println("not understood: " + args[i]);
                err.print(HELP);
                return USAGE;
            }
        }
        Path folder = Path.of(args[1]);
        if (!Files.isDirectory(folder)) {
            err.println("no such folder: " + folder);
            return USAGE;
        }
        try {
            return new LogTool(out, new FolderDisk(folder), args[0].equals("dump"), payloads, from).run();
        } catch (IOException e) {
            err.println(e.getMessage());
            return USAGE;
        }
    }

    private int run() throws IOException {
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
            segment(segments.get(i), i < lastUsed, i > lastUsed);
        }
        for (String name : checkpoints) {
            checkpoint(name);
        }
        out.println(problems == 0 ? "whole" : problems + " damaged");
        return problems == 0 ? OK : DAMAGED;
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
            problem(e.file(), e.offset(), "the header is not what was written");
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
                line.append("type ").append(moved.type()).append(", ").append(payload.remaining())
                        .append(" bytes, moved from ").append(moved.from());
            }
            default -> line.append("type ").append(type).append(", ").append(payload.remaining()).append(" bytes");
        }
        if (payloads && (type <= RecordFormat.MAX_USER_TYPE || type == RecordFormat.MOVED)) {
            byte[] bytes = new byte[payload.remaining()];
            payload.get(bytes);
            line.append(": ").append(java.util.HexFormat.of().formatHex(bytes));
        }
        out.println(line);
    }

    private void checkpoint(String name) throws IOException {
        CheckpointFile checkpoint = CheckpointFile.read(disk, name, piece -> {});
        if (checkpoint == null) {
            problem(name, 0, "the checkpoint is not whole");
        } else if (!checkpoint.log().equals(log)) {
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
