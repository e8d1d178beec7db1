package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.TestBroker.message;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.sluicemq.api.Client;
import io.sluicemq.api.ConsumerSpec;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Message;
import io.sluicemq.broker.engine.TestBroker.Answer;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import io.sluicemq.testkit.LogCapture;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A queue of which little is in memory and most waits in the log. */
@org.junit.jupiter.api.Timeout(20)
class PagingTest {

    /** So little that a queue keeps some hundred messages in memory. */
    private static final StoredTestBroker.Setup SMALL_MEMORY = new StoredTestBroker.Setup(2).withMemory(1 << 20);
    private static final StoredTestBroker.Setup TINY_MEMORY = new StoredTestBroker.Setup(2).withMemory(128 << 10);

    private StoredTestBroker broker = StoredTestBroker.open(SMALL_MEMORY);
    private TestClient producer = broker.connect(0);
    private TestClient taker = broker.connect(1);

    private void publish(String queue, int from, int to) {
        publish(queue, from, to, 0, Message.NO_TTL);
    }

    private void publish(String queue, int from, int to, int priority, long ttlMillis) {
        producer.does(() -> {
            for (int i = from; i < to; i++) {
                producer.client.publish(message("", queue, "m" + i, true, priority, ttlMillis), null);
            }
        });
    }

    private static List<String> texts(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "m" + i).toList();
    }

    private int resident(String queue) {
        return broker.queue(queue).residentMessages();
    }

    private void assertNothingIsLeft() {
        BrokerCounters counters = broker.counters();
        assertThat(counters.readyMessages()).isZero();
        assertThat(counters.unsettledMessages()).isZero();
        assertThat(counters.messageBytes()).isZero();
        assertThat(broker.retainedRecords()).isZero();
    }

    /** Keeps what comes. */
    private static TestConsumer holds(TestClient client, String queue, int prefetch) {
        return consumes(client, queue, prefetch, delivery -> {});
    }

    /** Accepts what comes at once. */
    private static TestConsumer drains(TestClient client, String queue, int prefetch) {
        return consumes(client, queue, prefetch, delivery -> delivery.settle(Outcome.ACCEPTED));
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

    @ParameterizedTest
    @ValueSource(ints = {1, 100, 0})
    void shouldDeliverADeepQueueInOrder(int prefetch) {
        producer.declaresDurable("q", Map.of());
        publish("q", 0, 10_000);
        assertThat(producer.depth("q")).isEqualTo(10_000);
        assertThat(resident("q")).isLessThan(1000);
        assertThat(broker.messageBytes()).isLessThan(512 << 10);
        assertThat(drains(taker, "q", prefetch).texts()).isEqualTo(texts(0, 10_000));
        assertNothingIsLeft();
    }

    @Test
    void shouldPutBackWhatWasReturnedInFrontOfWhatWaits() {
        producer.declaresDurable("q", Map.of());
        publish("q", 0, 3000);
        List<Delivery> held = new ArrayList<>();
        for (int i = 0; i < 1500; i++) {
            held.add(taker.gets("q"));
        }
        for (int i : new int[] {700, 20, 1499, 21}) {
            taker.settles(held.get(i), Outcome.REQUEUED);
        }
        List<String> expected = new ArrayList<>(List.of("m20", "m21", "m700", "m1499"));
        expected.addAll(texts(1500, 3000));
        TestConsumer consumer = drains(taker, "q", 50);
        assertThat(consumer.texts()).isEqualTo(expected);
        assertThat(consumer.deliveries.subList(0, 4)).allMatch(Delivery::redelivered);
    }

    /** What a client has given back is not taken for new when it has been in the log meanwhile. */
    @Test
    void shouldKnowOfWhatWasGivenBackAndWaitedInTheLogThatItWasHadBefore() {
        broker = StoredTestBroker.open(TINY_MEMORY);
        producer = broker.connect(0);
        taker = broker.connect(1);
        producer.declaresDurable("q", Map.of());
        publish("q", 0, 2000);
        List<Delivery> held = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            held.add(taker.gets("q"));
        }
        assertThat(held).noneMatch(Delivery::acquiredBefore);
        taker.settlesAll(held, Outcome.RETURNED);
        assertThat(resident("q")).isLessThan(400);
        List<Delivery> again = drains(taker, "q", 50).deliveries;
        assertThat(again).hasSize(2000).noneMatch(Delivery::redelivered);
        assertThat(again.subList(0, 500)).allMatch(Delivery::acquiredBefore);
        assertThat(again.subList(500, 2000)).noneMatch(Delivery::acquiredBefore);
    }

    @Test
    void shouldKeepTransientMessagesInTheirPlaceAndCountThem() {
        producer.declaresDurable("q", Map.of());
        String large = "x".repeat(400);
        producer.does(() -> {
            for (int i = 0; i < 2000; i++) {
                producer.client.publish(message("", "q", i % 4 == 0 ? "t" + i + large : "m" + i,
                        i % 4 != 0, 0, Message.NO_TTL), null);
            }
        });
        // 500 with 400 bytes each are in memory, wherever they stand.
        assertThat(broker.messageBytes()).isGreaterThan(500 * 560L).isLessThan(500 * 560L + (400 << 10));
        assertThat(broker.retainedRecords()).isEqualTo(1500);
        List<String> expected = IntStream.range(0, 2000).mapToObj(i -> i % 4 == 0 ? "t" + i + large : "m" + i).toList();
        assertThat(drains(taker, "q", 10).texts()).isEqualTo(expected);
        assertNothingIsLeft();
    }

    // ---- priorities

    @Test
    void shouldDeliverWhatIsUrgentBeforeWhatWaitsInMemory() {
        producer.declaresDurable("q", Map.of("x-max-priority", 5));
        publish("q", 0, 2000, 0, Message.NO_TTL);
        publish("q", 2000, 2010, 5, Message.NO_TTL);
        publish("q", 2010, 2020, 3, Message.NO_TTL);
        List<String> expected = new ArrayList<>(texts(2000, 2020));
        expected.addAll(texts(0, 2000));
        assertThat(drains(taker, "q", 1).texts()).isEqualTo(expected);
        assertThat(broker.counters().readyMessages()).isZero();
        assertThat(broker.retainedRecords()).isZero();
        // The last piece of the index of each priority stays, to be used again.
        assertThat(broker.messageBytes()).isLessThan(1024);
    }

    @Test
    void shouldGetWhatIsUrgentBeforeWhatWaitsInMemory() {
        producer.declaresDurable("q", Map.of("x-max-priority", 5));
        publish("q", 0, 2000, 0, Message.NO_TTL);
        publish("q", 2000, 2001, 5, Message.NO_TTL);
        assertThat(TestBroker.text(taker.gets("q"))).isEqualTo("m2000");
        assertThat(TestBroker.text(taker.gets("q"))).isEqualTo("m0");
    }

    // ---- expiry

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldExpireWhatWaitsInTheLog(boolean deadLetters) {
        producer.declaresDurable("dead", Map.of());
        producer.declaresDurable("q", deadLetters
                ? Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead")
                : Map.of());
        publish("q", 0, 1500, 0, 1000);
        publish("q", 1500, 1600, 0, Message.NO_TTL);
        publish("q", 1600, 3000, 0, 1000);
        broker.passMillis(900);
        assertThat(producer.depth("q")).isEqualTo(3000);
        broker.passMillis(300);
        assertThat(producer.depth("q")).isEqualTo(100);
        assertThat(producer.depth("dead")).isEqualTo(deadLetters ? 2900 : 0);
        assertThat(broker.counters().droppedByExpiry()).isEqualTo(deadLetters ? 0 : 2900);
        assertThat(drains(taker, "q", 0).texts()).isEqualTo(texts(1500, 1600));
        if (deadLetters) {
            List<String> letters = drains(taker, "dead", 0).texts();
            assertThat(letters).hasSize(2900).doesNotHaveDuplicates();
        }
        assertNothingIsLeft();
    }

    /** The time comes while messages are being read: they are in memory after it, and nobody else looks at them. */
    @Test
    void shouldExpireWhatWasBeingReadWhenItsTimeCame() {
        producer.declaresDurable("q", Map.of());
        publish("q", 0, 3000, 0, 1000);
        TestConsumer consumer = holds(taker, "q", 1);
        broker.holdDisk();
        while (resident("q") > 0) {
            consumer.settles(consumer.deliveries.size() - 1, Outcome.ACCEPTED);
        }
        broker.loops.advance(1_100_000_000L);
        assertThat(producer.depth("q")).isPositive();
        broker.letDiskGo();
        assertThat(producer.depth("q")).isZero();
    }

    // ---- limits

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldDropTheOldestOfWhatWaitsInTheLog(boolean deadLetters) {
        producer.declaresDurable("dead", Map.of());
        producer.declaresDurable("q", deadLetters
                ? Map.of("x-max-length", 2000, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead")
                : Map.of("x-max-length", 2000));
        for (int i = 0; i < 5000; i += 500) {
            publish("q", i, i + 500);
        }
        assertThat(producer.depth("q")).isEqualTo(2000);
        assertThat(broker.retainedRecords()).isEqualTo(deadLetters ? 5000 : 2000);
        assertThat(broker.counters().droppedByLimit()).isEqualTo(deadLetters ? 0 : 3000);
        assertThat(drains(taker, "q", 0).texts()).isEqualTo(texts(3000, 5000));
        if (deadLetters) {
            assertThat(drains(taker, "dead", 0).texts()).isEqualTo(texts(0, 3000));
        }
        assertNothingIsLeft();
    }

    // ---- the end of many

    @Test
    void shouldPurgeADeepQueueAndAnswerWhenAllOfItIsGoneForGood() {
        producer.declaresDurable("q", Map.of());
        publish("q", 0, 70_000);
        broker.holdDisk();
        Answer<Long> purged = producer.asks(reply -> producer.client.purgeQueue("q", reply));
        assertThat(purged.done).isFalse();
        assertThat(producer.depth("q")).isZero();
        while (!purged.done) {
            broker.stepWriter();
        }
        assertThat(purged.result()).isEqualTo(70_000);
        StoredTestBroker after = broker.crashesAndReopens();
        assertThat(after.connect(0).depth("q")).isZero();
        broker = after;
        assertNothingIsLeft();
    }

    @Test
    void shouldAnswerAPurgeWhenTheFirstPartIsDurableOnlyAfterTheRest() {
        producer.declaresDurable("q", Map.of());
        publish("q", 0, 70_000);
        Answer<Long> purged = producer.asksLater(reply -> producer.client.purgeQueue("q", reply));
        for (int turns = 0; turns < 1000 && !purged.done; turns++) {
            for (int i = 0; i < 2; i++) {
                broker.loops.get(i).runTurn();
                broker.workers.runAll();
            }
        }
        assertThat(purged.result()).isEqualTo(70_000);
        assertThat(broker.retainedRecords()).isZero();
        assertThat(broker.crashesAndReopens().connect(0).depth("q")).isZero();
    }

    @Test
    void shouldDeleteADeepQueue() {
        producer.declaresDurable("q", Map.of());
        publish("q", 0, 40_000);
        producer.does(() -> {
            for (int i = 0; i < 10; i++) {
                producer.client.publish(message("", "q", "transient"), null);
            }
        });
        Delivery held = taker.gets("q");
        assertThat(producer.<Long>asks(reply -> producer.client.deleteQueue("q", false, false, reply)).result())
                .isEqualTo(40_009);
        taker.settles(held, Outcome.ACCEPTED);
        assertNothingIsLeft();
        assertThat(broker.counters().queues()).isZero();
    }

    @Test
    void shouldPurgeWhileMessagesAreBeingRead() {
        producer.declaresDurable("q", Map.of());
        publish("q", 0, 3000);
        TestConsumer consumer = holds(taker, "q", 1);
        broker.holdDisk();
        while (resident("q") > 0) {
            consumer.settles(consumer.deliveries.size() - 1, Outcome.ACCEPTED);
        }
        Answer<Long> purged = producer.asks(reply -> producer.client.purgeQueue("q", reply));
        publish("q", 5000, 5010);
        broker.letDiskGo();
        // All but what was accepted and what is held.
        int before = 3000 - (int) (long) purged.result();
        assertThat(producer.depth("q") + consumer.deliveries.size()).isEqualTo(before + 10);
        for (int i = before - 1; i < before + 10; i++) {
            consumer.settles(i, Outcome.ACCEPTED);
        }
        assertThat(consumer.texts().subList(before, before + 10)).isEqualTo(texts(5000, 5010));
        assertNothingIsLeft();
    }

    // ---- gets

    @Test
    void shouldGetWhatHasToBeReadFirst() {
        producer.declaresDurable("q", Map.of());
        publish("q", 0, 2000);
        for (int i = 0; i < 2000; i++) {
            Delivery delivery = taker.gets("q");
            assertThat(TestBroker.text(delivery)).isEqualTo("m" + i);
            assertThat(delivery.remaining()).isEqualTo(1999 - i);
            taker.settles(delivery, Outcome.ACCEPTED);
        }
        assertThat(taker.gets("q")).isNull();
        assertNothingIsLeft();
    }

    /** Who holds much when memory is short gets the next when some of that is settled. */
    @Test
    void shouldServeAGetThatHadToWaitForMemory() {
        broker = StoredTestBroker.open(TINY_MEMORY);
        producer = broker.connect(0);
        taker = broker.connect(1);
        producer.declaresDurable("q", Map.of());
        publish("q", 0, 3000);
        producer.does(() -> producer.client.holds(1 << 20));
        List<Delivery> held = new ArrayList<>();
        Answer<Delivery> next = taker.asks(reply -> taker.client.get("q", false, reply));
        while (next.done) {
            held.add(next.result());
            next = taker.asks(reply -> taker.client.get("q", false, reply));
        }
        assertThat(held.size()).isBetween(1024, 2100);
        taker.settlesAll(held, Outcome.ACCEPTED);
        assertThat(next.done).isTrue();
        assertThat(TestBroker.text(next.result())).isEqualTo("m" + held.size());
    }

    // ---- consumers

    @Test
    void shouldGiveNoMoreThanALimitedNumberToWhoAsksForAllWhenMemoryIsShort() {
        broker = StoredTestBroker.open(TINY_MEMORY);
        producer = broker.connect(0);
        taker = broker.connect(1);
        producer.declaresDurable("q", Map.of());
        publish("q", 0, 8000);
        producer.does(() -> producer.client.holds(1 << 20));
        assertThat(producer.lowCalls).isEqualTo(1);
        TestConsumer consumer = holds(taker, "q", 0);
        assertThat(consumer.deliveries.size()).isBetween(64, 2100);
        int settled = 0;
        while (settled < consumer.deliveries.size()) {
            taker.settlesAll(List.copyOf(consumer.deliveries.subList(settled, settled + 1)), Outcome.ACCEPTED);
            settled++;
            assertThat(consumer.deliveries.size() - settled).isLessThan(2100);
        }
        assertThat(consumer.texts()).isEqualTo(texts(0, 8000));
        producer.does(() -> producer.client.holds(-(1 << 20)));
        assertNothingIsLeft();
    }

    @Test
    void shouldGoOnWithTheNextSingleActiveConsumer() {
        producer.declaresDurable("q", Map.of("x-single-active-consumer", true));
        publish("q", 0, 3000);
        TestConsumer first = holds(taker, "q", 400);
        TestConsumer second = drains(producer, "q", 7);
        assertThat(first.texts()).isEqualTo(texts(0, 400));
        assertThat(second.deliveries).isEmpty();
        for (int i = 0; i < 300; i++) {
            first.settles(i, Outcome.ACCEPTED);
        }
        taker.<Void>asks(reply -> first.port.cancel(reply)).result();
        taker.settlesAll(List.copyOf(first.deliveries.subList(300, first.deliveries.size())), Outcome.REQUEUED);
        assertThat(second.texts()).hasSize(2700).doesNotHaveDuplicates().containsAll(texts(300, 3000));
        assertNothingIsLeft();
    }

    // ---- what is known of deliveries

    @Test
    void shouldCountDeliveriesOverPagingAndRestarts() {
        producer.declaresDurable("q", Map.of("x-delivery-limit", 3));
        publish("q", 0, 1);
        producer.does(() -> producer.client.publish(message("", "q", "transient"), null));
        publish("q", 1, 500);
        List<Delivery> held = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            held.add(taker.gets("q"));
        }
        taker.settlesAll(held, Outcome.REQUEUED);
        // Twice out of memory and back.
        for (int i = 0; i < 2; i++) {
            producer.does(() -> producer.client.holds(4 << 20));
            producer.does(() -> producer.client.holds(-(4 << 20)));
        }
        List<Delivery> again = new ArrayList<>();
        for (int i = 0; i < 501; i++) {
            again.add(taker.gets("q"));
        }
        assertThat(again.subList(0, 500)).allMatch(delivery -> delivery.deliveryCount() == 1 && delivery.redelivered());
        assertThat(again.get(500).deliveryCount()).isZero();
        taker.settlesAll(again.subList(0, 3), Outcome.REQUEUED);
        broker = broker.crashesAndReopens();
        taker = broker.connect(1);
        producer = broker.connect(0);
        assertThat(producer.depth("q")).isEqualTo(500);
        Delivery first = taker.gets("q");
        assertThat(TestBroker.text(first)).isEqualTo("m0");
        assertThat(first.deliveryCount()).isEqualTo(2);
        assertThat(first.redelivered()).isTrue();
        taker.settles(first, Outcome.REQUEUED);
        broker = broker.stopsAndReopens();
        taker = broker.connect(1);
        producer = broker.connect(0);
        first = taker.gets("q");
        assertThat(first.deliveryCount()).isEqualTo(3);
        taker.settles(first, Outcome.REQUEUED);
        assertThat(TestBroker.text(taker.gets("q"))).isEqualTo("m1");
        assertThat(producer.depth("q")).isEqualTo(498);
    }

    /** Those with deliveries behind them go out of memory and come back as what they were, in the log or not. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldRememberDeliveriesOfWhatLeftMemory(boolean durable) {
        producer.declaresDurable("q", Map.of("x-delivery-limit", 9));
        TestConsumer consumer = holds(taker, "q", 1000);
        producer.does(() -> {
            for (int i = 0; i < 100; i++) {
                producer.client.publish(message("", "q", "m" + i, durable, 0, Message.NO_TTL), null);
            }
        });
        // All come back before anything else does, and stand where they stood.
        taker.<Void>asks(reply -> consumer.port.cancel(reply)).result();
        taker.settlesAll(List.copyOf(consumer.deliveries), Outcome.REQUEUED);
        publish("q", 100, 300);
        producer.does(() -> producer.client.holds(4 << 20));
        producer.does(() -> producer.client.holds(-(4 << 20)));
        for (int i = 0; i < 300; i++) {
            Delivery delivery = taker.gets("q");
            assertThat(TestBroker.text(delivery)).isEqualTo("m" + i);
            assertThat(delivery.deliveryCount()).as("of %s", i).isEqualTo(i < 100 ? 1 : 0);
            if (i < 100) {
                assertThat(delivery.redelivered()).isTrue();
            }
        }
    }

    @Test
    void shouldSayAfterARestartWhatMayHaveBeenDelivered() {
        producer.declaresDurable("q", Map.of());
        publish("q", 0, 100);
        taker.consumes("q", 10);
        broker = broker.crashesAndReopens();
        taker = broker.connect(1);
        producer = broker.connect(0);
        publish("q", 100, 110);
        List<Delivery> deliveries = taker.consumes("q", 0).deliveries;
        assertThat(deliveries).hasSize(110);
        assertThat(deliveries.subList(0, 10)).allMatch(Delivery::redelivered);
        assertThat(deliveries.subList(10, 110)).noneMatch(Delivery::redelivered);
    }

    // ---- what is known of sizes

    private static Message withHeader(String queue, int headerBytes, int bodyBytes) {
        return new Message(TestBroker.TestFormat.INSTANCE, "", queue, List.of("further"), new byte[headerBytes],
                new byte[bodyBytes], true, 0, Message.NO_TTL, null);
    }

    /** Those in memory, those that wait in the log, those of a transaction; from the log and from a checkpoint. */
    @Test
    void shouldKnowTheSizesOfMessagesAfterARestart() {
        producer.declaresDurable("q", Map.of());
        long expected = 0;
        for (int i = 0; i < 2000; i++) {
            Message message = withHeader("q", i % 500 == 7 ? 90 : 33, 100 + i % 3);
            expected += message.sizeBytes();
            producer.does(() -> producer.client.publish(message, null));
        }
        List<Message> together = List.of(withHeader("q", 50, 10), withHeader("q", 0, 0));
        producer.<Void>asks(reply -> {
            Client.Transaction transaction = producer.client.begin();
            together.forEach(transaction::publish);
            transaction.commit(reply);
        }).result();
        expected += together.stream().mapToLong(Message::sizeBytes).sum();
        assertThat(broker.queue("q").readyBytes()).isEqualTo(expected);
        broker = broker.crashesAndReopens();
        assertThat(broker.queue("q").readyBytes()).isEqualTo(expected);
        broker = broker.stopsAndReopens();
        assertThat(broker.queue("q").readyBytes()).isEqualTo(expected);
        taker = broker.connect(1);
        for (int i = 0; i < 1000; i++) {
            Delivery delivery = taker.gets("q");
            expected -= delivery.message().sizeBytes();
            taker.settles(delivery, Outcome.ACCEPTED);
        }
        assertThat(broker.queue("q").readyBytes()).isEqualTo(expected);
        broker = broker.stopsAndReopens();
        assertThat(broker.queue("q").readyBytes()).isEqualTo(expected);
        taker = broker.connect(1);
        drains(taker, "q", 0);
        assertThat(broker.queue("q").readyBytes()).isZero();
        assertNothingIsLeft();
    }

    // ---- reads that fail

    @Test
    void shouldTryAgainWhatCouldNotBeRead() {
        producer.declaresDurable("q", Map.of());
        publish("q", 0, 3000);
        try (LogCapture log = new LogCapture()) {
            broker.disk.failReads(true);
            TestConsumer consumer = drains(taker, "q", 10);
            int before = consumer.deliveries.size();
            assertThat(before).isLessThan(3000);
            broker.passMillis(11_000);
            assertThat(consumer.deliveries).hasSize(before);
            assertThat(log.messages(Level.ERROR)).singleElement().asString().contains("could not be read");
            publish("q", 3000, 3010);
            broker.disk.failReads(false);
            broker.passMillis(6000);
            assertThat(consumer.texts()).isEqualTo(texts(0, 3010));
        }
        assertNothingIsLeft();
    }

    /** A read that is wanted for a limit, too, waits for its next try, rather than keep the loop busy. */
    @Test
    void shouldRestAfterAFailedReadOfWhatIsOverTheLimit() {
        producer.declaresDurable("dead", Map.of());
        producer.declaresDurable("q", Map.of(
                "x-max-length", 1000, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
        publish("q", 0, 1000);
        try (LogCapture log = new LogCapture()) {
            broker.disk.failReads(true);
            publish("q", 1000, 2000);
            broker.passMillis(100);
            assertThat(log.messages(Level.ERROR)).hasSize(1);
            broker.disk.failReads(false);
            broker.passMillis(6000);
        }
        assertThat(drains(taker, "q", 0).texts()).isEqualTo(texts(1000, 2000));
        assertThat(drains(taker, "dead", 0).texts()).isEqualTo(texts(0, 1000));
        assertNothingIsLeft();
    }

    @Test
    void shouldTryAgainToReadWhatHasExpiredAndBecomesADeadLetter() {
        producer.declaresDurable("dead", Map.of());
        producer.declaresDurable("q", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
        publish("q", 0, 1000, 0, 1000);
        try (LogCapture log = new LogCapture()) {
            broker.disk.failReads(true);
            broker.passMillis(2000);
            assertThat(log.messages(Level.ERROR)).hasSize(1);
            broker.disk.failReads(false);
            broker.passMillis(6000);
        }
        assertThat(producer.depth("q")).isZero();
        assertThat(producer.depth("dead")).isEqualTo(1000);
        assertThat(broker.retainedRecords()).isEqualTo(1000);
    }
}
