package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.TestBroker.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.ConsumerSpec;
import io.sluicemq.api.ConsumerSpec.Credit;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Message;
import io.sluicemq.api.MessageFilter;
import io.sluicemq.broker.engine.TestBroker.Answer;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Consumers that want some messages of a queue, or only look at them, where little of it is in memory. */
@org.junit.jupiter.api.Timeout(60)
class FilterTest {

    private static final StoredTestBroker.Setup SMALL_MEMORY = new StoredTestBroker.Setup(2).withMemory(1 << 20);

    private StoredTestBroker broker = StoredTestBroker.open(SMALL_MEMORY);
    private TestClient producer = broker.connect(0);
    private TestClient taker = broker.connect(1);

    /** Takes numbers that leave a rest; counts what it has looked at. */
    static final class Every implements MessageFilter {
        final int divisor;
        final int rest;
        int looks;

        Every(int divisor, int rest) {
            this.divisor = divisor;
            this.rest = rest;
        }

        @Override
        public boolean matches(Message message) {
            looks++;
            String text = new String(message.body(), StandardCharsets.UTF_8);
            return Integer.parseInt(text.substring(1)) % divisor == rest;
        }

        @Override
        public String text() {
            return "number % " + divisor + " = " + rest;
        }
    }

    static ConsumerSpec spec(String queue, MessageFilter filter, boolean browses) {
        return new ConsumerSpec(queue, "tag", false, false, false, 0, Credit.LIMIT, 0, browses, filter, Map.of());
    }

    /** One that is given no limit yet. */
    private static TestConsumer consumer(TestClient client, ConsumerSpec spec, boolean accepts) {
        TestConsumer consumer = new TestConsumer(client);
        consumer.onDelivery = (to, delivery) -> {
            to.port.written(delivery.windowBytes());
            if (accepts) {
                delivery.settle(Outcome.ACCEPTED);
            }
        };
        return client.subscribes(spec, consumer);
    }

    private void limit(TestConsumer consumer, long deliveries) {
        consumer.client.does(() -> consumer.port.limit(deliveries));
    }

    private Answer<Void> drain(TestConsumer consumer) {
        return consumer.client.asks(reply -> consumer.port.drain(reply));
    }

    private void publish(int from, int to, boolean durable) {
        publish(from, to, durable, 0, Message.NO_TTL);
    }

    private void publish(int from, int to, boolean durable, int priority, long ttlMillis) {
        producer.does(() -> {
            for (int i = from; i < to; i++) {
                producer.client.publish(message("", "q", "m" + i, durable, priority, ttlMillis), null);
            }
        });
    }

    private static List<String> texts(IntStream numbers) {
        return numbers.mapToObj(i -> "m" + i).toList();
    }

    private static List<String> every(int divisor, int rest, int from, int to) {
        return texts(IntStream.range(from, to).filter(i -> i % divisor == rest));
    }

    private void assertNothingIsLeft() {
        BrokerCounters counters = broker.counters();
        assertThat(counters.readyMessages()).isZero();
        assertThat(counters.unsettledMessages()).isZero();
        assertThat(counters.messageBytes()).isZero();
        assertThat(broker.retainedRecords()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldFindWhatIsWantedBehindAMemoryFullOfWhatIsNot(boolean durable) {
        producer.declaresDurable("q", Map.of());
        publish(0, 10_000, durable);
        assertThat(broker.queue("q").residentMessages()).isLessThan(durable ? 1000 : 6000);
        Every filter = new Every(1000, 999);
        TestConsumer consumer = consumer(taker, spec("q", filter, false), true);
        limit(consumer, Long.MAX_VALUE);
        assertThat(consumer.texts()).isEqualTo(every(1000, 999, 0, 10_000));
        assertThat(filter.looks).as("each was looked at once").isEqualTo(10_000);
        assertThat(broker.messageBytes()).isLessThan(950 << 10);
        assertThat(producer.depth("q")).isEqualTo(9_990);

        publish(10_000, 12_000, durable);
        assertThat(consumer.texts()).isEqualTo(every(1000, 999, 0, 12_000));
        assertThat(filter.looks).isEqualTo(12_000);

        TestConsumer all = consumer(taker, spec("q", null, false), true);
        limit(all, Long.MAX_VALUE);
        assertThat(all.texts()).isEqualTo(texts(IntStream.range(0, 12_000).filter(i -> i % 1000 != 999)));
        assertNothingIsLeft();
    }

    @Test
    void shouldStopAtNobodyWhoWantsNothing() {
        producer.declaresDurable("q", Map.of());
        publish(0, 5000, true);
        Every nothing = new Every(7, 8);
        limit(consumer(taker, spec("q", nothing, false), true), 100);
        assertThat(nothing.looks).isEqualTo(5000);
        TestConsumer all = consumer(producer, spec("q", null, false), true);
        limit(all, Long.MAX_VALUE);
        assertThat(all.texts()).isEqualTo(texts(IntStream.range(0, 5000)));
        assertThat(nothing.looks).isEqualTo(5000);
        assertNothingIsLeft();
    }

    /** Its limit rises by one each time, as that of a client that asks for one message after the other. */
    @Test
    void shouldGoOnWhereItStoppedWithLittleCredit() {
        producer.declaresDurable("q", Map.of());
        publish(0, 6000, true);
        Every filter = new Every(20, 3);
        TestConsumer consumer = consumer(taker, spec("q", filter, false), true);
        for (int i = 1; i <= 300; i++) {
            limit(consumer, i);
            assertThat(consumer.deliveries).hasSize(i);
        }
        assertThat(consumer.texts()).isEqualTo(every(20, 3, 0, 6000));
        assertThat(filter.looks).as("little was looked at again").isLessThan(12_000);
    }

    @Test
    void shouldShareReadsAmongThoseWhoGoTogether() {
        producer.declaresDurable("q", Map.of());
        publish(0, 6000, true);
        List<TestConsumer> consumers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            consumers.add(consumer(i % 2 == 0 ? taker : producer, spec("q", new Every(5, i), false), true));
        }
        for (TestConsumer consumer : consumers) {
            limit(consumer, Long.MAX_VALUE);
        }
        for (int i = 0; i < 5; i++) {
            assertThat(consumers.get(i).texts()).isEqualTo(every(5, i, 0, 6000));
        }
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReturnToTheirPlaceInTheLogWhatIsRequeued(boolean durable) {
        producer.declaresDurable("q", Map.of());
        publish(0, 8000, durable);
        TestConsumer consumer = consumer(taker, spec("q", new Every(100, 50), false), false);
        limit(consumer, 80);
        assertThat(consumer.texts()).isEqualTo(every(100, 50, 0, 8000));
        Every other = new Every(1000, 950);
        TestConsumer second = consumer(producer, spec("q", other, false), true);
        limit(second, Long.MAX_VALUE);
        assertThat(second.deliveries).isEmpty();
        int looks = other.looks;
        for (int i = 0; i < 80; i++) {
            if (i % 2 == 1) {
                consumer.settles((i * 37) % 80, Outcome.REQUEUED);
            }
        }
        // m950, m1950, ... are at odd places.
        assertThat(second.texts()).containsExactlyInAnyOrderElementsOf(every(1000, 950, 0, 8000));
        assertThat(second.deliveries).allMatch(Delivery::redelivered);
        assertThat(other.looks - looks).as("only what came back was looked at").isLessThan(200);
        taker.<Void>asks(reply -> consumer.port.cancel(reply));
        List<Delivery> held = new ArrayList<>(consumer.deliveries);
        for (int i = 0; i < 80; i += 2) {
            Delivery delivery = held.get(i);
            taker.does(() -> delivery.settle(Outcome.REQUEUED));
        }
        TestConsumer all = consumer(taker, spec("q", null, false), true);
        limit(all, Long.MAX_VALUE);
        assertThat(all.texts()).isEqualTo(texts(IntStream.range(0, 8000).filter(i -> i % 1000 != 950)));
        assertNothingIsLeft();
    }

    @Test
    void shouldGiveUrgentOnesFirstWhereverTheyWait() {
        producer.declaresDurable("q", Map.of("x-max-priority", 3));
        publish(0, 3000, true, 1, Message.NO_TTL);
        publish(3000, 6000, true, 3, Message.NO_TTL);
        publish(6000, 9000, true, 0, Message.NO_TTL);
        TestConsumer consumer = consumer(taker, spec("q", new Every(500, 499), false), true);
        limit(consumer, Long.MAX_VALUE);
        List<String> expected = new ArrayList<>(every(500, 499, 3000, 6000));
        expected.addAll(every(500, 499, 0, 3000));
        expected.addAll(every(500, 499, 6000, 9000));
        assertThat(consumer.texts()).isEqualTo(expected);
    }

    @Test
    void shouldDrainAfterEverythingWasLookedAt() {
        producer.declaresDurable("q", Map.of());
        publish(0, 5000, true);
        TestConsumer consumer = consumer(taker, spec("q", new Every(5000, 4999), false), true);
        limit(consumer, 10);
        broker.holdDisk();
        TestConsumer second = consumer(taker, spec("q", new Every(5000, 4998), false), true);
        limit(second, 10);
        Answer<Void> answer = drain(second);
        assertThat(answer.done).isFalse();
        broker.letDiskGo();
        answer.result();
        assertThat(second.texts()).containsExactly("m4998");
        drain(consumer).result();
        assertThat(consumer.texts()).containsExactly("m4999");
    }

    @Test
    void shouldSurviveCheckpointsAndRestartsWithGapsInTheLog() {
        producer.declaresDurable("q", Map.of());
        publish(0, 5000, true);
        TestConsumer consumer = consumer(taker, spec("q", new Every(10, 7), false), false);
        limit(consumer, 500);
        for (int i = 0; i < 500; i += 2) {
            consumer.settles(i, Outcome.ACCEPTED);
        }
        consumer.settles(1, Outcome.REQUEUED);
        broker = broker.stopsAndReopens();
        taker = broker.connect(1);
        TestConsumer all = consumer(taker, spec("q", null, false), true);
        limit(all, Long.MAX_VALUE);
        assertThat(all.texts()).isEqualTo(texts(IntStream.range(0, 5000).filter(i -> i % 20 != 7)));
        producer = broker.connect(0);
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldShareWhatComesAmongThoseWhoWantTheSame(boolean behindOthers) {
        producer.declaresDurable("q", Map.of());
        publish(1, behindOthers ? 2 : 1, true);
        List<TestConsumer> consumers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            TestConsumer consumer = consumer(i == 1 ? producer : taker, spec("q", new Every(2, 0), false), false);
            limit(consumer, Long.MAX_VALUE);
            consumers.add(consumer);
        }
        for (int i = 2; i <= 24; i += 2) {
            publish(i, i + 1, true);
        }
        assertThat(consumers).allMatch(consumer -> consumer.deliveries.size() == 4);
    }

    @Test
    void shouldServeConsumersOfAHigherPriorityFirstFromBehindOthers() {
        producer.declaresDurable("q", Map.of());
        publish(1, 2, true);
        ConsumerSpec low = spec("q", new Every(2, 0), false);
        ConsumerSpec high = new ConsumerSpec(
                "q", "tag", false, false, false, 0, Credit.LIMIT, 5, false, new Every(2, 0), Map.of());
        TestConsumer first = consumer(taker, low, false);
        TestConsumer second = consumer(taker, high, false);
        limit(first, Long.MAX_VALUE);
        limit(second, 3);
        for (int i = 2; i <= 10; i += 2) {
            publish(i, i + 1, true);
        }
        assertThat(second.texts()).containsExactly("m2", "m4", "m6");
        assertThat(first.texts()).containsExactly("m8", "m10");
    }

    /** Each grants credit as often as it is asked, and gets it back. */
    @Test
    void shouldNotAskThoseForCreditInTurnWithoutEndForWhomThereIsNothing() {
        producer.declaresDurable("q", Map.of());
        publish(1, 4, true);
        List<TestConsumer> consumers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            TestConsumer consumer = new TestConsumer(taker) {
                @Override
                public void creditWanted() {
                    super.creditWanted();
                    assertThat(creditWanted).as("wishes").isLessThan(20);
                    taker.loop.execute(() -> port.grant(1));
                }
            };
            consumers.add(taker.subscribes(
                    new ConsumerSpec(
                            "q", "tag", false, false, false, 0, Credit.SHARED, 0, false, new Every(5, 0), Map.of()),
                    consumer));
        }
        assertThat(consumers).allMatch(consumer -> consumer.creditReturned == consumer.creditWanted);
        publish(4, 12, true);
        assertThat(consumers.stream().mapToInt(consumer -> consumer.deliveries.size()).sum()).isEqualTo(2);
    }

    /** Where nothing is paged, a long queue isn't looked through in one go. */
    @Test
    void shouldLookAtManyMessagesInMemoryInTurns() {
        TestBroker inMemory = new TestBroker(1);
        TestClient client = inMemory.connect(0);
        client.declares("q", Map.of());
        client.does(() -> {
            for (int i = 0; i < 30_000; i++) {
                client.client.publish(message("", "q", "m" + i), null);
            }
        });
        Every filter = new Every(10_000, 9_999);
        TestConsumer consumer = consumer(client, spec("q", filter, false), true);
        client.loop.execute(() -> consumer.port.limit(10));
        int most = 0;
        while (client.loop.isReady()) {
            int before = filter.looks;
            client.loop.runTurn();
            most = Math.max(most, filter.looks - before);
        }
        assertThat(most).isPositive().isLessThan(10_000);
        assertThat(consumer.texts()).containsExactly("m9999", "m19999", "m29999");
        assertThat(filter.looks).isEqualTo(30_000);
        client.<Void>asks(reply -> consumer.port.drain(reply)).result();
    }

    // ---- browsing

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldShowAllThatIsReadyAndWhatComesAndLeaveIt(boolean durable) {
        producer.declaresDurable("q", Map.of());
        publish(0, 5000, durable);
        TestConsumer browser = consumer(taker, spec("q", null, true), false);
        assertThat(browser.deliveries).isEmpty();
        limit(browser, 10);
        assertThat(browser.texts()).isEqualTo(texts(IntStream.range(0, 10)));
        limit(browser, Long.MAX_VALUE);
        assertThat(browser.texts()).isEqualTo(texts(IntStream.range(0, 5000)));
        assertThat(browser.deliveries).allMatch(Delivery::settled);
        publish(5000, 5100, durable);
        assertThat(browser.texts()).isEqualTo(texts(IntStream.range(0, 5100)));
        assertThat(producer.depth("q")).isEqualTo(5100);
        drain(browser).result();
        TestConsumer all = consumer(taker, spec("q", null, false), true);
        limit(all, Long.MAX_VALUE);
        assertThat(all.texts()).isEqualTo(texts(IntStream.range(0, 5100)));
        assertNothingIsLeft();
    }

    @Test
    void shouldShowOnlyWhatIsWantedAndNotWhatOthersHold() {
        producer.declaresDurable("q", Map.of());
        publish(0, 4000, true);
        TestConsumer holder = consumer(producer, spec("q", null, false), false);
        limit(holder, 100);
        TestConsumer browser = consumer(taker, spec("q", new Every(50, 0), true), false);
        limit(browser, Long.MAX_VALUE);
        drain(browser).result();
        assertThat(browser.texts()).isEqualTo(every(50, 0, 100, 4000));
    }

    @Test
    void shouldHoldNoMoreThanTheWindowForABrowserThatDoesNotRead() {
        producer.declaresDurable("q", Map.of());
        publish(0, 10_000, true);
        long before = broker.messageBytes();
        List<TestConsumer> browsers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            TestConsumer browser = new TestConsumer(taker);
            taker.subscribes(spec("q", null, true), browser);
            limit(browser, Long.MAX_VALUE);
            browsers.add(browser);
        }
        assertThat(browsers).allMatch(browser -> browser.deliveries.size() < 2000);
        assertThat(broker.messageBytes() - before).isLessThan(2 * (260 << 10));
        for (TestConsumer browser : browsers) {
            taker.<Void>asks(reply -> browser.port.cancel(reply)).result();
        }
        assertThat(broker.messageBytes()).isLessThanOrEqualTo(before + 1000);
    }

    @Test
    void shouldNeitherBeAnExclusiveConsumerNorEndAQueue() {
        producer.declares("q", Map.of());
        publish(0, 3, false);
        TestConsumer exclusive = taker.subscribes(
                new ConsumerSpec("q", "x", false, true, false, 1, Credit.NONE, 0, false, null, Map.of()),
                new TestConsumer(taker));
        TestConsumer browser = consumer(producer, spec("q", null, true), false);
        limit(browser, 10);
        assertThat(browser.texts()).containsExactly("m1", "m2");
        assertThat(exclusive.texts()).containsExactly("m0");
    }

    @Test
    void shouldNotShowWhatHasExpired() {
        producer.declaresDurable("q", Map.of());
        publish(0, 3000, true, 0, 1000);
        publish(3000, 3010, true);
        broker.loops.advance(2_000_000_000L);
        TestConsumer browser = consumer(taker, spec("q", null, true), false);
        limit(browser, Long.MAX_VALUE);
        assertThat(browser.texts()).isEqualTo(texts(IntStream.range(3000, 3010)));
    }
}
