package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.TestBroker.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Client;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.ConsumerSpec;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Message;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.store.LogState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that no restart brings back, of which memory has too many. */
@Timeout(30)
class TransientPagingTest {

    private static final int BUDGET = 1 << 20;
    private static final StoredTestBroker.Setup SMALL_MEMORY = new StoredTestBroker.Setup(2).withMemory(BUDGET);
    private static final StoredTestBroker.Setup MUCH_MEMORY = new StoredTestBroker.Setup(2);
    private static final String PADDING = " " + "x".repeat(300);

    private StoredTestBroker broker = StoredTestBroker.open(SMALL_MEMORY);
    private TestClient producer = broker.connect(0);
    private TestClient taker = broker.connect(1);

    private void open(StoredTestBroker.Setup setup) {
        broker = StoredTestBroker.open(setup);
        producer = broker.connect(0);
        taker = broker.connect(1);
    }

    private void reopened(StoredTestBroker again) {
        broker = again;
        producer = broker.connect(0);
        taker = broker.connect(1);
    }

    private static Message small(String queue, int number) {
        return message("", queue, "m" + number + PADDING);
    }

    private void publish(String queue, int from, int to) {
        publish(queue, from, to, false, 0, Message.NO_TTL);
    }

    private void publish(String queue, int from, int to, boolean durable, int priority, long ttlMillis) {
        producer.does(() -> {
            for (int i = from; i < to; i++) {
                producer.client.publish(message("", queue, "m" + i + PADDING, durable, priority, ttlMillis), null);
            }
        });
    }

    private static List<String> texts(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "m" + i + PADDING).toList();
    }

    private static TestConsumer drains(TestClient client, String queue, int prefetch) {
        return consumes(client, queue, prefetch, delivery -> delivery.settle(Outcome.ACCEPTED));
    }

    private static TestConsumer holds(TestClient client, String queue, int prefetch) {
        return consumes(client, queue, prefetch, delivery -> {});
    }

    private static TestConsumer consumes(
            TestClient client, String queue, int prefetch, java.util.function.Consumer<Delivery> then) {
        TestConsumer consumer = new TestConsumer(client);
        consumer.onDelivery = (to, delivery) -> {
            to.port.written(delivery.windowBytes());
            then.accept(delivery);
        };
        return client.subscribes(
                new ConsumerSpec(queue, "tag", false, false, false, prefetch, false, 0, Map.of()), consumer);
    }

    private void assertNothingIsLeft() {
        BrokerCounters counters = broker.counters();
        assertThat(counters.readyMessages()).isZero();
        assertThat(counters.unsettledMessages()).isZero();
        // The last piece of an index may stay, to be used again.
        assertThat(counters.messageBytes()).isLessThanOrEqualTo(500 * counters.queues());
        assertThat(broker.retainedRecords()).isZero();
    }

    private void limits(String queue, long bytes, long messages) {
        Queue limited = broker.queue(queue);
        limited.loop().execute(() -> limited.pageLimits(bytes, messages));
        broker.settle();
    }

    private static long bytes(int messages) {
        return messages * (5L + PADDING.length() + Message.OVERHEAD_BYTES);
    }

    // ---- the broker's memory

    /** Whose messages they are. */
    enum Kind {
        DURABLE_QUEUE, QUEUE_IN_MEMORY, QUEUE_OF_ONE_CONNECTION, PERSISTENT_IN_A_QUEUE_IN_MEMORY
    }

    /** Ten times the budget comes, and nobody takes any of it. */
    @ParameterizedTest
    @EnumSource
    void shouldLetPublishersGoOnWithoutAnyConsumer(Kind kind) {
        QueueSpec spec = new QueueSpec(
                "q", kind == Kind.DURABLE_QUEUE, kind == Kind.QUEUE_OF_ONE_CONNECTION, false, Map.of());
        taker.<Client.QueueStatus>asks(reply -> taker.client.declareQueue(spec, reply)).result();
        boolean persistent = kind == Kind.PERSISTENT_IN_A_QUEUE_IN_MEMORY;
        for (int i = 0; i < 20_000; i += 400) {
            publish("q", i, i + 400, persistent, 0, Message.NO_TTL);
            assertThat(producer.recoveredCalls).as("after %s", i).isEqualTo(producer.lowCalls);
        }
        assertThat(broker.messageBytes()).isLessThan(BUDGET);
        assertThat(taker.depth("q")).isEqualTo(20_000);
        TestConsumer consumer = drains(taker, "q", 20);
        assertThat(consumer.texts()).isEqualTo(texts(0, 20_000));
        assertThat(consumer.deliveries)
                .allMatch(each -> each.message().durable() == persistent && !each.redelivered());
        assertNothingIsLeft();
    }

    @Test
    void shouldEndAShortageByPagingAlone() {
        producer.declares("q", Map.of());
        // All in one turn, before anybody could know that it is too much.
        publish("q", 0, 8000);
        assertThat(producer.lowCalls).isEqualTo(1);
        assertThat(producer.recoveredCalls).isEqualTo(1);
        assertThat(broker.messageBytes()).isLessThan(BUDGET);
        assertThat(drains(taker, "q", 0).texts()).isEqualTo(texts(0, 8000));
        assertNothingIsLeft();
    }

    @Test
    void shouldWriteNothingWhileHalfOfTheMemoryIsFree() {
        producer.declares("q", Map.of());
        publish("q", 0, 900);
        assertThat(broker.messageBytes()).isBetween(BUDGET * 4L / 10, BUDGET / 2L);
        assertThat(broker.retainedRecords()).isZero();
        publish("q", 900, 1200);
        publish("q", 1200, 1300);
        assertThat(broker.retainedRecords()).isBetween(100L, 300L);
        assertThat(producer.lowCalls).isZero();
        assertThat(drains(taker, "q", 0).texts()).isEqualTo(texts(0, 1300));
        assertNothingIsLeft();
    }

    @Test
    void shouldPageTheLargestQueueAndLeaveSmallOnesAlone() {
        for (int i = 0; i < 5; i++) {
            producer.declares("small" + i, Map.of());
            publish("small" + i, 0, 50);
        }
        producer.declares("large", Map.of());
        publish("large", 0, 4000);
        for (int i = 0; i < 5; i++) {
            assertThat(broker.queue("small" + i).residentMessages()).isEqualTo(50);
        }
        assertThat(broker.queue("large").residentMessages()).isLessThan(1500);
        assertThat(producer.recoveredCalls).isEqualTo(producer.lowCalls).isPositive();
    }

    /** Large ones are no less bounded: not so many of them stay. */
    @Test
    void shouldPageLargeMessagesOfWhichAFewAreTooMany() {
        String large = "x".repeat(100_000);
        for (int queue = 0; queue < 8; queue++) {
            String name = "q" + queue;
            producer.declares(name, Map.of());
            for (int i = 0; i < 5; i++) {
                producer.publishes(message("", name, i + large));
                assertThat(producer.recoveredCalls).isEqualTo(producer.lowCalls);
            }
        }
        assertThat(producer.lowCalls).isPositive();
        for (int queue = 0; queue < 8; queue++) {
            assertThat(drains(taker, "q" + queue, 1).texts()).containsExactly(
                    0 + large, 1 + large, 2 + large, 3 + large, 4 + large);
        }
        assertNothingIsLeft();
    }

    @Test
    void shouldCountWhatSeveralQueuesShareOnceAndToTheEnd() {
        for (String queue : List.of("a", "b", "c")) {
            producer.declares(queue, Map.of());
            producer.binds("amq.fanout", queue);
        }
        for (int from = 0; from < 6000; from += 200) {
            int first = from;
            producer.does(() -> {
                for (int i = first; i < first + 200; i++) {
                    producer.client.publish(message("amq.fanout", "", "m" + i + PADDING), null);
                }
            });
        }
        assertThat(producer.recoveredCalls).isEqualTo(producer.lowCalls);
        assertThat(drains(taker, "a", 7).texts()).isEqualTo(texts(0, 6000));
        assertThat(producer.<Long>asks(reply -> producer.client.purgeQueue("b", reply)).result()).isEqualTo(6000);
        assertThat(drains(taker, "c", 0).texts()).isEqualTo(texts(0, 6000));
        assertNothingIsLeft();
    }

    @Test
    void shouldKeepWhatTheLogHasNoRecordFor() {
        open(new StoredTestBroker.Setup(2, StoredTestBroker.SMALL.withMaxRecordBytes(4096)).withMemory(BUDGET));
        producer.declares("q", Map.of());
        String tooLong = "x".repeat(5000);
        producer.does(() -> {
            for (int i = 0; i < 3000; i++) {
                producer.client.publish(i % 100 == 50 ? message("", "q", i + tooLong) : small("q", i), null);
            }
        });
        List<String> expected = IntStream.range(0, 3000)
                .mapToObj(i -> i % 100 == 50 ? i + tooLong : "m" + i + PADDING).toList();
        assertThat(drains(taker, "q", 10).texts()).isEqualTo(expected);
        assertNothingIsLeft();
    }

    /** What is read back has lost its publisher, by whom such a consumer chooses. */
    @Test
    void shouldKeepAllForAConsumerThatWantsNoneOfItsOwn() {
        producer.declares("q", Map.of());
        TestConsumer consumer = new TestConsumer(producer);
        producer.subscribes(new ConsumerSpec("q", "tag", false, false, true, 0, false, 0, Map.of()), consumer);
        producer.does(() -> {
            for (int i = 0; i < 4000; i++) {
                producer.client.publish(new Message(TestBroker.TestFormat.INSTANCE, "", "q", List.of(), new byte[0],
                        new byte[300], false, 0, Message.NO_TTL, producer.client), null);
            }
        });
        assertThat(producer.lowCalls).isEqualTo(1);
        assertThat(broker.retainedRecords()).isZero();
        assertThat(consumer.deliveries).isEmpty();
        producer.<Void>asks(reply -> consumer.port.cancel(reply)).result();
        assertThat(drains(taker, "q", 0).deliveries).hasSize(4000);
        assertNothingIsLeft();
    }

    // ---- a limit of the queue's own

    @Test
    void shouldKeepNoMoreInMemoryThanTheLimitSays() {
        open(MUCH_MEMORY);
        producer.declares("q", Map.of());
        limits("q", bytes(50), -1);
        publish("q", 0, 3000);
        assertThat(broker.queue("q").residentMessages()).isBetween(40, 51);
        assertThat(broker.retainedRecords()).isGreaterThan(2900);
        TestConsumer consumer = holds(taker, "q", 30);
        for (int i = 0; i < 3000; i++) {
            Queue queue = broker.queue("q");
            assertThat(queue.residentMessages() + queue.unsettled()).as("at %s", i).isBetween(1, 51);
            consumer.settles(i, Outcome.ACCEPTED);
        }
        assertThat(consumer.texts()).isEqualTo(texts(0, 3000));
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldLimitTheNumberOfMessagesInMemory(boolean durable) {
        open(MUCH_MEMORY);
        producer.declaresDurable("q", Map.of());
        limits("q", -1, 10);
        publish("q", 0, 1000, durable, 0, Message.NO_TTL);
        assertThat(broker.queue("q").residentMessages()).isEqualTo(10);
        assertThat(drains(taker, "q", 3).texts()).isEqualTo(texts(0, 1000));
        assertNothingIsLeft();
    }

    /** Who holds more than the limit gets the next all the same, one at a time. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldGoOnWhereConsumersHoldAllThatTheLimitAllows(int messages) {
        open(MUCH_MEMORY);
        producer.declares("q", Map.of());
        limits("q", -1, messages);
        publish("q", 0, 500);
        TestConsumer consumer = holds(taker, "q", 100);
        assertThat(consumer.texts()).isEqualTo(texts(0, 100));
        assertThat(broker.queue("q").residentMessages()).isEqualTo(1);
        taker.settlesAll(List.copyOf(consumer.deliveries), Outcome.ACCEPTED);
        assertThat(consumer.texts()).isEqualTo(texts(0, 200));
        // One that is not full, too: what comes now is behind the others.
        publish("q", 500, 501);
        for (int done = 100; done <= 500; done++) {
            consumer.settles(done, Outcome.ACCEPTED);
        }
        assertThat(consumer.texts()).isEqualTo(texts(0, 501));
        publish("q", 501, 502);
        assertThat(consumer.texts()).isEqualTo(texts(0, 502));
    }

    @Test
    void shouldFollowALimitThatChanges() {
        open(MUCH_MEMORY);
        producer.declares("q", Map.of());
        publish("q", 0, 5000);
        assertThat(broker.queue("q").residentMessages()).isEqualTo(5000);
        limits("q", -1, 100);
        assertThat(broker.queue("q").residentMessages()).isEqualTo(100);
        assertThat(broker.retainedRecords()).isEqualTo(4900);
        limits("q", bytes(20), 100);
        assertThat(broker.queue("q").residentMessages()).isBetween(19, 21);
        TestConsumer consumer = holds(taker, "q", 10);
        limits("q", -1, 1000);
        assertThat(broker.queue("q").residentMessages() + broker.queue("q").unsettled()).isBetween(750, 1000);
        limits("q", -1, 15);
        assertThat(broker.queue("q").residentMessages() + broker.queue("q").unsettled()).isEqualTo(15);
        limits("q", -1, -1);
        publish("q", 5000, 5100);
        for (int i = 0; i < 5100; i++) {
            consumer.settles(i, Outcome.ACCEPTED);
        }
        assertThat(consumer.texts()).isEqualTo(texts(0, 5100));
        assertNothingIsLeft();
    }

    /** It changes in the middle of what the one before leads to. */
    @Test
    void shouldFollowALimitThatChangesWhileMessagesLeaveMemory() {
        open(MUCH_MEMORY);
        producer.declares("q", Map.of());
        publish("q", 0, 10_000);
        Queue queue = broker.queue("q");
        queue.loop().execute(() -> queue.pageLimits(-1, 10));
        broker.loops.get(queue.loop().index()).runTurn();
        broker.loops.get(queue.loop().index()).runTurn();
        assertThat(queue.residentMessages()).isBetween(1000, 9900);
        int before = queue.residentMessages();
        queue.loop().execute(() -> queue.pageLimits(-1, -1));
        broker.settle();
        assertThat(queue.residentMessages()).isBetween(before - 2048, before);
        limits("q", -1, 10);
        assertThat(queue.residentMessages()).isEqualTo(10);
        assertThat(drains(taker, "q", 0).texts()).isEqualTo(texts(0, 10_000));
        assertNothingIsLeft();
    }

    @Test
    void shouldKeepAllInMemoryWithoutALog() {
        TestBroker inMemory = new TestBroker(2);
        TestClient client = inMemory.connect(0);
        client.declares("q", Map.of());
        Queue queue = inMemory.engine.context(0).queues.stream().findAny()
                .orElseGet(() -> inMemory.engine.context(1).queues.iterator().next());
        queue.loop().execute(() -> queue.pageLimits(0, 0));
        inMemory.settle();
        for (int i = 0; i < 100; i++) {
            client.publishes(small("q", i));
        }
        assertThat(queue.residentMessages()).isEqualTo(100);
        assertThat(client.consumes("q", 0).texts()).isEqualTo(texts(0, 100));
    }

    // ---- in the middle of it

    /** The disk is held, so that a page-out stops where buffers are full. */
    private Queue stoppedInTheMiddle() {
        open(new StoredTestBroker.Setup(2, StoredTestBroker.SMALL.withBuffers(2, 16 << 10)));
        producer.declares("q", Map.of());
        publish("q", 0, 3000);
        broker.holdDisk();
        limits("q", -1, 10);
        Queue queue = broker.queue("q");
        assertThat(queue.residentMessages()).isBetween(1000, 2990);
        return queue;
    }

    @Test
    void shouldPurgeInTheMiddleOfAPageOut() {
        Queue queue = stoppedInTheMiddle();
        assertThat(producer.<Long>asks(reply -> producer.client.purgeQueue("q", reply)).result()).isEqualTo(3000);
        assertThat(queue.residentMessages()).isZero();
        publish("q", 3000, 3100);
        broker.letDiskGo();
        assertThat(queue.residentMessages()).isEqualTo(10);
        assertThat(drains(taker, "q", 0).texts()).isEqualTo(texts(3000, 3100));
        assertNothingIsLeft();
    }

    @Test
    void shouldDeleteInTheMiddleOfAPageOut() {
        stoppedInTheMiddle();
        assertThat(producer.<Long>asks(reply -> producer.client.deleteQueue("q", false, false, reply)).result())
                .isEqualTo(3000);
        broker.letDiskGo();
        assertNothingIsLeft();
        assertThat(broker.counters().messageBytes()).isZero();
        producer.declares("q", Map.of());
        publish("q", 0, 10);
        assertThat(drains(taker, "q", 0).texts()).isEqualTo(texts(0, 10));
    }

    @Test
    void shouldDeliverInTheMiddleOfAPageOut() {
        stoppedInTheMiddle();
        TestConsumer consumer = drains(taker, "q", 0);
        assertThat(consumer.deliveries.size()).isBetween(1000, 2990);
        broker.letDiskGo();
        assertThat(consumer.texts()).isEqualTo(texts(0, 3000));
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldPurgeOrDeleteInTheMiddleOfARead(boolean purge) {
        open(MUCH_MEMORY);
        producer.declares("q", Map.of());
        limits("q", -1, 10);
        publish("q", 0, 1000);
        broker.holdDisk();
        TestConsumer consumer = drains(taker, "q", 1);
        assertThat(consumer.texts()).isEqualTo(texts(0, 10));
        if (purge) {
            assertThat(producer.<Long>asks(reply -> producer.client.purgeQueue("q", reply)).result()).isEqualTo(990);
            publish("q", 1000, 1100);
            broker.letDiskGo();
            assertThat(consumer.texts().subList(10, 110)).isEqualTo(texts(1000, 1100));
        } else {
            producer.<Long>asks(reply -> producer.client.deleteQueue("q", false, false, reply)).result();
            broker.letDiskGo();
            assertThat(consumer.cancelledFor).contains("deleted");
        }
        assertNothingIsLeft();
    }

    @Test
    void shouldHoldPublishersWhileTheDiskIsFullAndGoOnByItself() {
        open(new StoredTestBroker.Setup(2, StoredTestBroker.SMALL.withFreeSpaceFloorBytes(8 << 10))
                .withMemory(BUDGET));
        producer.declares("q", Map.of());
        broker.disk.setCapacityBytes(broker.disk.usedBytes() + (64 << 10));
        int sent = 0;
        while (sent < 6000) {
            publish("q", sent, sent + 500);
            sent += 500;
            broker.passMillis(600);
        }
        assertThat(broker.states.getLast().kind()).isEqualTo(LogState.Kind.FULL);
        assertThat(producer.lowCalls).isGreaterThan(producer.recoveredCalls);
        assertThat(broker.messageBytes()).isGreaterThan(BUDGET);
        assertThat(producer.depth("q")).isEqualTo(sent);
        // Consumers go on: what is in memory, and what is on the disk.
        Delivery first = taker.gets("q");
        assertThat(TestBroker.text(first)).isEqualTo("m0" + PADDING);
        taker.settles(first, Outcome.ACCEPTED);
        broker.disk.setCapacityBytes(Long.MAX_VALUE);
        broker.passMillis(2000);
        assertThat(producer.recoveredCalls).isEqualTo(producer.lowCalls);
        assertThat(broker.messageBytes()).isLessThan(BUDGET);
        assertThat(drains(taker, "q", 5).texts()).isEqualTo(texts(1, sent));
        assertNothingIsLeft();
    }

    /** They stand among others that are on the disk, as it had no room for them when they came. */
    @Test
    void shouldWriteWhatHadNoRoomWhenItCame() {
        open(new StoredTestBroker.Setup(2, StoredTestBroker.SMALL.withBuffers(2, 16 << 10)));
        producer.declares("q", Map.of());
        limits("q", -1, 10);
        publish("q", 0, 20);
        broker.holdDisk();
        publish("q", 20, 1000);
        assertThat(broker.queue("q").residentMessages()).isBetween(500, 990);
        broker.letDiskGo();
        assertThat(broker.queue("q").residentMessages()).isEqualTo(10);
        assertThat(broker.retainedRecords()).isEqualTo(990);
        assertThat(drains(taker, "q", 5).texts()).isEqualTo(texts(0, 1000));
        assertNothingIsLeft();
    }

    /** The ones that are read are partly in memory, and are written meanwhile. */
    @Test
    void shouldReadWhatIsWrittenMeanwhile() {
        open(new StoredTestBroker.Setup(2, StoredTestBroker.SMALL.withBuffers(2, 16 << 10)));
        producer.declares("q", Map.of());
        limits("q", -1, 10);
        publish("q", 0, 20);
        broker.holdDisk();
        publish("q", 20, 1000);
        TestConsumer consumer = drains(taker, "q", 1);
        broker.letDiskGo();
        assertThat(consumer.texts()).isEqualTo(texts(0, 1000));
        assertNothingIsLeft();
    }

    // ---- order, time, deliveries

    @Test
    void shouldKeepPriorities() {
        producer.declares("q", Map.of("x-max-priority", 9));
        List<String> expected = new ArrayList<>();
        for (int round = 0; round < 4; round++) {
            for (int priority = 0; priority <= 9; priority++) {
                int first = (round * 10 + priority) * 100;
                publish("q", first, first + 100, false, priority, Message.NO_TTL);
            }
        }
        for (int priority = 9; priority >= 0; priority--) {
            for (int round = 0; round < 4; round++) {
                int first = (round * 10 + priority) * 100;
                expected.addAll(texts(first, first + 100));
            }
        }
        assertThat(broker.retainedRecords()).isGreaterThan(1000);
        assertThat(drains(taker, "q", 1).texts()).isEqualTo(expected);
        assertThat(broker.counters().readyMessages()).isZero();
        assertThat(broker.retainedRecords()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldExpireWhatHasLeftMemory(boolean deadLetters) {
        open(MUCH_MEMORY);
        producer.declaresDurable("dead", Map.of());
        producer.declares("q", deadLetters
                ? Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead")
                : Map.of());
        limits("q", -1, 10);
        publish("q", 0, 1000, false, 0, 1000);
        publish("q", 1000, 1100);
        publish("q", 1100, 2000, false, 0, 1000);
        assertThat(broker.retainedRecords()).isEqualTo(1990);
        broker.passMillis(900);
        assertThat(producer.depth("q")).isEqualTo(2000);
        broker.passMillis(400);
        assertThat(producer.depth("q")).isEqualTo(100);
        assertThat(producer.depth("dead")).isEqualTo(deadLetters ? 1900 : 0);
        assertThat(broker.retainedRecords()).isBetween(90L, 100L);
        assertThat(broker.counters().droppedByExpiry()).isEqualTo(deadLetters ? 0 : 1900);
        assertThat(drains(taker, "q", 0).texts()).isEqualTo(texts(1000, 1100));
        if (deadLetters) {
            // They are as transient as they were.
            TestConsumer letters = holds(taker, "dead", 0);
            assertThat(letters.texts()).hasSize(1900).doesNotHaveDuplicates();
            assertThat(letters.deliveries).noneMatch(each -> each.message().durable());
            taker.settlesAll(letters.deliveries, Outcome.ACCEPTED);
        }
        assertNothingIsLeft();
    }

    @Test
    void shouldDropTheOldestOfWhatHasLeftMemory() {
        open(MUCH_MEMORY);
        producer.declares("q", Map.of("x-max-length", 500));
        limits("q", -1, 10);
        publish("q", 0, 400);
        publish("q", 400, 2000);
        assertThat(producer.depth("q")).isEqualTo(500);
        assertThat(drains(taker, "q", 0).texts()).isEqualTo(texts(1500, 2000));
        assertNothingIsLeft();
    }

    @Test
    void shouldPutBackWhatWasReturnedInItsPlaceAndRememberItsDeliveries() {
        producer.declares("q", Map.of("x-delivery-limit", 9));
        publish("q", 0, 600);
        TestConsumer consumer = holds(taker, "q", 500);
        publish("q", 600, 6000);
        taker.<Void>asks(reply -> consumer.port.cancel(reply)).result();
        List<Delivery> held = new ArrayList<>(consumer.deliveries);
        Collections.shuffle(held, new Random(5));
        taker.settlesAll(held, Outcome.REQUEUED);
        // All of memory is wanted for something else, twice: then also those leave that came back.
        for (int i = 0; i < 2; i++) {
            producer.does(() -> producer.client.holds(2 * BUDGET));
            assertThat(broker.queue("q").residentMessages()).isLessThan(300);
            producer.does(() -> producer.client.holds(-2 * BUDGET));
        }
        assertThat(producer.recoveredCalls).isEqualTo(producer.lowCalls);
        for (int i = 0; i < 6000; i++) {
            Delivery delivery = taker.gets("q");
            assertThat(TestBroker.text(delivery)).isEqualTo("m" + i + PADDING);
            assertThat(delivery.remaining()).isEqualTo(5999 - i);
            assertThat(delivery.deliveryCount()).as("of %s", i).isEqualTo(i < 500 ? 1 : 0);
            assertThat(delivery.redelivered()).isEqualTo(i < 500);
            taker.settles(delivery, Outcome.ACCEPTED);
        }
        assertThat(taker.gets("q")).isNull();
        assertNothingIsLeft();
    }

    // ---- restarts, and what the disk keeps

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldForgetThemWithARestartAndGiveTheirSpaceBack(boolean orderly) {
        producer.declaresDurable("q", Map.of());
        producer.declares("gone", Map.of());
        limits("q", -1, 10);
        limits("gone", -1, 10);
        List<String> durable = new ArrayList<>();
        producer.does(() -> {
            for (int i = 0; i < 3000; i++) {
                boolean persistent = i % 10 == 3;
                producer.client.publish(
                        message("", "q", "m" + i + PADDING, persistent, 0, Message.NO_TTL), null);
                producer.client.publish(small("gone", i), null);
                if (persistent) {
                    durable.add("m" + i + PADDING);
                }
            }
        });
        long used = broker.disk.usedBytes();
        assertThat(broker.retainedRecords()).isGreaterThan(5900);
        long lastId = broker.queue("gone").id();
        broker.checkpoint();
        reopened(orderly ? broker.stopsAndReopens() : broker.crashesAndReopens());
        assertThat(broker.retainedRecords()).isEqualTo(300);
        assertThat(producer.depth("q")).isEqualTo(300);
        producer.declares("new", Map.of());
        assertThat(broker.queue("new").id()).isGreaterThan(lastId);
        assertThat(drains(taker, "q", 10).texts()).isEqualTo(durable);
        for (int i = 0; i < 3; i++) {
            producer.publishes(message("", "q", "late", true, 0, Message.NO_TTL));
            broker.checkpoint();
            broker.passMillis(6000);
        }
        assertThat(broker.disk.usedBytes()).isLessThan(used / 2);
        assertNothingIsLeft();
    }

    /** Numbers of queues that only the records of their messages still name are not given again. */
    @Test
    void shouldNumberQueuesOnAfterACrash() {
        producer.declares("gone", Map.of());
        limits("gone", -1, 0);
        publish("gone", 0, 10);
        long lastId = broker.queue("gone").id();
        broker.passMillis(100);
        reopened(broker.crashesAndReopens());
        producer.declares("new", Map.of());
        assertThat(broker.queue("new").id()).isGreaterThan(lastId);
    }

    @Test
    void shouldGiveTheirSpaceBackWhenTheyHaveBeenRead() {
        producer.declares("q", Map.of());
        publish("q", 0, 20_000);
        long used = broker.disk.usedBytes();
        assertThat(used).isGreaterThan(5_000_000);
        drains(taker, "q", 100);
        broker.passMillis(20_000);
        assertThat(broker.disk.usedBytes()).isLessThan(1_000_000);
    }

    /** Compaction copies them between the moment in which they expire and that in which they have been read. */
    @Test
    void shouldFindWhatTheLogHasMovedWhileItBecomesADeadLetter() {
        open(new StoredTestBroker.Setup(
                2, StoredTestBroker.SMALL.withSegmentBytes(16 << 10).withBuffers(4, 4096)
                        .withCompaction(0.5, 1 << 30)));
        producer.declares("dead", Map.of());
        producer.declares("stays", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
        producer.declares("goes", Map.of());
        limits("stays", -1, 0);
        limits("goes", -1, 0);
        for (int i = 0; i < 1000; i += 20) {
            publish("stays", i / 20, i / 20 + 1, false, 0, 1000);
            publish("goes", i, i + 19);
        }
        long first = broker.log().segmentUse().getFirst().start();
        broker.disk.failReads(true);
        broker.passMillis(1200);
        assertThat(producer.depth("stays")).isZero();
        assertThat(producer.depth("dead")).isLessThan(50);
        broker.disk.failReads(false);
        producer.<Long>asks(reply -> producer.client.purgeQueue("goes", reply)).result();
        for (int i = 0; i < 3; i++) {
            broker.checkpoint();
            broker.passMillis(1000);
        }
        assertThat(broker.log().segmentUse().getFirst().start()).isGreaterThan(first);
        assertThat(producer.depth("dead")).isLessThan(50);
        broker.passMillis(5000);
        assertThat(drains(taker, "dead", 0).texts()).hasSize(50).containsAll(texts(0, 50));
        assertNothingIsLeft();
    }

    /** Every twentieth stays: its segment is emptied, and what is left of it is copied. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldFindWhatTheLogHasMoved(boolean expire) {
        open(new StoredTestBroker.Setup(
                2, StoredTestBroker.SMALL.withSegmentBytes(16 << 10).withBuffers(4, 4096)
                        .withCompaction(0.5, 1 << 30)));
        producer.declares("stays", Map.of());
        producer.declares("goes", Map.of());
        limits("stays", -1, 0);
        limits("goes", -1, 0);
        for (int i = 0; i < 2000; i += 20) {
            publish("stays", i / 20, i / 20 + 1, false, 0, expire ? 60_000 : Message.NO_TTL);
            publish("goes", i, i + 19);
        }
        long first = broker.log().segmentUse().getFirst().start();
        producer.<Long>asks(reply -> producer.client.purgeQueue("goes", reply)).result();
        for (int i = 0; i < 3; i++) {
            broker.checkpoint();
            broker.passMillis(2000);
        }
        assertThat(broker.log().segmentUse().getFirst().start()).isGreaterThan(first);
        assertThat(broker.log().segmentUse()).hasSizeLessThan(6);
        assertThat(broker.retainedRecords()).isEqualTo(99);
        if (expire) {
            broker.passMillis(60_000);
            assertThat(producer.depth("stays")).isZero();
        } else {
            assertThat(drains(taker, "stays", 1).texts()).isEqualTo(texts(0, 100));
        }
        assertNothingIsLeft();
    }

    /** With the next one in memory, nobody needs those of lower priorities: they stay in the log, rather than change places there. */
    @Test
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldComeToRestWithPrioritiesWhileMemoryIsShort() {
        producer.declaresDurable("held", Map.of());
        producer.declaresDurable("p", Map.of("x-max-priority", 3));
        TestConsumer slow = holds(taker, "p", 1);
        holds(taker, "held", 0);
        publish("held", 0, 4_000);
        assertThat(producer.lowCalls).isPositive();
        String large = "x".repeat(100_000);
        for (int priority : new int[] {3, 3, 2, 1}) {
            producer.publishes(message("", "p", priority + large, true, priority, Message.NO_TTL));
        }
        // The queue looks what there is to deliver, and finds nobody who may have it.
        taker.does(() -> slow.port.written(0));
        for (int priority : new int[] {3, 3, 2, 1}) {
            assertThat(slow.texts().getLast()).isEqualTo(priority + large);
            slow.settles(slow.deliveries.size() - 1, Outcome.ACCEPTED);
        }
    }
}
