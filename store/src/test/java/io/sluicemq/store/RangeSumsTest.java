package io.sluicemq.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.store.disk.DiskFile;
import io.sluicemq.store.sim.SimulatedDisk;
import java.io.IOException;
import java.util.Random;
import java.util.zip.CRC32C;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class RangeSumsTest {

    @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
    void shouldSumAnyRangeAsIfItWasRead(
            @ForAll long seed, @ForAll @IntRange(max = 3000) int start, @ForAll @IntRange(max = 100_000) int length)
            throws IOException {
        Random random = new Random(seed);
        byte[] bytes = new byte[start + length];
        random.nextBytes(bytes);
        SimulatedDisk disk = new SimulatedDisk();
        disk.put("file", bytes);
        try (DiskFile file = disk.openReadOnly("file")) {
            RangeSums sums = new RangeSums(file, start, bytes.length);
            for (int i = 0; i < 50; i++) {
                int from = random.nextInt(start, bytes.length + 1);
                int to = random.nextInt(from, bytes.length + 1);
                CRC32C crc = new CRC32C();
                crc.update(bytes, from, to - from);
                assertThat(sums.covers(from, to)).isTrue();
                assertThat(sums.of(from, to)).as("%s to %s", from, to).isEqualTo((int) crc.getValue());
            }
        }
    }

    @Test
    void shouldNotCoverWhatAFileHasNot() throws IOException {
        SimulatedDisk disk = new SimulatedDisk();
        disk.put("file", new byte[1000]);
        try (DiskFile file = disk.openReadOnly("file")) {
            RangeSums sums = new RangeSums(file, 100, 5000);
            assertThat(sums.covers(100, 1000)).isTrue();
            assertThat(sums.covers(100, 1001)).isFalse();
            assertThat(sums.covers(99, 1000)).isFalse();
        }
    }
}
