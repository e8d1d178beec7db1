package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.StoredTestBroker.persistent;
import static io.sluicemq.broker.engine.TestBroker.message;
import static io.sluicemq.broker.engine.TestBroker.persistent;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.broker.engine.TestBroker.Answer;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import io.sluicemq.store.LogState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens while the log has no room for a moment, while its disk is full, and when it has failed. */
class BusyLogTest {

    private static final StoredTestBroker.Setup TIGHT = new StoredTestBroker.Setup(
            2, StoredTestBroker.SMALL.withBuffers(2, 1024).withSegmentBytes(8 << 10).withMaxRecordBytes(4096));
    private static final String PADDING = "x".repeat(100);

    private final StoredTestBroker broker = StoredTestBroker.open(TIGHT);
    private final TestClient producer = broker.connect(0);
    private final TestClient taker = broker.connect(1);

    private static List<String> numbered(String prefix, int count) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            texts.add(prefix + i + PADDING);
        }
        return texts;
    }

    // ---- no room for a moment

    @Test
    void shouldHaveMessagesWaitInTheirOrderAndGoOnWhenThereIsRoom() {
        producer.declaresDurable("q", Map.of());
        broker.holdDisk();
        List<Answer<Void>> answers = new ArrayList<>();
        producer.does(() -> {
            for (String text : numbered("m", 100)) {
                Answer<Void> answer = new Answer<>();
                answers.add(answer);
                // Every third is transient and needs no room, but must not overtake.
                producer.publish(answers.size() % 3 == 0 ? message("", "q", text) : persistent("q", text), answer);
            }
        });
        assertThat(broker.engine.context(0).isParking()).isTrue();
        boolean[] congested = new boolean[1];
        int[] resumed = new int[1];
        producer.does(() -> congested[0] = producer.client.congested(() -> resumed[0]++));
        assertThat(congested[0]).isTrue();
        assertThat(resumed[0]).isZero();
        broker.letDiskGo();
        assertThat(resumed[0]).isEqualTo(1);
        producer.does(() -> congested[0] = producer.client.congested(() -> {}));
        assertThat(congested[0]).isFalse();
        assertThat(answers).allMatch(answer -> answer.done && answer.error == null);
        assertThat(taker.consumes("q", 0).texts()).isEqualTo(numbered("m", 100));
        assertThat(producer.lowCalls).isZero();
    }

    /** A queue in memory gets its copy of a message that waits for the log before what was published later to it alone. */
    @Test
    void shouldKeepTheOrderOfAQueueInMemoryThatSharesAMessageWithOneInTheLog() {
        producer.declaresDurable("q", Map.of());
        producer.declares("t", Map.of());
        producer.declares("alone", Map.of());
        producer.binds("amq.fanout", "q");
        producer.binds("amq.fanout", "t");
        broker.holdDisk();
        producer.does(() -> {
            for (String text : numbered("m", 50)) {
                producer.client.publish(persistent("amq.fanout", "", text), null);
            }
            producer.client.publish(message("", "t", "last"), null);
            producer.client.publish(persistent("", "alone", "free"), null);
        });
        assertThat(broker.engine.context(0).isParking()).isTrue();
        broker.letDiskGo();
        List<String> expected = numbered("m", 50);
        expected.add("last");
        assertThat(taker.consumes("t", 0).texts()).isEqualTo(expected);
        assertThat(taker.consumes("alone", 0).texts()).containsExactly("free");
    }

    @Test
    void shouldNotHoldUpQueuesInMemoryWhileOthersWaitForTheLog() {
        producer.declaresDurable("q", Map.of());
        producer.declares("t", Map.of());
        broker.holdDisk();
        producer.does(() -> numbered("m", 50).forEach(text -> producer.client.publish(persistent("q", text), null)));
        assertThat(broker.engine.context(0).isParking()).isTrue();
        assertThat(producer.publishesConfirmed(message("", "t", "now")).done).isTrue();
        assertThat(taker.consumes("t", 0).texts()).containsExactly("now");
        broker.letDiskGo();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void shouldKeepTheOrderWhateverTheScheduleOfTheDisk(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        producer.declaresDurable("q", Map.of());
        producer.declares("t", Map.of());
        producer.binds("amq.fanout", "q");
        producer.binds("amq.fanout", "t");
        broker.schedule = random;
        List<Answer<Void>> answers = new ArrayList<>();
        List<String> inQ = new ArrayList<>();
        List<String> inT = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            String text = i + PADDING;
            boolean durable = random.nextInt(3) > 0;
            String key = List.of("q", "t", "").get(random.nextInt(3));
            if (!key.equals("t")) {
                inQ.add(text);
            }
            if (!key.equals("q")) {
                inT.add(text);
            }
            answers.add(producer.asksLater(reply -> producer.publish(
                    message(key.isEmpty() ? "amq.fanout" : "", key, text, durable, 0, -1), reply)));
            for (int steps = random.nextInt(3); steps > 0; steps--) {
                broker.stepRandomly();
            }
        }
        broker.settle();
        assertThat(answers).allMatch(answer -> answer.done && answer.error == null);
        assertThat(taker.consumes("q", 0).texts()).isEqualTo(inQ);
        assertThat(taker.consumes("t", 0).texts()).isEqualTo(inT);
    }

    /** What leads to less waits for room, too, and is answered when it is durable. */
    @Test
    void shouldWriteSettlementsAndChangesOfTheTopologyWhenThereIsRoom() {
        producer.declaresDurable("q", Map.of());
        for (String text : numbered("m", 5)) {
            producer.publishes(persistent("q", text));
        }
        TestConsumer consumer = taker.consumes("q", 0);
        broker.holdDisk();
        producer.does(() -> numbered("n", 50).forEach(text -> producer.client.publish(persistent("q", text), null)));
        Answer<Void> accepted = taker.settlesAll(List.copyOf(consumer.deliveries.subList(0, 5)), Outcome.ACCEPTED);
        List<Answer<Client.QueueStatus>> declared = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            String name = "new-" + i + PADDING;
            declared.add(producer.asks(reply -> producer.declareDurable(name, Map.of(), reply)));
        }
        assertThat(accepted.done).isFalse();
        assertThat(declared).noneMatch(answer -> answer.done);
        broker.letDiskGo();
        assertThat(accepted.done).isTrue();
        assertThat(declared).allMatch(answer -> answer.done && answer.error == null);
        StoredTestBroker after = broker.crashesAndReopens();
        assertThat(after.counters().queues()).isEqualTo(21);
        assertThat(after.counters().readyMessages()).isEqualTo(50);
    }

    // ---- a full disk

    @Test
    void shouldTellPublishersOfAFullDiskLetConsumersGoOnAndResumeByItself() {
        producer.declaresDurable("q", Map.of());
        broker.disk.setCapacityBytes(broker.disk.usedBytes() + (20 << 10));
        List<Answer<Void>> answers = new ArrayList<>();
        int sent = 0;
        while (producer.lowCalls == 0 && sent < 1000) {
            String text = "m" + sent++ + PADDING;
            answers.add(producer.asks(reply -> producer.publish(persistent("q", text), reply)));
        }
        assertThat(producer.lowReason).contains("room on the disk");
        assertThat(taker.lowReason).isEqualTo(producer.lowReason);
        assertThat(broker.states.getLast().kind()).isEqualTo(LogState.Kind.FULL);
        TestClient late = broker.connect(1);
        assertThat(late.lowReason).isEqualTo(producer.lowReason);
        Answer<Void> waiting = producer.publishesConfirmed(persistent("q", "waits"));
        assertThat(waiting.done).isFalse();
        // Whoever is told to wait by the reason is not told by the other way, too.
        boolean[] congested = new boolean[1];
        producer.does(() -> congested[0] = producer.client.congested(() -> {}));
        assertThat(congested[0]).isFalse();
        assertThat(producer.publishesConfirmed(message("", "amq.none", "unroutable")).done).isTrue();

        TestConsumer consumer = taker.consumes("q", 0);
        int taken = consumer.deliveries.size();
        assertThat(consumer.texts()).isEqualTo(numbered("m", sent).subList(0, taken));
        for (int i = 0; i < taken - 1; i++) {
            assertThat(taker.settles(consumer.deliveries.get(i), Outcome.ACCEPTED).done).as("accept %s", i).isTrue();
        }
        assertThat(taker.<Void>asks(reply -> {
            Client.Transaction transaction = taker.client.begin();
            transaction.settle(List.of(consumer.deliveries.get(taken - 1)), Outcome.ACCEPTED);
            transaction.commit(reply);
        }).done).isTrue();
        broker.disk.setCapacityBytes(Long.MAX_VALUE);
        broker.passMillis(2000);
        assertThat(producer.recoveredCalls).isEqualTo(1);
        assertThat(waiting.done).isTrue();
        assertThat(answers).allMatch(answer -> answer.done && answer.error == null);
        assertThat(broker.states.getLast().kind()).isEqualTo(LogState.Kind.OPEN);
        assertThat(TestBroker.text(consumer.deliveries.getLast())).isEqualTo("waits");
        TestClient after = broker.crashesAndReopens().connect(0);
        assertThat(after.consumes("q", 0).texts().getLast()).isEqualTo("waits");
    }

    /** Below the floor there is room for checkpoints still, and with them the segments go whose messages have left. */
    @Test
    void shouldResumeWhenConsumersHaveMadeRoom() {
        StoredTestBroker small = StoredTestBroker.open(new StoredTestBroker.Setup(
                2, TIGHT.options().withFreeSpaceFloorBytes(8 << 10)));
        TestClient client = small.connect(0);
        client.declaresDurable("q", Map.of());
        small.disk.setCapacityBytes(small.disk.usedBytes() + (40 << 10));
        int sent = 0;
        while (client.lowCalls == 0 && sent < 1000) {
            client.publishes(persistent("q", "m" + sent++ + PADDING));
            small.passMillis(600);
        }
        assertThat(client.lowCalls).isEqualTo(1);
        TestConsumer consumer = client.consumes("q", 0);
        for (int i = 0; i < consumer.deliveries.size(); i++) {
            consumer.settles(i, Outcome.ACCEPTED);
        }
        // The two last checkpoints are kept: what the older one needs stays.
        small.checkpoint();
        client.<Client.QueueStatus>asks(reply -> client.declareDurable("other", Map.of(), reply)).result();
        small.checkpoint();
        small.passMillis(2000);
        assertThat(client.recoveredCalls).isEqualTo(1);
        assertThat(client.publishesConfirmed(persistent("q", "again")).done).isTrue();
    }

    // ---- a disk that fails

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldNeverConfirmWhatAFailedDiskMayNotHave(boolean sync) {
        producer.declaresDurable("q", Map.of());
        producer.publishesConfirmed(persistent("q", "kept")).result();
        if (sync) {
            broker.disk.failSync(1);
        } else {
            broker.disk.failWrite(1);
        }
        Answer<Void> unsure = producer.publishesConfirmed(persistent("q", "unsure"));
        assertThat(unsure.done).isFalse();
        assertThat(broker.states).singleElement().satisfies(state -> {
            assertThat(state.kind()).isEqualTo(LogState.Kind.FAILED);
            assertThat(state.reason()).contains("simulated failure");
        });
        assertThat(producer.lowReason).contains("simulated failure");
        Answer<Void> later = producer.publishesConfirmed(persistent("q", "later"));
        Answer<Client.QueueStatus> declared =
                producer.asks(reply -> producer.declareDurable("new", Map.of(), reply));
        broker.passMillis(12_000);
        assertThat(unsure.done).isFalse();
        assertThat(later.done).isFalse();
        assertThat(declared.error()).isInstanceOf(BrokerError.Unavailable.class);
        assertThat(producer.recoveredCalls).isZero();
        // What needs no disk goes on.
        producer.declares("t", Map.of());
        assertThat(producer.publishesConfirmed(message("", "t", "m")).done).isTrue();
        assertThat(taker.consumes("t", 0).texts()).containsExactly("m");
        TestClient after = broker.crashesAndReopens().connect(0);
        assertThat(after.consumes("q", 0).texts()).startsWith("kept").doesNotContain("later");
    }
}
