package io.sluicemq.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RelayTest {

    @Test
    void shouldCopyAProducersMessagesToEachOfTwentyConsumers() throws Exception {
        RelayPeer peer = new RelayPeer();
        try (Sandbox sandbox = new Sandbox()) {
            Peer.Running relay = peer.start(sandbox, Scenario.TOPIC_20.subscribers());

            Measurement measurement = peer.measure(sandbox, relay, Scenario.TOPIC_20, new Timing(0, 1));

            assertThat(measurement.problem()).isNull();
            assertThat(measurement.publishedPerSecond()).isPositive();
            assertThat(measurement.consumedPerSecond()).isGreaterThan(measurement.publishedPerSecond());
            assertThat(measurement.brokerRssBytes()).isPositive();
        }
    }

    @Test
    void shouldNotTakePartWhereAnswersAreNeeded() {
        assertThat(new RelayPeer().absence(Scenario.CONFIRM_500)).isPresent();
        assertThat(new RelayPeer().absence(Scenario.TRANSIENT_1X1)).isEmpty();
    }
}
