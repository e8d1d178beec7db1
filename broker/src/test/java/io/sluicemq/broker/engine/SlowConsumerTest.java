package io.sluicemq.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.sluicemq.api.Client;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.Consumer;
import io.sluicemq.api.ConsumerSink.Cut;
import io.sluicemq.api.ConsumerSpec;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Message;
import io.sluicemq.api.MessageFilter;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.AddressState;
import io.sluicemq.broker.flow.ConsumerPolicy;
import io.sluicemq.broker.flow.ConsumerRule;
import io.sluicemq.broker.flow.TopicRules;
import io.sluicemq.broker.flow.TopicRules.TopicRule;
import io.sluicemq.testkit.LogCapture;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Which consumers are too slow, and what follows: two loops by hand, the publisher and the queue's client on one each. */
class SlowConsumerTest {

    private static final long NONE = ConsumerRule.NONE;
    private static final long PERIOD = TimeUnit.SECONDS.toNanos(5);

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

    private final TestBroker broker = new TestBroker(2);
    private final TestClient client = broker.connect(0);
    private final TestClient publisher = broker.connect(1);

    private static ConsumerRule rule(ConsumerPolicy policy, long bytes, long messages, long ageMillis, long rate) {
        return new ConsumerRule(bytes, messages, ageMillis, rate, PERIOD, policy, false, Cut.CHANNEL);
    }

    private static ConsumerRule count(ConsumerPolicy policy, long messages) {
        return rule(policy, NONE, messages, NONE, NONE);
    }

    private static ConsumerRule deletingDurable(ConsumerRule rule) {
        return new ConsumerRule(
                rule.maxBytes(), rule.maxMessages(), rule.maxAgeMillis(), rule.minPerSecond(), rule.periodNanos(),
                rule.policy(), true, rule.cut());
    }

    private void rules(AddressSettings settings) {
        broker.engine.addressSettings(settings);
        broker.settle();
    }

    private void queueRule(String match, ConsumerRule rule) {
        rules(new AddressSettings(List.of(new AddressSettings.Rule(match, rule))));
    }

    private void topicRule(String key, ConsumerRule rule) {
        rules(new AddressSettings(List.of(), new TopicRules(List.of(new TopicRule(key, rule)))));
    }

    private void publish(String key, int messages) {
        publish("", key, messages);
    }

    private void publish(String exchange, String key, int messages) {
        for (int i = 0; i < messages; i++) {
            publisher.publishes(TestBroker.message(exchange, key, "m" + i));
        }
    }

    private void period() {
        broker.loops.advance(PERIOD);
    }

    /** A consumer whose client, once told that it is too slow, ends as a channel does. */
    private TestConsumer obedient(TestClient of, String queue, int prefetch) {
        TestConsumer consumer = new TestConsumer(of);
        consumer.onTooSlow = () -> {
            consumer.port.cancel(new TestBroker.Answer<Void>());
            consumer.deliveries.forEach(delivery -> delivery.settle(Outcome.REQUEUED));
        };
        return of.subscribes(
                new ConsumerSpec(queue, "tag", false, false, false, prefetch, false, 0, Map.of()), consumer);
    }

    private static void accept(TestConsumer consumer, Delivery delivery) {
        consumer.deliveries.remove(delivery);
        if (consumer.port != null) {
            consumer.port.written(delivery.windowBytes());
        }
        delivery.settle(Outcome.ACCEPTED);
    }

    private static void acceptAll(TestConsumer consumer) {
        List.copyOf(consumer.deliveries).forEach(delivery -> accept(consumer, delivery));
    }

    private String subscription(TestClient of, String key) {
        String queue = of.<Client.QueueStatus>asks(
                reply -> of.client.declareQueue(new QueueSpec("", false, true, false, Map.of()), reply))
                .result()
                .name();
        bind(of, queue, key);
        return queue;
    }

    private static void bind(TestClient of, String queue, String key) {
        of.<Void>asks(reply -> of.client.bind(
                new Client.BindingSpec("amq.topic", queue, false, key, Map.of()), reply)).result();
    }

    private boolean exists(String queue) {
        TestBroker.Answer<Client.QueueStatus> answer =
                client.asks(reply -> client.client.findQueue(queue, reply));
        return answer.error == null;
    }

    private AddressState.ConsumerMeasure measure(String queue) {
        var states = broker.engine.addressStates(null, queue, false);
        broker.loops.advance(TimeUnit.MILLISECONDS.toNanos(300));
        return states.join().getFirst().queues().getFirst().consumers().getFirst().measure();
    }

    @Test
    void shouldCutOneThatHoldsMoreThanTheThresholdAllTheTime() {
        queueRule("q", count(ConsumerPolicy.DELETE, 10));
        client.declares("q", Map.of());
        TestConsumer consumer = obedient(client, "q", 5);
        publish("q", 11);

        period();
        assertThat(consumer.tooSlow).as("it was not there for a whole period").isNull();
        period();

        assertThat(consumer.tooSlow).isEqualTo(Cut.CHANNEL);
        assertThat(exists("q")).as("a queue that is no subscription").isTrue();
        assertThat(client.depth("q")).isEqualTo(11);
        BrokerCounters counters = broker.counters();
        assertThat(counters.consumersCut()).isEqualTo(1);
        assertThat(counters.slowConsumersFound()).isEqualTo(1);
        assertThat(counters.slowConsumers()).isZero();
    }

    @Test
    void shouldSpareOneThatIsExactlyAtTheThreshold() {
        queueRule("q", count(ConsumerPolicy.DELETE, 10));
        client.declares("q", Map.of());
        TestConsumer consumer = obedient(client, "q", 5);
        publish("q", 10);

        for (int i = 0; i < 10; i++) {
            period();
        }

        assertThat(consumer.tooSlow).isNull();
        publish("q", 1);
        period();
        period();
        assertThat(consumer.tooSlow).isNotNull();
    }

    @Test
    void shouldCountBytesAsAddressesDo() {
        long size = TestBroker.message("", "q", "m0").sizeBytes();
        queueRule("q", rule(ConsumerPolicy.DELETE, 10 * size, NONE, NONE, NONE));
        client.declares("q", Map.of());
        TestConsumer consumer = obedient(client, "q", 3);
        publish("q", 10);
        period();
        period();
        period();
        assertThat(consumer.tooSlow).isNull();

        publish("q", 1);
        period();
        period();
        assertThat(consumer.tooSlow).isNotNull();
    }

    @Test
    void shouldMeasureTheRealAgeOfTheOldestMessage() {
        queueRule("q", rule(ConsumerPolicy.DELETE, NONE, NONE, 60_000, NONE));
        client.declares("q", Map.of());
        TestConsumer consumer = obedient(client, "q", 1);
        publish("q", 3);

        broker.loops.advance(TimeUnit.SECONDS.toNanos(60));
        assertThat(consumer.tooSlow).as("a minute is no more than a minute").isNull();
        period();
        assertThat(consumer.tooSlow).isNotNull();
    }

    @Test
    void shouldFindTheOldestAmongThoseThatAConsumerHolds() {
        queueRule("q", rule(ConsumerPolicy.DELETE, NONE, NONE, 20_000, NONE));
        client.declares("q", Map.of());
        TestConsumer slow = obedient(client, "q", 1);
        publish("q", 1);
        TestConsumer fast = obedient(client, "q", 1);
        fast.onDelivery = (consumer, delivery) -> accept(consumer, delivery);

        for (int i = 0; i < 8; i++) {
            publish("q", 5);
            period();
        }

        assertThat(slow.tooSlow).isNotNull();
        assertThat(fast.tooSlow).isNull();
    }

    @Test
    void shouldSpareOneThatRecoversBeforeTheCheck() {
        queueRule("q", count(ConsumerPolicy.DELETE, 10));
        client.declares("q", Map.of());
        TestConsumer consumer = obedient(client, "q", 100);
        publish("q", 50);
        period();
        for (int i = 0; i < 5; i++) {
            broker.loops.advance(PERIOD / 2);
            client.does(() -> acceptAll(consumer));
            publish("q", 50);
            broker.loops.advance(PERIOD / 2);
        }
        assertThat(consumer.tooSlow).isNull();
    }

    @Test
    void shouldSpareOneThatCatchesUp() {
        queueRule("q", count(ConsumerPolicy.DELETE, 10));
        client.declares("q", Map.of());
        publish("q", 1_000);
        TestConsumer consumer = obedient(client, "q", 200);
        for (int i = 0; i < 8; i++) {
            period();
            client.does(() -> acceptAll(consumer));
        }
        assertThat(consumer.tooSlow).isNull();
    }

    @Test
    void shouldNotWaitForOneThatWouldNeedTooLong() {
        queueRule("q", count(ConsumerPolicy.DELETE, 10));
        client.declares("q", Map.of());
        publish("q", 1_000);
        TestConsumer consumer = obedient(client, "q", 1);
        for (int i = 0; i < 2; i++) {
            client.does(() -> acceptAll(consumer));
            period();
        }
        assertThat(consumer.tooSlow).isNotNull();
    }

    @Test
    void shouldFindOneThatIsSlowerThanTheRateWhileItHasMessages() {
        queueRule("q", rule(ConsumerPolicy.NOTIFY, NONE, NONE, NONE, 10));
        client.declares("q", Map.of());
        TestConsumer consumer = obedient(client, "q", 1);
        consumer.onDelivery = (each, delivery) -> client.loop.schedule(
                TimeUnit.MILLISECONDS.toNanos(200), () -> accept(each, delivery));
        publish("q", 500);
        period();
        assertThat(broker.counters().slowConsumers()).isZero();
        period();
        assertThat(broker.counters().slowConsumers()).isEqualTo(1);
        assertThat(consumer.tooSlow).isNull();
        for (int i = 0; i < 30; i++) {
            period();
        }
        BrokerCounters counters = broker.counters();
        assertThat(counters.slowConsumers()).as("all is done").isZero();
        assertThat(counters.slowConsumersFound()).as("one episode").isEqualTo(1);
    }

    @Test
    void shouldTakeARateThatIsReachedExactlyForEnough() {
        queueRule("q", rule(ConsumerPolicy.NOTIFY, NONE, NONE, NONE, 10));
        client.declares("q", Map.of());
        TestConsumer consumer = obedient(client, "q", 1);
        consumer.onDelivery = (each, delivery) -> client.loop.schedule(
                TimeUnit.MILLISECONDS.toNanos(100), () -> accept(each, delivery));
        publish("q", 500);
        for (int i = 0; i < 9; i++) {
            period();
        }
        assertThat(broker.counters().slowConsumersFound()).isZero();
    }

    @Test
    void shouldNeverCallOneSlowThatHasNothingToDo() {
        queueRule("q", rule(ConsumerPolicy.DELETE, 1, 1, 1, 1_000));
        client.declares("q", Map.of());
        TestConsumer consumer = obedient(client, "q", 1);
        for (int i = 0; i < 10; i++) {
            period();
        }
        publish("q", 1);
        client.does(() -> acceptAll(consumer));
        for (int i = 0; i < 3; i++) {
            period();
        }
        assertThat(consumer.tooSlow).isNull();
    }

    @Test
    void shouldNeverCallOneSlowWhoseClientHasStoppedIt() {
        queueRule("q", rule(ConsumerPolicy.DELETE, NONE, 5, 1_000, 10));
        client.declares("q", Map.of());
        TestConsumer consumer = obedient(client, "q", 2);
        publish("q", 100);
        client.does(() -> consumer.port.pause(Consumer.Pause.WISHED));
        for (int i = 0; i < 10; i++) {
            period();
        }
        assertThat(consumer.tooSlow).isNull();

        client.does(() -> consumer.port.pause(Consumer.Pause.NONE));
        period();
        period();
        assertThat(consumer.tooSlow).isNotNull();
    }

    @Test
    void shouldJudgeOneWithALimitByTheCreditThatItHasGiven() {
        queueRule("q", count(ConsumerPolicy.DELETE, 5));
        client.declares("q", Map.of());
        TestConsumer consumer = client.consumes(new ConsumerSpec(
                "q", "tag", false, false, false, 0, ConsumerSpec.Credit.LIMIT, 0, false, null, Map.of()));
        publish("q", 100);
        for (int i = 0; i < 5; i++) {
            period();
        }
        assertThat(consumer.tooSlow).as("without credit").isNull();

        client.does(() -> consumer.port.limit(3));
        period();
        period();
        assertThat(consumer.tooSlow).as("it holds what it had credit for").isNotNull();
    }

    @Test
    void shouldSpareOneThatHasSettledAllThatItHadCreditFor() {
        queueRule("q", count(ConsumerPolicy.DELETE, 5));
        client.declares("q", Map.of());
        TestConsumer consumer = client.consumes(new ConsumerSpec(
                "q", "tag", false, false, false, 0, ConsumerSpec.Credit.LIMIT, 0, false, null, Map.of()));
        publish("q", 100);
        client.does(() -> consumer.port.limit(3));
        client.does(() -> acceptAll(consumer));
        for (int i = 0; i < 5; i++) {
            period();
        }
        assertThat(consumer.tooSlow).isNull();
    }

    @Test
    void shouldNeverCallOneSlowWhoseSelectorMatchesNothing() {
        queueRule("q", rule(ConsumerPolicy.DELETE, NONE, 5, 1_000, 10));
        client.declares("q", Map.of());
        TestConsumer consumer = client.consumes(new ConsumerSpec(
                "q", "tag", false, false, false, 1, ConsumerSpec.Credit.NONE, 0, false,
                new Nothing(), Map.of()));
        publish("q", 100);
        for (int i = 0; i < 5; i++) {
            period();
        }
        assertThat(consumer.tooSlow).isNull();
    }

    @Test
    void shouldFindOnlyThoseThatDoNotKeepUpOfSeveral() {
        queueRule("q", count(ConsumerPolicy.DELETE, 20));
        client.declares("q", Map.of());
        TestConsumer slow = obedient(client, "q", 30);
        List<TestConsumer> fast = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            TestConsumer each = obedient(client, "q", 1);
            each.onDelivery = (consumer, delivery) -> client.loop.schedule(
                    TimeUnit.MILLISECONDS.toNanos(10), () -> accept(consumer, delivery));
            fast.add(each);
        }
        for (int i = 0; i < 4; i++) {
            publish("q", 1_200);
            period();
        }
        assertThat(slow.tooSlow).isNotNull();
        assertThat(fast).allSatisfy(each -> assertThat(each.tooSlow).isNull());
    }

    @Test
    void shouldCountWhatASettledOneIsSentAndFindItByASocketThatTakesNothing() {
        queueRule("q", rule(ConsumerPolicy.NOTIFY, NONE, NONE, NONE, 10));
        client.declares("q", Map.of());
        TestConsumer consumer = client.consumes(
                new ConsumerSpec("q", "tag", true, false, false, 0, false, 0, Map.of()));
        consumer.onDelivery = (each, delivery) -> {
            if (each.port != null) {
                each.port.written(delivery.windowBytes());
            }
        };
        for (int i = 0; i < 5; i++) {
            publish("q", 20);
            period();
        }
        assertThat(broker.counters().slowConsumersFound()).isZero();

        consumer.onDelivery = (each, delivery) -> {};
        publish("q", 2_000);
        period();
        period();
        assertThat(broker.counters().slowConsumers()).isEqualTo(1);
    }

    @Test
    void shouldSpareOneThatIsSentALargeMessageWhileItsBytesMove() {
        queueRule("q", rule(ConsumerPolicy.NOTIFY, NONE, NONE, NONE, 10));
        client.declares("q", Map.of());
        TestConsumer consumer = client.consumes("q", 10);
        publisher.publishes(TestBroker.message("", "q", "x".repeat(1 << 20)));
        publish("q", 5);
        for (int i = 0; i < 5; i++) {
            consumer.sentBytes += 100_000;
            period();
        }
        assertThat(broker.counters().slowConsumersFound()).isZero();
        period();
        period();
        assertThat(broker.counters().slowConsumers()).as("they don't move any more").isEqualTo(1);
    }

    @Test
    void shouldDeleteATransientSubscriptionAfterItsClientHasBeenToldAndReleaseItsMessages() {
        topicRule("stocks.us.*", count(ConsumerPolicy.DELETE, 10));
        String queue = subscription(client, "stocks.us.*");
        String other = subscription(client, "stocks.eu.*");
        boolean[] thereWhenTold = new boolean[1];
        TestConsumer consumer = obedient(client, queue, 5);
        Runnable obeys = consumer.onTooSlow;
        consumer.onTooSlow = () -> {
            thereWhenTold[0] = broker.engine.context(0).queues.stream().anyMatch(each -> each.name().equals(queue));
            obeys.run();
        };
        TestConsumer elsewhere = obedient(client, other, 5);
        publish("amq.topic", "stocks.us.ibm", 20);
        publish("amq.topic", "stocks.eu.sap", 20);
        period();
        period();
        assertThat(consumer.tooSlow).isNotNull();
        assertThat(thereWhenTold[0]).isTrue();
        assertThat(exists(queue)).isFalse();
        assertThat(elsewhere.tooSlow).as("nothing is said about its topic").isNull();
        elsewhere.onDelivery = (each, delivery) -> accept(each, delivery);
        client.does(() -> acceptAll(elsewhere));
        client.<Long>asks(reply -> client.client.deleteQueue(other, false, false, reply)).result();
        assertThat(broker.counters().messageBytes()).isZero();
        assertThat(broker.counters().queues()).isZero();
    }

    @Test
    void shouldKeepADurableSubscriptionUnlessToldOtherwise() {
        topicRule("stocks.#", count(ConsumerPolicy.DELETE, 10));
        client.declaresDurable("s", Map.of());
        bind(client, "s", "stocks.*");
        TestConsumer consumer = obedient(client, "s", 5);
        publish("amq.topic", "stocks.ibm", 20);
        period();
        period();
        assertThat(consumer.tooSlow).isNotNull();
        assertThat(client.depth("s")).isEqualTo(20);

        topicRule("stocks.#", deletingDurable(count(ConsumerPolicy.DELETE, 10)));
        TestConsumer again = obedient(client, "s", 5);
        period();
        assertThat(again.tooSlow).as("no action on a new one").isNull();
        period();
        assertThat(again.tooSlow).isNotNull();
        assertThat(exists("s")).isFalse();
    }

    @Test
    void shouldDoWhatIsConfiguredWithADurableSubscriptionThatNobodyIsAttachedTo() {
        topicRule("stocks.#", count(ConsumerPolicy.DELETE, 10));
        client.declaresDurable("s", Map.of());
        bind(client, "s", "stocks.*");
        publish("amq.topic", "stocks.ibm", 11);
        period();
        period();
        assertThat(exists("s")).isTrue();
        assertThat(broker.counters().slowConsumersFound()).isEqualTo(1);

        topicRule("stocks.#", deletingDurable(count(ConsumerPolicy.DELETE, 10)));
        period();
        period();
        assertThat(exists("s")).isFalse();
        assertThat(broker.counters().slowConsumers()).isZero();
    }

    @Test
    void shouldNotJudgeAnOrdinaryQueueThatNobodyConsumesFrom() {
        queueRule("q", count(ConsumerPolicy.DELETE, 1));
        client.declares("q", Map.of());
        publish("q", 100);
        period();
        period();
        period();
        assertThat(broker.counters().slowConsumersFound()).isZero();
        assertThat(client.depth("q")).isEqualTo(100);
    }

    @Test
    void shouldCycleAtTheThresholds() {
        topicRule("t", count(ConsumerPolicy.CYCLE, 10));
        String queue = subscription(client, "t");
        publish("amq.topic", "t", 25);
        assertThat(client.depth(queue)).isEqualTo(10);
        TestConsumer consumer = client.consumes(queue, 100);
        assertThat(consumer.texts()).startsWith("m15").endsWith("m24");
        assertThat(broker.counters().droppedByPolicy()).isEqualTo(15);
    }

    @Test
    void shouldHoldProducersWhileASlowConsumerHasNotCaughtUp() {
        queueRule("q", count(ConsumerPolicy.FLOW, 10));
        client.declares("q", Map.of());
        TestConsumer consumer = obedient(client, "q", 5);
        publish("q", 20);
        period();
        period();
        assertThat(broker.counters().slowConsumers()).isEqualTo(1);
        TestBroker.Answer<Void> held = publisher.publishesConfirmed(TestBroker.message("", "q", "held"));
        assertThat(held.done).isFalse();
        assertThat(consumer.tooSlow).isNull();

        consumer.onDelivery = (each, delivery) -> accept(each, delivery);
        client.does(() -> acceptAll(consumer));
        assertThat(held.done).as("it goes on as room comes").isTrue();
        period();
        assertThat(broker.counters().slowConsumers()).isZero();
        publish("q", 100);
        assertThat(broker.counters().parkedMessages()).isZero();
    }

    @Test
    void shouldLetProducersGoWhenTheSlowConsumerHasGone() {
        queueRule("q", count(ConsumerPolicy.FLOW, 10));
        client.declares("q", Map.of());
        TestConsumer consumer = obedient(client, "q", 5);
        publish("q", 20);
        period();
        period();
        TestBroker.Answer<Void> held = publisher.publishesConfirmed(TestBroker.message("", "q", "held"));
        assertThat(held.done).isFalse();
        client.<Void>asks(consumer.port::cancel).result();
        assertThat(held.done).isTrue();
    }

    @Test
    void shouldTellOfOneEpisodeOnceAndOfItsEnd() {
        queueRule("q", count(ConsumerPolicy.NOTIFY, 10));
        client.declares("q", Map.of());
        TestConsumer consumer = obedient(client, "q", 5);
        publish("q", 20);
        for (int i = 0; i < 6; i++) {
            period();
        }
        assertThat(broker.counters().slowConsumersFound()).isEqualTo(1);
        assertThat(broker.counters().slowConsumers()).isEqualTo(1);
        AddressState.ConsumerMeasure measure = measure("q");
        assertThat(measure.messages()).isEqualTo(20);
        assertThat(measure.slowMillis()).isGreaterThan(20_000);

        client.closes();
        assertThat(broker.counters().slowConsumers()).isZero();
        TestClient next = broker.connect(0);
        TestConsumer fresh = obedient(next, "q", 5);
        period();
        assertThat(broker.counters().slowConsumersFound()).as("nothing about the new one").isEqualTo(1);
        assertThat(fresh.tooSlow).isNull();
        assertThat(consumer.tooSlow).isNull();
    }

    @Test
    void shouldApplyANewRuleToWhatIsThere() {
        client.declares("q", Map.of());
        TestConsumer consumer = obedient(client, "q", 5);
        publish("q", 20);
        period();
        period();
        period();
        assertThat(consumer.tooSlow).isNull();
        queueRule("q", count(ConsumerPolicy.DELETE, 10));
        period();
        period();
        assertThat(consumer.tooSlow).isNotNull();
    }

    @Test
    void shouldLookAtNothingWhereNothingIsSaid() {
        queueRule("other", count(ConsumerPolicy.DELETE, 10));
        client.declares("q", Map.of());
        obedient(client, "q", 5);
        assertThat(broker.engine.context(0).housekeeping.size() + broker.engine.context(1).housekeeping.size())
                .isZero();
        client.declares("other", Map.of());
        assertThat(broker.engine.context(0).housekeeping.size() + broker.engine.context(1).housekeeping.size())
                .isEqualTo(1);
        client.<Long>asks(reply -> client.client.deleteQueue("other", false, false, reply)).result();
        assertThat(broker.engine.context(0).housekeeping.size() + broker.engine.context(1).housekeeping.size())
                .isZero();
    }

    @Test
    void shouldCutTheTenSlowOnesOfAThousandAndNobodyElse() {
        topicRule("stocks.*", count(ConsumerPolicy.DELETE, 50));
        List<TestConsumer> slow = new ArrayList<>();
        List<TestConsumer> fast = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            TestConsumer each = obedient(client, subscription(client, "stocks.*"), 0);
            if (i % 100 == 7) {
                slow.add(each);
            } else {
                each.onDelivery = (consumer, delivery) -> accept(consumer, delivery);
                fast.add(each);
            }
        }
        publish("amq.topic", "stocks.ibm", 60);
        period();
        period();
        assertThat(slow).allSatisfy(each -> assertThat(each.tooSlow).isNotNull());
        assertThat(fast).allSatisfy(each -> assertThat(each.tooSlow).isNull());
        assertThat(broker.counters().consumersCut()).isEqualTo(10);
        assertThat(broker.counters().queues()).isEqualTo(990);
    }

    @Test
    void shouldLetProducersGoWhenAQueueThatNobodyIsAttachedToIsNoSubscriptionAnyMore() {
        queueRule("s", count(ConsumerPolicy.FLOW, 10));
        client.declaresDurable("s", Map.of());
        bind(client, "s", "stocks.*");
        publish("amq.topic", "stocks.ibm", 20);
        period();
        period();
        TestBroker.Answer<Void> held = publisher.publishesConfirmed(TestBroker.message("", "s", "held"));
        assertThat(held.done).isFalse();
        client.<Void>asks(reply -> client.client.unbind(
                new Client.BindingSpec("amq.topic", "s", false, "stocks.*", Map.of()), reply)).result();
        period();
        assertThat(held.done).isTrue();
        assertThat(broker.counters().slowConsumers()).isZero();
    }

    @Test
    void shouldLetProducersGoWhenTheRuleIsTakenBack() {
        queueRule("q", count(ConsumerPolicy.FLOW, 10));
        client.declares("q", Map.of());
        obedient(client, "q", 5);
        publish("q", 20);
        period();
        period();
        TestBroker.Answer<Void> held = publisher.publishesConfirmed(TestBroker.message("", "q", "held"));
        assertThat(held.done).isFalse();
        rules(new AddressSettings(List.of()));
        assertThat(held.done).isTrue();
    }

    @Test
    void shouldRefuseNothingThatIsLargerThanWhatTheRuleHoldsProducersAt() {
        queueRule("q", rule(ConsumerPolicy.FLOW, 2_000, NONE, NONE, NONE));
        client.declares("q", Map.of());
        TestConsumer consumer = obedient(client, "q", 5);
        publish("q", 20);
        period();
        period();
        assertThat(broker.counters().slowConsumers()).isEqualTo(1);
        TestBroker.Answer<Void> held = publisher.publishesConfirmed(
                TestBroker.message("", "q", "x".repeat(3_000)));
        assertThat(held.error).isNull();
        assertThat(held.done).isFalse();
        consumer.onDelivery = (each, delivery) -> accept(each, delivery);
        client.does(() -> acceptAll(consumer));
        period();
        assertThat(held.done).isTrue();
        assertThat(held.error).isNull();
    }

    @Test
    void shouldNotJudgeThoseThatAreNotTheActiveOne() {
        queueRule("q", count(ConsumerPolicy.DELETE, 10));
        client.declares("q", Map.of("x-single-active-consumer", true));
        TestConsumer active = obedient(client, "q", 5);
        TestConsumer waits = obedient(client, "q", 5);
        publish("q", 20);
        period();
        period();
        assertThat(active.tooSlow).isNotNull();
        assertThat(waits.tooSlow).isNull();
        period();
        period();
        assertThat(waits.tooSlow).as("it is the active one now, for more than a period").isNotNull();
    }

    @Test
    void shouldFindOneThatAsksForCreditOfASharedAllowance() {
        queueRule("q", count(ConsumerPolicy.DELETE, 10));
        client.declares("q", Map.of());
        TestConsumer consumer = client.consumes(
                new ConsumerSpec("q", "tag", false, false, false, 0, true, 0, Map.of()));
        publish("q", 20);
        assertThat(consumer.creditWanted).isPositive();
        for (int i = 0; i < 3; i++) {
            period();
        }
        assertThat(consumer.tooSlow).as("it was given nothing, so another has all there is of the allowance").isNull();

        client.does(() -> consumer.port.grant(3));
        period();
        period();
        assertThat(consumer.tooSlow).isNotNull();
    }

    @Test
    void shouldJudgeOneThatIsFullByWhatItHolds() {
        queueRule("q", count(ConsumerPolicy.DELETE, 10));
        client.declares("q", Map.of());
        TestConsumer consumer = obedient(client, "q", 5);
        publish("q", 20);
        client.does(() -> consumer.port.pause(Consumer.Pause.FULL));
        period();
        period();
        assertThat(consumer.tooSlow).isNotNull();
    }

    @Test
    void shouldFollowTheBindingsOfAQueue() {
        topicRule("stocks.#", count(ConsumerPolicy.DELETE, 10));
        String queue = subscription(client, "news.#");
        TestConsumer consumer = obedient(client, queue, 5);
        publish("amq.topic", "news.today", 20);
        period();
        period();
        period();
        assertThat(consumer.tooSlow).isNull();

        bind(client, queue, "stocks.us.*");
        period();
        client.<Void>asks(reply -> client.client.unbind(
                new Client.BindingSpec("amq.topic", queue, false, "stocks.us.*", Map.of()), reply)).result();
        period();
        period();
        assertThat(consumer.tooSlow).as("it is bound to no such topic any more").isNull();
        bind(client, queue, "stocks.us.*");
        period();
        period();
        assertThat(consumer.tooSlow).isNotNull();
    }

    @Test
    void shouldDeleteASharedSubscriptionOnlyWithTheLastOfItsConsumers() {
        topicRule("t", count(ConsumerPolicy.DELETE, 10));
        String queue = client.<Client.QueueStatus>asks(reply -> client.client.declareQueue(
                new QueueSpec("shared", false, false, false, Map.of("x-expires", 60_000)), reply)).result().name();
        bind(client, queue, "t");
        TestConsumer slow = obedient(client, queue, 12);
        publish("amq.topic", "t", 12);
        TestConsumer fast = obedient(client, queue, 1);
        fast.onDelivery = (each, delivery) -> accept(each, delivery);
        period();
        period();
        assertThat(slow.tooSlow).isNotNull();
        assertThat(fast.tooSlow).isNull();
        assertThat(exists(queue)).isTrue();
    }

    @Test
    void shouldTellNowAndThenWhatACycleHasDropped() {
        topicRule("t", count(ConsumerPolicy.CYCLE, 10));
        String queue = subscription(client, "t");
        try (LogCapture log = new LogCapture()) {
            publish("amq.topic", "t", 25);
            for (int i = 0; i < 4; i++) {
                period();
            }
            assertThat(log.messages(Level.WARN)).singleElement().asString()
                    .contains(queue, "has dropped its oldest messages to make room, 15 with")
                    .contains("it would have needed room for 15 messages");
        }
    }

    @Test
    void shouldShowHowNearAConsumerIs() {
        long size = TestBroker.message("", "q", "m0").sizeBytes();
        queueRule("q", rule(ConsumerPolicy.NOTIFY, 1_000_000, 100, 60_000, 1));
        client.declares("q", Map.of());
        TestConsumer consumer = obedient(client, "q", 5);
        publish("q", 10);
        period();
        client.does(() -> acceptAll(consumer));
        broker.loops.advance(TimeUnit.SECONDS.toNanos(2));
        AddressState.ConsumerMeasure measure = measure("q");
        assertThat(measure.messages()).isEqualTo(5);
        assertThat(measure.bytes()).isEqualTo(5 * size);
        assertThat(measure.oldestMillis()).isBetween(7_000L, 7_500L);
        assertThat(measure.perSecond()).isBetween(2.0, 2.5);
        assertThat(measure.slowMillis()).isNegative();
    }
}
