package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.RuledBroker.NONE;
import static io.sluicemq.broker.engine.RuledBroker.accept;
import static io.sluicemq.broker.engine.RuledBroker.acceptAll;
import static io.sluicemq.broker.engine.RuledBroker.acceptsAtOnce;
import static io.sluicemq.broker.engine.RuledBroker.count;
import static io.sluicemq.broker.engine.RuledBroker.rule;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Consumer;
import io.sluicemq.api.ConsumerSpec;
import io.sluicemq.api.Message;
import io.sluicemq.api.MessageFilter;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import io.sluicemq.broker.flow.ConsumerPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Of which consumers it can be said that they are too slow, and of which it can't, whatever waits. */
class SlowConsumerBlameTest {

    private record Nothing() implements MessageFilter {

        @Override
        public boolean matches(Message message) {
            return false;
        }

        @Override
        public String text() {
            return "FALSE";
        }
    }

    private final RuledBroker at = new RuledBroker();

    @Test
    void shouldNeverCallOneSlowThatHasNothingToDo() {
        TestConsumer consumer = at.consumerUnder(rule(ConsumerPolicy.DELETE, 1, 1, 1, 1_000), 1);
        at.periods(10);
        at.publish("q", 1);
        at.client.does(() -> acceptAll(consumer));
        at.periods(3);
        assertThat(consumer.tooSlow).isNull();
    }

    @Test
    void shouldNeverCallOneSlowWhoseClientHasStoppedIt() {
        TestConsumer consumer = at.consumerUnder(rule(ConsumerPolicy.DELETE, NONE, 5, 1_000, 10), 2);
        at.publish("q", 100);
        at.client.does(() -> consumer.port.pause(Consumer.Pause.WISHED));
        at.periods(10);
        assertThat(consumer.tooSlow).isNull();

        at.client.does(() -> consumer.port.pause(Consumer.Pause.NONE));
        at.periods(2);
        assertThat(consumer.tooSlow).isNotNull();
    }

    @Test
    void shouldJudgeOneWithALimitByTheCreditThatItHasGiven() {
        at.queueUnder(count(ConsumerPolicy.DELETE, 5));
        TestConsumer consumer = at.client.consumes(new ConsumerSpec(
                "q", "tag", false, false, false, 0, ConsumerSpec.Credit.LIMIT, 0, false, null, Map.of()));
        at.publish("q", 100);
        at.periods(5);
        assertThat(consumer.tooSlow).as("without credit").isNull();

        at.client.does(() -> consumer.port.limit(3));
        at.periods(2);
        assertThat(consumer.tooSlow).as("it holds what it had credit for").isNotNull();
    }

    @Test
    void shouldSpareOneThatHasSettledAllThatItHadCreditFor() {
        at.queueUnder(count(ConsumerPolicy.DELETE, 5));
        TestConsumer consumer = at.client.consumes(new ConsumerSpec(
                "q", "tag", false, false, false, 0, ConsumerSpec.Credit.LIMIT, 0, false, null, Map.of()));
        at.publish("q", 100);
        at.client.does(() -> consumer.port.limit(3));
        at.client.does(() -> acceptAll(consumer));
        at.periods(5);
        assertThat(consumer.tooSlow).isNull();
    }

    @Test
    void shouldNeverCallOneSlowWhoseSelectorMatchesNothing() {
        at.queueUnder(rule(ConsumerPolicy.DELETE, NONE, 5, 1_000, 10));
        TestConsumer consumer = at.client.consumes(new ConsumerSpec(
                "q", "tag", false, false, false, 1, ConsumerSpec.Credit.NONE, 0, false,
                new Nothing(), Map.of()));
        at.publish("q", 100);
        at.periods(5);
        assertThat(consumer.tooSlow).isNull();
    }

    @Test
    void shouldFindOnlyThoseThatDoNotKeepUpOfSeveral() {
        at.queueUnder(count(ConsumerPolicy.DELETE, 20));
        TestConsumer slow = at.obedient(at.client, "q", 30);
        List<TestConsumer> fast = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            TestConsumer each = at.obedient(at.client, "q", 1);
            each.onDelivery = (consumer, delivery) -> at.client.loop.schedule(
                    TimeUnit.MILLISECONDS.toNanos(10), () -> accept(consumer, delivery));
            fast.add(each);
        }
        for (int i = 0; i < 4; i++) {
            at.publish("q", 1_200);
            at.period();
        }
        assertThat(slow.tooSlow).isNotNull();
        assertThat(fast).allSatisfy(each -> assertThat(each.tooSlow).isNull());
    }

    @Test
    void shouldCountWhatASettledOneIsSentAndFindItByASocketThatTakesNothing() {
        at.queueUnder(rule(ConsumerPolicy.NOTIFY, NONE, NONE, NONE, 10));
        TestConsumer consumer = at.client.consumes(
                new ConsumerSpec("q", "tag", true, false, false, 0, false, 0, Map.of()));
        consumer.onDelivery = (each, delivery) -> {
            if (each.port != null) {
                each.port.written(delivery.windowBytes());
            }
        };
        for (int i = 0; i < 5; i++) {
            at.publish("q", 20);
            at.period();
        }
        assertThat(at.broker.counters().slowConsumersFound()).isZero();

        consumer.onDelivery = (each, delivery) -> {};
        at.publish("q", 2_000);
        at.periods(2);
        assertThat(at.broker.counters().slowConsumers()).isEqualTo(1);
    }

    @Test
    void shouldSpareOneThatIsSentALargeMessageWhileItsBytesMove() {
        at.queueUnder(rule(ConsumerPolicy.NOTIFY, NONE, NONE, NONE, 10));
        TestConsumer consumer = at.client.consumes("q", 10);
        at.publisher.publishes(TestBroker.message("", "q", "x".repeat(1 << 20)));
        at.publish("q", 5);
        for (int i = 0; i < 5; i++) {
            consumer.sentBytes += 100_000;
            at.period();
        }
        assertThat(at.broker.counters().slowConsumersFound()).isZero();
        at.periods(2);
        assertThat(at.broker.counters().slowConsumers()).as("they don't move any more").isEqualTo(1);
    }

    @Test
    void shouldNotJudgeThoseThatAreNotTheActiveOne() {
        at.queueRule("q", count(ConsumerPolicy.DELETE, 10));
        at.client.declares("q", Map.of("x-single-active-consumer", true));
        TestConsumer active = at.obedient(at.client, "q", 5);
        TestConsumer waits = at.obedient(at.client, "q", 5);
        at.publish("q", 20);
        at.periods(2);
        assertThat(active.tooSlow).isNotNull();
        assertThat(waits.tooSlow).isNull();
        at.periods(2);
        assertThat(waits.tooSlow).as("it is the active one now, for more than a period").isNotNull();
    }

    @Test
    void shouldFindOneThatAsksForCreditOfASharedAllowance() {
        at.queueUnder(count(ConsumerPolicy.DELETE, 10));
        TestConsumer consumer = at.client.consumes(
                new ConsumerSpec("q", "tag", false, false, false, 0, true, 0, Map.of()));
        at.publish("q", 20);
        assertThat(consumer.creditWanted).isPositive();
        at.periods(3);
        assertThat(consumer.tooSlow).as("it was given nothing, so another has all there is of the allowance").isNull();

        at.client.does(() -> consumer.port.grant(3));
        at.periods(2);
        assertThat(consumer.tooSlow).isNotNull();
    }

    @Test
    void shouldJudgeOneThatIsFullByWhatItHolds() {
        TestConsumer consumer = at.consumerUnder(count(ConsumerPolicy.DELETE, 10), 5);
        at.publish("q", 20);
        at.client.does(() -> consumer.port.pause(Consumer.Pause.FULL));
        at.periods(2);
        assertThat(consumer.tooSlow).isNotNull();
    }

    @Test
    void shouldCutTheTenSlowOnesOfAThousandAndNobodyElse() {
        at.topicRule("stocks.*", count(ConsumerPolicy.DELETE, 50));
        List<TestConsumer> slow = new ArrayList<>();
        List<TestConsumer> fast = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            TestConsumer each = at.obedient(at.client, at.subscription(at.client, "stocks.*"), 0);
            if (i % 100 == 7) {
                slow.add(each);
            } else {
                acceptsAtOnce(each);
                fast.add(each);
            }
        }
        at.publish("amq.topic", "stocks.ibm", 60);
        at.periods(2);
        assertThat(slow).allSatisfy(each -> assertThat(each.tooSlow).isNotNull());
        assertThat(fast).allSatisfy(each -> assertThat(each.tooSlow).isNull());
        assertThat(at.broker.counters().consumersCut()).isEqualTo(10);
        assertThat(at.broker.counters().queues()).isEqualTo(990);
    }
}
