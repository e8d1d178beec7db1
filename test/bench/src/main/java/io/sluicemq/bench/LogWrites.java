package io.sluicemq.bench;

import io.sluicemq.store.Log;
import io.sluicemq.store.LogListener;
import io.sluicemq.store.LogOptions;
import io.sluicemq.store.LogPort;
import io.sluicemq.store.LogState;
import io.sluicemq.store.LogVisitor;
import io.sluicemq.store.WorkerThreads;
import io.sluicemq.store.disk.FolderDisk;
import io.sluicemq.testkit.ThreadLoop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The log, in the sync mode {@code always}, with two loops that keep so many records under way: a record counts when its loop was
 * told that it is durable. Only payloads count, though the log writes its own bytes with them, and the segments' zeros
 * meanwhile.
 *
 * @param payloadBytes of each record
 * @param window records under way, of each loop
 */
record LogWrites(int payloadBytes, int window) implements DiskLoad {

    private static final int LOOPS = 2;
    private static final int PATIENCE_SECONDS = 60;

    @Override
    public String label() {
        return "log, " + (payloadBytes >> 10) + " KiB records, " + (LOOPS * window * (payloadBytes >> 10))
                + " KiB under way";
    }

    @Override
    public double bytesPerSecond(Path folder, long nanos) throws IOException, InterruptedException {
        Log log = Log.open(new FolderDisk(folder), LogOptions.defaults(), new WorkerThreads("bench-"), new Nothing());
        List<Appender> appenders = new ArrayList<>();
        for (int i = 0; i < LOOPS; i++) {
            appenders.add(new Appender(log, i, this));
        }
        log.start(null);
        try {
            long start = System.nanoTime();
            appenders.forEach(each -> each.start(start + nanos));
            long bytes = 0;
            for (Appender each : appenders) {
                bytes += each.done.get(TimeUnit.NANOSECONDS.toSeconds(nanos) + PATIENCE_SECONDS, TimeUnit.SECONDS);
            }
            return bytes * 1e9 / (System.nanoTime() - start);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e);
        } catch (TimeoutException e) {
            throw new IOException("the log does not go on: " + log.state(), e);
        } finally {
            for (Appender each : appenders) {
                each.loop.close();
            }
            log.close();
        }
    }

    /** One loop's part. Runs on that loop, but for {@code done}, which tells how many bytes became durable. */
    private static final class Appender implements LogListener {

        private final CompletableFuture<Long> done = new CompletableFuture<>();
        private final ThreadLoop loop;
        private final Log log;
        private final LogPort port;
        private final byte[] payload;
        /** Positions of what is under way, a ring. */
        private final long[] underWay;

        private long endNanos;
        private long appended;
        private long durable;

        Appender(Log log, int index, LogWrites load) {
            this.log = log;
            this.loop = new ThreadLoop(index);
            this.port = log.attach(loop, this);
            this.payload = new byte[load.payloadBytes];
            new Random(index).nextBytes(payload);
            this.underWay = new long[load.window];
        }

        void start(long end) {
            loop.execute(() -> {
                endNanos = end;
                goOn();
            });
        }

        private void goOn() {
            while (true) {
                append();
                if (appended == durable) {
                    if (isOver()) {
                        done.complete(durable * payload.length);
                    }
                    return;
                }
                if (port.await(oldest())) {
                    return;
                }
                count(log.durable());
            }
        }

        private void append() {
            while (appended - durable < underWay.length && !isOver()) {
                long position = port.claim(payload.length);
                if (position == LogPort.NO_ROOM) {
                    return;
                }
                port.payload().put(payload);
                port.commit(1);
                underWay[(int) (appended++ % underWay.length)] = position;
            }
        }

        private boolean isOver() {
            return System.nanoTime() >= endNanos || appended * payload.length >= MAX_BYTES / LOOPS;
        }

        private long oldest() {
            return underWay[(int) (durable % underWay.length)];
        }

        private void count(long durableEnd) {
            while (durable < appended && oldest() < durableEnd) {
                durable++;
            }
        }

        @Override
        public void durable(long position) {
            count(position);
            goOn();
        }

        @Override
        public void room() {
            goOn();
        }

        @Override
        public void stateChanged(LogState state) {
            if (state.isFinal()) {
                done.completeExceptionally(new IOException(state.reason()));
            }
        }
    }

    /** Takes what an empty folder holds. */
    private static final class Nothing implements LogVisitor {

        @Override
        public void checkpoint(long position, ByteBuffer piece) {}

        @Override
        public void record(long position, int type, ByteBuffer payload) {}

        @Override
        public void moved(long from, long to, int type, ByteBuffer payload) {}
    }
}
