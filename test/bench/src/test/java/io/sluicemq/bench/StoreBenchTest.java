package io.sluicemq.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreBenchTest {

    @TempDir
    Path folder;

    @Test
    void shouldMeasureTheLogAndABareLoopAndLeaveNothingBehind() throws Exception {
        List<DiskLoad> loads = List.of(new BareWrites(64 << 10), new LogWrites(1 << 10, 100));

        StoreReport report = StoreBench.measure(folder, loads, 2, 100_000_000);

        assertThat(report.labels())
                .containsExactly("bare loop, 64 KiB a sync", "log, 1 KiB records, 200 KiB under way");
        assertThat(report.bytesPerSecond()).hasDimensions(2, 2);
        for (double[] rates : report.bytesPerSecond()) {
            assertThat(DoubleStream.of(rates).min().orElseThrow()).isGreaterThan(10_000);
        }
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void shouldCompareRoundByRound() {
        StoreReport report = new StoreReport(
                List.of("bare", "log"), new double[][] {{100e6, 50e6, 200e6}, {300e6, 50e6, 400e6}});

        assertThat(report.ratio(0)).isEqualTo(1);
        assertThat(report.ratio(1)).isCloseTo(2, within(1e-9));
        assertThat(report.markdown()).isEqualTo("""
                | load | MB/s | least – most | × | least – most |
                | --- | ---: | ---: | ---: | ---: |
                | bare | 100.0 | 50.0 – 200.0 | 1.00 | 1.00 – 1.00 |
                | log | 300.0 | 50.0 – 400.0 | 2.00 | 1.00 – 3.00 |
                """);
    }
}
