package io.sluicemq.crash;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/** The folder with the log of a broker that does not run, to look at and to damage. */
final class LogFolder {

    private static final int HEADER_BYTES = 4096;
    /** So many bytes other than zero in a row are found in the bodies of these tests only. */
    private static final int BODY_RUN_BYTES = 50;
    private static final String CHECKPOINT = "checkpoint-";

    private final Path folder;

    /** @param data the broker's data folder */
    LogFolder(Path data) {
        this.folder = data.resolve("log");
    }

    Path path() {
        return folder;
    }

    /** The last segment that has records: one that is ready for use holds nothing behind its header. */
    Path lastSegment() throws IOException {
        List<Path> segments;
        try (Stream<Path> files = Files.list(folder)) {
            segments = files.filter(file -> file.toString().endsWith(".log")).sorted().toList();
        }
        for (Path segment : segments.reversed()) {
            if (end(segment) > HEADER_BYTES) {
                return segment;
            }
        }
        throw new IOException("no segment with records in " + folder + ": " + segments);
    }

    /** Offset behind the last byte that is not zero; what is behind was never written. 4096 if there is none. */
    long end(Path segment) throws IOException {
        byte[] bytes = Files.readAllBytes(segment);
        int end = bytes.length;
        while (end > HEADER_BYTES && bytes[end - 1] == 0) {
            end--;
        }
        return Math.min(end, bytes.length);
    }

    /** The first offset in a segment that a start reads: behind the last checkpoint, if that is within. */
    long replayedFrom(Path segment) throws IOException {
        long start = Long.parseLong(segment.getFileName().toString().replace(".log", ""), 16);
        try (Stream<Path> files = Files.list(folder)) {
            long checkpoint = files.map(file -> file.getFileName().toString())
                    .filter(name -> name.matches(CHECKPOINT + "[0-9a-f]{16}"))
                    .mapToLong(name -> Long.parseLong(name.substring(CHECKPOINT.length()), 16))
                    .max()
                    .orElse(0);
            return Math.max(HEADER_BYTES, checkpoint - start);
        }
    }

    /**
     * An offset at or behind another within the body of a message: between records there may be zeros that nobody
     * checks, and that are none of anybody's business.
     */
    long withinABody(Path segment, long from) throws IOException {
        byte[] bytes = Files.readAllBytes(segment);
        int run = 0;
        for (int at = (int) from; at < bytes.length; at++) {
            run = bytes[at] == 0 ? 0 : run + 1;
            if (run == BODY_RUN_BYTES) {
                return at;
            }
        }
        throw new IOException("no body behind offset " + from + " of " + segment);
    }

    /** Turns a byte into another. */
    void flip(Path segment, long offset) throws IOException {
        try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, offset);
            one.flip();
            channel.write(ByteBuffer.wrap(new byte[] {(byte) (one.get() ^ 0x55)}), offset);
        }
    }

    void write(Path segment, long offset, byte[] bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(bytes), offset);
        }
    }

    void truncate(Path segment, long size) throws IOException {
        try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.WRITE)) {
            channel.truncate(size);
        }
    }

    /** All files with a checksum of what they hold. */
    Map<String, Long> contents() throws IOException {
        Map<String, Long> contents = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                CRC32C checksum = new CRC32C();
                checksum.update(Files.readAllBytes(file));
                contents.put(file.getFileName().toString(), checksum.getValue() << 32 ^ Files.size(file));
            }
        }
        return contents;
    }
}
