package io.sluicemq.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A few seconds of what {@code bin/fuzz} does for as long as asked. */
class FrameCampaignTest {

    @ParameterizedTest
    @ValueSource(longs = {1, 20_260_101})
    void shouldComeToNoHarmByRandomFrames(long seed) throws IOException {
        try (TestBroker broker = new TestBroker()) {
            assertThat(FrameCampaign.run(broker.broker(), 3, seed)).isPositive();
        }
    }
}
