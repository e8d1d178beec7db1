package io.sluicemq.cli.bench;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/** The one shape of all latency histograms: microseconds, three digits, up to an hour (longer counts as an hour). */
final class Latency {

    private static final long HIGHEST_MICROS = 3_600_000_000L;
    private static final int DIGITS = 3;

    private Latency() {}

    static Histogram histogram() {
        return new Histogram(HIGHEST_MICROS, DIGITS);
    }

    static SingleWriterRecorder recorder() {
        return new SingleWriterRecorder(HIGHEST_MICROS, DIGITS);
    }

    /** A recordable value: a clock step between cores may make a tiny latency negative, which is 0 here. */
    static long micros(long nanos) {
        return Math.min(HIGHEST_MICROS, Math.max(0, nanos / 1000));
    }
}
