package io.sluicemq.store;

import io.sluicemq.store.disk.Disk;
import io.sluicemq.store.disk.DiskFile;
import io.sluicemq.store.disk.FolderDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * Measures the log alone, beside a bare loop of 64 KiB writes with a sync each, in the same folder: {@code LogBench FOLDER
 * [seconds a round] [loops]}. The bare loop runs twice: over a file of zeros, as the log's own are, and over a file that grows.
 */
public final class LogBench {

    private static final int CHUNK_BYTES = 64 << 10;

    private LogBench() {}

    /** One loop that keeps {@code window} records under way. */
    private static final class Load implements LogListener {

        private final ThreadLoop loop;
        private final int payloadBytes;
        private final int window;
        private final long endNanos;
        private final byte[] payload;
        private final ArrayDeque<long[]> waiting = new ArrayDeque<>();
        private final Histogram latency = new Histogram(60_000_000_000L, 3);
        private final CountDownLatch done = new CountDownLatch(1);
        private LogPort port;
        private long records;

        Load(int index, int payloadBytes, int window, long endNanos) {
            this.loop = new ThreadLoop(index);
            this.payloadBytes = payloadBytes;
            this.window = window;
            this.endNanos = endNanos;
            this.payload = new byte[payloadBytes];
            new java.util.Random(index).nextBytes(payload);
        }

        void go() {
            long now = System.nanoTime();
            if (now < endNanos) {
                while (waiting.size() < window) {
                    long position = port.claim(payloadBytes);
                    if (position == LogPort.NO_ROOM) {
                        break;
                    }
                    port.payload().put(payload);
                    port.commit(1);
                    waiting.add(new long[] {position, now});
                }
            }
            if (waiting.isEmpty() && now >= endNanos) {
                done.countDown();
            } else if (!waiting.isEmpty() && !port.await(waiting.peek()[0])) {
                loop.execute(() -> durable(Long.MIN_VALUE));
            }
        }

        @Override
        public void durable(long position) {
            long now = System.nanoTime();
            while (!waiting.isEmpty() && (waiting.peek()[0] < position || !port.await(waiting.peek()[0]))) {
                latency.recordValue(Math.max(0, now - waiting.poll()[1]));
                records++;
            }
            go();
        }

        @Override
        public void room() {
            go();
        }

        @Override
        public void stateChanged(LogState state) {
            System.out.println(state);
        }
    }

    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[0]);
        int seconds = args.length > 1 ? Integer.parseInt(args[1]) : 5;
        int loops = args.length > 2 ? Integer.parseInt(args[2]) : 2;
        for (int round = 0; round < 2; round++) {
            double zeros = bare(folder, seconds, true);
            double grows = bare(folder, seconds, false);
            print("bare, zeros", zeros, 1, "");
            print("bare, grows", grows, grows / zeros, "");
            for (int[] shape : new int[][] {{16 << 10, 256}, {4096, 1000}, {1024, 500}, {1024, 10_000}, {100, 10_000},
                {1024, 1}}) {
                log(folder, seconds, loops, shape[0], shape[1], zeros);
            }
        }
    }

    private static double bare(Path folder, int seconds, boolean zeros) throws IOException {
        Disk disk = new FolderDisk(Files.createTempDirectory(folder, "bare"));
        ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
        long total = 0;
        long timed = 0;
        int files = 0;
        while (timed < seconds * 1_000_000_000L) {
            String name = "f" + files++;
            try (DiskFile file = disk.create(name)) {
                if (zeros) {
                    file.allocateZeros(0, 64 << 20);
                    file.sync();
                }
                long start = System.nanoTime();
                for (int i = 0; i < (64 << 20) / CHUNK_BYTES && timed + System.nanoTime() - start < seconds * 1e9;
                        i++) {
                    file.write(chunk.clear(), (long) i * CHUNK_BYTES);
                    file.sync();
                    total += CHUNK_BYTES;
                }
                timed += System.nanoTime() - start;
            }
            disk.delete(name);
        }
        Files.delete(Path.of(disk.location()));
        return total / 1e6 / (timed / 1e9);
    }

    private static void log(Path parent, int seconds, int loops, int payloadBytes, int window, double bare)
            throws Exception {
        Path folder = Files.createTempDirectory(parent, "log");
        Log log = Log.open(new FolderDisk(folder), LogOptions.defaults(), new WorkerThreads("bench-"),
                new SimulatedLog.Recovered());
        long start = System.nanoTime();
        List<Load> loads = new ArrayList<>();
        for (int i = 0; i < loops; i++) {
            Load load = new Load(i, payloadBytes, window, start + seconds * 1_000_000_000L);
            load.port = log.attach(load.loop, load);
            loads.add(load);
        }
        long first = log.end();
        log.start(null);
        for (Load load : loads) {
            load.loop.execute(load::go);
        }
        Histogram latency = new Histogram(60_000_000_000L, 3);
        long records = 0;
        for (Load load : loads) {
            load.done.await();
            load.loop.close();
            latency.add(load.latency);
            records += load.records;
        }
        double elapsed = (System.nanoTime() - start) / 1e9;
        double megabytes = (log.durable() - first) / 1e6 / elapsed;
        print(loops + " loops, " + payloadBytes + " B, window " + window, megabytes, megabytes / bare,
                String.format(Locale.ROOT, "%,10.0f records/s, %5.0f records a sync, p50 %6.2f ms, p99 %6.2f ms",
                        records / elapsed, (double) records / log.syncs(), latency.getValueAtPercentile(50) / 1e6,
                        latency.getValueAtPercentile(99) / 1e6));
        log.close();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }

    private static void print(String what, double megabytes, double ratio, String more) {
        System.out.printf(Locale.ROOT, "%-32s %7.1f MB/s  %5.2f of bare  %s%n", what, megabytes, ratio, more);
    }
}
