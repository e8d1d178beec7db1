package io.sluicemq.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluicemq.store.disk.DiskFull;
import io.sluicemq.store.disk.FolderDisk;
import io.sluicemq.testkit.LogCapture;
import io.sluicemq.testkit.ThreadLoop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A disk that really has no room: a file system of a few megabytes in memory, mounted for the test. Where that is not permitted
 * the tests that need it are skipped, and say so.
 */
class FullDiskTest {

    private static final int MEBIBYTE = 1 << 20;
    private static final LogOptions OPTIONS = LogOptions.defaults()
            .withSegmentBytes(MEBIBYTE)
            .withBuffers(4, 64 << 10)
            .withMaxRecordBytes(64 << 10);

    @TempDir
    Path temp;

    private LogCapture capture;
    private Path mounted;
    private Path folder;

    @BeforeEach
    void capture() throws IOException {
        capture = new LogCapture();
        mounted = null;
        folder = Files.createDirectory(temp.resolve("log"));
    }

    @AfterEach
    void release() throws Exception {
        capture.close();
        if (mounted != null) {
            assertThat(command("umount", mounted.toString())).isEmpty();
        }
    }

    @Test
    void shouldAdmitSettlementsOnlyOnAFullDiskAndResumeByItself() throws Exception {
        mountSmallDisk(8);
        Path ballast = mounted.resolve("ballast");
        fill(ballast, 3 * MEBIBYTE);
        try (Appender log = new Appender(OPTIONS)) {
            while (log.state() == LogState.Kind.OPEN) {
                log.append(1, 10_000);
            }
            log.awaitState(LogState.Kind.FULL);
            assertThat(log.log.state().reason()).contains("there is no room on the disk of " + folder);
            assertThat(log.append(1, 10)).isEqualTo(LogPort.NO_ROOM);
            long settlement = log.appendReserved(2, 100);
            assertThat(settlement).isPositive();
            log.awaitDurable(settlement);
            // What was begun and has no room takes none.
            assertThat(namesIn(folder)).noneMatch(name -> name.endsWith(".new"));

            Files.delete(ballast);

            log.awaitState(LogState.Kind.OPEN);
            long admitted = log.append(1, 10);
            assertThat(admitted).isPositive();
            log.awaitDurable(admitted);
            assertThat(log.roomEvents).isNotEmpty();
        }
        assertThat(recovered().payloads()).hasSameSizeAs(appended);
    }

    @Test
    void shouldKeepItsCheckpointsWhenThereIsNoRoomForAnother() throws Exception {
        mountSmallDisk(8);
        try (Appender log = new Appender(OPTIONS)) {
            long first = log.append(1, 10);
            assertThat(log.checkpoint(10)).isNull();
            log.awaitDurable(first);
            log.awaitSpare();
            fill(mounted.resolve("ballast"), Long.MAX_VALUE);

            assertThat(log.checkpoint(MEBIBYTE)).isInstanceOf(DiskFull.class);

            assertThat(namesIn(folder)).noneMatch(name -> name.endsWith(".new"));
            Files.delete(mounted.resolve("ballast"));
            assertThat(log.checkpoint(MEBIBYTE)).isNull();
        }
        assertThat(recovered().checkpoint).hasSize(1);
    }

    @Test
    void shouldLeaveNothingInAFolderThatHasNoRoomForALog() throws Exception {
        mountSmallDisk(2);
        fill(mounted.resolve("ballast"), 2 * MEBIBYTE - (256 << 10));

        assertThatThrownBy(() -> new Appender(OPTIONS))
                .isInstanceOf(DiskFull.class)
                .hasMessage("no space left in " + folder);

        assertThat(folder).isEmptyDirectory();
    }

    /** Needs no disk of its own: no disk has what this floor asks for. */
    @Test
    void shouldAdmitNothingBelowTheFloorOfARealDisk() throws Exception {
        try (Appender log = new Appender(OPTIONS.withFreeSpaceFloorBytes(Long.MAX_VALUE / 2))) {
            log.awaitState(LogState.Kind.FULL);
            assertThat(log.append(1, 10)).isEqualTo(LogPort.NO_ROOM);
            assertThat(log.appendReserved(2, 10)).isPositive();
            assertThat(capture.messages(ch.qos.logback.classic.Level.WARN))
                    .singleElement()
                    .asString()
                    .startsWith("the log takes no more messages: ");
        }
    }

    /** Needs no disk of its own, either. */
    @Test
    void shouldTakeNoMoreOfARealDiskThanTheLargestSize() throws Exception {
        try (Appender log = new Appender(OPTIONS.withMaxBytes(4 * MEBIBYTE))) {
            while (log.state() == LogState.Kind.OPEN) {
                log.append(1, 10_000);
            }
            assertThat(log.log.state().reason()).contains("storage.max-size, 4194304");
            assertThat(log.append(1, 10)).isEqualTo(LogPort.NO_ROOM);
            log.awaitDurable(log.appendReserved(2, 10));
        }
        long bytes = 0;
        for (String name : namesIn(folder)) {
            bytes += Files.size(folder.resolve(name));
        }
        assertThat(bytes).isEqualTo(4 * MEBIBYTE);
        assertThat(recovered().payloads()).hasSameSizeAs(appended);
    }

    private void mountSmallDisk(int mebibytes) throws Exception {
        Path point = Files.createDirectory(temp.resolve("small"));
        String refusal;
        try {
            refusal = command("mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "none", point.toString());
        } catch (IOException e) {
            refusal = e.getMessage();
        }
        assumeTrue(refusal.isEmpty(), "a small file system can't be mounted here: " + refusal);
        mounted = point;
        folder = Files.createDirectory(point.resolve("log"));
    }

    /** Runs a command; what it says, nothing if it went well. */
    private static String command(String... words) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes());
        return process.waitFor() == 0 ? "" : "exit code " + process.exitValue() + ": " + said.strip();
    }

    /** Makes a file of so many bytes, or as many as there is room for. */
    private static void fill(Path file, long bytes) throws IOException {
        ByteBuffer piece = ByteBuffer.allocate(4096);
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (long at = 0; at < bytes; at += piece.capacity()) {
                channel.write(piece.clear(), at);
            }
        } catch (IOException e) {
            assertThat(bytes).as("bytes to be written, and there was no room").isEqualTo(Long.MAX_VALUE);
        }
    }

    private static List<String> namesIn(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    private SimulatedLog.Recovered recovered() throws IOException {
        SimulatedLog.Recovered recovered = new SimulatedLog.Recovered();
        Log.open(new FolderDisk(folder), OPTIONS, new WorkerThreads("full-"), recovered);
        return recovered;
    }

    private final List<Long> appended = new ArrayList<>();

    /** A log on the folder, and the loop that writes to it. */
    private final class Appender implements LogListener, AutoCloseable {

        private final Log log;
        private final ThreadLoop loop = new ThreadLoop(0);
        private final LogPort port;
        private final Queue<String> roomEvents = new ConcurrentLinkedQueue<>();

        Appender(LogOptions options) throws IOException {
            log = Log.open(
                    new FolderDisk(folder), options, new WorkerThreads("full-"), new SimulatedLog.Recovered());
            port = log.attach(loop, this);
            log.start(null);
        }

        long append(int type, int bytes) throws Exception {
            return append(type, bytes, false);
        }

        long appendReserved(int type, int bytes) throws Exception {
            return append(type, bytes, true);
        }

        private long append(int type, int bytes, boolean reserved) throws Exception {
            CompletableFuture<Long> position = new CompletableFuture<>();
            loop.execute(
                    () -> position.complete(SimulatedLog.append(port, type, "f".repeat(bytes), reserved)));
            long at = position.get(10, TimeUnit.SECONDS);
            if (at != LogPort.NO_ROOM) {
                appended.add(at);
            }
            return at;
        }

        /** Writes a checkpoint of one piece; why it failed, null if it did not. */
        IOException checkpoint(int bytes) throws Exception {
            CompletableFuture<IOException> outcome = new CompletableFuture<>();
            Checkpoint checkpoint = log.beginCheckpoint(log.end());
            checkpoint.append(ByteBuffer.allocate(bytes));
            checkpoint.commit(loop, outcome::complete);
            return outcome.get(10, TimeUnit.SECONDS);
        }

        LogState.Kind state() {
            return log.state().kind();
        }

        void awaitState(LogState.Kind kind) {
            await().atMost(Duration.ofSeconds(10)).until(this::state, kind::equals);
        }

        void awaitDurable(long position) {
            await().atMost(Duration.ofSeconds(10)).until(() -> log.durable() > position);
        }

        /** Waits for the second segment. */
        void awaitSpare() {
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> namesIn(folder).stream().filter(name -> name.endsWith(".log")).count() == 2);
        }

        @Override
        public void durable(long position) {}

        @Override
        public void room() {
            roomEvents.add("room");
        }

        @Override
        public void stateChanged(LogState state) {}

        @Override
        public void close() {
            log.close();
            try {
                loop.close();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
