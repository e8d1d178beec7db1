package io.sluicemq.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.store.sim.SimulatedDisk;
import io.sluicemq.testkit.LogCapture;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Checkpoints, and giving space back: deletion of segments that nobody needs, emptying of sparse ones. */
class ReclaimTest {

    private LogCapture capture;

    /** What is simulated is logged as what it would be, with traces. */
    @BeforeEach
    void capture() {
        capture = new LogCapture();
    }

    @AfterEach
    void release() {
        capture.close();
    }

    private final SimulatedDisk disk = new SimulatedDisk();

    /** An owner of records: by position, on one loop. */
    private static final class Owner implements Liveness {

        private final SimulatedLog log;
        private final TreeMap<Long, String> records = new TreeMap<>();
        private int movesSeen;
        private boolean holdMoves;
        private Moves held;

        Owner(SimulatedLog log) {
            this.log = log;
            for (String piece : log.recovered.checkpoint) {
                int bar = piece.indexOf('|');
                records.put(Long.parseLong(piece.substring(0, bar)), piece.substring(bar + 1));
            }
        }

        void start() {
            records.forEach((position, payload) -> log.log.retain(position, payload.length(), 1));
            log.log.start(this);
            log.run();
        }

        long add(String payload) {
            long position = log.appendSurely(1, payload);
            records.put(position, payload);
            log.log.retain(position, payload.length(), 1);
            return position;
        }

        void remove(long position) {
            log.log.release(position, records.remove(position).length(), 1);
            log.appendSurely(2, Long.toString(position));
        }

        void checkpoint() {
            Checkpoint checkpoint = log.log.beginCheckpoint(log.log.end());
            records.forEach((position, payload) -> checkpoint
                    .append(ByteBuffer.wrap(SimulatedLog.bytes(position + "|" + payload))));
            List<Object> outcome = new ArrayList<>();
            checkpoint.commit(log.loop, failure -> outcome.add(failure == null ? "done" : failure));
            log.run();
            assertThat(outcome).containsExactly("done");
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
            if (holdMoves) {
                held = moves;
            } else {
                log.loop.execute(() -> apply(moves));
            }
        }

        void apply(Moves moves) {
            for (int i = 0; i < moves.size(); i++) {
                movesSeen++;
                String payload = records.remove(moves.from(i));
                if (payload != null) {
                    assertThat(moves.payloadBytes(i)).isEqualTo(payload.length());
                    records.put(moves.to(i), payload);
                    log.log.retain(moves.to(i), payload.length(), 1);
                    log.log.release(moves.from(i), payload.length(), 1);
                }
            }
            moves.applied();
        }
    }

    /**
     * The owner of what the disk holds. What was removed after it was copied, and before the owner knew of that, was removed by its
     * old position: so those are remembered.
     */
    private Owner open() throws IOException {
        return open(SimulatedLog.SMALL);
    }

    private Owner open(LogOptions options) throws IOException {
        SimulatedLog log = new SimulatedLog(disk, options);
        Owner owner = new Owner(log);
        Map<Long, Long> movedTo = new HashMap<>();
        for (Object event : log.recovered.events) {
            switch (event) {
                case SimulatedLog.Recovered.Move(long from, long to, String payload) -> {
                    movedTo.put(from, to);
                    if (owner.records.remove(from) != null) {
                        owner.records.put(to, payload);
                    }
                }
                case SimulatedLog.Recovered.Found(long position, int type, String payload) when type == 1 ->
                    owner.records.put(position, payload);
                case SimulatedLog.Recovered.Found(long position, int type, String payload) -> {
                    Long at = Long.valueOf(payload);
                    while (at != null) {
                        owner.records.remove(at);
                        at = movedTo.get(at);
                    }
                }
                default -> throw new AssertionError(event);
            }
        }
        return owner;
    }

    @Test
    void shouldDeleteSegmentsThatNobodyNeedsOnceTwoCheckpointsAreBehindThem() throws IOException {
        Owner owner = open();
        owner.start();
        List<Long> added = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            added.add(owner.add("b".repeat(1000)));
        }
        added.forEach(owner::remove);
        owner.log.run();
        int full = disk.list().size();
        owner.checkpoint();
        assertThat(disk.list()).hasSize(full + 1);
        owner.add("after");
        owner.checkpoint();
        assertThat(disk.list()).hasSizeLessThan(6);
        assertThat(owner.log.log.contains(added.getFirst())).isFalse();
        owner.log.crash(new Random(1), SimulatedDisk.Loss.ALL);
        assertThat(open().records.values()).containsExactly("after");
    }

    private static final long FIVE_SEGMENTS = 5L * SimulatedLog.SMALL.segmentBytes();
    private static final LogOptions BUDGET = SimulatedLog.SMALL.withMaxBytes(FIVE_SEGMENTS);

    private long segmentBytes() {
        return disk.list().stream()
                .filter(each -> each.name().endsWith(".log") || each.name().endsWith(".log.new"))
                .mapToLong(SimulatedDisk.Entry::sizeBytes)
                .sum();
    }

    /** Adds records until the log takes no more of them. */
    private List<Long> fill(Owner owner) {
        List<Long> added = new ArrayList<>();
        while (owner.log.log.state().kind() == LogState.Kind.OPEN) {
            added.add(owner.add("b".repeat(1000)));
            owner.log.run();
            assertThat(segmentBytes()).isLessThanOrEqualTo(FIVE_SEGMENTS);
        }
        return added;
    }

    @Test
    void shouldAdmitNothingBeyondTheLargestSizeAndResumeWhenSegmentsAreGone() throws IOException {
        Owner owner = open(BUDGET);
        owner.start();
        List<Long> added = fill(owner);

        assertThat(owner.log.log.state().kind()).isEqualTo(LogState.Kind.FULL);
        assertThat(owner.log.log.state().reason()).contains("storage.max-size, " + FIVE_SEGMENTS);
        assertThat(segmentBytes()).isEqualTo(FIVE_SEGMENTS);
        // Three are for messages: the rest is in reserve.
        assertThat(added).hasSizeGreaterThan(35);
        owner.log.advanceMillis(60_000);
        assertThat(owner.log.append(1, "refused")).isEqualTo(LogPort.NO_ROOM);

        for (long position : added) {
            owner.log.log.release(position, owner.records.remove(position).length(), 1);
            assertThat(owner.log.appendReserved(2, Long.toString(position))).isPositive();
            owner.log.run();
        }
        assertThat(owner.log.append(1, "refused")).isEqualTo(LogPort.NO_ROOM);
        owner.checkpoint();
        owner.log.appendReserved(2, "0"); // no two are of the same position
        owner.checkpoint();

        assertThat(owner.log.states).extracting(LogState::kind)
                .containsExactly(LogState.Kind.FULL, LogState.Kind.OPEN);
        assertThat(segmentBytes()).isLessThan(FIVE_SEGMENTS);
        owner.add("admitted");
        assertThat(owner.log.roomEvents).isPositive();
        owner.log.log.close();
        assertThat(open(BUDGET).records.values()).containsExactly("admitted");
    }

    @Test
    void shouldEmptySparseSegmentsAtTheLargestSize() throws IOException {
        Owner owner = open(BUDGET);
        owner.start();
        List<Long> added = fill(owner);
        owner.checkpoint();
        owner.checkpoint();
        assertThat(owner.log.log.state().kind()).isEqualTo(LogState.Kind.FULL);

        for (int i = 0; i < added.size(); i++) {
            if (i % 10 != 0) {
                long position = added.get(i);
                owner.log.log.release(position, owner.records.remove(position).length(), 1);
                assertThat(owner.log.appendReserved(2, Long.toString(position))).isPositive();
                owner.log.run();
            }
        }
        for (int i = 0; i < 4; i++) {
            owner.log.advanceMillis(1000);
            owner.log.appendReserved(2, "0");
            owner.checkpoint();
        }

        assertThat(owner.movesSeen).isPositive();
        assertThat(owner.log.log.state().kind()).isEqualTo(LogState.Kind.OPEN);
        assertThat(segmentBytes()).isLessThan(FIVE_SEGMENTS);
    }

    @Test
    void shouldTakeSettlementsWhateverTheLargestSizeIs() throws IOException {
        Owner owner = open(BUDGET);
        owner.start();
        fill(owner);

        long bytes = 0;
        while (bytes < FIVE_SEGMENTS) {
            long position = owner.log.appendReserved(2, "s".repeat(1000));
            bytes += position == LogPort.NO_ROOM ? 0 : 1000;
            owner.log.run();
        }

        assertThat(owner.log.log.state().kind()).isEqualTo(LogState.Kind.FULL);
        assertThat(owner.log.append(1, "refused")).isEqualTo(LogPort.NO_ROOM);
    }

    @Test
    void shouldBeginFullIfTheLargestSizeIsLessThanThereIs() throws IOException {
        Owner owner = open();
        owner.start();
        for (int i = 0; i < 90; i++) {
            owner.add("b".repeat(1000));
        }
        owner.log.log.close();

        Owner again = open(BUDGET);
        again.start();

        assertThat(again.log.log.state().kind()).isEqualTo(LogState.Kind.FULL);
        assertThat(again.log.append(1, "refused")).isEqualTo(LogPort.NO_ROOM);
        assertThat(again.log.appendReserved(2, "7")).isPositive();
    }

    @Test
    void shouldNotMakeALongSegmentBeyondTheLargestSize() throws IOException {
        Owner owner = open(BUDGET);
        owner.start();
        assertThat(owner.log.append(1, "l".repeat(60_000))).isEqualTo(LogPort.NO_ROOM);
        owner.log.run();

        assertThat(owner.log.log.state().reason()).contains("storage.max-size");
        assertThat(segmentBytes()).isLessThanOrEqualTo(FIVE_SEGMENTS);
        // What is shorter may have what there is, after a while.
        owner.log.advanceMillis(10_000);
        owner.log.advanceMillis(500);
        assertThat(owner.log.append(1, "short")).isPositive();
        assertThat(segmentBytes()).isLessThanOrEqualTo(FIVE_SEGMENTS);
    }

    @Test
    void shouldFallBackToTheOlderCheckpoint() throws IOException {
        Owner owner = open();
        owner.start();
        owner.add("one");
        owner.checkpoint();
        long two = owner.add("two");
        owner.add("three");
        owner.checkpoint();
        owner.remove(two);
        owner.log.run();
        owner.log.log.close();
        List<String> checkpoints = disk.list().stream().map(SimulatedDisk.Entry::name)
                .filter(name -> name.startsWith("checkpoint-")).toList();
        assertThat(checkpoints).hasSize(2);
        String last = checkpoints.getLast();
        byte[] good = disk.content(last);
        for (int offset = 0; offset < good.length; offset++) {
            byte[] bytes = good.clone();
            bytes[offset] ^= 16;
            disk.put(last, bytes);
            // Four bytes of the header mean nothing, behind its checksum.
            boolean noticed = offset < 52 || offset >= 64;
            Owner again = open();
            assertThat(again.log.log.recovery().badCheckpoints()).hasSize(noticed ? 1 : 0);
            assertThat(again.records.values()).as("offset %s", offset).containsExactly("one", "three");
        }
        Owner again = open();
        again.start();
        again.checkpoint();
        assertThat(disk.list()).filteredOn(each -> each.name().startsWith("checkpoint-")).hasSize(2);
    }

    @Test
    void shouldRefuseToStartWithoutTheCheckpointThatStandsForTheBeginning() throws IOException {
        Owner owner = open();
        owner.start();
        for (int i = 0; i < 40; i++) {
            owner.remove(owner.add("b".repeat(1000)));
        }
        owner.checkpoint();
        owner.add("x");
        owner.checkpoint();
        owner.log.log.close();
        for (SimulatedDisk.Entry each : disk.list()) {
            if (each.name().startsWith("checkpoint-")) {
                disk.put(each.name(), new byte[100]);
            }
        }
        assertThatThrownBy(this::open).isInstanceOf(DamagedLog.class).hasMessageContaining("no whole checkpoint");
    }

    @Test
    void shouldKeepTheOldCheckpointsWhenThereIsNoRoomForAnother() throws IOException {
        Owner owner = open();
        owner.start();
        owner.add("one");
        owner.checkpoint();
        disk.setCapacityBytes(disk.usedBytes());
        Checkpoint checkpoint = owner.log.log.beginCheckpoint(owner.log.log.end());
        assertThatThrownBy(() -> owner.log.log.beginCheckpoint(owner.log.log.end()))
                .isInstanceOf(IllegalStateException.class);
        checkpoint.append(ByteBuffer.wrap(new byte[100]));
        List<IOException> failures = new ArrayList<>();
        checkpoint.commit(owner.log.loop, failures::add);
        owner.log.run();
        assertThat(failures).hasSize(1).doesNotContainNull();
        assertThat(owner.log.log.isCheckpointing()).isFalse();
        assertThat(disk.list()).noneMatch(each -> each.name().endsWith(".new"));
        disk.setCapacityBytes(Long.MAX_VALUE);
        owner.add("two");
        owner.checkpoint();
        owner.log.crash(new Random(1), SimulatedDisk.Loss.ALL);
        assertThat(open().records.values()).containsExactly("one", "two");
    }

    /** One record in a thousand stays for ever: what the disk holds stays within twice that and a few segments. */
    @Test
    void shouldGiveSpaceBackAlthoughSomeRecordsStay() throws IOException {
        Owner owner = open();
        owner.start();
        List<Long> window = new ArrayList<>();
        int most = 0;
        for (int i = 0; i < 3000; i++) {
            long position = owner.add(i + "c".repeat(200));
            if (i % 300 == 0) {
                continue;
            }
            window.add(position);
            if (window.size() > 10) {
                owner.remove(window.removeFirst());
            }
            if (i % 20 == 0) {
                owner.checkpoint();
                owner.log.advanceMillis(1100);
                most = Math.max(most, owner.log.log.segmentUse().size());
            }
        }
        assertThat(owner.movesSeen).isPositive();
        assertThat(most).isLessThanOrEqualTo(4);
        check(owner);
        TreeMap<Long, String> before = new TreeMap<>(owner.records);
        owner.log.crash(new Random(1), SimulatedDisk.Loss.ALL);
        Owner again = open();
        assertThat(again.records).isEqualTo(before);
        check(again);
    }

    private static void check(Owner owner) {
        if (owner.log.log.segmentUse().stream().allMatch(each -> each.retainedRecords() == 0)) {
            owner.start();
        }
        long[] positions = owner.records.keySet().stream().mapToLong(Long::longValue).toArray();
        assertThat(LogTest.read(owner.log, positions)).containsExactlyElementsOf(owner.records.values());
        long retained = owner.log.log.segmentUse().stream().mapToLong(Log.SegmentUse::retainedRecords).sum();
        assertThat(retained).isEqualTo(owner.records.size());
    }

    /** A checkpoint that was begun before its owner had applied a move must lead to the moved record all the same. */
    @Test
    void shouldReplayMovesThatACheckpointMayNotKnow() throws IOException {
        Owner owner = open();
        owner.start();
        owner.add("stays");
        List<Long> gone = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            gone.add(owner.add("b".repeat(1000)));
        }
        gone.forEach(owner::remove);
        owner.checkpoint();
        owner.add("later");
        owner.holdMoves = true;
        owner.checkpoint();
        owner.log.advanceMillis(1100);
        assertThat(owner.held).isNotNull();
        assertThat(owner.records.firstKey()).isEqualTo(SegmentHeader.BYTES);

        Map<Long, String> snapshot = new TreeMap<>(owner.records);
        long position = owner.log.log.end();
        Checkpoint checkpoint = owner.log.log.beginCheckpoint(position);
        assertThat(checkpoint.replayFrom).isLessThan(position);
        snapshot.forEach((at, payload) -> checkpoint.append(ByteBuffer.wrap(SimulatedLog.bytes(at + "|" + payload))));
        owner.holdMoves = false;
        owner.log.loop.execute(() -> owner.apply(owner.held));
        checkpoint.commit(owner.log.loop, failure -> assertThat(failure).isNull());
        owner.log.run();
        owner.checkpoint();
        assertThat(owner.log.log.contains(SegmentHeader.BYTES)).isFalse();
        owner.log.crash(new Random(1), SimulatedDisk.Loss.ALL);
        // The newest is lost, so that the one that knew the old position is used.
        String newest = disk.list().stream().map(SimulatedDisk.Entry::name)
                .filter(name -> name.startsWith("checkpoint-")).max(String::compareTo).orElseThrow();
        disk.put(newest, new byte[10]);
        SimulatedLog again = new SimulatedLog(disk, SimulatedLog.SMALL);
        assertThat(again.recovered.checkpoint).anyMatch(piece -> piece.startsWith(SegmentHeader.BYTES + "|stays"));
        assertThat(again.recovered.moves).anyMatch(move -> move.from() == SegmentHeader.BYTES);
    }
}
