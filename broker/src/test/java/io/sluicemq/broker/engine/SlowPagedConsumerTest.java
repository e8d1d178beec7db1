package io.sluicemq.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Client;
import io.sluicemq.api.ConsumerSink.Cut;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Message;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.ConsumerPolicy;
import io.sluicemq.broker.flow.ConsumerRule;
import io.sluicemq.broker.flow.TopicRules;
import io.sluicemq.broker.flow.TopicRules.TopicRule;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Slow consumers of queues that keep little of their messages in memory. */
class SlowPagedConsumerTest {

    private static final long NONE = ConsumerRule.NONE;
    private static final long PERIOD = TimeUnit.SECONDS.toNanos(5);

    private StoredTestBroker broker = StoredTestBroker.open(new StoredTestBroker.Setup(2).withMemory(128 << 10));
    private TestClient client = broker.connect(0);

    private void rules(AddressSettings settings) {
        broker.engine.addressSettings(settings);
        broker.settle();
    }

    private static ConsumerRule rule(ConsumerPolicy policy, long messages, long ageMillis, long rate) {
        return new ConsumerRule(NONE, messages, ageMillis, rate, PERIOD, policy, true, Cut.CHANNEL);
    }

    private void publish(String exchange, String key, int count) {
        client.does(() -> {
            for (int i = 0; i < count; i++) {
                client.client.publish(TestBroker.message(exchange, key, "m" + i, true, 0, Message.NO_TTL), null);
            }
        });
    }

    private void advance(long nanos) {
        broker.loops.advance(nanos);
        broker.settle();
    }

    /** ARTEMIS-913: flagged within two periods, though most of the queue is in the log. */
    @Test
    void shouldFindASlowOneOfAQueueThatPages() {
        rules(new AddressSettings(List.of(new AddressSettings.Rule("q", rule(ConsumerPolicy.NOTIFY, NONE, NONE, 10)))));
        client.declaresDurable("q", Map.of());
        publish("", "q", 3_000);
        assertThat(broker.queue("q").residentMessages()).isLessThan(1_000);
        TestConsumer consumer = client.consumes("q", 5);
        for (int second = 0; second < 10; second++) {
            client.does(() -> {
                consumer.deliveries.removeFirst().settle(Outcome.ACCEPTED);
            });
            advance(PERIOD / 5);
        }
        assertThat(broker.counters().slowConsumers()).isEqualTo(1);
    }

    @Test
    void shouldKnowTheAgeOfAMessageThatAStartHasFoundInTheLog() {
        TopicRules topics =
                new TopicRules(List.of(new TopicRule("t", rule(ConsumerPolicy.DELETE, NONE, 60_000, NONE))));
        client.declaresDurable("s", Map.of());
        client.<Void>asks(reply -> client.client.bind(
                new Client.BindingSpec("amq.topic", "s", false, "t", Map.of()), reply)).result();
        publish("amq.topic", "t", 3);
        advance(TimeUnit.SECONDS.toNanos(40));
        broker = broker.crashesAndReopens();
        client = broker.connect(0);
        rules(new AddressSettings(List.of(), topics));
        assertThat(broker.counters().queues()).isEqualTo(1);
        for (int i = 0; i < 3; i++) {
            advance(PERIOD);
        }
        assertThat(broker.counters().queues()).as("after less than a minute").isEqualTo(1);
        for (int i = 0; i < 5; i++) {
            advance(PERIOD);
        }
        assertThat(broker.counters().queues()).as("after more than a minute, two looks").isZero();
        assertThat(broker.counters().slowConsumersFound()).isEqualTo(1);
    }

    /** The first of one level is not forgotten while that of another is read. */
    @Test
    void shouldKnowTheAgeOfTheOldestWhenMessagesOfSeveralPrioritiesAreInTheLog() {
        TopicRules topics =
                new TopicRules(List.of(new TopicRule("t", rule(ConsumerPolicy.DELETE, NONE, 60_000, NONE))));
        client.declaresDurable("s", Map.of("x-max-priority", 5));
        client.<Void>asks(reply -> client.client.bind(
                new Client.BindingSpec("amq.topic", "s", false, "t", Map.of()), reply)).result();
        for (int priority : new int[] {2, 0, 5}) {
            client.publishesConfirmed(TestBroker.message(
                    "amq.topic", "t", "of " + priority, true, priority, Message.NO_TTL)).result();
            advance(TimeUnit.SECONDS.toNanos(15));
        }
        broker = broker.crashesAndReopens();
        client = broker.connect(0);
        rules(new AddressSettings(List.of(), topics));
        for (int i = 0; i < 3; i++) {
            advance(PERIOD);
        }
        assertThat(broker.counters().queues()).as("after a minute").isEqualTo(1);
        advance(PERIOD);
        advance(PERIOD);
        assertThat(broker.counters().queues()).as("after more than a minute, two looks").isZero();
    }
}
