package io.sluicemq.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.sluicemq.store.disk.Disk;
import io.sluicemq.store.sim.SimulatedDisk;
import io.sluicemq.testkit.LogCapture;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Appending, durability, reading, full disks and failures, on a simulated disk and one thread. */
class LogTest {

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
    private final Random random = new Random(1);

    @Test
    void shouldBeginAnEmptyLogInAnEmptyFolder() throws IOException {
        SimulatedLog log = SimulatedLog.started(disk);
        assertThat(log.recovered.records).isEmpty();
        assertThat(log.log.durable()).isEqualTo(SegmentHeader.BYTES);
        assertThat(log.log.state().kind()).isEqualTo(LogState.Kind.OPEN);
    }

    @Test
    void shouldGivePositionsThatGrowAndAreDivisibleByEight() throws IOException {
        SimulatedLog log = SimulatedLog.started(disk);
        long first = log.append(1, "a");
        long second = log.append(1, "bcdefghijklmnop");
        assertThat(first).isEqualTo(SegmentHeader.BYTES);
        assertThat(second).isEqualTo(first + 16);
        assertThat(log.append(1, "")).isEqualTo(second + 32);
    }

    @Test
    void shouldTellOnceASyncThatPositionsAreDurable() throws IOException {
        SimulatedLog log = SimulatedLog.started(disk);
        long syncs = disk.syncs();
        long last = log.loop.call(() -> {
            long position = 0;
            for (int i = 0; i < 50; i++) {
                position = SimulatedLog.append(log.port, 1, "record " + i, false);
                assertThat(log.port.await(position)).isTrue();
            }
            return position;
        });
        assertThat(log.durableEvents).isEmpty();
        log.run();
        assertThat(disk.syncs()).isEqualTo(syncs + 1);
        assertThat(log.durableEvents).hasSize(1);
        assertThat(log.durableEvents.getFirst()).isGreaterThan(last);
        assertThat(log.loop.call(() -> log.port.await(last))).isFalse();
    }

    @Test
    void shouldNotBeDurableBeforeTheSync() throws IOException {
        SimulatedLog log = SimulatedLog.started(disk);
        long position = log.append(1, "x");
        log.loops.runAll();
        log.workers.step("log-writer"); // writes
        assertThat(log.log.durable()).isEqualTo(position);
        log.workers.step("log-writer"); // syncs
        assertThat(log.log.durable()).isGreaterThan(position);
    }

    @Test
    void shouldRecoverWhatWasDurableAfterAnyCrash() throws IOException {
        for (SimulatedDisk.Loss loss : SimulatedDisk.Loss.values()) {
            SimulatedDisk fresh = new SimulatedDisk();
            SimulatedLog log = SimulatedLog.started(fresh);
            long first = log.append(7, "one");
            long second = log.append(8, "two");
            log.run();
            log.crash(random, loss);
            SimulatedLog again = SimulatedLog.started(fresh);
            assertThat(again.recovered.records).containsExactly(
                    new SimulatedLog.Recovered.Found(first, 7, "one"),
                    new SimulatedLog.Recovered.Found(second, 8, "two"));
        }
    }

    @Test
    void shouldGoOnOverManySegmentsAndRestarts() throws IOException {
        List<String> expected = new ArrayList<>();
        for (int round = 0; round < 5; round++) {
            SimulatedLog log = SimulatedLog.started(disk);
            assertThat(log.recovered.payloads()).isEqualTo(expected);
            for (int i = 0; i < 100; i++) {
                String payload = round + "/" + i + "x".repeat(random.nextInt(1500));
                log.appendSurely(1, payload);
                expected.add(payload);
            }
            log.run();
            if (round % 2 == 0) {
                log.log.close();
            } else {
                log.crash(random, SimulatedDisk.Loss.ALL);
            }
        }
        assertThat(SimulatedLog.started(disk).recovered.payloads()).isEqualTo(expected);
        assertThat(disk.list()).hasSizeGreaterThan(10);
    }

    @Test
    void shouldTakeRecordsLongerThanABufferAndThanASegment() throws IOException {
        SimulatedLog log = SimulatedLog.started(disk);
        log.append(1, "before");
        long inSegment = log.appendSurely(2, "s".repeat(5000));
        long ownSegment = log.appendSurely(3, "l".repeat(40_000));
        log.appendSurely(1, "after");
        log.run();
        assertThat(read(log, inSegment, ownSegment)).containsExactly("s".repeat(5000), "l".repeat(40_000));
        log.crash(random, SimulatedDisk.Loss.ALL);
        assertThat(SimulatedLog.started(disk).recovered.payloads())
                .containsExactly("before", "s".repeat(5000), "l".repeat(40_000), "after");
    }

    @Test
    void shouldRefuseAClaimWhenAllBuffersAreFullAndTellWhenThereIsRoom() throws IOException {
        SimulatedLog log = SimulatedLog.started(disk);
        int claimed = 0;
        while (log.append(1, "x".repeat(1000)) != LogPort.NO_ROOM) {
            claimed++;
        }
        assertThat(claimed).isEqualTo(8); // four buffers of 2048 bytes, two records each
        assertThat(log.roomEvents).isZero();
        log.run();
        assertThat(log.roomEvents).isEqualTo(1);
        assertThat(log.append(1, "x".repeat(1000))).isPositive();
    }

    @Test
    void shouldSkipAClaimThatWasTakenBack() throws IOException {
        SimulatedLog log = SimulatedLog.started(disk);
        log.append(1, "a");
        log.loop.run(() -> {
            log.port.claim(100);
            log.port.payload().put((byte) 1);
            log.port.abort();
        });
        log.append(1, "b");
        log.run();
        log.crash(random, SimulatedDisk.Loss.ALL);
        assertThat(SimulatedLog.started(disk).recovered.payloads()).containsExactly("a", "b");
    }

    @Test
    void shouldHoldWhateverComesBehindARecordThatIsNotComplete() throws IOException {
        SimulatedLog log = SimulatedLog.started(disk);
        LogPort other = log.log.attach(log.loops.get(1), Quiet.INSTANCE);
        long open = log.loop.call(() -> log.port.claim(10));
        long behind = log.loops.get(1).call(() -> SimulatedLog.append(other, 1, "behind", false));
        log.run();
        assertThat(log.log.durable()).isLessThanOrEqualTo(open);
        log.loop.run(() -> log.port.commit(1));
        log.run();
        assertThat(log.log.durable()).isGreaterThan(behind);
    }

    @Test
    void shouldReadFromMemoryWhatIsNotWrittenAndFromDiskWhatIs() throws IOException {
        SimulatedLog log = SimulatedLog.started(disk);
        long first = log.append(1, "first");
        log.run();
        long second = log.append(1, "second");
        List<String> seen = new ArrayList<>();
        log.loop.run(() -> assertThat(log.port.read(new long[] {first, second}, 0, 2, collect(seen))).isTrue());
        log.workers.step("log-reader-0");
        log.loops.runAll();
        assertThat(seen).containsExactly("first", "second", "done 2");
    }

    @Test
    void shouldBoundReadsInNumberAndBytes() throws IOException {
        SimulatedLog log = SimulatedLog.started(disk);
        long[] positions = new long[10];
        for (int i = 0; i < 10; i++) {
            positions[i] = log.appendSurely(1, i + "x".repeat(999));
        }
        log.run();
        List<String> seen = new ArrayList<>();
        log.loop.run(() -> {
            for (int i = 0; i < 4; i++) {
                assertThat(log.port.read(positions, 0, 10, collect(seen))).isTrue();
            }
            assertThat(log.port.read(positions, 0, 10, collect(seen))).isFalse();
        });
        log.run();
        assertThat(seen).filteredOn(each -> each.startsWith("done")).containsOnly("done 4").hasSize(4);
        assertThat(log.loop.call(() -> log.port.read(positions, 4, 6, collect(seen)))).isTrue();
    }

    @Test
    void shouldSayWhatIsWrongWithARecordThatCantBeRead() throws IOException {
        SimulatedLog log = SimulatedLog.started(disk);
        long position = log.append(1, "to be damaged");
        log.run();
        String name = SegmentHeader.fileName(0);
        byte[] bytes = disk.content(name);
        bytes[(int) position + 15] ^= 1;
        disk.put(name, bytes);
        List<String> seen = new ArrayList<>();
        log.loop.run(() -> log.port.read(new long[] {position}, 0, 1, collect(seen)));
        log.run();
        assertThat(seen).hasSize(1);
        assertThat(seen.getFirst()).startsWith("done 0").contains(name).contains("sluicemq log verify");
    }

    @Test
    void shouldNotSyncInModeOsAndAfterAWhileInModeInterval() throws IOException {
        SimulatedLog os = SimulatedLog.started(new SimulatedDisk(),
                SimulatedLog.SMALL.withSync(new SyncMode.Os()));
        long before = os.disk.syncs();
        long position = os.append(1, "x");
        os.run();
        assertThat(os.log.durable()).isGreaterThan(position);
        assertThat(os.disk.syncs()).isEqualTo(before);

        SimulatedLog interval = SimulatedLog.started(new SimulatedDisk(),
                SimulatedLog.SMALL.withSync(new SyncMode.Interval(100)));
        before = interval.disk.syncs();
        position = interval.append(1, "x");
        interval.run();
        assertThat(interval.log.durable()).isGreaterThan(position);
        assertThat(interval.disk.syncs()).isEqualTo(before);
        interval.advanceMillis(99);
        assertThat(interval.disk.syncs()).isEqualTo(before);
        interval.advanceMillis(1);
        assertThat(interval.disk.syncs()).isEqualTo(before + 1);
        interval.advanceMillis(1000);
        assertThat(interval.disk.syncs()).isEqualTo(before + 1);
    }

    @Test
    void shouldFailForGoodWhenASyncFails() throws IOException {
        SimulatedLog log = SimulatedLog.started(disk);
        long durable = log.append(1, "durable");
        log.run();
        long lost = log.append(1, "lost");
        assertThat(log.loop.call(() -> log.port.await(lost))).isTrue();
        disk.failSync(1);
        log.run();
        assertThat(log.log.state().kind()).isEqualTo(LogState.Kind.FAILED);
        assertThat(log.log.state().reason()).contains("simulated failure of a sync");
        assertThat(log.states).extracting(LogState::kind).containsExactly(LogState.Kind.FAILED);
        assertThat(log.append(1, "x")).isEqualTo(LogPort.NO_ROOM);
        assertThat(log.appendReserved(1, "x")).isEqualTo(LogPort.NO_ROOM);
        log.advanceMillis(60_000);
        assertThat(log.durableEvents).isEmpty();
        assertThat(log.log.durable()).isBetween(durable + 1, lost);
        long syncs = disk.syncs();
        log.log.close();
        assertThat(disk.syncs()).isEqualTo(syncs);
        assertThat(log.log.state().kind()).isEqualTo(LogState.Kind.FAILED);
    }

    @Test
    void shouldFailForGoodWhenAWriteFails() throws IOException {
        SimulatedLog log = SimulatedLog.started(disk);
        log.append(1, "x");
        disk.failWrite(1);
        log.run();
        assertThat(log.log.state().kind()).isEqualTo(LogState.Kind.FAILED);
        assertThat(log.log.state().reason()).contains("simulated failure of a write");
    }

    @Test
    void shouldAdmitNothingOnAFullDiskButSettlementsAndResumeByItself() throws IOException {
        SimulatedLog log = SimulatedLog.started(disk);
        disk.setCapacityBytes(3 * SimulatedLog.SMALL.segmentBytes() + 100);
        while (log.log.state().kind() == LogState.Kind.OPEN) {
            log.append(1, "x".repeat(1000));
            log.run();
        }
        assertThat(log.log.state().kind()).isEqualTo(LogState.Kind.FULL);
        assertThat(log.log.state().reason()).contains("no room on the disk");
        assertThat(log.append(1, "refused")).isEqualTo(LogPort.NO_ROOM);
        long settled = log.appendReserved(2, "settled");
        assertThat(settled).isPositive();
        log.run();
        assertThat(log.log.durable()).isGreaterThan(settled);
        int rooms = log.roomEvents;
        log.advanceMillis(5000);
        assertThat(log.log.state().kind()).isEqualTo(LogState.Kind.FULL);
        assertThat(disk.list()).noneMatch(each -> each.name().endsWith(".new"));

        disk.setCapacityBytes(Long.MAX_VALUE);
        log.advanceMillis(500);
        assertThat(log.log.state().kind()).isEqualTo(LogState.Kind.OPEN);
        assertThat(log.states).extracting(LogState::kind).containsExactly(LogState.Kind.FULL, LogState.Kind.OPEN);
        assertThat(log.roomEvents).isGreaterThan(rooms);
        assertThat(log.append(1, "admitted")).isPositive();
    }

    @Test
    void shouldBeFullBelowTheFloor() throws IOException {
        SimulatedLog log = SimulatedLog.started(disk, SimulatedLog.SMALL.withFreeSpaceFloorBytes(1000));
        disk.setCapacityBytes(disk.usedBytes() + 999);
        log.advanceMillis(500);
        assertThat(log.log.state().kind()).isEqualTo(LogState.Kind.FULL);
        assertThat(log.log.state().reason()).contains("floor is 1000");
        disk.setCapacityBytes(disk.usedBytes() + 1000);
        log.advanceMillis(500);
        assertThat(log.log.state().kind()).isEqualTo(LogState.Kind.OPEN);
    }

    @Test
    void shouldLogThatItIsFullAtABoundedRateAndNeverLeaveItOut() throws IOException {
        SimulatedLog log = SimulatedLog.started(disk, SimulatedLog.SMALL.withFreeSpaceFloorBytes(1000));
        for (int i = 0; i < 5; i++) {
            disk.setCapacityBytes(disk.usedBytes() + 999);
            log.advanceMillis(500);
            disk.setCapacityBytes(disk.usedBytes() + 1000);
            log.advanceMillis(500);
        }
        disk.setCapacityBytes(disk.usedBytes() + 999);
        log.advanceMillis(500);

        assertThat(log.log.state().kind()).isEqualTo(LogState.Kind.FULL);
        assertThat(log.states).hasSize(11);
        assertThat(capture.messages(Level.WARN)).hasSize(1);
        for (int i = 0; i < 20; i++) {
            log.advanceMillis(500);
        }
        assertThat(capture.messages(Level.WARN)).hasSize(2);
        assertThat(capture.messages(Level.WARN).getLast())
                .endsWith("the floor is 1000 (it was full 4 times more since the last such line)");
    }

    @Test
    void shouldNotStayFullBecauseOfOneRecordThatIsTooLong() throws IOException {
        SimulatedLog log = SimulatedLog.started(disk);
        disk.setCapacityBytes(disk.usedBytes() + 20_000);
        assertThat(log.append(1, "l".repeat(60_000))).isEqualTo(LogPort.NO_ROOM);
        log.run();
        log.advanceMillis(10_000);
        log.advanceMillis(500);
        assertThat(log.log.state().kind()).isEqualTo(LogState.Kind.OPEN);
        assertThat(log.append(1, "short")).isPositive();
    }

    @Test
    void shouldNotBeFullAndOpenByTurnsWhileALongRecordFindsNoRoom() throws IOException {
        SimulatedLog log = SimulatedLog.started(disk);
        disk.setCapacityBytes(disk.usedBytes() + 20_000);
        for (int i = 0; i < 90; i++) {
            assertThat(log.append(1, "l".repeat(60_000))).isEqualTo(LogPort.NO_ROOM);
            log.run();
            log.advanceMillis(100);
        }
        assertThat(log.states).extracting(LogState::kind).containsExactly(LogState.Kind.FULL);

        disk.setCapacityBytes(Long.MAX_VALUE);
        log.advanceMillis(500);
        assertThat(log.states).extracting(LogState::kind).containsExactly(LogState.Kind.FULL, LogState.Kind.OPEN);
        assertThat(log.append(1, "l".repeat(60_000))).isPositive();
    }

    @Test
    void shouldCheckHowAPortIsUsed() throws IOException {
        SimulatedLog log = SimulatedLog.started(disk);
        log.loop.run(() -> {
            assertThatThrownBy(() -> log.port.commit(1)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> log.port.claim(64 * 1024 + 1)).isInstanceOf(IllegalArgumentException.class);
            log.port.claim(1);
            assertThatThrownBy(() -> log.port.claim(1)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> log.port.commit(0)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> log.port.commit(240)).isInstanceOf(IllegalArgumentException.class);
            log.port.abort();
        });
    }

    static List<String> read(SimulatedLog log, long... positions) {
        List<String> seen = new ArrayList<>();
        int next = 0;
        while (next < positions.length) {
            int from = next;
            int before = seen.size();
            log.loop.run(() -> assertThat(log.port.read(positions, from, positions.length - from, collect(seen)))
                    .isTrue());
            log.run();
            assertThat(seen.removeLast()).doesNotStartWith("done 0").startsWith("done");
            next += seen.size() - before;
        }
        return seen;
    }

    static ReadBatch collect(List<String> seen) {
        return new ReadBatch() {
            @Override
            public void record(long position, int type, ByteBuffer payload) {
                seen.add(SimulatedLog.text(payload));
            }

            @Override
            public void done(int records, IOException failure) {
                seen.add("done " + records + (failure == null ? "" : " " + failure.getMessage()));
            }
        };
    }

    /** Wants to know nothing. */
    enum Quiet implements LogListener {
        INSTANCE;

        @Override
        public void durable(long position) {}

        @Override
        public void room() {}

        @Override
        public void stateChanged(LogState state) {}
    }

    @Test
    void shouldKeepNoCheckpointThatTellsOfWhatIsNotOnTheDisk() throws IOException {
        SimulatedLog log = SimulatedLog.started(disk);
        log.appendSurely(1, "before");
        log.run();
        Checkpoint checkpoint = log.log.beginCheckpoint(log.log.end());
        long later = log.append(1, "later");
        checkpoint.append(ByteBuffer.wrap(SimulatedLog.bytes("knows of later")));
        checkpoint.commit(log.loop, failure -> assertThat(failure).isNull());

        for (int i = 0; i < 10; i++) {
            log.workers.step("log-checkpoints");
        }
        assertThat(disk.list()).extracting(Disk.Entry::name).noneMatch(CheckpointFile::isName);

        log.run();
        assertThat(log.log.synced()).isGreaterThan(later);
        assertThat(disk.list()).extracting(Disk.Entry::name).filteredOn(CheckpointFile::isName).hasSize(1);
    }

    /** The mark of an idle log is not synced for its own sake; what came just before it is. */
    @Test
    void shouldSyncARecordThatComesRightBeforeAMark() throws IOException {
        SimulatedLog log = SimulatedLog.started(disk);
        log.appendSurely(1, "before");
        log.run();
        log.loops.advance(25_000_000);
        List<Long> between = new ArrayList<>();
        log.onClock = () -> {
            log.onClock = () -> {
            };
            between.add(log.append(1, "between"));
        };

        log.workers.step("log-writer");
        assertThat(between).hasSize(1);
        log.run();

        assertThat(log.log.durable()).isGreaterThan(between.getFirst());
    }
}
