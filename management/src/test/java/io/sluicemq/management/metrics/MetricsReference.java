package io.sluicemq.management.metrics;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Collectors;

/** The tables of {@code docs/metrics.md}, from what is scraped. */
final class MetricsReference {

    private MetricsReference() {}

    static Path file(String path) {
        Path folder = Path.of("").toAbsolutePath();
        while (folder != null && !Files.isDirectory(folder.resolve("docs"))) {
            folder = folder.getParent();
        }
        if (folder == null) {
            throw new IllegalStateException("no folder above has a folder docs");
        }
        return folder.resolve(path);
    }

    static String table() {
        StringBuilder table = new StringBuilder("| metric | kind | labels | |\n| --- | --- | --- | --- |\n");
        for (Metric metric : BrokerMetrics.ALL) {
            table.append("| `").append(metric.name()).append("` | ")
                    .append(metric.type().name().toLowerCase(Locale.ROOT)).append(" | ")
                    .append(metric.labels().stream().map(label -> "`" + label + "`").collect(Collectors.joining(", ")))
                    .append(" | ").append(metric.help()).append(" |\n");
        }
        return table.toString();
    }
}
