package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.TestBroker.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Consumer;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Message;
import io.sluicemq.broker.engine.FilterTest.Every;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Consumers that filter, browse or take all, on a queue that is paged to the log, with returns, purges, checkpoints and restarts,
 * on loops and workers whose turns come in random order. When all is at rest no consumer with credit has a message that it could
 * have, wherever that is; none is lost or delivered twice; and a browser that drains has seen all there was. A failure names its
 * seed.
 */
@org.junit.jupiter.api.Timeout(300)
class FilterScheduleTest {

    private static final int STEPS = 120;
    private static final int DIVISOR = 6;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void shouldNeverLeaveAMessageToNobodyWhomSomebodyWants(long seed) {
        for (long part = 0; part < 5; part++) {
            new Run(seed * 1000 + part).go();
        }
    }

    private static final class Taking {
        final TestConsumer consumer;
        final Every filter;
        final boolean browses;
        long limit;
        /** Deliveries that it has not settled. */
        final List<Delivery> held = new ArrayList<>();

        Taking(TestConsumer consumer, Every filter, boolean browses) {
            this.consumer = consumer;
            this.filter = filter;
            this.browses = browses;
        }

        boolean wants(int number) {
            return filter == null || number % filter.divisor == filter.rest;
        }
    }

    private static final class Run {
        final long seed;
        final SplittableRandom random;
        final int maxPriority;
        StoredTestBroker broker;
        TestClient producer;
        TestClient taker;
        final List<Taking> consumers = new ArrayList<>();
        /** Numbers that are ready, or may be. */
        final Set<Integer> ready = new TreeSet<>();
        final Set<Integer> gone = new HashSet<>();
        int published;

        Run(long seed) {
            this.seed = seed;
            random = new SplittableRandom(seed);
            broker = StoredTestBroker.open(
                    new StoredTestBroker.Setup(2).withMemory(random.nextInt(4) == 0 ? 1L << 40 : 96 << 10));
            maxPriority = random.nextInt(3) == 0 ? 2 : 0;
            connect();
            producer.declaresDurable("q", maxPriority == 0 ? Map.of() : Map.of("x-max-priority", maxPriority));
        }

        void connect() {
            broker.schedule = random;
            producer = broker.connect(0);
            taker = broker.connect(1);
        }

        void go() {
            for (int step = 0; step < STEPS; step++) {
                switch (random.nextInt(16)) {
                    case 0, 1, 2 -> publish();
                    case 3, 4 -> subscribe();
                    case 5 -> cancel();
                    case 6, 7, 8 -> limit();
                    case 9 -> checkpointOrRestart();
                    case 10 -> browse();
                    default -> settleSome();
                }
                if (random.nextInt(3) == 0) {
                    broker.settle();
                    assertNothingIsLeftToNobody();
                }
            }
            broker.settle();
            while (!consumers.isEmpty()) {
                cancel();
            }
            broker.settle();
            Taking last = subscribe(null, false);
            limit(last, Long.MAX_VALUE);
            broker.settle();
            while (!last.held.isEmpty()) {
                settle(last, last.held.removeFirst(), Outcome.ACCEPTED);
                broker.settle();
            }
            assertThat(ready).as("seed %s: ready at the end", seed).isEmpty();
            assertThat(gone).as("seed %s: taken in the end", seed).hasSize(published);
            BrokerCounters counters = broker.counters();
            assertThat(counters.readyMessages()).isZero();
            assertThat(counters.unsettledMessages()).isZero();
            assertThat(counters.messageBytes()).as("seed %s", seed).isZero();
            assertThat(broker.retainedRecords()).as("seed %s", seed).isZero();
        }

        void publish() {
            int many = random.nextInt(3) == 0 ? random.nextInt(600) : random.nextInt(20);
            boolean durable = random.nextInt(4) > 0;
            for (int i = 0; i < many; i++) {
                int number = published++;
                int priority = maxPriority == 0 ? 0 : random.nextInt(maxPriority + 1);
                ready.add(number);
                producer.loop.execute(() -> producer.client.publish(
                        message("", "q", "m" + number, durable || random.nextInt(8) > 0, priority, Message.NO_TTL),
                        null));
            }
        }

        void subscribe() {
            if (consumers.size() < 5) {
                Every filter = random.nextInt(4) == 0 ? null : new Every(DIVISOR, random.nextInt(DIVISOR));
                subscribe(filter, random.nextInt(4) == 0);
            }
        }

        Taking subscribe(Every filter, boolean browses) {
            TestClient client = random.nextBoolean() ? producer : taker;
            Taking[] taking = new Taking[1];
            Set<Integer> seen = new HashSet<>();
            TestConsumer consumer = new TestConsumer(client);
            consumer.onDelivery = (to, delivery) -> {
                to.port.written(delivery.windowBytes());
                int number = number(delivery);
                assertThat(taking[0].wants(number)).as("seed %s: wants %s", seed, number).isTrue();
                assertThat(to.deliveries.size()).as("seed %s: its limit", seed).isLessThanOrEqualTo((int) Math.min(
                        Integer.MAX_VALUE, taking[0].limit));
                if (browses) {
                    assertThat(seen.add(number)).as("seed %s: %s was shown before", seed, number).isTrue();
                } else {
                    assertThat(gone).as("seed %s", seed).doesNotContain(number);
                    assertThat(ready.remove(number)).as("seed %s: %s was ready", seed, number).isTrue();
                    taking[0].held.add(delivery);
                }
            };
            taking[0] = new Taking(consumer, filter, browses);
            consumers.add(taking[0]);
            client.loop.execute(() -> client.client.subscribe(
                    FilterTest.spec("q", filter, browses), consumer, new io.sluicemq.api.Reply<>() {
                        @Override
                        public void done(Consumer port) {
                            consumer.port = port;
                        }

                        @Override
                        public void failed(io.sluicemq.api.BrokerError error) {
                            throw new AssertionError("not subscribed: " + error);
                        }
                    }));
            broker.settle();
            return taking[0];
        }

        void cancel() {
            if (!consumers.isEmpty()) {
                Taking taking = consumers.remove(random.nextInt(consumers.size()));
                taking.consumer.client.<Void>asks(reply -> taking.consumer.port.cancel(reply)).result();
                while (!taking.held.isEmpty()) {
                    settle(taking, taking.held.removeFirst(), Outcome.RELEASED);
                }
            }
        }

        void limit() {
            if (!consumers.isEmpty()) {
                Taking taking = consumers.get(random.nextInt(consumers.size()));
                int more = random.nextInt(3) == 0 ? random.nextInt(300) : random.nextInt(4);
                limit(taking, Math.max(taking.limit, taking.consumer.deliveries.size() + more));
            }
        }

        void limit(Taking taking, long deliveries) {
            taking.limit = deliveries;
            taking.consumer.client.loop.execute(() -> taking.consumer.port.limit(deliveries));
        }

        void settleSome() {
            for (int n = random.nextInt(200); n > 0 && !consumers.isEmpty(); n--) {
                Taking taking = consumers.get(random.nextInt(consumers.size()));
                if (!taking.held.isEmpty()) {
                    Delivery delivery = taking.held.remove(random.nextInt(taking.held.size()));
                    settle(taking, delivery, switch (random.nextInt(4)) {
                        case 0 -> Outcome.REQUEUED;
                        case 1 -> Outcome.RELEASED;
                        default -> Outcome.ACCEPTED;
                    });
                }
            }
        }

        void settle(Taking taking, Delivery delivery, Outcome outcome) {
            if (outcome == Outcome.ACCEPTED) {
                gone.add(number(delivery));
            } else {
                ready.add(number(delivery));
            }
            taking.consumer.client.loop.execute(() -> delivery.settle(outcome));
        }

        /** What a browser sees that drains is what is ready, in the order of priorities and numbers. */
        void browse() {
            broker.settle();
            Taking taking = subscribe(random.nextBoolean() ? null : new Every(DIVISOR, random.nextInt(DIVISOR)), true);
            taking.limit = Long.MAX_VALUE;
            limit(taking, Long.MAX_VALUE);
            TestConsumer browser = taking.consumer;
            browser.client.<Void>asks(reply -> browser.port.drain(reply)).result();
            assertThat(browser.deliveries.stream().map(Run::number).toList())
                    .as("seed %s: what is shown", seed)
                    .containsExactlyInAnyOrderElementsOf(ready.stream().filter(taking::wants).toList());
            consumers.remove(taking);
            browser.client.<Void>asks(reply -> browser.port.cancel(reply)).result();
        }

        void checkpointOrRestart() {
            if (random.nextInt(3) > 0) {
                broker.settle();
                broker.checkpoint();
                return;
            }
            while (!consumers.isEmpty()) {
                cancel();
            }
            broker.settle();
            broker.schedule = null;
            broker = broker.stopsAndReopens();
            connect();
            // What was not persistent is gone.
            Taking browser = subscribe(null, true);
            limit(browser, Long.MAX_VALUE);
            browser.consumer.client.<Void>asks(reply -> browser.consumer.port.drain(reply)).result();
            Set<Integer> left = new TreeSet<>(browser.consumer.deliveries.stream().map(Run::number).toList());
            assertThat(ready).as("seed %s", seed).containsAll(left);
            ready.removeIf(number -> !left.contains(number) && gone.add(number));
            consumers.remove(browser);
            browser.consumer.client.<Void>asks(reply -> browser.consumer.port.cancel(reply)).result();
        }

        void assertNothingIsLeftToNobody() {
            for (Taking taking : consumers) {
                if (!taking.browses && taking.consumer.deliveries.size() < taking.limit) {
                    assertThat(ready.stream().filter(taking::wants).toList())
                            .as("seed %s: for a consumer with credit that wants %s", seed,
                                    taking.filter == null ? "all" : taking.filter.text())
                            .isEmpty();
                }
            }
        }

        static int number(Delivery delivery) {
            return Integer.parseInt(TestBroker.text(delivery).substring(1));
        }
    }
}
