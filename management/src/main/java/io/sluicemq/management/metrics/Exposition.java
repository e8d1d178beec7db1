package io.sluicemq.management.metrics;

import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Writes metrics in one of the two text formats of Prometheus. Immutable. */
final class Exposition {

    private static final ExpositionFormatWriter PROMETHEUS = PrometheusTextFormatWriter.create();
    private static final ExpositionFormatWriter OPEN_METRICS = OpenMetricsTextFormatWriter.create();

    private final ExpositionFormatWriter writer;

    private Exposition(ExpositionFormatWriter writer) {
        this.writer = writer;
    }

    /**
     * The format for who accepts that.
     *
     * @param accept the header of that name; null for none
     */
    static Exposition accepted(String accept) {
        return new Exposition(
                weight(accept, "application/openmetrics-text") > weight(accept, "text/plain")
                        ? OPEN_METRICS
                        : PROMETHEUS);
    }

    /** How much a type is wanted (RFC 9110, §12.4.2): from 0 to 1; 0 if it is not named. */
    private static double weight(String accept, String type) {
        double most = 0;
        for (String each : (accept == null ? "" : accept.toLowerCase(Locale.ROOT)).split(",")) {
            String[] parts = each.split(";", -1);
            if (parts[0].strip().equals(type)) {
                most = Math.max(most, quality(parts));
            }
        }
        return most;
    }

    private static double quality(String[] parts) {
        for (String part : parts) {
            String parameter = part.strip();
            if (parameter.startsWith("q=")) {
                return parameter.matches("q=[01](\\.\\d{0,3})?") ? Double.parseDouble(parameter.substring(2)) : 0;
            }
        }
        return 1;
    }

    String contentType() {
        return writer.getContentType();
    }

    byte[] bytes(Gathered gathered, MetricSnapshots others) {
        List<MetricSnapshot> all = new ArrayList<>();
        for (Metric metric : BrokerMetrics.ALL) {
            Points points = new Points(metric, gathered.startedMillis());
            metric.source().read(gathered, points);
            all.add(points.toSnapshot());
        }
        others.forEach(all::add);
        ByteArrayOutputStream out = new ByteArrayOutputStream(64 << 10);
        try {
            writer.write(out, new MetricSnapshots(all));
        } catch (IOException e) {
            throw new UncheckedIOException(e); // memory doesn't fail
        }
        return out.toByteArray();
    }
}
