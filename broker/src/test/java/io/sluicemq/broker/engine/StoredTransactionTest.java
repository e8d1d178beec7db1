package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.StoredTestBroker.persistent;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Client;
import io.sluicemq.api.Completion;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Message;
import io.sluicemq.broker.engine.TestBroker.Answer;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import io.sluicemq.store.sim.SimulatedDisk.Loss;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Transactions that are in the log by one record: all of one or nothing, whenever the power goes. */
class StoredTransactionTest {

    /** Buffers so small that a transaction needs many turns of the disk. */
    private static final StoredTestBroker.Setup TIGHT = new StoredTestBroker.Setup(
            3, StoredTestBroker.SMALL.withBuffers(2, 1024).withSegmentBytes(8 << 10).withMaxRecordBytes(4096));

    private static TestClient prepared(StoredTestBroker broker) {
        TestClient client = broker.connect(0);
        for (String queue : List.of("a", "b", "in")) {
            client.declaresDurable(queue, Map.of());
        }
        for (int i = 0; i < 3; i++) {
            client.publishesConfirmed(persistent("in", "in" + i)).result();
        }
        return client;
    }

    /** Commits {@code count} messages to each of a and b, and accepts of two messages of in. */
    private static Answer<Void> commits(TestClient client, TestConsumer consumer, int count, String padding) {
        return commits(client, List.copyOf(consumer.deliveries.subList(0, 2)), count, padding);
    }

    private static Answer<Void> commits(TestClient client, List<Delivery> accepted, int count, String padding) {
        return client.asks(reply -> {
            Client.Transaction transaction = client.client.begin();
            for (int i = 0; i < count; i++) {
                transaction.publish(persistent("a", "a" + i + padding));
                transaction.publish(persistent("b", "b" + i + padding));
            }
            transaction.settle(accepted, Outcome.ACCEPTED);
            transaction.commit(reply);
        });
    }

    private static void assertNothingOfIt(StoredTestBroker broker) {
        TestClient client = broker.connect(0);
        assertThat(client.depth("a")).isZero();
        assertThat(client.depth("b")).isZero();
        assertThat(client.depth("in")).isEqualTo(3);
        assertThat(broker.retainedRecords()).isEqualTo(3);
    }

    private static void assertAllOfIt(StoredTestBroker broker, int count, String padding) {
        TestClient client = broker.connect(0);
        assertThat(client.depth("in")).isEqualTo(1);
        for (String queue : List.of("a", "b")) {
            TestConsumer consumer = client.consumes(queue, 0);
            assertThat(consumer.texts()).hasSize(count);
            for (int i = 0; i < count; i++) {
                assertThat(consumer.texts().get(i)).isEqualTo(queue + i + padding);
            }
        }
        assertThat(broker.retainedRecords()).isEqualTo(2L * count + 1);
    }

    @Test
    void shouldAnswerTheCommitWhenItsRecordIsDurable() {
        StoredTestBroker broker = StoredTestBroker.fresh(3);
        TestClient client = prepared(broker);
        TestConsumer consumer = client.consumes("in", 0);
        broker.holdDisk();
        Answer<Void> committed = commits(client, consumer, 5, "");
        assertThat(committed.done).isFalse();
        broker.stepWriter();
        assertThat(committed.done).isFalse();
        broker.stepWriter();
        assertThat(committed.done).isTrue();
        assertThat(broker.store.log().syncs()).isPositive();
        assertAllOfIt(broker.crashesAndReopens(), 5, "");
    }

    /** A delivery that was handed over to a client on another loop, as with a link that comes back. */
    private record Moved(Delivery origin) implements Delivery {

        @Override
        public Message message() {
            return origin.message();
        }

        @Override
        public String queue() {
            return origin.queue();
        }

        @Override
        public boolean redelivered() {
            return origin.redelivered();
        }

        @Override
        public int deliveryCount() {
            return origin.deliveryCount();
        }

        @Override
        public long expiresAtMillis() {
            return origin.expiresAtMillis();
        }

        @Override
        public boolean counted() {
            return origin.counted();
        }

        @Override
        public boolean settled() {
            return origin.settled();
        }

        @Override
        public long remaining() {
            return origin.remaining();
        }

        @Override
        public int windowBytes() {
            return origin.windowBytes();
        }

        @Override
        public void settle(Outcome outcome, Completion completion) {
            throw new AssertionError("by a record of its own, and not by the transaction's");
        }
    }

    @Test
    void shouldBeOneRecordWithAcceptsOfWhatCameToAnotherLoop() {
        StoredTestBroker broker = StoredTestBroker.fresh(3);
        TestClient client = prepared(broker);
        TestConsumer consumer = broker.connect(1).consumes("in", 0);
        List<Delivery> moved = List.of(
                new Moved(consumer.deliveries.get(0)), new Moved(consumer.deliveries.get(1)));
        broker.holdDisk();
        Answer<Void> committed = commits(client, moved, 5, "");
        broker.stepWriter();
        broker.stepWriter();
        assertThat(committed.done).isTrue();
        assertAllOfIt(broker.crashesAndReopens(), 5, "");
    }

    @Test
    void shouldLeaveNoTraceIfThePowerGoesBeforeTheSync() {
        StoredTestBroker broker = StoredTestBroker.fresh(3);
        TestClient client = prepared(broker);
        TestConsumer consumer = client.consumes("in", 0);
        broker.holdDisk();
        Answer<Void> committed = commits(client, consumer, 5, "");
        broker.stepWriter();
        assertThat(committed.done).isFalse();
        assertNothingOfIt(broker.crashesAndReopens());
    }

    /** Its bodies are durable, its record is not written: they count for nothing. */
    @Test
    void shouldLeaveNoTraceOfBodiesWithoutTheirCommit() {
        StoredTestBroker broker = StoredTestBroker.open(TIGHT);
        TestClient client = prepared(broker);
        TestConsumer consumer = client.consumes("in", 0);
        broker.holdDisk();
        Answer<Void> committed = commits(client, consumer, 20, "x".repeat(200));
        assertThat(broker.engine.context(0).isParking()).isTrue();
        for (int i = 0; i < 4; i++) {
            broker.workers.step("log-writer");
        }
        assertThat(committed.done).isFalse();
        assertThat(broker.log().durable()).isEqualTo(broker.log().end());
        assertNothingOfIt(broker.crashesAndReopens(new SplittableRandom(1), Loss.NONE));
        broker = StoredTestBroker.open(TIGHT);
        client = prepared(broker);
        committed = commits(client, client.consumes("in", 0), 20, "x".repeat(200));
        assertThat(committed.done).isTrue();
        assertAllOfIt(broker.crashesAndReopens(), 20, "x".repeat(200));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void shouldBeAllOrNothingWheneverThePowerGoes(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int part = 0; part < 8; part++) {
            StoredTestBroker broker = StoredTestBroker.open(TIGHT);
            TestClient client = prepared(broker);
            TestConsumer consumer = client.consumes("in", 0);
            broker.holdDisk();
            broker.schedule = random;
            Answer<Void> committed = commits(client, consumer, 6, "x".repeat(100));
            for (int steps = random.nextInt(60); steps > 0; steps--) {
                broker.stepRandomly();
            }
            StoredTestBroker after = broker.crashesAndReopens(random, Loss.values()[random.nextInt(4)]);
            if (committed.done || after.connect(0).depth("a") > 0) {
                assertAllOfIt(after, 6, "x".repeat(100));
            } else {
                assertNothingOfIt(after);
            }
        }
    }

    /** A transaction that waits for room, and the publishes behind it. */
    @Test
    void shouldKeepTheOrderOfWhatIsPublishedBehindATransactionThatWaits() {
        StoredTestBroker broker = StoredTestBroker.open(TIGHT);
        TestClient client = prepared(broker);
        broker.holdDisk();
        Answer<Void> committed = commits(client, client.consumes("in", 0), 20, "x".repeat(100));
        Answer<Void> later = client.publishesConfirmed(persistent("a", "later"));
        client.publishes(TestBroker.message("", "a", "transient"));
        assertThat(committed.done).isFalse();
        broker.letDiskGo();
        assertThat(committed.done).isTrue();
        assertThat(later.done).isTrue();
        List<String> texts = client.consumes("a", 0).texts();
        assertThat(texts).hasSize(22);
        assertThat(texts.subList(20, 22)).containsExactly("later", "transient");
    }
}
