package io.sluicemq.management.metrics;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.Unit;
import io.sluicemq.base.Distribution;
import java.util.ArrayList;
import java.util.List;

/** The values of one metric, being collected by one thread. */
final class Points {

    private final Metric metric;
    private final long startedMillis;
    private final String[] labelNames;
    private final List<CounterDataPointSnapshot> counters = new ArrayList<>();
    private final List<GaugeDataPointSnapshot> gauges = new ArrayList<>();
    private final List<HistogramDataPointSnapshot> histograms = new ArrayList<>();
    private final List<InfoDataPointSnapshot> infos = new ArrayList<>();

    /** @param startedMillis since when counters count */
    Points(Metric metric, long startedMillis) {
        this.metric = metric;
        this.startedMillis = startedMillis;
        this.labelNames = metric.labels().toArray(String[]::new);
    }

    /** Adds a value; a number of seconds or bytes where that is the unit. */
    void add(double value, String... labelValues) {
        switch (metric.type()) {
            case COUNTER ->
                counters.add(new CounterDataPointSnapshot(value, labels(labelValues), null, startedMillis));
            case GAUGE -> gauges.add(new GaugeDataPointSnapshot(value, labels(labelValues), null));
            case INFO -> infos.add(new InfoDataPointSnapshot(labels(labelValues)));
            case HISTOGRAM -> throw new IllegalStateException(metric.name() + " is a histogram");
        }
    }

    /** Adds a distribution of whole numbers, {@code perUnit} of which are one of the metric's unit. */
    void add(Distribution distribution, double perUnit, String... labelValues) {
        long[] bounds = distribution.bounds();
        double[] upper = new double[bounds.length + 1];
        for (int i = 0; i < bounds.length; i++) {
            upper[i] = bounds[i] / perUnit;
        }
        upper[bounds.length] = Double.POSITIVE_INFINITY;
        histograms.add(new HistogramDataPointSnapshot(
                ClassicHistogramBuckets.of(upper, distribution.counts()), distribution.sum() / perUnit,
                labels(labelValues), null, startedMillis));
    }

    private Labels labels(String... values) {
        return labelNames.length == 0 ? Labels.EMPTY : Labels.of(labelNames, values);
    }

    MetricSnapshot toSnapshot() {
        String name = metric.baseName();
        Unit unit = name.endsWith("_seconds") ? Unit.SECONDS : name.endsWith("_bytes") ? Unit.BYTES : null;
        MetricMetadata about = new MetricMetadata(name, metric.help(), unit);
        return switch (metric.type()) {
            case COUNTER -> new CounterSnapshot(about, counters);
            case GAUGE -> new GaugeSnapshot(about, gauges);
            case INFO -> new InfoSnapshot(about, infos);
            case HISTOGRAM -> new HistogramSnapshot(about, histograms);
        };
    }
}
