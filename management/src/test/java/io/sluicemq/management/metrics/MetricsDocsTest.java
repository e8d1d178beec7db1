package io.sluicemq.management.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The documentation, and the names it has. */
class MetricsDocsTest {

    private static final String BEGIN = "<!-- metrics:begin -->\n";
    private static final String END = "<!-- metrics:end -->";

    @Test
    void shouldHaveTheTableOfTheMetricsThatThereAre() throws IOException {
        String document = Files.readString(MetricsReference.file("docs/metrics.md"));
        String table = MetricsReference.table();
        String written = document.substring(document.indexOf(BEGIN) + BEGIN.length(), document.indexOf(END));

        if (!written.equals(table)) {
            Files.writeString(Path.of("target/metrics-reference.md"), table);
        }
        assertThat(written)
                .as("docs/metrics.md between its marks; it should be management/target/metrics-reference.md")
                .isEqualTo(table);
    }

    @Test
    void shouldNameNoMetricOfTheJvmThatThereIsNot() throws IOException {
        String document = Files.readString(MetricsReference.file("docs/metrics.md"));
        List<String> named = Pattern.compile("`((?:jvm|process|system)_[a-z_]+)`")
                .matcher(document)
                .results()
                .map(match -> match.group(1))
                .toList();

        assertThat(named).hasSizeGreaterThan(10);
        assertThat(ScrapedNames.ofJvm()).containsAll(named);
    }

    @Test
    void shouldNameEachOfThemOnceWithItsUnit() {
        Set<String> names = new HashSet<>();
        for (Metric metric : BrokerMetrics.ALL) {
            assertThat(names.add(metric.baseName())).as(metric.name()).isTrue();
            assertThat(metric.name()).matches("sluicemq_[a-z]+(_[a-z]+)*");
            assertThat(metric.help()).endsWith(".");
            if (metric.help().startsWith("Bytes")) {
                assertThat(metric.baseName()).endsWith("_bytes");
            }
        }
    }
}
