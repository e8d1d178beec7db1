package io.sluicemq.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.store.sim.SimulatedDisk;
import io.sluicemq.testkit.LogCapture;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.lifecycle.BeforeTry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What is recovered from a log whose last stretch was cut, zeroed or changed, at every place of it. The log has batches that
 * were synced one after the other, a last one that was synced, and nothing behind it that would say so.
 */
class RecoveryProperties {

    private static final int SEGMENT_BYTES = 96 << 10;
    private static final LogOptions OPTIONS = SimulatedLog.SMALL.withSegmentBytes(SEGMENT_BYTES).withBuffers(8, 8192);

    private final List<SimulatedLog.Recovered.Found> written = new ArrayList<>();
    private SimulatedDisk disk;
    private String name;
    private byte[] good;
    private long end;
    /** Records before this place in {@code written} were synced before records behind them were written. */
    private int lastBatch;
    /** For each record, the number of the first one that was synced with it. */
    private final List<Integer> batchOf = new ArrayList<>();

    private LogCapture capture;

    /** Each cut is logged. */
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

    @BeforeEach
    void write() throws IOException {
        writeLog(new Random(42));
    }

    private void writeLog(Random random) throws IOException {
        written.clear();
        batchOf.clear();
        disk = new SimulatedDisk();
        SimulatedLog log = SimulatedLog.started(disk, OPTIONS);
        while (log.log.end() < SEGMENT_BYTES - 10_000) {
            lastBatch = written.size();
            for (int i = random.nextInt(1, 8); i > 0; i--) {
                batchOf.add(lastBatch);
                String payload = written.size() + "#" + "y".repeat(random.nextInt(400));
                written.add(new SimulatedLog.Recovered.Found(log.append(1 + i, payload), 1 + i, payload));
            }
            log.run();
        }
        assertThat(log.log.durable()).isEqualTo(log.log.end());
        end = log.log.end();
        name = SegmentHeader.fileName(0);
        good = disk.content(name);
    }

    private static int length(SimulatedLog.Recovered.Found record) {
        return RecordFormat.HEADER_BYTES + record.payload().length();
    }

    /** Records that lie wholly before an offset. */
    private int wholeBefore(long offset) {
        int count = 0;
        while (count < written.size() && written.get(count).position() + length(written.get(count)) <= offset) {
            count++;
        }
        return count;
    }

    private long firstOffsetOfLast64KiB() {
        return Math.max(SegmentHeader.BYTES, end - (64 << 10));
    }

    @Test
    void shouldKeepEveryWholeRecordBeforeEveryCutPoint() throws IOException {
        for (int cut = (int) firstOffsetOfLast64KiB(); cut <= end; cut++) {
            byte[] torn = good.clone();
            java.util.Arrays.fill(torn, cut, torn.length, (byte) 0);
            SimulatedLog log = open(torn);
            int whole = wholeBefore(cut);
            assertThat(log.recovered.records).as("cut at %s", cut).isEqualTo(written.subList(0, whole));
            long expectedEnd = whole == 0
                    ? SegmentHeader.BYTES
                    : written.get(whole - 1).position()
                            + RecordFormat.aligned(length(written.get(whole - 1)));
            assertThat(log.log.recovery().end()).isEqualTo(expectedEnd);
            assertThat(log.log.recovery().cutBytes()).isBetween(0L, Math.max(0, cut - expectedEnd));
        }
    }

    /** A file that was cut short rather than zeroed: the segment is as long as it is. */
    @Test
    void shouldKeepEveryWholeRecordOfAFileThatWasTruncated() throws IOException {
        for (int cut = (int) firstOffsetOfLast64KiB(); cut <= end; cut += 7) {
            SimulatedDisk copy = new SimulatedDisk();
            copy.put(name, java.util.Arrays.copyOf(good, cut));
            SimulatedLog log = new SimulatedLog(copy, OPTIONS);
            assertThat(log.recovered.records).as("cut at %s", cut).isEqualTo(written.subList(0, wholeBefore(cut)));
            log.log.start(null);
            log.run();
            log.appendSurely(9, "after");
            log.run();
            List<String> payloads = new SimulatedLog(copy, OPTIONS).recovered.payloads();
            assertThat(payloads).hasSize(wholeBefore(cut) + 1).endsWith("after");
        }
    }

    @Test
    void shouldFindEveryFlippedBit() throws IOException {
        Random random = new Random(7);
        long lastBatchStart = written.get(lastBatch).position();
        for (int offset = (int) firstOffsetOfLast64KiB(); offset < end; offset++) {
            byte[] flipped = good.clone();
            flipped[offset] ^= (byte) (1 << random.nextInt(8));
            checkFlipped(offset, flipped, lastBatchStart);
        }
    }

    private void checkFlipped(int offset, byte[] flipped, long lastBatchStart) throws IOException {
        int hit = wholeBefore(offset);
        boolean inPadding = hit == written.size() || offset < written.get(hit).position();
        // Of a record just behind the whole ones: its own bytes, or the padding of the one before.
        if (inPadding) {
            assertThat(open(flipped).recovered.records).isEqualTo(written);
        } else if (written.get(hit).position() < lastBatchStart) {
            assertThatThrownBy(() -> open(flipped)).as("flipped at %s", offset)
                    .isInstanceOfSatisfying(DamagedLog.class, damage -> {
                        assertThat(damage.file()).isEqualTo(name);
                        assertThat(damage.offset()).isEqualTo(written.get(hit).position());
                        assertThat(damage).hasMessageContaining("sluicemq log verify");
                    });
        } else {
            SimulatedLog log = open(flipped);
            assertThat(log.recovered.records).as("flipped at %s", offset).isEqualTo(written.subList(0, hit));
            assertThat(log.log.recovery().cutBytes()).isPositive();
        }
    }

    @Test
    void shouldTellDamageOfTheLastBatchFromATornTailAfterAQuietMomentOrAClose() throws IOException {
        for (boolean close : new boolean[] {true, false}) {
            SimulatedDisk quiet = new SimulatedDisk();
            SimulatedLog log = SimulatedLog.started(quiet, OPTIONS);
            long position = log.append(1, "synced");
            log.run();
            if (close) {
                log.log.close();
            } else {
                log.advanceMillis(100);
            }
            byte[] bytes = quiet.content(name);
            bytes[(int) position + 13] ^= 1;
            quiet.put(name, bytes);
            assertThatThrownBy(() -> new SimulatedLog(quiet, OPTIONS)).isInstanceOf(DamagedLog.class);
        }
    }

    @Property(tries = 2000)
    void shouldNeverHandOutWhatWasNotWritten(@ForAll long seed) throws IOException {
        Random random = new Random(seed);
        writeLog(random);
        byte[] damaged = good.clone();
        for (int i = random.nextInt(1, 4); i > 0; i--) {
            int from = random.nextInt(SegmentHeader.BYTES, (int) end);
            int to = Math.min(damaged.length, from + random.nextInt(1, 3000));
            switch (random.nextInt(3)) {
                case 0 -> java.util.Arrays.fill(damaged, from, to, (byte) 0);
                case 1 -> random.ints(to - from).forEach(value -> damaged[random.nextInt(from, to)] = (byte) value);
                default -> System.arraycopy(good, random.nextInt(SegmentHeader.BYTES, from + 1), damaged, from,
                        Math.min(to - from, damaged.length - from - 3000 > 0 ? to - from : 0));
            }
        }
        try {
            List<SimulatedLog.Recovered.Found> found = open(damaged).recovered.records;
            assertThat(found).isEqualTo(written.subList(0, found.size()));
            assertThat(hasEvidence(damaged, found.size())).isFalse();
        } catch (DamagedLog damage) {
            assertThat(hasEvidence(damaged, wholeBefore(damage.offset()))).isTrue();
        }
    }

    /** Whether there is a whole record that was written when the record of this number was synced. */
    private boolean hasEvidence(byte[] damaged, int number) {
        for (int i = number + 1; i < written.size(); i++) {
            int from = (int) written.get(i).position();
            int to = from + length(written.get(i));
            if (batchOf.get(i) > number && java.util.Arrays.equals(damaged, from, to, good, from, to)) {
                return true;
            }
        }
        return false;
    }

    /** The one record behind the hole is long, and tells that the hole was synced only if it is whole. */
    @Test
    void shouldBelieveALongRecordThatIsWhole() throws IOException {
        SimulatedDisk quiet = new SimulatedDisk();
        SimulatedLog log = SimulatedLog.started(quiet, OPTIONS);
        long lost = log.append(1, "synced");
        log.run();
        long witness = log.append(1, "w".repeat(20_000));
        log.run();
        byte[] bytes = quiet.content(name);
        bytes[(int) lost + 13] ^= 1;
        assertThatThrownBy(() -> open(bytes))
                .isInstanceOf(DamagedLog.class)
                .hasMessageContaining("but one at offset " + witness + " that was written when this was synced");

        bytes[(int) witness + 10_000] ^= 1;
        assertThat(open(bytes).recovered.records).isEmpty();
    }

    /** Bytes behind a hole that all look like the beginnings of long records, as a client may send them. */
    @Test
    @Timeout(20)
    void shouldTakeNoTimeOverBytesThatPretendToBeRecords() throws IOException {
        byte[] segment = java.util.Arrays.copyOf(good, 64 << 20);
        java.util.Arrays.fill(segment, (int) end, segment.length, (byte) 0);
        java.nio.ByteBuffer bytes = java.nio.ByteBuffer.wrap(segment).order(java.nio.ByteOrder.LITTLE_ENDIAN);
        int first = RecordFormat.aligned((int) end) + 64;
        for (int at = first; at < first + (4 << 20); at += 16) {
            bytes.putInt(at, 32 << 20);
            bytes.putInt(at + 8, 1);
        }

        SimulatedLog log = open(segment);

        assertThat(log.recovered.records).isEqualTo(written);
        assertThat(log.log.recovery().cutBytes()).isGreaterThan(4 << 20);
    }

    /** What is behind a cut must not come back when shorter records are written in its place. */
    @Test
    void shouldNotMisreadOldBytesBehindACut() throws IOException {
        for (int back = 1; back < 40; back++) {
            int hit = written.size() - 3;
            if (hit < lastBatch) {
                hit = lastBatch;
            }
            byte[] torn = good.clone();
            torn[(int) written.get(hit).position() + 13] ^= 1;
            SimulatedDisk copy = diskWith(torn);
            SimulatedLog log = SimulatedLog.started(copy, OPTIONS);
            assertThat(log.recovered.records).isEqualTo(written.subList(0, hit));
            log.append(1, "z".repeat(back));
            log.run();
            log.crash(new Random(back), SimulatedDisk.Loss.ALL);
            SimulatedLog again = new SimulatedLog(copy, OPTIONS);
            assertThat(again.recovered.payloads()).hasSize(hit + 1).endsWith("z".repeat(back));
            assertThat(again.log.recovery().cutBytes()).isZero();
        }
    }

    @Test
    void shouldRefuseDamageInASegmentThatIsNotTheLast() throws IOException {
        SimulatedDisk long_ = new SimulatedDisk();
        SimulatedLog log = SimulatedLog.started(long_);
        List<Long> positions = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            positions.add(log.appendSurely(1, "v".repeat(900)));
        }
        log.run();
        log.crash(new Random(1), SimulatedDisk.Loss.ALL);
        String first = SegmentHeader.fileName(0);
        for (int offset : new int[] {4096, positions.get(3).intValue() + 100, 16 * 1024 - 1500}) {
            SimulatedDisk copy = long_.copy();
            byte[] bytes = copy.content(first);
            java.util.Arrays.fill(bytes, offset, bytes.length, (byte) 0);
            copy.put(first, bytes);
            List<SimulatedDisk.Entry> before = copy.list();
            assertThatThrownBy(() -> new SimulatedLog(copy, SimulatedLog.SMALL))
                    .isInstanceOf(DamagedLog.class).hasMessageContaining(first);
            assertThat(copy.list()).isEqualTo(before);
            assertThat(copy.content(first)).isEqualTo(bytes);
        }
        SimulatedDisk missing = long_.copy();
        missing.delete(SegmentHeader.fileName(16 << 10));
        assertThatThrownBy(() -> new SimulatedLog(missing, SimulatedLog.SMALL))
                .isInstanceOf(DamagedLog.class).hasMessageContaining("missing");
    }

    /** The seal is lost and the first record behind it, too: what is left of the next segment must still not be thrown away. */
    @Test
    void shouldRefuseALostSealBeforeASegmentWhoseFirstRecordIsLost() throws IOException {
        SimulatedDisk copy = new SimulatedDisk();
        SimulatedLog log = SimulatedLog.started(copy);
        while (log.log.end() < SegmentHeader.BYTES + (20 << 10)) {
            log.appendSurely(1, "v".repeat(900));
        }
        log.run();
        log.crash(new Random(1), SimulatedDisk.Loss.ALL);
        String first = SegmentHeader.fileName(0);
        String second = SegmentHeader.fileName(16 << 10);
        byte[] unsealed = copy.content(first);
        java.util.Arrays.fill(unsealed, unsealed.length - 1500, unsealed.length, (byte) 0);
        copy.put(first, unsealed);
        byte[] headless = copy.content(second);
        java.util.Arrays.fill(headless, SegmentHeader.BYTES, SegmentHeader.BYTES + 600, (byte) 0);
        copy.put(second, headless);

        assertThatThrownBy(() -> new SimulatedLog(copy, SimulatedLog.SMALL))
                .isInstanceOf(DamagedLog.class).hasMessageContaining(second + " goes on after it");
        assertThat(copy.content(second)).isEqualTo(headless);
    }

    @Test
    void shouldRefuseAForeignFolderAndANewerFormat() throws IOException {
        SimulatedDisk foreign = disk.copy();
        foreign.put("notes.txt", new byte[10]);
        assertThatThrownBy(() -> new SimulatedLog(foreign, OPTIONS))
                .isInstanceOf(ForeignLog.class).hasMessageContaining("notes.txt");

        SimulatedDisk other = diskWith(good);
        byte[] bytes = good.clone();
        bytes[0] = 'X';
        other.put(name, bytes);
        assertThatThrownBy(() -> new SimulatedLog(other, OPTIONS)).isInstanceOf(ForeignLog.class);

        byte[] newer = good.clone();
        newer[8] = 2;
        java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
        crc.update(newer, 0, 40);
        java.nio.ByteBuffer.wrap(newer).order(java.nio.ByteOrder.LITTLE_ENDIAN).putInt(40, (int) crc.getValue());
        other.put(name, newer);
        assertThatThrownBy(() -> new SimulatedLog(other, OPTIONS))
                .isInstanceOf(ForeignLog.class).hasMessageContaining("format 2");
        assertThat(other.content(name)).isEqualTo(newer);
    }

    private SimulatedDisk diskWith(byte[] segment) {
        SimulatedDisk copy = new SimulatedDisk();
        copy.put(name, segment);
        return copy;
    }

    private SimulatedLog open(byte[] segment) throws IOException {
        return new SimulatedLog(diskWith(segment), OPTIONS);
    }
}
