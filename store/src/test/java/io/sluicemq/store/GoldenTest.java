package io.sluicemq.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.store.disk.FolderDisk;
import io.sluicemq.store.sim.SimulatedDisk;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log that was written by format 1 is read for ever, and is what the tool is tried on. */
class GoldenTest {

    @TempDir
    Path folder;

    /** What the tool has printed. */
    private String output;

    /** Writes the folder that is kept as {@code format-1.zip}; run once a format. */
    static SimulatedDisk writeGolden() throws IOException {
        SimulatedDisk disk = new SimulatedDisk();
        SimulatedLog log = SimulatedLog.started(disk);
        log.append(1, "first");
        log.append(239, "");
        log.loop.run(() -> {
            log.port.claim(3);
            log.port.abort();
        });
        log.run();
        log.advanceMillis(100);
        for (int i = 0; i < 15; i++) {
            log.appendSurely(2, i + ":" + "g".repeat(1000));
        }
        Checkpoint checkpoint = log.log.beginCheckpoint(log.log.end());
        checkpoint.append(ByteBuffer.wrap(SimulatedLog.bytes("one")));
        checkpoint.append(ByteBuffer.wrap(SimulatedLog.bytes("two")));
        checkpoint.commit(log.loop, failure -> {});
        log.run();
        log.append(3, "last");
        log.run();
        log.log.close();
        return disk;
    }

    @BeforeEach
    void unpack() throws IOException {
        try (InputStream in = GoldenTest.class.getResourceAsStream("format-1.zip");
                ZipInputStream zip = new ZipInputStream(in)) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                Files.write(folder.resolve(Path.of(entry.getName()).getFileName()), zip.readAllBytes());
            }
        }
    }

    @Test
    void shouldReadFormat1() throws IOException {
        SimulatedLog.Recovered recovered = new SimulatedLog.Recovered();
        Log log = Log.open(new FolderDisk(folder), SimulatedLog.SMALL, new WorkerThreads("golden-"), recovered);
        assertThat(log.id()).isEqualTo(SimulatedLog.ID);
        assertThat(recovered.checkpoint).containsExactly("one", "two");
        assertThat(recovered.payloads()).containsExactly("last");
        log.close();
    }

    @Test
    void shouldReadFormat1WithoutItsCheckpoint() throws IOException {
        try (var checkpoints = Files.newDirectoryStream(folder, "checkpoint-*")) {
            for (Path file : checkpoints) {
                Files.delete(file);
            }
        }
        SimulatedLog.Recovered recovered = new SimulatedLog.Recovered();
        Log.open(new FolderDisk(folder), SimulatedLog.SMALL, new WorkerThreads("golden-"), recovered);
        assertThat(recovered.payloads()).hasSize(18).startsWith("first", "").endsWith("last");
        assertThat(recovered.records.get(1).type()).isEqualTo(239);
    }

    @Test
    void shouldWriteFormat1AsItWasWritten() throws IOException {
        SimulatedDisk disk = writeGolden();
        for (SimulatedDisk.Entry each : disk.list()) {
            assertThat(folder.resolve(each.name())).hasBinaryContent(disk.content(each.name()));
        }
        try (var files = Files.list(folder)) {
            assertThat(files).hasSize(disk.list().size());
        }
    }

    @Test
    void shouldVerifyAndDump() throws IOException {
        assertThat(verify()).isTrue();
        assertThat(output).contains("ready for use", "the end of the log is at offset", "whole")
                .contains("2 pieces, records from");
        assertThat(dump(0, true)).isTrue();
        assertThat(output).contains("4096 type 1, 5 bytes: 6669727374", "pad", "seal, next segment: 16384",
                "mark, synced before: ");
        assertThat(dump(16_384, false)).isTrue();
        assertThat(output).doesNotContain("4096 type 1,", SegmentHeader.fileName(0)).contains("type 3, 4 bytes");
    }

    @Test
    void shouldNameTheSegmentAndOffsetOfDamageAndChangeNothing() throws IOException {
        Path first = folder.resolve(SegmentHeader.fileName(0));
        byte[] bytes = Files.readAllBytes(first);
        bytes[4096 + 14] ^= 1;
        Files.write(first, bytes);
        assertThat(verify()).isFalse();
        assertThat(output).contains("DAMAGED " + first.getFileName() + " at offset 4096");
        assertThat(first).hasBinaryContent(bytes);
    }

    /** Each file that is left is whole. */
    @Test
    void shouldNoticeThatAFileIsMissing() throws IOException {
        Files.delete(folder.resolve(SegmentHeader.fileName(16_384)));
        assertThat(verify()).isFalse();
        assertThat(output)
                .contains("DAMAGED checkpoint-0000000000005be8 at offset 0: the segment with position 23528, ");
    }

    @Test
    void shouldTellWhatAStartWouldRefuse() throws IOException {
        Files.writeString(folder.resolve("notes.txt"), "mine");
        assertThat(verify()).isFalse();
        assertThat(output).contains("REFUSED", "it holds notes.txt");
    }

    @Test
    void shouldVerifyNothingWhereThereIsNoLog() throws IOException {
        assertThat(LogTool.hasSegments(folder)).isTrue();
        Path empty = Files.createDirectory(folder.resolve("empty"));
        assertThat(LogTool.hasSegments(empty)).isFalse();
        assertThatThrownBy(() -> LogTool.verify(empty, new PrintWriter(new StringWriter())))
                .isInstanceOf(IOException.class)
                .hasMessage("no log in " + empty + ": it holds no .log file");
    }

    private boolean verify() throws IOException {
        return run(out -> LogTool.verify(folder, out));
    }

    private boolean dump(long from, boolean payloads) throws IOException {
        return run(out -> LogTool.dump(folder, from, payloads, (type, payload) -> "", out));
    }

    private interface Look {
        boolean at(PrintWriter out) throws IOException;
    }

    private boolean run(Look look) throws IOException {
        StringWriter text = new StringWriter();
        try (PrintWriter out = new PrintWriter(text)) {
            return look.at(out);
        } finally {
            output = text.toString();
        }
    }
}
