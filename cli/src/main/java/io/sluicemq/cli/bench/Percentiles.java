package io.sluicemq.cli.bench;

import org.HdrHistogram.Histogram;

/**
 * A histogram's usual points, in milliseconds; all 0 where nothing was recorded.
 *
 * @param count values recorded
 */
public record Percentiles(long count, double p50Millis, double p99Millis, double p999Millis, double maxMillis) {

    static Percentiles of(Histogram micros) {
        return new Percentiles(
                micros.getTotalCount(),
                micros.getValueAtPercentile(50) / 1000.0,
                micros.getValueAtPercentile(99) / 1000.0,
                micros.getValueAtPercentile(99.9) / 1000.0,
                micros.getMaxValue() / 1000.0);
    }
}
