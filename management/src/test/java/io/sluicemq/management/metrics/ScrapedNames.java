package io.sluicemq.management.metrics;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import org.awaitility.Awaitility;

/** The names that queries may use. */
final class ScrapedNames {

    private ScrapedNames() {}

    /** Of the broker. */
    static Set<String> ofBroker() {
        Set<String> names = new TreeSet<>();
        for (Metric metric : BrokerMetrics.ALL) {
            names.add(metric.name());
            if (metric.type() == Metric.Type.HISTOGRAM) {
                names.add(metric.name() + "_bucket");
                names.add(metric.name() + "_sum");
                names.add(metric.name() + "_count");
            }
        }
        return names;
    }

    /** Of the JVM, when its garbage was collected once. */
    static Set<String> ofJvm() {
        try (JvmMetrics jvm = new JvmMetrics()) {
            jvm.scrape();
            System.gc();
            return Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> names(jvm), names -> names.contains("jvm_gc_pause_seconds_sum"));
        }
    }

    private static Set<String> names(JvmMetrics jvm) {
        Set<String> names = new TreeSet<>();
        for (MetricSnapshot each : jvm.scrape()) {
            String name = each.getMetadata().getPrometheusName();
            names.add(each instanceof CounterSnapshot ? name + "_total" : name);
            if (each instanceof SummarySnapshot || each instanceof HistogramSnapshot) {
                names.add(name + "_sum");
                names.add(name + "_count");
            }
        }
        return names;
    }
}
