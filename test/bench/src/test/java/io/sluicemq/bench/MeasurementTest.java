package io.sluicemq.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class MeasurementTest {

    private static Measurement read(String problem) {
        return Measurement.of(new JsonMapper().readTree("""
                {"publishedPerSecond": 10.5, "confirmedPerSecond": 10.25, "consumedPerSecond": 9.5,
                 "brokerCpuMicrosPerMessage": 7.25,
                 "latency": {"p50Millis": 1.5, "p99Millis": 3.5}, "confirmLatency": {"p99Millis": 2.5}, "brokerRssBytes": 4096,
                 "backlogPeak": 3, "clientCpuMicrosPerMessage": 5.5, "problem": %s}""".formatted(problem)));
    }

    @Test
    void shouldReadTheLoadToolsResult() {
        assertThat(read("null")).isEqualTo(new Measurement(10.5, 10.25, 9.5, 7.25, 1.5, 3.5, 2.5, 4096, 3, 5.5, null));
    }

    @Test
    void shouldReadWhyARunDoesNotCount() {
        assertThat(read("\"3 messages are missing\"").problem()).isEqualTo("3 messages are missing");
    }
}
