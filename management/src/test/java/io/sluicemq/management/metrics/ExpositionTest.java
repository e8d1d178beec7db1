package io.sluicemq.management.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which format who gets. */
class ExpositionTest {

    @ParameterizedTest
    @ValueSource(strings = {
        "application/openmetrics-text",
        "application/openmetrics-text; version=1.0.0; charset=utf-8",
        // What Prometheus 2 sends.
        "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,"
                + "text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
        // And Prometheus 3, which would rather have a binary format.
        "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,"
                + "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,text/plain;version=0.0.4;q=0.2"
    })
    void shouldBeOpenMetricsForWhoeverWantsIt(String accept) {
        assertThat(Exposition.accepted(accept).contentType()).startsWith("application/openmetrics-text");
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {
        "", "*/*", "text/plain", "text/html,application/xhtml+xml", "application/openmetrics-text;q=0",
        "application/openmetrics-text;q=0.2,text/plain;q=0.3", "application/openmetrics-text;q=much", ";;,;q=,"
    })
    void shouldBePlainTextForAllOthers(String accept) {
        assertThat(Exposition.accepted(accept).contentType()).startsWith("text/plain; version=0.0.4");
    }
}
