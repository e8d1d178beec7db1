package io.sluicemq.management.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The dashboard and the alerts that are shipped: everything they ask for is there. */
class ExtrasTest {

    private static final Path DASHBOARD = MetricsReference.file("extras/grafana/sluicemq.json");
    private static final Path ALERTS = MetricsReference.file("extras/prometheus/alerts.yaml");
    private static final Pattern NAME = Pattern.compile("\\b(?:sluicemq|jvm|process|system)_[a-z_]+");

    private static void assertAllExist(String text) {
        Set<String> named = new TreeSet<>(NAME.matcher(text).results().map(match -> match.group()).toList());
        Set<String> there = new TreeSet<>(ScrapedNames.ofBroker());
        there.addAll(ScrapedNames.ofJvm());

        assertThat(named).hasSizeGreaterThan(10);
        assertThat(there).containsAll(named);
    }

    @Test
    void shouldDrawOnlyMetricsThatThereAre() throws Exception {
        assertAllExist(Files.readString(DASHBOARD));
    }

    @Test
    void shouldHaveAQueryOfTheChosenBrokersInEachPanel() throws Exception {
        JsonNode dashboard = JsonMapper.builder().build().readTree(Files.readString(DASHBOARD));
        List<Integer> ids = new ArrayList<>();
        List<String> queries = new ArrayList<>();
        for (JsonNode panel : dashboard.path("panels")) {
            ids.add(panel.path("id").asInt());
            if (!panel.path("type").asString().equals("row")) {
                assertThat(panel.path("targets").size()).as(panel.path("title").asString()).isPositive();
                panel.path("targets").forEach(target -> queries.add(target.path("expr").asString()));
            }
        }

        assertThat(ids).doesNotHaveDuplicates();
        assertThat(queries).hasSizeGreaterThan(30).allSatisfy(query -> assertThat(query)
                .contains("job=~\"$job\",instance=~\"$instance\"")
                .matches(NAME.pattern().replaceAll("^", ".*") + ".*"));
    }

    @Test
    void shouldWarnOnlyByMetricsThatThereAre() throws Exception {
        assertAllExist(Files.readString(ALERTS));
    }

    @Test
    void shouldSayWithEachAlertWhatItMeansAndWhatToDo() throws Exception {
        String text = Files.readString(ALERTS);

        int alerts = count(text, "- alert: SluiceMQ");
        assertThat(alerts).isGreaterThan(15);
        for (String each : List.of("  expr: ", "  for: ", "  severity: ", "  summary: \"", "  runbook: >-\n")) {
            assertThat(count(text, each)).as(each).isEqualTo(alerts);
        }
    }

    private static int count(String text, String part) {
        return text.split(Pattern.quote(part), -1).length - 1;
    }

    @Test
    void shouldBeRulesAsPrometheusReadsThem() throws Exception {
        assumeThat(Pattern.compile(File.pathSeparator).splitAsStream(System.getenv("PATH"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "promtool"))))
                .as("Prometheus' own promtool is installed").isTrue();

        Process check = new ProcessBuilder("promtool", "check", "rules", ALERTS.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(check.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(check.exitValue()).as(said).isZero();
    }
}
