package io.sluicemq.management.metrics;

import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;

/**
 * What Micrometer knows of the JVM and the process: heap, garbage collection, memory outside the heap, threads, processors, open files.
 * Begins with the first scrape, so that whoever does not scrape pays nothing. Called by any thread; guarded by itself.
 */
final class JvmMetrics implements AutoCloseable {

    private PrometheusMeterRegistry registry;
    private JvmGcMetrics collections;

    synchronized MetricSnapshots scrape() {
        if (registry == null) {
            registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            collections = new JvmGcMetrics();
            collections.bindTo(registry);
            new JvmMemoryMetrics().bindTo(registry);
            new JvmThreadMetrics().bindTo(registry);
            new ClassLoaderMetrics().bindTo(registry);
            new ProcessorMetrics().bindTo(registry);
            new FileDescriptorMetrics().bindTo(registry);
            new UptimeMetrics().bindTo(registry);
        }
        return registry.getPrometheusRegistry().scrape();
    }

    /** Listens to the JVM no more. */
    @Override
    public synchronized void close() {
        if (registry != null) {
            collections.close();
            registry.close();
        }
    }
}
