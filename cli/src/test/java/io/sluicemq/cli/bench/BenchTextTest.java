package io.sluicemq.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class BenchTextTest {

    @Test
    void shouldPutTheFiguresOfASecondUnderTheHeading() {
        Percentiles latency = new Percentiles(1000, 1.234, 5.678, 9.1, 12);
        String line = BenchText.line(new Sample(4, false, 60_000.4, 0, 59_000, 1234, latency, 87.6, 1L << 20, 0));

        assertThat(line).hasSameSizeAs(BenchText.heading());
        assertThat(line.strip().split(" +"))
                .containsExactly("4", "60000", "0", "59000", "1234", "1.23", "5.68", "9.10", "88%");
    }

    @Test
    void shouldSayWhenConnectionsAreBlockedAndWhenItIsWarmUp() {
        Percentiles none = Percentiles.of(Latency.histogram());
        String line = BenchText.line(new Sample(1, true, 0, 0, 0, 0, none, null, null, 2));

        assertThat(line).endsWith("-  blocked: 2  (warm-up)");
    }

    @Test
    void shouldTakePercentilesInMilliseconds() {
        Histogram micros = Latency.histogram();
        for (int i = 1; i <= 1000; i++) {
            micros.recordValue(i);
        }

        Percentiles percentiles = Percentiles.of(micros);

        assertThat(percentiles.count()).isEqualTo(1000);
        assertThat(percentiles.p50Millis()).isEqualTo(0.5);
        assertThat(percentiles.p99Millis()).isEqualTo(0.99);
        assertThat(percentiles.p999Millis()).isEqualTo(0.999);
        assertThat(percentiles.maxMillis()).isEqualTo(1.0);
    }

    @Test
    void shouldBoundWhatItRecords() {
        assertThat(Latency.micros(-5)).isZero();
        assertThat(Latency.micros(2_500)).isEqualTo(2);
        assertThat(Latency.micros(Long.MAX_VALUE)).isEqualTo(3_600_000_000L);
    }
}
