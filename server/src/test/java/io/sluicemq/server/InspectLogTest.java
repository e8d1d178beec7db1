package io.sluicemq.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.server.data.DataFolder;
import io.sluicemq.server.data.DataFolderHolder;
import io.sluicemq.store.Log;
import io.sluicemq.store.LogListener;
import io.sluicemq.store.LogOptions;
import io.sluicemq.store.LogPort;
import io.sluicemq.store.LogState;
import io.sluicemq.store.LogVisitor;
import io.sluicemq.store.WorkerThreads;
import io.sluicemq.store.disk.FolderDisk;
import io.sluicemq.testkit.ManualLoop;
import io.sluicemq.testkit.ManualLoops;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InspectLogTest {

    private static final String FIRST_SEGMENT = "0000000000000000.log";
    private static final LogOptions OPTIONS = LogOptions.defaults().withSegmentBytes(1 << 20);

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path temp;

    private Path data;
    private Path log;
    /** The log may have records of its own before them. */
    private long first;
    private long second;

    /** Begins each test with a data folder that has a log of two records. */
    @BeforeEach
    void write() throws Exception {
        data = temp.resolve("data");
        log = data.resolve("log");
        DataFolder.open(data).close();
        Files.createDirectory(log);
        try (Records records = new Records(log)) {
            first = records.append("first");
            second = records.append("second");
        }
    }

    @Test
    void shouldVerifyTheLogOfADataFolder() throws Exception {
        var before = contents(data);

        assertThat(verify(data)).isZero();

        assertThat(out.toString()).contains(FIRST_SEGMENT + ": ", "the end of the log is at offset")
                .endsWith("whole\n");
        assertThat(err.toString()).isEmpty();
        assertThat(contents(data)).isEqualTo(before);
    }

    @Test
    void shouldDumpWhatItIsAskedFor() {
        assertThat(dump(data, 0, true)).isZero();
        assertThat(out.toString()).containsPattern(first + " type 1, 5 bytes, .*: 6669727374\n")
                .containsPattern(second + " type 1, 6 bytes, .*: 7365636f6e64\n");

        out.getBuffer().setLength(0);
        assertThat(dump(data, second, false)).isZero();
        assertThat(out.toString()).contains(second + " type 1, 6 bytes, can't be read").doesNotContain(first + " type");
    }

    @Test
    void shouldTakeAFolderWithSegmentsToo() throws Exception {
        Path copy = Files.createDirectory(temp.resolve("copy"));
        Files.copy(log.resolve(FIRST_SEGMENT), copy.resolve(FIRST_SEGMENT));

        assertThat(verify(log)).isZero();
        assertThat(verify(copy)).isZero();
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void shouldNameWhatIsDamaged() throws IOException {
        byte[] bytes = Files.readAllBytes(log.resolve(FIRST_SEGMENT));
        bytes[4096 + 13] ^= 1;
        Files.write(log.resolve(FIRST_SEGMENT), bytes);

        assertThat(verify(data)).isEqualTo(1);

        assertThat(out.toString()).contains("DAMAGED " + FIRST_SEGMENT + " at offset 4096: ").endsWith("1 damaged\n");
    }

    @Test
    void shouldRefuseWhatARunningBrokerHasOpen() throws Exception {
        try (JavaProcess broker = JavaProcess.start(temp, DataFolderHolder.class, data.toString())) {
            assertThat(broker.nextLine()).isEqualTo("open " + data);

            assertThat(verify(data)).isEqualTo(2);
            assertThat(dump(log, 0, false)).isEqualTo(2);

            assertThat(out.toString()).isEmpty();
            assertThat(err.toString().lines())
                    .containsExactly(
                            "sluicemq: data folder " + data + " is in use by process " + broker.pid()
                                    + ": stop the broker first",
                            "sluicemq: data folder " + log.toRealPath().getParent() + " is in use by process "
                                    + broker.pid() + ": stop the broker first");
        }
    }

    @Test
    void shouldRefuseWhatABrokerOfThisProcessHasOpen() throws Exception {
        try (DataFolder folder = DataFolder.open(data)) {
            assertThat(verify(folder.path())).isEqualTo(2);
            assertThat(err.toString()).contains("is in use by this process");
        }
        assertThat(verify(data)).isZero();
    }

    @Test
    void shouldSayWhyThereIsNothingToRead() throws Exception {
        Path none = temp.resolve("none");
        Path empty = Files.createDirectory(temp.resolve("empty"));
        Path fresh = temp.resolve("fresh");
        DataFolder.open(fresh).close();
        Path begun = temp.resolve("begun");
        DataFolder.open(begun).close();
        Files.createDirectory(begun.resolve("log"));
        Path later = Files.createDirectory(temp.resolve("later"));
        Files.writeString(later.resolve("sluicemq.format"), "sluicemq data folder, format 2\n");

        for (Path each : new Path[] {none, empty, fresh, begun, later}) {
            assertThat(verify(each)).isEqualTo(2);
        }

        assertThat(err.toString().lines())
                .containsExactly(
                        "sluicemq: there is no folder " + none,
                        "sluicemq: no log in " + empty + ": it holds no folder 'log' and no .log file",
                        "sluicemq: no log in " + fresh + ": it holds no folder 'log' and no .log file",
                        "sluicemq: no log in " + begun.resolve("log") + ": it holds no .log file",
                        "sluicemq: data folder " + later
                                + " has format 2, but this version of SluiceMQ knows format 1 only");
        assertThat(none).doesNotExist();
        assertThat(empty).isEmptyDirectory();
    }

    private int verify(Path folder) {
        return InspectLog.verify(folder, new PrintWriter(out), new PrintWriter(err));
    }

    private int dump(Path folder, long from, boolean payloads) {
        return InspectLog.dump(folder, from, payloads, new PrintWriter(out), new PrintWriter(err));
    }

    private static TreeMap<Path, String> contents(Path folder) throws IOException {
        TreeMap<Path, String> contents = new TreeMap<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                contents.put(file, Files.readString(file, StandardCharsets.ISO_8859_1));
            }
        }
        return contents;
    }

    /** A log that records are written to. */
    private static final class Records implements LogVisitor, LogListener, AutoCloseable {

        private final ManualLoop loop = new ManualLoops(1).get(0);
        private final Log log;
        private final LogPort port;

        Records(Path folder) throws IOException {
            log = Log.open(new FolderDisk(folder), OPTIONS, new WorkerThreads("inspect-"), this);
            port = log.attach(loop, this);
            log.start(null);
        }

        long append(String payload) {
            byte[] bytes = payload.getBytes(StandardCharsets.US_ASCII);
            return loop.call(() -> {
                long position = port.claim(bytes.length);
                assertThat(position).isPositive();
                port.payload().put(bytes);
                port.commit(1);
                return position;
            });
        }

        @Override
        public void close() {
            log.close();
        }

        @Override
        public void checkpoint(long position, ByteBuffer piece) {}

        @Override
        public void record(long position, int type, ByteBuffer payload) {}

        @Override
        public void moved(long from, long to, int type, ByteBuffer payload) {}

        @Override
        public void durable(long position) {}

        @Override
        public void room() {}

        @Override
        public void stateChanged(LogState state) {}
    }
}
