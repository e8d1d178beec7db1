package io.sluicemq.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Message;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.AddressSettings.Rule;
import io.sluicemq.broker.flow.FullPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that are not to be delivered before a time. */
class DelayTest {

    private StoredTestBroker broker = StoredTestBroker.fresh(2);
    private TestClient client = broker.connect(0);

    private void reopened(StoredTestBroker again) {
        broker = again;
        client = broker.connect(0);
    }

    private Message message(String queue, String text, boolean durable, long delayMillis) {
        return message(queue, text, durable, delayMillis, Message.NO_TTL);
    }

    private Message message(String queue, String text, boolean durable, long delayMillis, long ttlMillis) {
        return TestBroker.message("", queue, text, durable, 0, ttlMillis)
                .notBefore(client.loop.currentTimeMillis() + delayMillis);
    }

    private void publishes(String text, boolean durable, long delayMillis) {
        client.publishesConfirmed(message("q", text, durable, delayMillis)).result();
    }

    private List<String> takesAll(String queue) {
        List<String> texts = new ArrayList<>();
        for (Delivery next = client.gets(queue); next != null; next = client.gets(queue)) {
            texts.add(TestBroker.text(next));
            client.settles(next, Outcome.ACCEPTED).result();
        }
        return texts;
    }

    private void assertNothingIsLeft() {
        BrokerCounters counters = broker.counters();
        assertThat(counters.readyMessages()).isZero();
        assertThat(counters.delayedMessages()).isZero();
        assertThat(counters.unsettledMessages()).isZero();
        assertThat(counters.messageBytes()).isLessThanOrEqualTo(500 * counters.queues());
        assertThat(broker.retainedRecords()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldDeliverWhenDueBehindWhatIsReadyThen(boolean durable) {
        client.declaresDurable("q", Map.of());
        publishes("late", durable, 300);
        publishes("soon", durable, 100);
        publishes("as soon", durable, 100);
        publishes("now", durable, 0);
        assertThat(client.depth("q")).isEqualTo(1);
        assertThat(broker.queue("q").delayed()).isEqualTo(3);
        assertThat(broker.counters().delayedMessages()).isEqualTo(3);
        broker.passMillis(99);
        assertThat(client.depth("q")).isEqualTo(1);
        broker.passMillis(1);
        assertThat(client.depth("q")).isEqualTo(3);
        publishes("after", durable, 0);
        broker.passMillis(200);
        assertThat(takesAll("q")).containsExactly("now", "soon", "as soon", "after", "late");
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldBeDroppedWhenDueByARingThatWasMadeSmallerMeanwhile(boolean durable) {
        client.declaresDurable("q", Map.of());
        for (int i = 0; i < 4; i++) {
            publishes("m" + i, durable, 50);
        }
        broker.engine.addressSettings(new AddressSettings(
                List.of(new Rule("q", null, 2L, FullPolicy.RING, null, null, null, null))));
        broker.settle();
        assertThat(broker.queue("q").delayed()).isEqualTo(4);
        broker.passMillis(50);
        assertThat(client.depth("q")).isEqualTo(2);
        assertThat(broker.counters().droppedByPolicy()).isEqualTo(2);
        assertThat(takesAll("q")).containsExactly("m2", "m3");
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldGoToAConsumerThatWaits(boolean durable) {
        client.declaresDurable("q", Map.of());
        TestConsumer consumer = broker.connect(1).consumes("q", 0);
        publishes("m", durable, 50);
        assertThat(consumer.deliveries).isEmpty();
        broker.passMillis(50);
        assertThat(consumer.texts()).containsExactly("m");
        assertThat(consumer.deliveries.get(0).redelivered()).isFalse();
        consumer.settles(0, Outcome.REQUEUED);
        assertThat(consumer.texts()).containsExactly("m", "m");
        consumer.settles(1, Outcome.ACCEPTED);
        assertNothingIsLeft();
    }

    @Test
    void shouldNeedNoLog() {
        TestBroker memory = new TestBroker(1);
        TestClient there = memory.connect(0);
        there.declares("q", Map.of());
        there.publishes(TestBroker.message("", "q", "m").notBefore(there.loop.currentTimeMillis() + 100_000));
        assertThat(there.depth("q")).isZero();
        assertThat(memory.counters().messageBytes()).isPositive();
        memory.loops.advance(100_000_000_000L);
        Delivery got = there.gets("q");
        there.does(() -> got.settle(Outcome.ACCEPTED));
        assertThat(memory.counters().messageBytes()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldBeThereAfterARestart(boolean checkpoint) {
        client.declaresDurable("q", Map.of("x-max-priority", 2));
        publishes("late", true, 5_000);
        publishes("soon", true, 1_000);
        publishes("now", true, 0);
        publishes("transient", false, 1_000);
        reopened(checkpoint ? broker.stopsAndReopens() : broker.crashesAndReopens());
        assertThat(client.depth("q")).isEqualTo(1);
        assertThat(broker.counters().delayedMessages()).isEqualTo(2);
        broker.passMillis(1_000);
        assertThat(client.depth("q")).isEqualTo(2);
        reopened(broker.crashesAndReopens());
        assertThat(client.depth("q")).isEqualTo(2);
        reopened(checkpoint ? broker.stopsAndReopens() : broker.crashesAndReopens());
        broker.passMillis(4_000);
        assertThat(takesAll("q")).containsExactly("now", "soon", "late");
        assertNothingIsLeft();
        reopened(broker.crashesAndReopens());
        assertThat(broker.counters().delayedMessages() + client.depth("q")).isZero();
    }

    @Test
    void shouldBeThereAfterARestartOfATransaction() {
        client.declaresDurable("q", Map.of());
        client.<Void>asks(reply -> {
            Client.Transaction transaction = client.client.begin();
            transaction.publish(message("q", "m", true, 1_000));
            transaction.publish(message("q", "now", true, 0));
            transaction.commit(reply);
        }).result();
        assertThat(client.depth("q")).isEqualTo(1);
        reopened(broker.crashesAndReopens());
        assertThat(client.depth("q")).isEqualTo(1);
        broker.passMillis(1_000);
        assertThat(takesAll("q")).containsExactly("now", "m");
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldExpireCountingFromItsArrival(boolean durable) {
        client.declaresDurable("dead", Map.of());
        client.declaresDurable(
                "q", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
        client.declaresDurable("ttl", Map.of("x-message-ttl", 1_000));
        client.publishes(message("q", "never", durable, 1_000, 400));
        client.publishes(message("q", "shortly", durable, 1_000, 1_100));
        client.publishes(message("ttl", "dropped", durable, 2_000));
        broker.passMillis(399);
        assertThat(client.depth("dead")).isZero();
        broker.passMillis(1);
        assertThat(client.depth("dead")).isEqualTo(1);
        broker.passMillis(600);
        assertThat(client.depth("q")).isEqualTo(1);
        broker.passMillis(100);
        assertThat(client.depth("q")).isZero();
        assertThat(takesAll("dead")).containsExactly("never", "shortly");
        assertThat(broker.counters().droppedByExpiry()).isEqualTo(1);
        assertNothingIsLeft();
    }

    @Test
    void shouldExpireInTimeThoughItStandsBehindOthersThatExpireLater() {
        client.declares("q", Map.of("x-message-ttl", 1_000));
        client.publishes(message("q", "first", false, 500));
        broker.passMillis(300);
        client.publishes(TestBroker.message("", "q", "second"));
        broker.passMillis(500);
        assertThat(client.depth("q")).isEqualTo(2);
        broker.passMillis(200);
        assertThat(takesAll("q")).containsExactly("second");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldLeaveWithAPurge(boolean durable) {
        client.declaresDurable("q", Map.of());
        client.declaresDurable("r", Map.of());
        client.binds("amq.fanout", "q");
        client.binds("amq.fanout", "r");
        client.publishes(TestBroker.message("amq.fanout", "", "both", durable, 0, Message.NO_TTL)
                .notBefore(client.loop.currentTimeMillis() + 100));
        publishes("m", durable, 100);
        publishes("n", durable, 0);
        assertThat(client.<Long>asks(reply -> client.client.purgeQueue("q", reply)).result()).isEqualTo(3);
        assertThat(broker.queue("q").delayed()).isZero();
        broker.passMillis(200);
        assertThat(client.depth("q")).isZero();
        assertThat(takesAll("r")).containsExactly("both");
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldLeaveWithItsQueue(boolean durable) {
        client.declaresDurable("q", Map.of());
        publishes("m", durable, 100);
        BrokerError error = client.<Long>asks(reply -> client.client.deleteQueue("q", false, true, reply)).error();
        assertThat(error).isInstanceOf(BrokerError.NotEmpty.class);
        client.<Long>asks(reply -> client.client.deleteQueue("q", false, false, reply)).result();
        broker.passMillis(200);
        assertNothingIsLeft();
    }

    @Test
    void shouldTakeLittleMemoryForWhatIsInTheLog() {
        client.declaresDurable("q", Map.of());
        String large = "x".repeat(1_000);
        for (int i = 0; i < 500; i++) {
            client.publishes(message("q", i + large, true, 1_000));
        }
        assertThat(broker.messageBytes()).isLessThan(500 * 100);
        broker.passMillis(1_000);
        assertThat(client.depth("q")).isEqualTo(500);
        TestConsumer consumer = new TestConsumer(client);
        consumer.onDelivery = (to, delivery) -> {
            to.port.written(delivery.windowBytes());
            delivery.settle(Outcome.ACCEPTED);
        };
        client.subscribes(
                new io.sluicemq.api.ConsumerSpec("q", "", false, false, false, 10, false, 0, Map.of()), consumer);
        assertThat(consumer.texts()).hasSize(500).isEqualTo(
                java.util.stream.IntStream.range(0, 500).mapToObj(i -> i + large).toList());
        assertNothingIsLeft();
    }

    @Test
    void shouldLeaveMemoryThoughItIsTransientWhenMuchIsInIt() {
        reopened(StoredTestBroker.open(new StoredTestBroker.Setup(1).withMemory(100_000)));
        client.declares("q", Map.of());
        String large = "x".repeat(1_000);
        for (int i = 0; i < 200; i++) {
            client.publishes(message("q", i + large, false, 1_000));
        }
        assertThat(broker.messageBytes()).isLessThan(100_000);
        assertThat(broker.queue("q").delayed()).isEqualTo(200);
        broker.passMillis(1_000);
        assertThat(takesAll("q")).hasSize(200);
        assertNothingIsLeft();
    }
}
