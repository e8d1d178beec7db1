package io.sluicemq.protocol.amqp091;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.ClientDetails.Target;
import org.junit.jupiter.api.Test;

class PublishTargetsTest {

    private final PublishTargets targets = new PublishTargets();

    @Test
    void shouldCountByExchangeAndByQueueOfTheDefaultExchange() {
        targets.count("", "orders");
        targets.count("", "orders");
        targets.count("", "bills");
        targets.count("stocks", "us.a");
        targets.count("stocks", "us.b");
        targets.count("", "orders");

        assertThat(targets.list("channel 1"))
                .containsExactly(
                        new Target("channel 1", "", "orders", 3), new Target("channel 1", "", "bills", 1),
                        new Target("channel 1", "stocks", "", 2));
    }

    @Test
    void shouldKnowABoundedNumberOfPlaces() {
        for (int i = 0; i < 3 * PublishTargets.MOST + 1; i++) {
            targets.count("", "reply." + i);
        }

        assertThat(targets.list("channel 1"))
                .hasSize(PublishTargets.MOST)
                .contains(new Target("channel 1", "", "reply." + 3 * PublishTargets.MOST, 1));
    }
}
