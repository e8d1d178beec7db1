package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.StoredTestBroker.persistent;
import static io.sluicemq.broker.engine.TestBroker.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Client;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import io.sluicemq.store.Log;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a checkpoint keeps of messages that are between two places, and what becomes of records that are copied. */
class CheckpointTest {

    private static final StoredTestBroker.Setup TIGHT = new StoredTestBroker.Setup(
            2, StoredTestBroker.SMALL.withBuffers(2, 1024).withSegmentBytes(8 << 10).withMaxRecordBytes(4096));
    private static final StoredTestBroker.Setup MOVING = new StoredTestBroker.Setup(
            2, StoredTestBroker.SMALL.withSegmentBytes(8 << 10).withBuffers(4, 4096).withCompaction(0.5, 1 << 30));
    private static final Map<String, Object> TO_DEAD =
            Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead");
    private static final String PADDING = "x".repeat(200);

    /** The power goes after a checkpoint, while dead letters wait for room: they are where they were. */
    @Test
    void shouldKeepWhatBecomesADeadLetterUntilThatHasRoom() {
        StoredTestBroker broker = StoredTestBroker.open(TIGHT);
        TestClient client = broker.connect(0);
        client.declaresDurable("dead", Map.of());
        client.declaresDurable("q", TO_DEAD);
        List<Delivery> held = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            client.publishes(persistent("q", "m" + i + PADDING));
            held.add(client.gets("q"));
        }
        broker.holdDisk();
        client.settlesAll(held, Outcome.REJECTED);
        broker.engine.rest();
        broker.settle();
        // The checkpoint is written, and of the log only what was there when it began.
        long blocked = 30 - client.depth("dead");
        assertThat(blocked).isPositive();
        for (int i = 0; i < 40; i++) {
            broker.workers.step("log-checkpoints");
            broker.workers.step("log-writer");
        }
        StoredTestBroker after = broker.crashesAndReopens();
        TestClient again = after.connect(0);
        assertThat(again.depth("q") + again.depth("dead")).isEqualTo(30);
        assertThat(again.depth("q")).isPositive();
    }

    @Test
    void shouldKeepWhatHasExpiredUntilItHasBeenReadAndIsADeadLetter() {
        StoredTestBroker broker = StoredTestBroker.open(new StoredTestBroker.Setup(2).withMemory(128 << 10));
        TestClient client = broker.connect(0);
        client.declaresDurable("dead", Map.of());
        client.declaresDurable("q", TO_DEAD);
        client.does(() -> {
            for (int i = 0; i < 2000; i++) {
                client.client.publish(message("", "q", "m" + i, true, 0, 1000), null);
            }
        });
        broker.disk.failReads(true);
        broker.passMillis(1100);
        assertThat(client.depth("q")).isLessThan(2000);
        assertThat(client.depth("q") + client.depth("dead")).isLessThan(2000);
        broker.checkpoint();
        StoredTestBroker after = broker.crashesAndReopens();
        after.passMillis(100);
        TestClient again = after.connect(0);
        assertThat(again.depth("q")).isZero();
        assertThat(again.depth("dead")).isEqualTo(2000);
    }

    private static List<Log.SegmentUse> use(StoredTestBroker broker) {
        return broker.log().segmentUse();
    }

    /** Leaves every tenth of 200 messages unsettled, and lets the log empty its segments. */
    private static List<Delivery> moved(StoredTestBroker broker, TestClient client) {
        client.declaresDurable("q", Map.of("x-delivery-limit", 10));
        for (int i = 0; i < 200; i++) {
            client.publishes(persistent("q", "m" + i + PADDING));
        }
        TestConsumer consumer = client.consumes("q", 0);
        List<Delivery> left = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            if (i % 10 == 0) {
                left.add(consumer.deliveries.get(i));
            } else {
                consumer.settles(i, Outcome.ACCEPTED);
            }
        }
        long first = use(broker).getFirst().start();
        for (int i = 0; i < 3; i++) {
            client.publishes(persistent("q", "late" + i));
            consumer.settles(consumer.deliveries.size() - 1, Outcome.ACCEPTED);
            broker.checkpoint();
            broker.passMillis(2000);
        }
        client.<Void>asks(reply -> consumer.port.cancel(reply)).result();
        assertThat(use(broker).getFirst().start()).isGreaterThan(first);
        assertThat(use(broker)).hasSizeLessThan(5);
        return left;
    }

    @Test
    void shouldSettleUnderTheirNewPositionsWhatWasMovedWhileConsumersHeldIt() {
        StoredTestBroker broker = StoredTestBroker.open(MOVING);
        TestClient client = broker.connect(0);
        List<Delivery> left = moved(broker, client);
        client.settlesAll(left.subList(0, 5), Outcome.ACCEPTED);
        assertThat(client.<Void>asks(reply -> {
            Client.Transaction transaction = client.client.begin();
            transaction.settle(left.subList(5, 10), Outcome.ACCEPTED);
            transaction.commit(reply);
        }).done).isTrue();
        client.settlesAll(left.subList(10, 15), Outcome.REQUEUED);
        assertThat(broker.retainedRecords()).isEqualTo(10);
        for (int restart = 0; restart < 3; restart++) {
            broker = broker.crashesAndReopens();
            assertThat(broker.retainedRecords()).isEqualTo(10);
            TestClient again = broker.connect(1);
            List<Delivery> back = again.consumes("q", 0).deliveries;
            assertThat(back).hasSize(10);
            for (int i = 0; i < 10; i++) {
                assertThat(TestBroker.text(back.get(i))).isEqualTo("m" + (100 + 10 * i) + PADDING);
                assertThat(back.get(i).redelivered()).isTrue();
                assertThat(back.get(i).deliveryCount()).isEqualTo(i < 5 ? 1 : 0);
            }
            broker.checkpoint();
        }
    }

    /** What waits in the log, and is moved there, is known by its new position: with its count of deliveries. */
    @Test
    void shouldRememberDeliveriesOfWhatWasMovedWhileItWaitedInTheLog() {
        StoredTestBroker broker = StoredTestBroker.open(MOVING);
        TestClient client = broker.connect(0);
        client.declaresDurable("q", Map.of("x-delivery-limit", 10));
        for (int i = 0; i < 200; i++) {
            client.publishes(persistent("q", "m" + i + PADDING));
        }
        TestConsumer consumer = client.consumes("q", 0);
        client.<Void>asks(reply -> consumer.port.cancel(reply)).result();
        for (int i = 0; i < 200; i++) {
            consumer.settles(i, i % 10 == 0 ? Outcome.REQUEUED : Outcome.ACCEPTED);
        }
        // A restart leaves all of it in the log.
        broker = broker.crashesAndReopens();
        TestClient again = broker.connect(0);
        long first = use(broker).getFirst().start();
        for (int i = 0; i < 3; i++) {
            again.publishes(persistent("q", "late" + i));
            broker.checkpoint();
            broker.passMillis(2000);
        }
        assertThat(use(broker).getFirst().start()).isGreaterThan(first);
        for (int i = 0; i < 20; i++) {
            Delivery delivery = again.gets("q");
            assertThat(TestBroker.text(delivery)).isEqualTo("m" + 10 * i + PADDING);
            assertThat(delivery.deliveryCount()).isEqualTo(1);
            assertThat(delivery.redelivered()).isTrue();
        }
    }
}
