package io.sluicemq.store;

import io.sluicemq.store.sim.ManualWorkers;
import io.sluicemq.store.sim.SimulatedDisk;
import io.sluicemq.testkit.ManualLoop;
import io.sluicemq.testkit.ManualLoops;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.random.RandomGenerator;

/** A log on a simulated disk with loops and workers that the test drives. What the loops were told is kept for the test. */
final class SimulatedLog {

    static final LogOptions SMALL = LogOptions.defaults()
            .withSegmentBytes(16 << 10)
            .withBuffers(4, 2048)
            .withMaxRecordBytes(64 << 10)
            .withReads(1, 4, 4096, 1024)
            .withCompaction(0.25, 1 << 30);
    static final UUID ID = new UUID(0x1234, 0x5678);

    final SimulatedDisk disk;
    final LogOptions options;
    final ManualLoops loops = new ManualLoops(2);
    final ManualLoop loop = loops.get(0);
    /** Run when a worker asks for the time: what another thread does just then. */
    Runnable onClock = () -> {
    };
    final ManualWorkers workers = new ManualWorkers(() -> {
        onClock.run();
        return loops.nanoTime();
    });
    final Recovered recovered = new Recovered();
    final List<Long> durableEvents = new ArrayList<>();
    final List<LogState> states = new ArrayList<>();
    int roomEvents;
    final Log log;
    final LogPort port;

    /** What a visitor was given. */
    static final class Recovered implements LogVisitor {
        final List<String> checkpoint = new ArrayList<>();
        final List<Found> records = new ArrayList<>();
        final List<Move> moves = new ArrayList<>();
        /** Of both, in their order. */
        final List<Object> events = new ArrayList<>();

        record Move(long from, long to, String payload) {}

        record Found(long position, int type, String payload) {}

        @Override
        public void checkpoint(long position, ByteBuffer piece) {
            checkpoint.add(text(piece));
        }

        @Override
        public void record(long position, int type, ByteBuffer payload) {
            Found found = new Found(position, type, text(payload));
            records.add(found);
            events.add(found);
        }

        @Override
        public void moved(long from, long to, int type, ByteBuffer payload) {
            Move move = new Move(from, to, text(payload));
            moves.add(move);
            events.add(move);
        }

        List<String> payloads() {
            return records.stream().map(Found::payload).toList();
        }
    }

    SimulatedLog(SimulatedDisk disk, LogOptions options) throws IOException {
        this.disk = disk;
        this.options = options;
        log = Log.open(disk, options, workers, recovered, ID);
        port = log.attach(loop, new LogListener() {
            @Override
            public void durable(long position) {
                durableEvents.add(position);
            }

            @Override
            public void room() {
                roomEvents++;
            }

            @Override
            public void stateChanged(LogState state) {
                states.add(state);
            }
        });
    }

    static SimulatedLog started(SimulatedDisk disk) throws IOException {
        return started(disk, SMALL);
    }

    static SimulatedLog started(SimulatedDisk disk, LogOptions options) throws IOException {
        SimulatedLog log = new SimulatedLog(disk, options);
        log.log.start(null);
        log.run();
        return log;
    }

    static String text(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        return new String(copy, java.nio.charset.StandardCharsets.ISO_8859_1);
    }

    static byte[] bytes(String text) {
        return text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
    }

    /** Appends on the loop; the position, or -1. */
    long append(int type, String payload) {
        return loop.call(() -> append(port, type, payload, false));
    }

    long appendReserved(int type, String payload) {
        return loop.call(() -> append(port, type, payload, true));
    }

    static long append(LogPort port, int type, String payload, boolean reserved) {
        byte[] bytes = bytes(payload);
        long position = reserved ? port.claimReserved(bytes.length) : port.claim(bytes.length);
        if (position != LogPort.NO_ROOM) {
            port.payload().order(ByteOrder.LITTLE_ENDIAN).put(bytes);
            port.commit(type);
        }
        return position;
    }

    /** Appends, letting the log work when it has no room. */
    long appendSurely(int type, String payload) {
        long position = append(type, payload);
        for (int i = 0; position == LogPort.NO_ROOM && i < 10; i++) {
            run();
            position = append(type, payload);
        }
        if (position == LogPort.NO_ROOM) {
            throw new AssertionError("no room: " + log.state());
        }
        return position;
    }

    /** Lets everything happen that is ready. */
    void run() {
        boolean busy = true;
        while (busy) {
            loops.runAll();
            busy = workers.runAll();
        }
    }

    void advanceMillis(long millis) {
        loops.advance(millis * 1_000_000);
        run();
    }

    /** Lets one thing happen; false if nothing is ready. */
    boolean step(RandomGenerator random) {
        loops.runAll(random);
        return workers.step(random);
    }

    void crash(RandomGenerator random, SimulatedDisk.Loss loss) {
        disk.crash(random, loss);
    }
}
