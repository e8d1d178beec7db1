package io.sluicemq.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A disk of a few megabytes, and a file on it that takes its room: a file system in memory, mounted for a test. Where that
 * is not permitted the test is skipped, and says so.
 */
final class SmallDisk implements AutoCloseable {

    private static final int PIECE_BYTES = 4096;

    private final Path point;

    private SmallDisk(Path point) {
        this.point = point;
    }

    /** Mounts one on a new folder. */
    static SmallDisk mount(Path point, int mebibytes) throws IOException, InterruptedException {
        Files.createDirectory(point);
        String refusal;
        try {
            refusal = command("mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "none", point.toString());
        } catch (IOException e) {
            refusal = e.getMessage();
        }
        assumeTrue(refusal.isEmpty(), "a small file system can't be mounted here: " + refusal);
        return new SmallDisk(point);
    }

    /** Runs a command; what it says, nothing if it went well. */
    static String command(String... words) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() == 0 ? "" : "exit code " + process.exitValue() + ": " + said.strip();
    }

    Path path() {
        return point;
    }

    /** Takes so many bytes of its room, or all that there is. */
    void fill(long bytes) throws IOException {
        ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
        try (FileChannel channel =
                FileChannel.open(ballast(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (long at = 0; at < bytes; at += PIECE_BYTES) {
                channel.write(piece.clear(), at);
            }
        } catch (IOException e) {
            assertThat(bytes).as("bytes to be written, and there was no room").isEqualTo(Long.MAX_VALUE);
        }
    }

    /** Gives the room back that {@link #fill} has taken. */
    void clear() throws IOException {
        Files.delete(ballast());
    }

    private Path ballast() {
        return point.resolve("ballast");
    }

    @Override
    public void close() throws IOException {
        try {
            assertThat(command("umount", point.toString())).as("the end of the small disk").isEmpty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the small disk was unmounted", e);
        }
    }
}
