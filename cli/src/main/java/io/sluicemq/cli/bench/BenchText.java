package io.sluicemq.cli.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The load tool's figures as lines for a person. Stateless; any thread. */
public final class BenchText {

    private BenchText() {}

    /** The heading of the live lines. */
    public static String heading() {
        return "   s  published/s  confirmed/s   consumed/s      backlog     p50 ms     p99 ms   p99.9 ms  broker CPU";
    }

    /** One second's line, under {@link #heading}. */
    public static String line(Sample sample) {
        return String.format(
                Locale.ROOT,
                "%4d %12.0f %12.0f %12.0f %12d %10.2f %10.2f %10.2f %11s%s%s",
                sample.second(),
                sample.publishedPerSecond(),
                sample.confirmedPerSecond(),
                sample.consumedPerSecond(),
                sample.backlog(),
                sample.latency().p50Millis(),
                sample.latency().p99Millis(),
                sample.latency().p999Millis(),
                sample.brokerCpuPercent() == null
                        ? "-"
                        : String.format(Locale.ROOT, "%.0f%%", sample.brokerCpuPercent()),
                sample.blockedConnections() == 0 ? "" : "  blocked: " + sample.blockedConnections(),
                sample.warmup() ? "  (warm-up)" : "");
    }

    /** The end of a run. */
    public static List<String> summary(BenchResult result) {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "published %,.0f/s   confirmed %,.0f/s   consumed %,.0f/s   over %.1f s",
                result.publishedPerSecond(),
                result.confirmedPerSecond(),
                result.consumedPerSecond(),
                result.seconds()));
        lines.add(percentiles("latency        ", result.latency()));
        if (result.confirmLatency().count() > 0) {
            lines.add(percentiles("confirm latency", result.confirmLatency()));
        }
        lines.add(String.format(
                Locale.ROOT, "backlog         at the end %,d   peak %,d", result.backlogAtEnd(), result.backlogPeak()));
        if (result.brokerCpuMicrosPerMessage() != null) {
            lines.add(String.format(
                    Locale.ROOT,
                    "broker          %.2f µs CPU a message   %.0f%% of a core   %,d MiB resident",
                    result.brokerCpuMicrosPerMessage(),
                    result.brokerCpuPercent(),
                    result.brokerRssBytes() / (1024 * 1024)));
        }
        lines.add(String.format(
                Locale.ROOT, "this client     %.2f µs CPU a message", result.clientCpuMicrosPerMessage()));
        lines.add(String.format(
                Locale.ROOT,
                "in all          published %,d   confirmed %,d   consumed %,d   undelivered %,d",
                result.published(),
                result.confirmed(),
                result.consumed(),
                result.undelivered()));
        lines.add(String.format(
                Locale.ROOT,
                "events          returned %,d   nacked %,d   connection.blocked %,d   missing %,d   late %,d",
                result.returned(),
                result.nacked(),
                result.blockedEvents(),
                result.missing(),
                result.late()));
        return lines;
    }

    private static String percentiles(String what, Percentiles percentiles) {
        return String.format(
                Locale.ROOT,
                "%s p50 %.2f ms   p99 %.2f ms   p99.9 %.2f ms   max %.2f ms",
                what,
                percentiles.p50Millis(),
                percentiles.p99Millis(),
                percentiles.p999Millis(),
                percentiles.maxMillis());
    }
}
