package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.RuledBroker.NONE;
import static io.sluicemq.broker.engine.RuledBroker.acceptAll;
import static io.sluicemq.broker.engine.RuledBroker.acceptsAtOnce;
import static io.sluicemq.broker.engine.RuledBroker.count;
import static io.sluicemq.broker.engine.RuledBroker.deletingDurable;
import static io.sluicemq.broker.engine.RuledBroker.rule;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.sluicemq.api.Client;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import io.sluicemq.broker.flow.ConsumerPolicy;
import io.sluicemq.testkit.LogCapture;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What becomes of subscriptions whose consumers are too slow, or that nobody is attached to: with the policies delete and cycle. */
class SlowSubscriptionTest {

    private final RuledBroker at = new RuledBroker();

    @Test
    void shouldDeleteATransientSubscriptionAfterItsClientHasBeenToldAndReleaseItsMessages() {
        at.topicRule("stocks.us.*", count(ConsumerPolicy.DELETE, 10));
        String queue = at.subscription(at.client, "stocks.us.*");
        String other = at.subscription(at.client, "stocks.eu.*");
        boolean[] thereWhenTold = new boolean[1];
        TestConsumer consumer = at.obedient(at.client, queue, 5);
        Runnable obeys = consumer.onTooSlow;
        consumer.onTooSlow = () -> {
            thereWhenTold[0] = at.broker.engine.context(0).queues.stream().anyMatch(each -> each.name().equals(queue));
            obeys.run();
        };
        TestConsumer elsewhere = at.obedient(at.client, other, 5);
        at.publish("amq.topic", "stocks.us.ibm", 20);
        at.publish("amq.topic", "stocks.eu.sap", 20);
        at.periods(2);
        assertThat(consumer.tooSlow).isNotNull();
        assertThat(thereWhenTold[0]).isTrue();
        assertThat(at.exists(queue)).isFalse();
        assertThat(elsewhere.tooSlow).as("nothing is said about its topic").isNull();
        acceptsAtOnce(elsewhere);
        at.client.does(() -> acceptAll(elsewhere));
        at.client.<Long>asks(reply -> at.client.client.deleteQueue(other, false, false, reply)).result();
        assertThat(at.broker.counters().messageBytes()).isZero();
        assertThat(at.broker.counters().queues()).isZero();
    }

    @Test
    void shouldKeepADurableSubscriptionUnlessToldOtherwise() {
        at.topicRule("stocks.#", count(ConsumerPolicy.DELETE, 10));
        at.client.declaresDurable("s", Map.of());
        at.bind("s", "stocks.*");
        TestConsumer consumer = at.obedient(at.client, "s", 5);
        at.publish("amq.topic", "stocks.ibm", 20);
        at.periods(2);
        assertThat(consumer.tooSlow).isNotNull();
        assertThat(at.client.depth("s")).isEqualTo(20);

        at.topicRule("stocks.#", deletingDurable(count(ConsumerPolicy.DELETE, 10)));
        TestConsumer again = at.obedient(at.client, "s", 5);
        at.period();
        assertThat(again.tooSlow).as("no action on a new one").isNull();
        at.period();
        assertThat(again.tooSlow).isNotNull();
        assertThat(at.exists("s")).isFalse();
    }

    @Test
    void shouldDoWhatIsConfiguredWithADurableSubscriptionThatNobodyIsAttachedTo() {
        at.topicRule("stocks.#", count(ConsumerPolicy.DELETE, 10));
        at.client.declaresDurable("s", Map.of());
        at.bind("s", "stocks.*");
        at.publish("amq.topic", "stocks.ibm", 11);
        at.periods(2);
        assertThat(at.exists("s")).isTrue();
        assertThat(at.broker.counters().slowConsumersFound()).isEqualTo(1);

        at.topicRule("stocks.#", deletingDurable(count(ConsumerPolicy.DELETE, 10)));
        at.periods(2);
        assertThat(at.exists("s")).isFalse();
        assertThat(at.broker.counters().slowConsumers()).isZero();
    }

    @Test
    void shouldNotJudgeAnOrdinaryQueueThatNobodyConsumesFrom() {
        at.queueUnder(count(ConsumerPolicy.DELETE, 1));
        at.publish("q", 100);
        at.periods(3);
        assertThat(at.broker.counters().slowConsumersFound()).isZero();
        assertThat(at.client.depth("q")).isEqualTo(100);
    }

    @Test
    void shouldDeleteASharedSubscriptionOnlyWithTheLastOfItsConsumers() {
        at.topicRule("t", count(ConsumerPolicy.DELETE, 10));
        String queue = at.client.<Client.QueueStatus>asks(reply -> at.client.client.declareQueue(
                new QueueSpec("shared", false, false, false, Map.of("x-expires", 60_000)), reply)).result().name();
        at.bind(queue, "t");
        TestConsumer slow = at.obedient(at.client, queue, 12);
        at.publish("amq.topic", "t", 12);
        TestConsumer fast = at.obedient(at.client, queue, 1);
        acceptsAtOnce(fast);
        at.periods(2);
        assertThat(slow.tooSlow).isNotNull();
        assertThat(fast.tooSlow).isNull();
        assertThat(at.exists(queue)).isTrue();
    }

    @Test
    void shouldCycleAtTheThresholds() {
        at.topicRule("t", count(ConsumerPolicy.CYCLE, 10));
        String queue = at.subscription(at.client, "t");
        at.publish("amq.topic", "t", 25);
        assertThat(at.client.depth(queue)).isEqualTo(10);
        TestConsumer consumer = at.client.consumes(queue, 100);
        assertThat(consumer.texts()).startsWith("m15").endsWith("m24");
        assertThat(at.broker.counters().droppedByPolicy()).isEqualTo(15);
    }

    @Test
    void shouldTellNowAndThenWhatACycleHasDropped() {
        at.topicRule("t", count(ConsumerPolicy.CYCLE, 10));
        String queue = at.subscription(at.client, "t");
        try (LogCapture log = new LogCapture()) {
            at.publish("amq.topic", "t", 25);
            for (int i = 0; i < 4; i++) {
                at.period();
            }
            assertThat(log.messages(Level.WARN)).singleElement().asString()
                    .contains(queue, "has dropped its oldest messages to make room, 15 with")
                    .contains("it would have needed room for 15 messages");
        }
    }

    @Test
    void shouldTellOfACutAndOfWhatItLeavesBehindAsOneFact() {
        at.topicRule("t", count(ConsumerPolicy.DELETE, 10));
        at.client.declaresDurable("s", Map.of());
        at.bind("s", "t");
        TestConsumer consumer = at.obedient(at.client, "s", 5);
        at.publish("amq.topic", "t", 20);
        try (LogCapture log = new LogCapture()) {
            at.periods(2);
            assertThat(consumer.tooSlow).isNotNull();
            at.periods(5);
            at.publish("amq.topic", "t", 20);
            at.periods(5);
            assertThat(log.messages(Level.WARN)).singleElement().asString()
                    .contains("it is cut, and its subscription kept, as delete-persistent is not set");
            assertThat(at.broker.counters().slowConsumersFound()).isEqualTo(1);
            assertThat(at.broker.counters().slowConsumers()).as("nobody has come for it").isEqualTo(1);
            assertThat(log.messages(Level.INFO)).hasSize(1);

            acceptsAtOnce(at.obedient(at.client, "s", 5));
            assertThat(log.messages(Level.INFO)).hasSize(2).last().asString()
                    .contains("to which nobody was attached, is not too slow any more")
                    .endsWith("somebody is attached to it");
        }
        assertThat(at.broker.counters().slowConsumers()).isZero();
    }

    @Test
    void shouldTellOfASubscriptionThatIsLeftByItsConsumerAsAnotherFact() {
        at.topicRule("t", count(ConsumerPolicy.NOTIFY, 10));
        at.client.declaresDurable("s", Map.of());
        at.bind("s", "t");
        TestConsumer consumer = at.obedient(at.client, "s", 5);
        at.publish("amq.topic", "t", 20);
        at.periods(2);
        at.client.<Void>asks(consumer.port::cancel).result();
        assertThat(at.broker.counters().slowConsumers()).isZero();
        at.periods(2);
        assertThat(at.broker.counters().slowConsumersFound()).isEqualTo(2);
        assertThat(at.broker.counters().slowConsumers()).isEqualTo(1);
    }

    @Test
    void shouldHaveNothingToTellOfWhenACutConsumerLeavesLittle() {
        at.topicRule("t", rule(ConsumerPolicy.DELETE, NONE, NONE, NONE, 10));
        at.client.declaresDurable("s", Map.of());
        at.bind("s", "t");
        TestConsumer consumer = at.obedient(at.client, "s", 5);
        at.publish("amq.topic", "t", 20);
        at.periods(2);
        assertThat(consumer.tooSlow).as("by the rate").isNotNull();
        assertThat(at.broker.counters().slowConsumers()).isZero();
        at.periods(3);
        assertThat(at.broker.counters().slowConsumersFound()).isEqualTo(1);
    }
}
