package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.RuledBroker.NONE;
import static io.sluicemq.broker.engine.RuledBroker.acceptAll;
import static io.sluicemq.broker.engine.RuledBroker.acceptsAtOnce;
import static io.sluicemq.broker.engine.RuledBroker.count;
import static io.sluicemq.broker.engine.RuledBroker.rule;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.ConsumerSpec;
import io.sluicemq.broker.engine.TestBroker.Answer;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.AddressState;
import io.sluicemq.broker.flow.ConsumerPolicy;
import io.sluicemq.broker.flow.FullPolicy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Producers that are held while a consumer is too slow. */
class SlowConsumerFlowTest {

    private final RuledBroker at = new RuledBroker();

    @Test
    void shouldHoldProducersWhileASlowConsumerHasNotCaughtUp() {
        TestConsumer consumer = at.consumerUnder(count(ConsumerPolicy.FLOW, 10), 5);
        at.publish("q", 20);
        at.periods(2);
        assertThat(at.broker.counters().slowConsumers()).isEqualTo(1);
        Answer<Void> held = at.publishesOne("q");
        assertThat(held.done).isFalse();
        assertThat(consumer.tooSlow).isNull();

        acceptsAtOnce(consumer);
        at.client.does(() -> acceptAll(consumer));
        assertThat(held.done).as("it goes on as room comes").isTrue();
        at.period();
        assertThat(at.broker.counters().slowConsumers()).isZero();
        at.publish("q", 100);
        assertThat(at.broker.counters().parkedMessages()).isZero();
    }

    @Test
    void shouldLetProducersGoWhenTheSlowConsumerHasGone() {
        TestConsumer consumer = at.consumerUnder(count(ConsumerPolicy.FLOW, 10), 5);
        at.publish("q", 20);
        at.periods(2);
        Answer<Void> held = at.publishesOne("q");
        assertThat(held.done).isFalse();
        at.client.<Void>asks(consumer.port::cancel).result();
        assertThat(held.done).isTrue();
    }

    @Test
    void shouldLetProducersGoWhenAQueueThatNobodyIsAttachedToIsNoSubscriptionAnyMore() {
        at.queueRule("s", count(ConsumerPolicy.FLOW, 10));
        at.client.declaresDurable("s", Map.of());
        at.bind("s", "stocks.*");
        at.publish("amq.topic", "stocks.ibm", 20);
        at.periods(2);
        Answer<Void> held = at.publishesOne("s");
        assertThat(held.done).isFalse();
        at.client.<Void>asks(reply -> at.client.client.unbind(
                new Client.BindingSpec("amq.topic", "s", false, "stocks.*", Map.of()), reply)).result();
        at.period();
        assertThat(held.done).isTrue();
        assertThat(at.broker.counters().slowConsumers()).isZero();
    }

    @Test
    void shouldLetProducersGoWhenTheRuleIsTakenBack() {
        at.consumerUnder(count(ConsumerPolicy.FLOW, 10), 5);
        at.publish("q", 20);
        at.periods(2);
        Answer<Void> held = at.publishesOne("q");
        assertThat(held.done).isFalse();
        at.rules(new AddressSettings(List.of()));
        assertThat(held.done).isTrue();
    }

    @Test
    void shouldRefuseNothingThatIsLargerThanWhatTheRuleHoldsProducersAt() {
        TestConsumer consumer = at.consumerUnder(rule(ConsumerPolicy.FLOW, 2_000, NONE, NONE, NONE), 5);
        at.publish("q", 20);
        at.periods(2);
        assertThat(at.broker.counters().slowConsumers()).isEqualTo(1);
        Answer<Void> held = at.publisher.publishesConfirmed(
                TestBroker.message("", "q", "x".repeat(3_000)));
        assertThat(held.error).isNull();
        assertThat(held.done).isFalse();
        acceptsAtOnce(consumer);
        at.client.does(() -> acceptAll(consumer));
        at.period();
        assertThat(held.done).isTrue();
        assertThat(held.error).isNull();
    }

    @Test
    void shouldSayWhichConsumerProducersAreHeldForAndSinceWhen() {
        TestConsumer consumer = at.consumerUnder(count(ConsumerPolicy.FLOW, 10), 5);
        at.publish("q", 20);
        at.periods(2);
        Answer<Void> held = at.publishesOne("q");
        AddressState state = at.state("q");
        assertThat(state.limits()).as("those of the address").isEqualTo(AddressLimits.UNLIMITED);
        assertThat(state.waiting()).singleElement().extracting(AddressState.Waiting::limit).asString()
                .startsWith("consumer 'tag' of " + at.client.client + ", which is too slow since ")
                .endsWith("Z by message-count 20 > 10 (policy flow)");
        acceptsAtOnce(consumer);
        at.client.does(() -> acceptAll(consumer));
        assertThat(held.done).isTrue();
    }

    @Test
    void shouldSayWhatAPublishHasWaitedForThatIsRefused() {
        at.rules(new AddressSettings(List.of(new AddressSettings.Rule(
                "q", null, 1_000L, FullPolicy.BLOCK, null, null, TimeUnit.SECONDS.toNanos(2), null, null, null, null,
                count(ConsumerPolicy.FLOW, 10)))));
        at.client.declares("q", Map.of());
        at.obedient(at.client, "q", 5);
        at.publish("q", 20);
        at.periods(2);
        Answer<Void> held = at.publishesOne("q");
        at.period();
        assertThat(held.error()).isInstanceOfSatisfying(BrokerError.AddressFull.class, full -> assertThat(full.reason())
                .startsWith("producers are held for consumer 'tag' of ")
                .endsWith(" by message-count 20 > 10 (policy flow), and there was no room within the hold-limit of"
                        + " 2000 ms"));
    }

    @Test
    void shouldNameAnotherConsumerWhenTheFirstHasGone() {
        TestConsumer first = at.consumerUnder(count(ConsumerPolicy.FLOW, 10), 20);
        at.publish("q", 20);
        TestClient other = at.broker.connect(1);
        other.consumes(new ConsumerSpec("q", "second", false, false, false, 20, false, 0, Map.of()));
        at.publish("q", 20);
        at.periods(2);
        at.publishesOne("q");
        at.client.<Void>asks(first.port::cancel).result();
        at.period();
        assertThat(at.state("q").waiting()).singleElement().extracting(AddressState.Waiting::limit).asString()
                .startsWith("consumer 'second' of ");
    }

    @Test
    void shouldSayThatNobodyIsAttached() {
        at.topicRule("t", count(ConsumerPolicy.FLOW, 10));
        at.client.declaresDurable("s", Map.of());
        at.bind("s", "t");
        at.publish("amq.topic", "t", 20);
        at.periods(2);
        at.publishesOne("s");
        assertThat(at.state("s").waiting()).singleElement().extracting(AddressState.Waiting::limit).asString()
                .startsWith("a consumer of the subscription, to which nobody is attached, and which is too long since ")
                .endsWith(" by message-count 20 > 10 (policy flow)");
    }
}
