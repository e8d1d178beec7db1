package io.sluicemq.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.store.sim.SimulatedDisk;
import io.sluicemq.store.sim.SimulatedDisk.Loss;
import io.sluicemq.testkit.LogCapture;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.lifecycle.BeforeTry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Runs a log through all that it does from a seed: records come and go, checkpoints are written, sparse segments emptied, idle
 * ones deleted, the disk is full and has room again, a sync fails; in between it crashes. After each crash: what is recovered
 * is exactly what a first part of the operations has led to, that part has all that was durable, and every record that is
 * still needed can be read.
 */
class ReclaimCrashProperties {

    private static final int LIVES = 6;
    private static final LogOptions OPTIONS = SimulatedLog.SMALL;

    private LogCapture capture;

    /** What is simulated is logged as what it would be, with traces. */
    @BeforeEach
    @BeforeTry
    void capture() {
        capture = new LogCapture();
    }

    @AfterEach
    @AfterTry
    void release() {
        capture.close();
    }

    /** What the log was told, at a position of it. Payloads are unique. */
    private sealed interface Operation {
        long position();

        record Add(long position, String payload) implements Operation {}

        record Remove(long position, String payload) implements Operation {}
    }

    /** What has happened in a run, to know that a campaign has met everything. */
    private static final class Met {
        private int moves;
        private int full;
        private int resumed;
        private int deleted;
        private int cut;
        private int checkpoints;
        private int failedCheckpoints;
        private int failures;
    }

    private final Met met = new Met();
    /** All that the log was told and has not lost, in the order of positions. */
    private final List<Operation> operations = new ArrayList<>();
    private int payloads;

    @Property(tries = 300)
    void shouldRecoverExactlyAFirstPartOfWhatHappened(@ForAll long seed) throws IOException {
        run(seed, new SyncMode.Always(), List.of(Loss.values()));
    }

    /** A process that is killed loses nothing that was confirmed in the other modes either. */
    @Property(tries = 100)
    void shouldLoseNothingInAnySyncModeWhenTheProcessIsKilled(@ForAll long seed) throws IOException {
        run(seed, lazyMode(seed), List.of(Loss.NONE));
    }

    /**
     * A loss of power takes what was not synced in these modes. It may take a removal whose record has been given back already, but
     * of no other record does the log know the position and not have the bytes.
     */
    @Property(tries = 100)
    void shouldKeepWhatWasSyncedInAnySyncModeWhenPowerIsLost(@ForAll long seed) throws IOException {
        run(seed, lazyMode(seed), List.of(Loss.values()));
    }

    private static SyncMode lazyMode(long seed) {
        return (seed & 1) == 0 ? new SyncMode.Interval(50) : new SyncMode.Os();
    }

    @Test
    void shouldMeetEverythingWithinAFewSeeds() throws IOException {
        for (long seed = 0; seed < 30; seed++) {
            run(seed, new SyncMode.Always(), List.of(Loss.values()));
        }
        assertThat(met.moves).as("moves").isPositive();
        assertThat(met.full).as("full disks").isPositive();
        assertThat(met.resumed).as("disks with room again").isPositive();
        assertThat(met.deleted).as("deleted segments").isPositive();
        assertThat(met.cut).as("torn tails").isPositive();
        assertThat(met.checkpoints).as("checkpoints").isPositive();
        assertThat(met.failedCheckpoints).as("checkpoints without room").isPositive();
        assertThat(met.failures).as("failed logs").isPositive();
    }

    private void run(long seed, SyncMode mode, List<Loss> losses) throws IOException {
        operations.clear();
        Random random = new Random(seed);
        SimulatedDisk disk = new SimulatedDisk();
        long confirmed = 0;
        for (int life = 0; life < LIVES; life++) {
            Owner owner = new Owner(new SimulatedLog(disk, OPTIONS.withSync(mode)));
            owner.recover();
            List<Long> gone = check(owner, confirmed);
            if (mode instanceof SyncMode.Always) {
                assertThat(gone).as("given back too early").isEmpty();
            }
            owner.start();
            owner.settle(gone);
            checkReads(owner);
            owner.live(random);
            Loss loss = losses.get(random.nextInt(losses.size()));
            confirmed = loss == Loss.NONE ? owner.log.log.durable() : owner.log.log.synced();
            owner.log.crash(random, loss);
        }
    }

    /** Returns positions of records that the log has no segment for any more, for they had been removed. */
    private List<Long> check(Owner owner, long confirmed) {
        RecoveryReport report = owner.log.log.recovery();
        met.cut += report.cutBytes() > 0 ? 1 : 0;
        assertThat(report.end()).isGreaterThanOrEqualTo(confirmed);
        TreeSet<String> everRemoved = new TreeSet<>();
        for (Operation operation : operations) {
            if (operation instanceof Operation.Remove(long position, String payload)) {
                everRemoved.add(payload);
            }
        }
        operations.removeIf(each -> each.position() >= report.end());
        TreeSet<String> expected = new TreeSet<>();
        for (Operation operation : operations) {
            switch (operation) {
                case Operation.Add(long position, String payload) -> expected.add(payload);
                case Operation.Remove(long position, String payload) -> expected.remove(payload);
            }
        }
        assertThat(new TreeSet<>(owner.records.values())).isEqualTo(expected);
        assertThat(owner.records).hasSameSizeAs(expected);
        List<Long> gone = owner.records.keySet().stream()
                .filter(position -> !owner.log.log.contains(position))
                .toList();
        assertThat(everRemoved).containsAll(gone.stream().map(owner.records::get).toList());
        return gone;
    }

    /** Reads each record, again from its new place if it was moved, and the old place given back, while the read was under way. */
    private static void checkReads(Owner owner) {
        for (String payload : List.copyOf(owner.records.values())) {
            long position;
            List<String> seen;
            do {
                position = owner.positionOf(payload);
                long[] positions = {position};
                seen = new ArrayList<>();
                ReadBatch batch = LogTest.collect(seen);
                owner.log.loop.run(() -> assertThat(owner.log.port.read(positions, 0, 1, batch)).isTrue());
                owner.log.run();
            } while (seen.getFirst().startsWith("done") && position != owner.positionOf(payload));
            assertThat(seen).containsExactly(payload, "done 1");
        }
    }

    /** The owner of records, on one loop. What it removes it releases when the removal is durable, and not before. */
    private final class Owner implements Liveness {

        private record Removed(long by, long position, int payloadBytes) {}

        private final SimulatedLog log;
        private final TreeMap<Long, String> records = new TreeMap<>();
        private final ArrayDeque<Removed> removed = new ArrayDeque<>();

        Owner(SimulatedLog log) {
            this.log = log;
        }

        /** What was removed after it was copied, and before that was known here, was removed by its old position. */
        void recover() {
            for (String piece : log.recovered.checkpoint) {
                int bar = piece.indexOf('|');
                records.put(Long.parseLong(piece.substring(0, bar)), piece.substring(bar + 1));
            }
            Map<Long, Long> movedTo = new HashMap<>();
            for (Object event : log.recovered.events) {
                switch (event) {
                    case SimulatedLog.Recovered.Move(long from, long to, String payload) -> {
                        movedTo.put(from, to);
                        if (records.remove(from) != null) {
                            records.put(to, payload);
                        }
                    }
                    case SimulatedLog.Recovered.Found(long position, int type, String payload) when type == 1 ->
                        records.put(position, payload);
                    case SimulatedLog.Recovered.Found(long position, int type, String payload) -> {
                        Long at = Long.valueOf(payload);
                        while (at != null) {
                            records.remove(at);
                            at = movedTo.get(at);
                        }
                    }
                    default -> throw new AssertionError(event);
                }
            }
        }

        long positionOf(String payload) {
            return records.entrySet().stream()
                    .filter(each -> each.getValue().equals(payload))
                    .findFirst()
                    .orElseThrow()
                    .getKey();
        }

        void start() {
            records.forEach((position, payload) -> {
                if (log.log.contains(position)) {
                    log.log.retain(position, payload.length(), 1);
                }
            });
            log.log.start(this);
        }

        /** Removes what the log does not have any more. */
        void settle(List<Long> gone) {
            for (long position : gone) {
                long by = log.appendReserved(2, Long.toString(position));
                assertThat(by).isPositive();
                operations.add(new Operation.Remove(by, records.remove(position)));
            }
        }

        void live(Random random) {
            if (random.nextInt(4) == 0) {
                log.disk.failSync(random.nextInt(1, 60));
            }
            int segments = log.log.segmentUse().size();
            for (int i = random.nextInt(100, 600); i > 0; i--) {
                switch (random.nextInt(16)) {
                    case 0, 1, 2 -> add(random);
                    case 3, 4, 5 -> remove(random);
                    case 6 -> checkpoint(random);
                    case 7 -> log.loops.advance(random.nextInt(30_000_000));
                    case 8 -> log.loops.advance(random.nextInt(1_500_000_000));
                    case 9 -> changeRoom(random);
                    default -> {
                        for (int steps = random.nextInt(12); steps >= 0; steps--) {
                            log.step(random);
                        }
                    }
                }
                releaseDurable();
                int now = log.log.segmentUse().size();
                met.deleted += now < segments ? 1 : 0;
                segments = now;
            }
            log.disk.setCapacityBytes(Long.MAX_VALUE);
            met.failures += log.log.state().kind() == LogState.Kind.FAILED ? 1 : 0;
            for (int i = 1; i < log.states.size(); i++) {
                met.resumed += log.states.get(i).kind() == LogState.Kind.OPEN ? 1 : 0;
            }
            met.full += (int) log.states.stream()
                    .filter(each -> each.kind() == LogState.Kind.FULL)
                    .count();
        }

        private void add(Random random) {
            for (int i = random.nextInt(1, 6); i > 0; i--) {
                int length = random.nextInt(40) == 0 ? random.nextInt(20_000) : random.nextInt(900);
                String payload = payloads++ + ":" + "a".repeat(length);
                long position = log.append(1, payload);
                if (position == LogPort.NO_ROOM) {
                    return;
                }
                log.log.retain(position, payload.length(), 1);
                records.put(position, payload);
                operations.add(new Operation.Add(position, payload));
            }
        }

        /** Most go; some stay, so that segments become sparse. */
        private void remove(Random random) {
            for (long position : List.copyOf(records.keySet())) {
                if (random.nextInt(3) != 0) {
                    continue;
                }
                String payload = records.get(position);
                long by = log.appendReserved(2, Long.toString(position));
                if (by == LogPort.NO_ROOM) {
                    return;
                }
                records.remove(position);
                removed.add(new Removed(by, position, payload.length()));
                operations.add(new Operation.Remove(by, payload));
            }
        }

        private void releaseDurable() {
            while (!removed.isEmpty() && removed.peek().by < log.log.durable()) {
                Removed next = removed.poll();
                log.log.release(next.position, next.payloadBytes, 1);
            }
        }

        private void checkpoint(Random random) {
            if (log.log.isCheckpointing() || log.log.state().isFinal()) {
                return;
            }
            Checkpoint checkpoint = log.log.beginCheckpoint(log.log.end());
            records.forEach((position, payload) -> checkpoint
                    .append(ByteBuffer.wrap(SimulatedLog.bytes(position + "|" + payload))));
            if (random.nextInt(8) == 0) {
                checkpoint.abandon();
                return;
            }
            checkpoint.commit(log.loop, failure -> {
                if (failure == null) {
                    met.checkpoints++;
                } else if (log.log.state().kind() != LogState.Kind.FAILED) {
                    met.failedCheckpoints++;
                }
            });
        }

        private void changeRoom(Random random) {
            log.disk.setCapacityBytes(
                    random.nextInt(3) == 0 ? log.disk.usedBytes() + random.nextInt(20_000) : Long.MAX_VALUE);
        }

        @Override
        public void examine(Candidates candidates) {
            log.loop.execute(() -> {
                for (int i = 0; i < candidates.size(); i++) {
                    if (records.containsKey(candidates.get(i).position())) {
                        candidates.keep(i);
                    }
                }
                candidates.answer();
            });
        }

        @Override
        public void moved(Moves moves) {
            log.loop.execute(() -> {
                for (int i = 0; i < moves.size(); i++) {
                    met.moves++;
                    String payload = records.remove(moves.from(i));
                    if (payload != null) {
                        records.put(moves.to(i), payload);
                        log.log.retain(moves.to(i), payload.length(), 1);
                        log.log.release(moves.from(i), payload.length(), 1);
                    }
                }
                moves.applied();
            });
        }
    }
}
