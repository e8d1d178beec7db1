package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.TestBroker.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Producer;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PaceTest {

    private final TestBroker broker = new TestBroker(2);
    private final TestClient publisher = broker.connect(0);
    private final TestClient taker = broker.connect(1);
    private final List<Boolean> calls = new ArrayList<>();
    private final Producer producer = new Producer(publisher.loop) {
        @Override
        protected void paced(boolean hold) {
            calls.add(hold);
        }

        @Override
        public String description() {
            return "test";
        }

        @Override
        protected void parkedChanged() {}

        @Override
        public void refused(BrokerError error) {
            throw new AssertionError("a publish was refused: " + error);
        }
    };

    private void publish(String exchange, String key, int messages) {
        publisher.does(() -> {
            for (int i = 0; i < messages; i++) {
                publisher.client.publish(message(exchange, key, "m"), null, producer);
            }
        });
    }

    private void accept(TestConsumer consumer, int messages) {
        for (int i = 0; i < messages; i++) {
            Delivery delivery = consumer.deliveries.remove(0);
            taker.does(() -> {
                consumer.port.written(delivery.windowBytes());
                delivery.settle(Outcome.ACCEPTED);
            });
        }
    }

    private void pass(long millis) {
        broker.loops.advance(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    @Test
    void shouldHoldAProducerUntilConsumersHaveCaughtUp() {
        publisher.declares("q", Map.of());
        TestConsumer consumer = taker.consumes("q", 100);
        publish("", "q", 2100);
        assertThat(calls).isEmpty();
        publish("", "q", 100);
        assertThat(calls).containsExactly(true);
        accept(consumer, 500);
        pass(30);
        accept(consumer, 1087);
        assertThat(calls).containsExactly(true);
        accept(consumer, 1);
        assertThat(calls).containsExactly(true, false);
        publish("", "q", 2200);
        assertThat(calls).containsExactly(true, false, true);
    }

    @Test
    void shouldGiveUpAtAGlanceWhereConsumersAreFarSlower() {
        publisher.declares("q", Map.of());
        TestConsumer consumer = taker.consumes("q", 10);
        publish("", "q", 3000);
        accept(consumer, 10);
        assertThat(calls).containsExactly(true);
        pass(20);
        assertThat(calls).containsExactly(true, false);
        pass(90);
        publish("", "q", 1000);
        assertThat(calls).containsExactly(true, false);
        pass(20);
        publish("", "q", 1);
        assertThat(calls).containsExactly(true, false, true);
        pass(20 + 150);
        publish("", "q", 1);
        assertThat(calls).as("the second rest is twice as long").containsExactly(true, false, true, false);
        pass(100);
        publish("", "q", 1);
        assertThat(calls).containsExactly(true, false, true, false, true);
    }

    @Test
    void shouldGiveUpWhenConsumersFallBehind() {
        publisher.declares("q", Map.of());
        TestConsumer consumer = taker.consumes("q", 100);
        publish("", "q", 3000);
        accept(consumer, 300);
        pass(20);
        publish("", "q", 3000);
        pass(100);
        assertThat(calls).as("5,600 are left, 300 went in 120 ms: another 2.2 s").containsExactly(true, false);
    }

    @Test
    void shouldNeverHoldForAQueueWithoutConsumersAndReleaseWhenTheLastGoes() {
        publisher.declares("q", Map.of());
        publish("", "q", 3000);
        assertThat(calls).isEmpty();
        TestConsumer consumer = taker.consumes("q", 10);
        publish("", "q", 1);
        assertThat(calls).containsExactly(true);
        taker.<Void>asks(reply -> consumer.port.cancel(reply)).result();
        assertThat(calls).containsExactly(true, false);
    }

    @Test
    void shouldReleaseWhenTheQueueIsPurgedOrDeleted() {
        publisher.declares("q", Map.of());
        taker.consumes("q", 10);
        publish("", "q", 3000);
        taker.<Long>asks(reply -> taker.client.purgeQueue("q", reply)).result();
        assertThat(calls).containsExactly(true, false);
        publish("", "q", 3000);
        taker.<Long>asks(reply -> taker.client.deleteQueue("q", false, false, reply)).result();
        assertThat(calls).containsExactly(true, false, true, false);
        pass(5000);
        assertThat(calls).hasSize(4);
    }

    @Test
    void shouldNotHoldForOneSlowSubscriberOfSeveral() {
        for (String queue : List.of("a", "b", "c")) {
            publisher.declares(queue, Map.of());
            publisher.<Void>asks(reply -> publisher.client.bind(
                    new io.sluicemq.api.Client.BindingSpec("amq.fanout", queue, false, "", Map.of()), reply))
                    .result();
        }
        taker.consumes("a", 1);
        TestConsumer second = taker.consumes("b", 0);
        second.onDelivery = (consumer, delivery) -> consumer.port.written(delivery.windowBytes());
        publish("amq.fanout", "", 3000);
        assertThat(calls).isEmpty();
        taker.consumes("c", 1);
        publish("amq.fanout", "", 1);
        assertThat(calls).as("two of three queues are behind").containsExactly(true);
    }
}
