package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.StoredTestBroker.persistent;
import static io.sluicemq.broker.engine.TestBroker.message;
import static io.sluicemq.broker.engine.TestBroker.persistent;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.Completion;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.broker.engine.TestBroker.Answer;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When commands are answered, with the log's answers held back and let go by hand. */
class CompletionTest {

    private static final Map<String, Object> NO_ARGUMENTS = Map.of();

    private final StoredTestBroker broker = StoredTestBroker.fresh(3);
    private final TestClient producer = broker.connect(0);
    private final TestClient taker = broker.connect(1);

    private void declare(String... queues) {
        for (String queue : queues) {
            producer.declaresDurable(queue, NO_ARGUMENTS);
        }
    }

    // ---- no loop waits

    @Test
    void shouldGoOnWithOtherWorkWhileTheDiskIsBusy() {
        declare("q");
        broker.holdDisk();
        Answer<Void> confirmed = producer.publishesConfirmed(persistent("q", "m1"));
        assertThat(confirmed.done).isFalse();
        producer.declares("transient", NO_ARGUMENTS);
        assertThat(producer.publishesConfirmed(message("", "transient", "t1")).done).isTrue();
        assertThat(producer.publishes(persistent("q", "m2"))).isEqualTo(1);
        TestConsumer consumer = taker.consumes("q", 0);
        assertThat(consumer.texts()).containsExactly("m1", "m2");
        TestConsumer other = taker.consumes("transient", 0);
        assertThat(other.texts()).containsExactly("t1");
        assertThat(taker.settles(other.deliveries.get(0), Outcome.ACCEPTED).done).isTrue();
        assertThat(producer.depth("q")).isZero();
        assertThat(confirmed.done).isFalse();
        broker.letDiskGo();
        assertThat(confirmed.result()).isNull();
    }

    @Test
    void shouldConfirmAfterTheSyncAndNotAfterTheWrite() {
        declare("q");
        broker.holdDisk();
        Answer<Void> confirmed = producer.publishesConfirmed(persistent("q", "m1"));
        broker.stepWriter();
        assertThat(broker.log().durable()).isLessThan(broker.log().end());
        assertThat(confirmed.done).isFalse();
        broker.stepWriter();
        assertThat(confirmed.done).isTrue();
    }

    // ---- a message to several queues

    /** The sync is over before the first queue has the message: the initial hold keeps the answer. */
    @Test
    void shouldNotConfirmBeforeAllQueuesHaveTheMessageHoweverFastTheDiskIs() {
        declare("a", "b", "c");
        List.of("a", "b", "c").forEach(queue -> producer.binds("amq.fanout", queue));
        Answer<Void> confirmed = producer.asksLater(reply -> producer.publish(
                persistent("amq.fanout", "", "m"), reply));
        producer.loop.runTurn();
        broker.workers.runAll();
        assertThat(broker.log().durable()).isEqualTo(broker.log().end());
        producer.loop.runTurn();
        assertThat(confirmed.done).isFalse();
        broker.settle();
        assertThat(confirmed.done).isTrue();
        List.of("a", "b", "c").forEach(queue -> assertThat(producer.depth(queue)).isEqualTo(1));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldConfirmOnceWhateverComesFirst(long seed) {
        declare("a", "b", "c");
        List.of("a", "b", "c").forEach(queue -> producer.binds("amq.fanout", queue));
        producer.declares("t", NO_ARGUMENTS);
        producer.binds("amq.fanout", "t");
        SplittableRandom random = new SplittableRandom(seed);
        broker.schedule = random;
        List<Answer<Void>> answers = new ArrayList<>();
        long[] ends = new long[200];
        for (int i = 0; i < 200; i++) {
            int number = i;
            TestClient client = random.nextBoolean() ? producer : taker;
            answers.add(client.asksLater(reply -> {
                client.publish(persistent("amq.fanout", "", "m" + number), reply);
                ends[number] = broker.log().end();
            }));
            for (int steps = random.nextInt(6); steps > 0; steps--) {
                broker.stepRandomly();
            }
            for (int j = 0; j <= i; j++) {
                assertThat(broker.log().durable() >= ends[j] || !answers.get(j).done)
                        .as("answered before it was durable")
                        .isTrue();
            }
        }
        broker.settle();
        // An answer that comes twice throws.
        assertThat(answers).allMatch(answer -> answer.done && answer.error == null);
        List.of("a", "b", "c", "t").forEach(queue -> assertThat(producer.depth(queue)).isEqualTo(200));
    }

    @Test
    void shouldRefuseOnceAndKeepTheMessageWhereItWasTaken() {
        producer.declaresDurable("full", Map.of("x-max-length", 1, "x-overflow", "reject-publish"));
        declare("other");
        List.of("full", "other").forEach(queue -> producer.binds("amq.fanout", queue));
        producer.publishesConfirmed(persistent("amq.fanout", "", "m1")).result();
        broker.holdDisk();
        Answer<Void> refused = producer.publishesConfirmed(persistent("amq.fanout", "", "m2"));
        assertThat(refused.done).isFalse();
        broker.letDiskGo();
        assertThat(refused.error()).isInstanceOf(BrokerError.LimitReached.class);
        assertThat(producer.depth("full")).isEqualTo(1);
        assertThat(producer.depth("other")).isEqualTo(2);
        StoredTestBroker after = broker.crashesAndReopens();
        TestClient client = after.connect(0);
        assertThat(client.depth("full")).isEqualTo(1);
        assertThat(client.depth("other")).isEqualTo(2);
        assertThat(after.retainedRecords()).isEqualTo(3);
    }

    // ---- settlements

    @Test
    void shouldCompleteAnAcceptWhenTheRemovalIsDurable() {
        declare("q");
        producer.publishes(persistent("q", "m"));
        TestConsumer consumer = taker.consumes("q", 0);
        broker.holdDisk();
        Answer<Void> accepted = taker.settles(consumer.deliveries.get(0), Outcome.ACCEPTED);
        broker.stepWriter();
        assertThat(accepted.done).isFalse();
        broker.stepWriter();
        assertThat(accepted.done).isTrue();
        StoredTestBroker after = broker.crashesAndReopens();
        assertThat(after.connect(0).depth("q")).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldCompleteARejectionWhenTheDeadLetterIsDurable(boolean deadLetters) {
        declare("dead");
        producer.declaresDurable("q", deadLetters
                ? Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead")
                : NO_ARGUMENTS);
        producer.publishes(persistent("q", "m"));
        TestConsumer consumer = taker.consumes("q", 0);
        broker.holdDisk();
        Answer<Void> rejected = taker.settles(consumer.deliveries.get(0), Outcome.REJECTED);
        assertThat(rejected.done).isFalse();
        broker.stepWriter();
        assertThat(rejected.done).isFalse();
        broker.stepWriter();
        assertThat(rejected.done).isTrue();
        StoredTestBroker after = broker.crashesAndReopens();
        TestClient client = after.connect(0);
        assertThat(client.depth("q")).isZero();
        assertThat(client.depth("dead")).isEqualTo(deadLetters ? 1 : 0);
    }

    /** What is accepted after its queue was deleted is gone for good only when the deletion is. */
    @Test
    void shouldCompleteAnAcceptOfADeletedQueueWhenTheDeletionIsDurable() {
        declare("q");
        producer.publishes(persistent("q", "m"));
        TestConsumer consumer = taker.consumes("q", 0);
        broker.holdDisk();
        Answer<Long> deleted = producer.asks(reply -> producer.client.deleteQueue("q", false, false, reply));
        Answer<Void> accepted = taker.settles(consumer.deliveries.get(0), Outcome.ACCEPTED);
        assertThat(deleted.done).isFalse();
        assertThat(accepted.done).isFalse();
        broker.letDiskGo();
        assertThat(deleted.done).isTrue();
        assertThat(accepted.done).isTrue();
    }

    @Test
    void shouldCompleteEachAcceptByItselfAndNotWithTheLastOfAll() {
        declare("q", "copy");
        List.of("q", "copy").forEach(queue -> producer.binds("amq.fanout", queue));
        for (int i = 0; i < 2; i++) {
            producer.publishes(persistent("amq.fanout", "", "m" + i));
        }
        TestConsumer one = taker.consumes("q", 1);
        TestClient third = broker.connect(2);
        TestConsumer two = third.consumes("q", 1);
        third.consumes("copy", 0);
        broker.holdDisk();
        Answer<Void> first = taker.settles(one.deliveries.get(0), Outcome.ACCEPTED);
        broker.stepWriter();
        Answer<Void> second = third.settles(two.deliveries.get(0), Outcome.ACCEPTED);
        broker.stepWriter();
        // Neither the other consumer's accept nor the other queue's copy of the message holds it back.
        assertThat(first.done).isTrue();
        assertThat(second.done).isFalse();
        broker.letDiskGo();
        assertThat(second.done).isTrue();
    }

    @Test
    void shouldCompleteManyAcceptsTogetherWhenAllAreDurable() {
        declare("a", "b", "c");
        List<Delivery> held = new ArrayList<>();
        for (String queue : List.of("a", "b", "c")) {
            for (int i = 0; i < 5; i++) {
                producer.publishes(persistent(queue, queue + i));
            }
            held.addAll(taker.consumes(queue, 0).deliveries);
        }
        broker.holdDisk();
        Answer<Void> accepted = taker.asksLater(reply -> {
            Completion completion = taker.completion(reply);
            for (Delivery delivery : held) {
                completion.hold();
                delivery.settle(Outcome.ACCEPTED, completion);
            }
            completion.handedOut();
        });
        // One loop's removals are durable before the others' are even written.
        taker.loop.runTurn();
        broker.loops.get(0).runTurn();
        broker.workers.runAll();
        broker.loops.get(0).runTurn();
        taker.loop.runTurn();
        assertThat(accepted.done).isFalse();
        broker.settle();
        broker.stepWriter();
        assertThat(accepted.done).isFalse();
        broker.stepWriter();
        assertThat(accepted.done).isTrue();
        assertThat(broker.crashesAndReopens().counters().readyMessages()).isZero();
    }

    // ---- topology

    @Test
    void shouldAnswerChangesOfTheTopologyWhenTheyAreDurable() {
        declare("q", "bound");
        producer.publishes(persistent("q", "m"));
        broker.holdDisk();
        List<Answer<?>> answers = new ArrayList<>();
        answers.add(producer.<Client.QueueStatus>asks(reply -> producer.declareDurable("new", NO_ARGUMENTS, reply)));
        answers.add(producer.<Void>asks(reply -> producer.client.declareExchange(
                new Client.ExchangeSpec("e", "topic", true, false, false, NO_ARGUMENTS), reply)));
        Client.BindingSpec binding = new Client.BindingSpec("e", "bound", false, "k", NO_ARGUMENTS);
        answers.add(producer.<Void>asks(reply -> producer.client.bind(binding, reply)));
        // Who finds it there may count on it, too.
        answers.add(taker.<Client.QueueStatus>asks(reply -> taker.declareDurable("new", NO_ARGUMENTS, reply)));
        answers.add(producer.<Long>asks(reply -> producer.client.purgeQueue("q", reply)));
        answers.add(producer.<Long>asks(reply -> producer.client.deleteQueue("q", false, false, reply)));
        answers.add(producer.<Void>asks(reply -> producer.client.unbind(binding, reply)));
        answers.add(producer.<Void>asks(reply -> producer.client.deleteExchange("e", false, reply)));
        assertThat(answers).noneMatch(answer -> answer.done);
        broker.letDiskGo();
        assertThat(answers).allMatch(answer -> answer.done && answer.error == null);
        TestClient after = broker.crashesAndReopens().connect(0);
        assertThat(after.depth("new")).isZero();
        assertThat(after.<Client.QueueStatus>asks(reply -> after.client.findQueue("q", reply)).error())
                .isInstanceOf(BrokerError.NotFound.class);
        assertThat(after.<Void>asks(reply -> after.client.findExchange("e", reply)).error())
                .isInstanceOf(BrokerError.NotFound.class);
    }

    // ---- one wake-up for all

    @Test
    void shouldCompleteAllThatBecameDurableByOneWakeUp() {
        declare("q");
        broker.holdDisk();
        List<Answer<Void>> answers = new ArrayList<>();
        producer.does(() -> {
            for (int i = 0; i < 500; i++) {
                Answer<Void> answer = new Answer<>();
                answers.add(answer);
                producer.publish(persistent("q", "m" + i), answer);
            }
        });
        broker.workers.step("log-writer");
        long syncs = broker.disk.syncs();
        long[] wakeUps = new long[3];
        for (int i = 0; i < 3; i++) {
            wakeUps[i] = broker.loops.get(i).executeCalls();
        }
        broker.workers.step("log-writer");
        assertThat(broker.disk.syncs()).isEqualTo(syncs + 1);
        for (int i = 0; i < 3; i++) {
            int expected = i == producer.loop.index() ? 1 : 0;
            assertThat(broker.loops.get(i).executeCalls() - wakeUps[i]).as("wake-ups of loop %s", i)
                    .isEqualTo(expected);
        }
        assertThat(answers).noneMatch(answer -> answer.done);
        producer.loop.runTurn();
        assertThat(answers).allMatch(answer -> answer.done);
    }

    // ---- from another thread

    @Test
    void shouldCompleteOnTheOwnersLoopWhateverThreadMetTheObligation() throws InterruptedException {
        Answer<Void> answer = new Answer<>();
        Completion completion = producer.loop.call(() -> {
            Completion made = producer.completion(answer); // asserts the loop
            made.hold();
            made.handedOut();
            return made;
        });
        Thread other = new Thread(completion::metFromOutside);
        other.start();
        other.join();
        assertThat(answer.done).isFalse();
        broker.settle();
        assertThat(answer.done).isTrue();
    }
}
