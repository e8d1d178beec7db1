package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.TestBroker.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Consumer;
import io.sluicemq.api.ConsumerSpec;
import io.sluicemq.api.ConsumerSpec.Credit;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.broker.engine.TestBroker.Answer;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.broker.queue.QueueConsumer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Consumers that may have had so many deliveries since they began, and their drains. */
class LimitTest {

    private final TestBroker broker = new TestBroker(2);
    private TestClient publisher;
    private TestClient client;

    @BeforeEach
    void declare() {
        publisher = broker.connect(0);
        client = broker.connect(1);
        client.declares("q", Map.of());
    }

    static ConsumerSpec limited(String queue, boolean settled, boolean noLocal, int prefetch, int priority) {
        return new ConsumerSpec(
                queue, "tag", settled, false, noLocal, prefetch, Credit.LIMIT, priority, false, null, Map.of());
    }

    private TestConsumer consumes() {
        return client.consumes(limited("q", false, false, 0, 0));
    }

    private void publishes(int messages) {
        for (int i = 0; i < messages; i++) {
            publisher.publishes(message("", "q", "m" + i));
        }
    }

    private static void limits(TestConsumer consumer, long deliveries) {
        consumer.client.does(() -> consumer.port.limit(deliveries));
    }

    /** Asks for a drain; the answer is how many deliveries had come when it came. */
    private static Answer<Integer> drains(TestConsumer consumer) {
        Answer<Integer> answer = new Answer<>();
        consumer.client.<Void>asks(reply -> consumer.port.drain(new io.sluicemq.api.Reply<>() {
            @Override
            public void done(Void nothing) {
                answer.done(consumer.deliveries.size());
            }

            @Override
            public void failed(io.sluicemq.api.BrokerError error) {
                answer.failed(error);
            }
        }));
        return answer;
    }

    @Test
    void shouldGiveNothingBeforeThereIsALimit() {
        TestConsumer consumer = consumes();
        publishes(2);
        assertThat(consumer.deliveries).isEmpty();
    }

    @Test
    void shouldCountDeliveriesSinceTheBeginning() {
        TestConsumer consumer = consumes();
        publishes(5);
        limits(consumer, 2);
        assertThat(consumer.texts()).containsExactly("m0", "m1");
        limits(consumer, 2);
        assertThat(consumer.deliveries).hasSize(2);
        consumer.settles(0, Outcome.RELEASED);
        assertThat(consumer.deliveries).hasSize(2);
        limits(consumer, 3);
        assertThat(consumer.texts()).containsExactly("m0", "m1", "m0");
        limits(consumer, 1);
        limits(consumer, 3);
        assertThat(consumer.deliveries).hasSize(3);
        limits(consumer, 100);
        assertThat(consumer.deliveries).hasSize(6);
    }

    @Test
    void shouldTakeBackWhatIsNotUsed() {
        TestConsumer consumer = consumes();
        limits(consumer, 10);
        publishes(1);
        limits(consumer, 0);
        publishes(1);
        assertThat(consumer.deliveries).hasSize(1);
        assertThat(client.depth("q")).isEqualTo(1);
    }

    @Test
    void shouldAnswerADrainBehindTheLastDelivery() {
        TestConsumer consumer = consumes();
        publishes(3);
        Answer<Integer> nothingAllowed = drains(consumer);
        assertThat(nothingAllowed.result()).isZero();
        limits(consumer, 10);
        assertThat(drains(consumer).result()).isEqualTo(3);
        publishes(1);
        assertThat(consumer.deliveries).hasSize(3);
        limits(consumer, 4);
        assertThat(consumer.deliveries).hasSize(4);
    }

    @Test
    void shouldDrainInTheSameTurnAsTheLimit() {
        TestConsumer consumer = consumes();
        publishes(3);
        Answer<Void> first = new Answer<>();
        Answer<Void> second = new Answer<>();
        client.does(() -> {
            consumer.port.limit(10);
            consumer.port.drain(first);
            consumer.port.drain(second);
        });
        assertThat(first.done).isTrue();
        assertThat(second.done).isTrue();
        assertThat(consumer.deliveries).hasSize(3);
    }

    @Test
    void shouldKeepALimitThatIsSetWhileItIsDrained() {
        TestConsumer consumer = consumes();
        publisher.publishes(message("", "q", "x".repeat(QueueConsumer.WINDOW_BYTES)));
        publishes(1);
        limits(consumer, 5);
        Answer<Integer> answer = drains(consumer);
        limits(consumer, 3);
        assertThat(answer.done).isFalse();
        client.does(() -> consumer.port.written(consumer.deliveries.get(0).windowBytes()));
        assertThat(answer.result()).isEqualTo(2);
        publishes(2);
        assertThat(consumer.deliveries).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldAnswerWhenTheWindowOpensAgain(int loop) {
        client = broker.connect(loop);
        TestConsumer consumer = consumes();
        String large = "x".repeat(QueueConsumer.WINDOW_BYTES);
        publisher.publishes(message("", "q", large));
        publisher.publishes(message("", "q", large));
        limits(consumer, 5);
        Answer<Integer> answer = drains(consumer);
        assertThat(consumer.deliveries).hasSize(1);
        assertThat(answer.done).isFalse();
        client.does(() -> consumer.port.written(consumer.deliveries.get(0).windowBytes()));
        assertThat(answer.result()).isEqualTo(2);
    }

    @Test
    void shouldAnswerWithAClosedWindowIfTheOthersHaveTakenTheRest() {
        TestConsumer consumer = consumes();
        publisher.publishes(message("", "q", "x".repeat(QueueConsumer.WINDOW_BYTES)));
        publishes(1);
        limits(consumer, 5);
        Answer<Integer> answer = drains(consumer);
        assertThat(answer.done).isFalse();
        publisher.consumes("q", 0);
        client.does(() -> consumer.port.written(1));
        assertThat(answer.result()).isEqualTo(1);
    }

    @Test
    void shouldAnswerIfItsPrefetchIsUsedUp() {
        TestConsumer consumer = client.consumes(limited("q", false, false, 1, 0));
        publishes(2);
        limits(consumer, 5);
        assertThat(drains(consumer).result()).isEqualTo(1);
    }

    @Test
    void shouldAnswerIfNothingIsForIt() {
        TestConsumer noLocal = client.consumes(limited("q", false, true, 0, 0));
        client.publishes(new io.sluicemq.api.Message(
                TestBroker.TestFormat.INSTANCE, "", "q", List.of(), new byte[0], new byte[1], false, 0, -1,
                client.client));
        limits(noLocal, 5);
        assertThat(drains(noLocal).result()).isZero();
        assertThat(client.depth("q")).isEqualTo(1);
    }

    @Test
    void shouldAnswerIfPaused() {
        TestConsumer consumer = consumes();
        client.does(() -> consumer.port.pause(Consumer.Pause.WISHED));
        limits(consumer, 5);
        publishes(1);
        assertThat(drains(consumer).result()).isZero();
    }

    @Test
    void shouldAnswerADrainThatWaitsWhenPaused() {
        TestConsumer consumer = consumes();
        publisher.publishes(message("", "q", "x".repeat(QueueConsumer.WINDOW_BYTES)));
        publishes(1);
        limits(consumer, 5);
        Answer<Integer> answer = drains(consumer);
        assertThat(answer.done).isFalse();
        client.does(() -> consumer.port.pause(Consumer.Pause.WISHED));
        assertThat(answer.result()).isEqualTo(1);
    }

    @Test
    void shouldAnswerOneThatIsNotActive() {
        client.declares("single", Map.of("x-single-active-consumer", true));
        TestConsumer active = client.consumes(limited("single", false, false, 0, 0));
        TestConsumer other = client.consumes(limited("single", false, false, 0, 0));
        publisher.publishes(message("", "single", "m"));
        limits(other, 5);
        assertThat(drains(other).result()).isZero();
        assertThat(active.deliveries).isEmpty();
    }

    @Test
    void shouldServeHigherPrioritiesFirstAndAnswer() {
        TestConsumer high = client.consumes(limited("q", false, false, 0, 5));
        TestConsumer low = consumes();
        limits(high, 2);
        publishes(3);
        limits(low, 5);
        assertThat(drains(low).result()).isEqualTo(1);
        assertThat(high.deliveries).hasSize(2);
    }

    @Test
    void shouldAnswerWhenTheConsumerOrTheQueueEnds() {
        TestConsumer cancelled = consumes();
        String large = "x".repeat(QueueConsumer.WINDOW_BYTES);
        for (int i = 0; i < 3; i++) {
            publisher.publishes(message("", "q", large));
        }
        limits(cancelled, 5);
        Answer<Integer> first = drains(cancelled);
        assertThat(first.done).isFalse();
        client.<Void>asks(reply -> cancelled.port.cancel(reply)).result();
        assertThat(first.result()).isEqualTo(1);
        assertThat(drains(cancelled).result()).isEqualTo(1);

        TestConsumer deleted = consumes();
        limits(deleted, 5);
        Answer<Integer> second = drains(deleted);
        assertThat(second.done).isFalse();
        client.<Long>asks(reply -> client.client.deleteQueue("q", false, false, reply)).result();
        assertThat(second.result()).isEqualTo(1);
        assertThat(drains(deleted).result()).isEqualTo(1);
    }

    @Test
    void shouldAnswerWhenTheQueueIsPurged() {
        TestConsumer consumer = consumes();
        publisher.publishes(message("", "q", "x".repeat(QueueConsumer.WINDOW_BYTES)));
        publishes(1);
        limits(consumer, 5);
        Answer<Integer> answer = drains(consumer);
        assertThat(answer.done).isFalse();
        client.<Long>asks(reply -> client.client.purgeQueue("q", reply)).result();
        assertThat(answer.result()).isEqualTo(1);
    }

    // ---- what waits in the log

    private StoredTestBroker stored;

    /** A queue with messages of which one is in memory, and a consumer that has no limit yet. */
    private TestConsumer consumesWhatWaitsInTheLog(int messages) {
        stored = StoredTestBroker.fresh(2);
        publisher = stored.connect(0);
        client = stored.connect(1);
        client.declaresDurable("q", Map.of());
        publisher.does(() -> stored.queue("q").pageLimits(-1, 1));
        for (int i = 0; i < messages; i++) {
            publisher.publishes(TestBroker.persistent("", "q", "m" + i));
        }
        return consumes();
    }

    @Test
    void shouldDrainWhatWaitsInTheLog() {
        TestConsumer consumer = consumesWhatWaitsInTheLog(20);
        assertThat(stored.queue("q").residentMessages()).isEqualTo(1);
        limits(consumer, 15);
        consumer.onDelivery = (to, delivery) -> delivery.settle(Outcome.ACCEPTED);
        assertThat(drains(consumer).result()).isEqualTo(15);
        limits(consumer, 30);
        assertThat(drains(consumer).result()).isEqualTo(20);
        limits(consumer, 21);
        publisher.publishes(TestBroker.persistent("", "q", "m20"));
        assertThat(consumer.deliveries).hasSize(21);
    }

    @Test
    void shouldWaitForWhatIsBeingRead() {
        TestConsumer consumer = consumesWhatWaitsInTheLog(20);
        consumer.onDelivery = (to, delivery) -> delivery.settle(Outcome.ACCEPTED);
        stored.holdDisk();
        limits(consumer, 20);
        Answer<Integer> answer = drains(consumer);
        assertThat(answer.done).isFalse();
        stored.letDiskGo();
        assertThat(answer.result()).isEqualTo(20);
    }

    @Test
    void shouldAnswerThoughReadsFail() {
        TestConsumer consumer = consumesWhatWaitsInTheLog(20);
        stored.disk.failReads(true);
        limits(consumer, 20);
        assertThat(drains(consumer).result()).isLessThan(20);
    }

    @Test
    void shouldAnswerIfAPurgeTakesWhatIsBeingRead() {
        TestConsumer consumer = consumesWhatWaitsInTheLog(20);
        stored.holdDisk();
        limits(consumer, 20);
        Answer<Integer> answer = drains(consumer);
        assertThat(answer.done).isFalse();
        client.<Long>asks(reply -> client.client.purgeQueue("q", reply));
        assertThat(answer.done).isTrue();
    }

    /** While others take as much as comes, it is answered when what was there when it began has been read. */
    @Test
    void shouldAnswerThoughMoreComesAllTheTime() {
        TestConsumer none = consumesWhatWaitsInTheLog(20);
        client.<Void>asks(reply -> none.port.cancel(reply)).result();
        TestConsumer drained = client.consumes(limited("q", false, true, 0, 0));
        limits(drained, 1_000);
        drained.onDelivery = (to, delivery) -> {
            delivery.settle(Outcome.ACCEPTED);
            if (to.deliveries.size() < 500) {
                client.client.publish(TestBroker.persistent("", "q", "more"), null);
            }
        };
        assertThat(drains(drained).result()).isBetween(20, 500);
    }

    // ---- dead letters

    @Test
    void shouldAnswerThoughDeadLettersWait() {
        client.declares("full", Map.of());
        client.declares("q2", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "full"));
        broker.engine.addressSettings(new AddressSettings(
                List.of(new AddressSettings.Rule("full", null, 1L, FullPolicy.BLOCK, null, null, null, null))));
        broker.settle();
        publisher.publishes(message("", "full", "held"));
        for (int i = 0; i < 1_100; i++) {
            publisher.publishes(message("", "q2", "m" + i));
        }
        TestConsumer rejects = client.consumes(limited("q2", false, false, 0, 0));
        limits(rejects, 1_050);
        for (int i = 0; i < 1_050; i++) {
            rejects.settles(i, Outcome.REJECTED);
        }
        limits(rejects, 1_060);
        assertThat(rejects.deliveries).hasSize(1_050);
        assertThat(drains(rejects).result()).isEqualTo(1_050);
        TestConsumer other = client.consumes(limited("q2", false, false, 0, 0));
        limits(other, 5);
        assertThat(other.deliveries).isEmpty();
        TestConsumer takesLetters = new TestConsumer(client);
        takesLetters.onDelivery = (to, delivery) -> delivery.settle(Outcome.ACCEPTED);
        client.subscribes(new ConsumerSpec("full", "", false, false, false, 0, false, 0, Map.of()), takesLetters);
        assertThat(other.deliveries).hasSize(5);
        assertThat(rejects.deliveries).hasSize(1_050);
    }
}
