package io.sluicemq.broker.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.ConsumerSink.Cut;
import io.sluicemq.testkit.ManualLoop;
import org.junit.jupiter.api.Test;

/** The limits that an address has by its rule about consumers. */
class EffectiveLimitsTest {

    private static final long NONE = AddressLimits.NONE;
    private static final AddressLimits BLOCKS = new AddressLimits(900, 9, FullPolicy.BLOCK, 50, NONE, 7, true);

    private final ManualLoop loop = ManualLoop.single();

    private final Account account =
            new Account(Account.Kind.QUEUE, "q", "/", null, loop, AddressLimits.UNLIMITED);
    private final EffectiveLimits limits = new EffectiveLimits(account);

    private static ConsumerRule rule(ConsumerPolicy policy, long bytes, long messages) {
        return new ConsumerRule(
                bytes, messages, NONE, NONE, ConsumerRule.DEFAULT_PERIOD_NANOS, policy, false, Cut.CHANNEL);
    }

    private AddressLimits after(Runnable change) {
        loop.run(change);
        return account.limits();
    }

    @Test
    void shouldBeARingAtTheThresholdsWithCycle() {
        assertThat(after(() -> limits.rule(rule(ConsumerPolicy.CYCLE, 1000, NONE))))
                .isEqualTo(new AddressLimits(1000, NONE, FullPolicy.RING, 80, NONE, NONE, false));
        assertThat(after(() -> limits.own(new AddressLimits(700, 5, FullPolicy.RING, 80, NONE, NONE, false))))
                .as("the lower of both").isEqualTo(new AddressLimits(700, 5, FullPolicy.RING, 80, NONE, NONE, false));
        assertThat(after(() -> limits.own(new AddressLimits(700, 5, FullPolicy.PAGE, 80, NONE, NONE, false))))
                .as("limits of memory are another thing")
                .isEqualTo(new AddressLimits(1000, NONE, FullPolicy.RING, 80, NONE, NONE, false));
        assertThat(after(() -> limits.rule(null)).policy()).isEqualTo(FullPolicy.PAGE);
    }

    @Test
    void shouldBlockWhileProducersAreHeld() {
        after(() -> limits.rule(rule(ConsumerPolicy.FLOW, 1000, 20)));
        assertThat(account.limits()).isEqualTo(AddressLimits.UNLIMITED);
        assertThat(after(() -> limits.hold(30, "a consumer")))
                .isEqualTo(new AddressLimits(1000, 20, FullPolicy.BLOCK, 80, NONE, NONE, false));
        assertThat(after(() -> limits.hold(10, "a consumer")).maxMessages()).isEqualTo(10);
        assertThat(after(() -> limits.own(BLOCKS)))
                .isEqualTo(new AddressLimits(900, 9, FullPolicy.BLOCK, 50, NONE, 7, true));
        assertThat(after(limits::letGo)).isEqualTo(BLOCKS);
    }

    @Test
    void shouldHoldNobodyByAnotherRule() {
        after(() -> limits.rule(rule(ConsumerPolicy.FLOW, NONE, 20)));
        after(() -> limits.hold(1, "a consumer"));
        assertThat(after(() -> limits.rule(rule(ConsumerPolicy.NOTIFY, NONE, 20)))).isEqualTo(AddressLimits.UNLIMITED);
        assertThat(limits.isHolding()).isFalse();
    }
}
