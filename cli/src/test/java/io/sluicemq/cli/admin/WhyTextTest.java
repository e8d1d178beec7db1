package io.sluicemq.cli.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.ConsumerSink.Cut;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.AddressState;
import io.sluicemq.broker.flow.AddressState.ConsumerMeasure;
import io.sluicemq.broker.flow.AddressState.ConsumerState;
import io.sluicemq.broker.flow.AddressState.QueueState;
import io.sluicemq.broker.flow.ConsumerPolicy;
import io.sluicemq.broker.flow.ConsumerRule;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How near consumers are to being too slow, in words. */
class WhyTextTest {

    private static List<String> lines(ConsumerRule rule, ConsumerMeasure measure) {
        QueueState queue = new QueueState(
                "orders", 12, 0, 10, rule, List.of(new ConsumerState("10.0.0.7:41022", "c1", 10, 0.5, measure)));
        AddressState state = new AddressState(
                "/", "orders", "queue", AddressLimits.UNLIMITED, 5_000, 22, 5_000, 0, 0, 0, 0, List.of(),
                List.of(queue));
        return WhyText.lines(new AddressAnswer(List.of(state), 0, null), "orders");
    }

    @Test
    void shouldSayHowNearAConsumerIsToEachThreshold() {
        ConsumerRule rule = new ConsumerRule(
                10_240, 50, 600_000, 10, ConsumerRule.DEFAULT_PERIOD_NANOS, ConsumerPolicy.DELETE, false, Cut.CHANNEL);
        assertThat(lines(rule, new ConsumerMeasure(22, 5_120, 4_200, 12.25, -1)))
                .contains("    queue orders: 12 ready, 10 unacknowledged")
                .endsWith("        message-count 22 of 50, depth 5.0 KiB of 10.0 KiB, message-age 4.2 s of 10 min 0 s,"
                        + " rate 12.3, at least 10 a second: not too slow");
    }

    @Test
    void shouldSayForHowLongOneIsTooSlow() {
        ConsumerRule rule = new ConsumerRule(
                -1, 5, -1, -1, ConsumerRule.DEFAULT_PERIOD_NANOS, ConsumerPolicy.NOTIFY, false, Cut.CHANNEL);
        assertThat(lines(rule, new ConsumerMeasure(22, 5_120, 0, -1, 7_000)))
                .endsWith("        message-count 22 of 5: too slow for 7.0 s (policy notify)");
    }

    @Test
    void shouldSayNothingWhereNothingIsConfigured() {
        assertThat(lines(null, null)).noneMatch(line -> line.contains("too slow"));
    }
}
