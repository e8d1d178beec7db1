package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.RuledBroker.NONE;
import static io.sluicemq.broker.engine.RuledBroker.PERIOD;
import static io.sluicemq.broker.engine.RuledBroker.accept;
import static io.sluicemq.broker.engine.RuledBroker.acceptAll;
import static io.sluicemq.broker.engine.RuledBroker.acceptsAtOnce;
import static io.sluicemq.broker.engine.RuledBroker.count;
import static io.sluicemq.broker.engine.RuledBroker.rule;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.ConsumerSink.Cut;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import io.sluicemq.broker.flow.AddressState;
import io.sluicemq.broker.flow.ConsumerPolicy;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When a consumer is beyond a threshold, and when it makes up for that in time. */
class SlowConsumerThresholdTest {

    private final RuledBroker at = new RuledBroker();

    @Test
    void shouldCutOneThatHoldsMoreThanTheThresholdAllTheTime() {
        TestConsumer consumer = at.consumerUnder(count(ConsumerPolicy.DELETE, 10), 5);
        at.publish("q", 11);

        at.period();
        assertThat(consumer.tooSlow).as("it was not there for a whole period").isNull();
        at.period();

        assertThat(consumer.tooSlow).isEqualTo(Cut.CHANNEL);
        assertThat(at.exists("q")).as("a queue that is no subscription").isTrue();
        assertThat(at.client.depth("q")).isEqualTo(11);
        BrokerCounters counters = at.broker.counters();
        assertThat(counters.consumersCut()).isEqualTo(1);
        assertThat(counters.slowConsumersFound()).isEqualTo(1);
        assertThat(counters.slowConsumers()).isZero();
    }

    @Test
    void shouldSpareOneThatIsExactlyAtTheThreshold() {
        TestConsumer consumer = at.consumerUnder(count(ConsumerPolicy.DELETE, 10), 5);
        at.publish("q", 10);

        at.periods(10);

        assertThat(consumer.tooSlow).isNull();
        at.publish("q", 1);
        at.periods(2);
        assertThat(consumer.tooSlow).isNotNull();
    }

    @Test
    void shouldCountBytesAsAddressesDo() {
        long size = TestBroker.message("", "q", "m0").sizeBytes();
        TestConsumer consumer = at.consumerUnder(rule(ConsumerPolicy.DELETE, 10 * size, NONE, NONE, NONE), 3);
        at.publish("q", 10);
        at.periods(3);
        assertThat(consumer.tooSlow).isNull();

        at.publish("q", 1);
        at.periods(2);
        assertThat(consumer.tooSlow).isNotNull();
    }

    @Test
    void shouldMeasureTheRealAgeOfTheOldestMessage() {
        TestConsumer consumer = at.consumerUnder(rule(ConsumerPolicy.DELETE, NONE, NONE, 60_000, NONE), 1);
        at.publish("q", 3);

        at.broker.loops.advance(TimeUnit.SECONDS.toNanos(60));
        assertThat(consumer.tooSlow).as("a minute is no more than a minute").isNull();
        at.period();
        assertThat(consumer.tooSlow).isNotNull();
    }

    @Test
    void shouldFindTheOldestAmongThoseThatAConsumerHolds() {
        at.queueUnder(rule(ConsumerPolicy.DELETE, NONE, NONE, 20_000, NONE));
        TestConsumer slow = at.obedient(at.client, "q", 1);
        at.publish("q", 1);
        TestConsumer fast = at.obedient(at.client, "q", 1);
        acceptsAtOnce(fast);

        for (int i = 0; i < 8; i++) {
            at.publish("q", 5);
            at.period();
        }

        assertThat(slow.tooSlow).isNotNull();
        assertThat(fast.tooSlow).isNull();
    }

    @Test
    void shouldSpareOneThatRecoversBeforeTheCheck() {
        TestConsumer consumer = at.consumerUnder(count(ConsumerPolicy.DELETE, 10), 100);
        at.publish("q", 50);
        at.period();
        for (int i = 0; i < 5; i++) {
            at.broker.loops.advance(PERIOD / 2);
            at.client.does(() -> acceptAll(consumer));
            at.publish("q", 50);
            at.broker.loops.advance(PERIOD / 2);
        }
        assertThat(consumer.tooSlow).isNull();
    }

    @Test
    void shouldSpareOneThatCatchesUp() {
        at.queueUnder(count(ConsumerPolicy.DELETE, 10));
        at.publish("q", 1_000);
        TestConsumer consumer = at.obedient(at.client, "q", 200);
        for (int i = 0; i < 8; i++) {
            at.period();
            at.client.does(() -> acceptAll(consumer));
        }
        assertThat(consumer.tooSlow).isNull();
    }

    @Test
    void shouldNotWaitForOneThatWouldNeedTooLong() {
        at.queueUnder(count(ConsumerPolicy.DELETE, 10));
        at.publish("q", 1_000);
        TestConsumer consumer = at.obedient(at.client, "q", 1);
        for (int i = 0; i < 2; i++) {
            at.client.does(() -> acceptAll(consumer));
            at.period();
        }
        assertThat(consumer.tooSlow).isNotNull();
    }

    @Test
    void shouldFindOneThatIsSlowerThanTheRateWhileItHasMessages() {
        TestConsumer consumer = at.consumerUnder(rule(ConsumerPolicy.NOTIFY, NONE, NONE, NONE, 10), 1);
        consumer.onDelivery = (each, delivery) -> at.client.loop.schedule(
                TimeUnit.MILLISECONDS.toNanos(200), () -> accept(each, delivery));
        at.publish("q", 500);
        at.period();
        assertThat(at.broker.counters().slowConsumers()).isZero();
        at.period();
        assertThat(at.broker.counters().slowConsumers()).isEqualTo(1);
        assertThat(consumer.tooSlow).isNull();
        at.periods(30);
        BrokerCounters counters = at.broker.counters();
        assertThat(counters.slowConsumers()).as("all is done").isZero();
        assertThat(counters.slowConsumersFound()).as("one episode").isEqualTo(1);
    }

    @Test
    void shouldTakeARateThatIsReachedExactlyForEnough() {
        TestConsumer consumer = at.consumerUnder(rule(ConsumerPolicy.NOTIFY, NONE, NONE, NONE, 10), 1);
        consumer.onDelivery = (each, delivery) -> at.client.loop.schedule(
                TimeUnit.MILLISECONDS.toNanos(100), () -> accept(each, delivery));
        at.publish("q", 500);
        at.periods(9);
        assertThat(at.broker.counters().slowConsumersFound()).isZero();
    }

    @Test
    void shouldShowHowNearAConsumerIs() {
        long size = TestBroker.message("", "q", "m0").sizeBytes();
        TestConsumer consumer = at.consumerUnder(rule(ConsumerPolicy.NOTIFY, 1_000_000, 100, 60_000, 1), 5);
        at.publish("q", 10);
        at.period();
        at.client.does(() -> acceptAll(consumer));
        at.broker.loops.advance(TimeUnit.SECONDS.toNanos(2));
        AddressState.ConsumerMeasure measure = at.measure("q");
        assertThat(measure.messages()).isEqualTo(5);
        assertThat(measure.bytes()).isEqualTo(5 * size);
        assertThat(measure.oldestMillis()).isBetween(7_000L, 7_500L);
        assertThat(measure.perSecond()).isBetween(2.0, 2.5);
        assertThat(measure.slowMillis()).isNegative();
    }
}
