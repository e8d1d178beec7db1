package io.sluicemq.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.store.sim.SimulatedDisk;
import io.sluicemq.testkit.LogCapture;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.lifecycle.BeforeTry;

/**
 * Runs a log through work, faults and crashes from a seed. After each crash: everything that was durable is there, only a first
 * part of what was appended is, and nothing else.
 */
class CrashProperties {

    private LogCapture capture;

    /** The simulated failures are logged as what they are, with their traces. */
    @BeforeTry
    void capture() {
        capture = new LogCapture();
    }

    @AfterTry
    void release() {
        capture.close();
    }

    /** What the owner of the log knows of it, kept apart from it. */
    private final TreeMap<Long, String> appended = new TreeMap<>();
    private long confirmed;

    @Property(tries = 400)
    void shouldKeepWhatWasConfirmedThroughCrashes(@ForAll long seed) throws IOException {
        appended.clear();
        confirmed = 0;
        Random random = new Random(seed);
        SimulatedDisk disk = new SimulatedDisk();
        for (int life = 0; life < 6; life++) {
            SimulatedLog log = new SimulatedLog(disk, SimulatedLog.SMALL);
            check(log);
            log.log.start(null);
            live(log, random);
            confirmed = log.log.durable();
            log.crash(random, SimulatedDisk.Loss.values()[random.nextInt(4)]);
        }
    }

    private void check(SimulatedLog log) {
        List<SimulatedLog.Recovered.Found> found = log.recovered.records;
        List<Long> positions = new ArrayList<>(appended.keySet());
        assertThat(found).extracting(SimulatedLog.Recovered.Found::position)
                .isEqualTo(positions.subList(0, found.size()));
        for (SimulatedLog.Recovered.Found each : found) {
            assertThat(each.payload()).isEqualTo(appended.get(each.position()));
        }
        assertThat(found).hasSizeGreaterThanOrEqualTo(appended.headMap(confirmed).size());
        // What was lost is forgotten: its positions will be given out again.
        positions.subList(found.size(), positions.size()).forEach(appended::remove);
    }

    private void live(SimulatedLog log, Random random) {
        if (random.nextInt(4) == 0) {
            log.disk.failSync(random.nextInt(1, 20));
        }
        LogPort other = log.log.attach(log.loops.get(1), LogTest.Quiet.INSTANCE);
        for (int i = random.nextInt(300); i > 0; i--) {
            switch (random.nextInt(10)) {
                case 0, 1, 2, 3 -> append(log, 0, log.port, random);
                case 4, 5 -> append(log, 1, other, random);
                case 6 -> log.loops.advance(random.nextInt(30_000_000));
                default -> log.step(random);
            }
        }
    }

    private void append(SimulatedLog log, int loop, LogPort port, Random random) {
        log.loops.get(loop).run(() -> {
            for (int i = random.nextInt(1, 5); i > 0; i--) {
                int length = random.nextInt(50) == 0 ? random.nextInt(20_000) : random.nextInt(700);
                String payload = appended.size() + "p".repeat(length);
                long position = SimulatedLog.append(port, 1 + random.nextInt(5), payload, random.nextInt(5) == 0);
                if (position != LogPort.NO_ROOM) {
                    appended.put(position, payload);
                }
            }
        });
    }

    /** The same with checkpoints: what is recovered is a checkpoint's content and what follows it. */
    @Property(tries = 300)
    void shouldRecoverFromCheckpointsThroughCrashes(@ForAll long seed) throws IOException {
        appended.clear();
        confirmed = 0;
        Random random = new Random(seed);
        SimulatedDisk disk = new SimulatedDisk();
        for (int life = 0; life < 6; life++) {
            SimulatedLog log = new SimulatedLog(disk, SimulatedLog.SMALL);
            checkWithCheckpoint(log);
            log.log.start(null);
            for (int round = 0; round < 4; round++) {
                live(log, random);
                checkpoint(log, random);
            }
            live(log, random);
            confirmed = log.log.durable();
            log.crash(random, SimulatedDisk.Loss.values()[random.nextInt(4)]);
        }
    }

    /** A checkpoint here is all positions below its own, eight bytes each, in pieces. */
    private void checkpoint(SimulatedLog log, Random random) {
        if (log.log.isCheckpointing() || log.log.state().isFinal()) {
            return;
        }
        long position = log.log.end();
        Checkpoint checkpoint = log.log.beginCheckpoint(position);
        for (long each : appended.headMap(position).keySet()) {
            checkpoint.append(ByteBuffer.allocate(8).putLong(each).flip());
        }
        if (random.nextInt(5) == 0) {
            checkpoint.abandon();
        } else {
            checkpoint.commit(log.loop, failure -> {});
        }
    }

    private void checkWithCheckpoint(SimulatedLog log) {
        List<Long> positions = new ArrayList<>();
        for (String piece : log.recovered.checkpoint) {
            positions.add(ByteBuffer.wrap(SimulatedLog.bytes(piece)).getLong());
        }
        for (SimulatedLog.Recovered.Found each : log.recovered.records) {
            positions.add(each.position());
            assertThat(each.payload()).isEqualTo(appended.get(each.position()));
        }
        List<Long> all = new ArrayList<>(appended.keySet());
        assertThat(positions).isEqualTo(all.subList(0, positions.size()));
        assertThat(positions).hasSizeGreaterThanOrEqualTo(appended.headMap(confirmed).size());
        all.subList(positions.size(), all.size()).forEach(appended::remove);
    }
}
