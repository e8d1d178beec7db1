package io.sluicemq.broker.engine;

import io.sluicemq.api.Client;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.ConsumerSink.Cut;
import io.sluicemq.api.ConsumerSpec;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.broker.engine.TestBroker.Answer;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.AddressState;
import io.sluicemq.broker.flow.ConsumerPolicy;
import io.sluicemq.broker.flow.ConsumerRule;
import io.sluicemq.broker.flow.TopicRules;
import io.sluicemq.broker.flow.TopicRules.TopicRule;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A broker with rules about slow consumers, and what their tests do with it: a rule, a consumer under it that does nothing by itself,
 * messages, and periods that pass. Two loops by hand: the queue's client on one, the publisher on the other.
 */
final class RuledBroker {

    static final long NONE = ConsumerRule.NONE;
    static final long PERIOD = TimeUnit.SECONDS.toNanos(5);

    final TestBroker broker = new TestBroker(2);
    final TestClient client = broker.connect(0);
    final TestClient publisher = broker.connect(1);

    // ---- rules

    static ConsumerRule rule(ConsumerPolicy policy, long bytes, long messages, long ageMillis, long rate) {
        return new ConsumerRule(bytes, messages, ageMillis, rate, PERIOD, policy, false, Cut.CHANNEL);
    }

    static ConsumerRule count(ConsumerPolicy policy, long messages) {
        return rule(policy, NONE, messages, NONE, NONE);
    }

    static ConsumerRule deletingDurable(ConsumerRule rule) {
        return new ConsumerRule(
                rule.maxBytes(), rule.maxMessages(), rule.maxAgeMillis(), rule.minPerSecond(), rule.periodNanos(),
                rule.policy(), true, rule.cut());
    }

    void rules(AddressSettings settings) {
        broker.engine.addressSettings(settings);
        broker.settle();
    }

    void queueRule(String match, ConsumerRule rule) {
        rules(new AddressSettings(List.of(new AddressSettings.Rule(match, rule))));
    }

    void topicRule(String key, ConsumerRule rule) {
        rules(new AddressSettings(List.of(), new TopicRules(List.of(new TopicRule(key, rule)))));
    }

    // ---- queues

    /** Queue {@code q}. */
    void queueUnder(ConsumerRule rule) {
        queueRule("q", rule);
        client.declares("q", Map.of());
    }

    /** An {@link #obedient} consumer of queue {@code q}. */
    TestConsumer consumerUnder(ConsumerRule rule, int prefetch) {
        queueUnder(rule);
        return obedient(client, "q", prefetch);
    }

    /** The queue of a subscription that belongs to a client. */
    String subscription(TestClient of, String key) {
        String queue = of.<Client.QueueStatus>asks(
                reply -> of.client.declareQueue(new QueueSpec("", false, true, false, Map.of()), reply))
                .result()
                .name();
        bind(queue, key);
        return queue;
    }

    void bind(String queue, String key) {
        client.<Void>asks(reply -> client.client.bind(toTopics(queue, key), reply)).result();
    }

    void unbind(String queue, String key) {
        client.<Void>asks(reply -> client.client.unbind(toTopics(queue, key), reply)).result();
    }

    private static Client.BindingSpec toTopics(String queue, String key) {
        return new Client.BindingSpec("amq.topic", queue, false, key, Map.of());
    }

    boolean exists(String queue) {
        Answer<Client.QueueStatus> answer = client.asks(reply -> client.client.findQueue(queue, reply));
        return answer.error == null;
    }

    // ---- consumers

    /** A consumer whose client, once told that it is too slow, ends as a channel does. */
    TestConsumer obedient(TestClient of, String queue, int prefetch) {
        TestConsumer consumer = new TestConsumer(of);
        consumer.onTooSlow = () -> {
            consumer.port.cancel(new Answer<Void>());
            consumer.deliveries.forEach(delivery -> delivery.settle(Outcome.REQUEUED));
        };
        return of.subscribes(
                new ConsumerSpec(queue, "tag", false, false, false, prefetch, false, 0, Map.of()), consumer);
    }

    static void accept(TestConsumer consumer, Delivery delivery) {
        consumer.deliveries.remove(delivery);
        if (consumer.port != null) {
            consumer.port.written(delivery.windowBytes());
        }
        delivery.settle(Outcome.ACCEPTED);
    }

    static void acceptAll(TestConsumer consumer) {
        List.copyOf(consumer.deliveries).forEach(delivery -> accept(consumer, delivery));
    }

    /** From now on it keeps up. */
    static void acceptsAtOnce(TestConsumer consumer) {
        consumer.onDelivery = (each, delivery) -> accept(each, delivery);
    }

    AddressState state(String queue) {
        var states = broker.engine.addressStates(null, queue, false);
        broker.loops.advance(TimeUnit.MILLISECONDS.toNanos(300));
        return states.join().getFirst();
    }

    AddressState.ConsumerMeasure measure(String queue) {
        return state(queue).queues().getFirst().consumers().getFirst().measure();
    }

    // ---- messages and time

    void publish(String key, int messages) {
        publish("", key, messages);
    }

    void publish(String exchange, String key, int messages) {
        for (int i = 0; i < messages; i++) {
            publisher.publishes(TestBroker.message(exchange, key, "m" + i));
        }
    }

    /** One that tells whether it was taken. */
    Answer<Void> publishesOne(String queue) {
        return publisher.publishesConfirmed(TestBroker.message("", queue, "held"));
    }

    /** So much time that each rule is looked at once. */
    void period() {
        broker.loops.advance(PERIOD);
    }

    /** Two are what it takes to find a consumer: it must have been too slow for all of one. */
    void periods(int count) {
        for (int i = 0; i < count; i++) {
            period();
        }
    }
}
