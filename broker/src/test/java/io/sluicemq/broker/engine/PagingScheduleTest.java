package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.TestBroker.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Message;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.store.sim.SimulatedDisk.Loss;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One queue with little memory against a plain model of it, on random schedules: memory is short and is not, messages are in the
 * log or are not, are returned, purged, and there again after the power was gone. What a get brings is what the model says, and
 * in the end nothing is left. A failure names its seed, which alone makes the run.
 */
class PagingScheduleTest {

    private static final int STEPS = 1200;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void shouldKeepTheOrder(long seed) {
        new Run(seed, Map.of("x-delivery-limit", 1000)).go();
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14, 15, 16})
    void shouldKeepTheOrderOfPriorities(long seed) {
        new Run(seed, Map.of("x-delivery-limit", 1000, "x-max-priority", 2)).go();
    }

    @ParameterizedTest
    @ValueSource(longs = {21, 22, 23, 24, 25, 26})
    void shouldKeepTheOrderOfAQueueInMemory(long seed) {
        new Run(seed, Map.of("x-delivery-limit", 1000), false).go();
    }

    @ParameterizedTest
    @ValueSource(longs = {31, 32, 33, 34, 35, 36})
    void shouldKeepTheOrderOfPrioritiesOfAQueueInMemory(long seed) {
        new Run(seed, Map.of("x-delivery-limit", 1000, "x-max-priority", 9), false).go();
    }

    /** A message, as the model has it. */
    private static final class Entry {
        final int number;
        final int priority;
        final boolean durable;
        boolean delivered;
        int failures;

        Entry(int number, int priority, boolean durable) {
            this.number = number;
            this.priority = priority;
            this.durable = durable;
        }
    }

    private static final class Run {
        final SplittableRandom random;
        StoredTestBroker broker;
        TestClient client;
        final TreeSet<Entry> ready;
        final Map<Delivery, Entry> held = new HashMap<>();
        final boolean durableQueue;
        int published;
        boolean low;

        Run(long seed, Map<String, Object> arguments) {
            this(seed, arguments, true);
        }

        Run(long seed, Map<String, Object> arguments, boolean durableQueue) {
            this.durableQueue = durableQueue;
            random = new SplittableRandom(seed);
            boolean priorities = arguments.containsKey("x-max-priority");
            ready = new TreeSet<>(Comparator.comparingInt((Entry each) -> priorities ? -each.priority : 0)
                    .thenComparingInt(each -> each.number));
            broker = StoredTestBroker.open(new StoredTestBroker.Setup(2).withMemory(256 << 10));
            broker.schedule = random;
            client = broker.connect(0);
            client.declares("elsewhere", Map.of());
            if (durableQueue) {
                client.declaresDurable("q", arguments);
            } else {
                client.declares("q", arguments);
            }
        }

        void go() {
            for (int step = 0; step < STEPS; step++) {
                step();
            }
            List.copyOf(held.keySet()).forEach(delivery -> settle(delivery, Outcome.ACCEPTED));
            while (!ready.isEmpty()) {
                get();
                held.keySet().stream().findFirst().ifPresent(delivery -> settle(delivery, Outcome.ACCEPTED));
            }
            assertThat(client.gets("q")).isNull();
            client.<Long>asks(reply -> client.client.purgeQueue("q", reply)).result();
            client.closes();
            BrokerCounters counters = broker.counters();
            assertThat(counters.readyMessages()).isZero();
            assertThat(counters.unsettledMessages()).isZero();
            assertThat(counters.messageBytes()).isZero();
            assertThat(broker.retainedRecords()).isZero();
        }

        void step() {
            switch (random.nextInt(100)) {
                case 0, 1, 2, 3 -> publish(random.nextInt(200));
                case 4 -> {
                    low = !low;
                    client.does(() -> client.client.holds(low ? 1 << 20 : -(1 << 20)));
                }
                case 5 -> broker.checkpoint();
                case 6 -> {
                    if (durableQueue && random.nextInt(4) == 0) {
                        crash();
                    }
                }
                case 7 -> {
                    if (random.nextInt(10) == 0) {
                        assertThat(client.<Long>asks(reply -> client.client.purgeQueue("q", reply)).result())
                                .isEqualTo(ready.size());
                        ready.clear();
                    }
                }
                case 8 -> limit();
                case 9, 10, 11, 12, 13, 14, 15, 16, 17 -> settleAny();
                default -> get();
            }
            assertThat(client.depth("q")).isEqualTo(ready.size());
            assertThat(broker.counters().unsettledMessages()).isEqualTo(held.size());
        }

        /** What it may have in memory changes. */
        void limit() {
            long bytes = random.nextBoolean() ? -1 : random.nextInt(20_000);
            long messages = random.nextBoolean() ? -1 : random.nextInt(60);
            Queue queue = broker.queue("q");
            queue.loop().execute(() -> queue.pageLimits(bytes, messages));
            broker.settle();
            if (messages >= 0 && !low && held.isEmpty()) {
                assertThat(queue.residentMessages()).isLessThanOrEqualTo((int) Math.max(1, messages));
            }
        }

        void publish(int count) {
            client.does(() -> {
                for (int i = 0; i < count; i++) {
                    Entry entry = new Entry(published++, random.nextInt(3), random.nextInt(5) > 0);
                    ready.add(entry);
                    client.client.publish(message("", "q", "m" + entry.number, entry.durable, entry.priority,
                            Message.NO_TTL), null);
                }
            });
        }

        void get() {
            Delivery delivery = client.gets("q");
            if (ready.isEmpty()) {
                assertThat(delivery).isNull();
                return;
            }
            Entry expected = ready.pollFirst();
            assertThat(TestBroker.text(delivery)).isEqualTo("m" + expected.number);
            assertThat(delivery.deliveryCount()).as("of m%s", expected.number).isEqualTo(expected.failures);
            assertThat(delivery.redelivered() || !expected.delivered).as("m%s", expected.number).isTrue();
            assertThat(delivery.remaining()).isEqualTo(ready.size());
            expected.delivered = true;
            held.put(delivery, expected);
        }

        void settleAny() {
            List<Delivery> all = new ArrayList<>(held.keySet());
            all.sort(Comparator.comparingInt(delivery -> held.get(delivery).number));
            for (int n = random.nextInt(20); n > 0 && !all.isEmpty(); n--) {
                settle(all.remove(random.nextInt(all.size())),
                        random.nextInt(3) == 0 ? Outcome.REQUEUED : Outcome.ACCEPTED);
            }
        }

        void settle(Delivery delivery, Outcome outcome) {
            Entry entry = held.remove(delivery);
            client.does(() -> delivery.settle(outcome));
            if (outcome == Outcome.REQUEUED) {
                entry.failures++;
                ready.add(entry);
            }
        }

        void crash() {
            broker = broker.crashesAndReopens(random, Loss.values()[random.nextInt(4)]);
            broker.schedule = random;
            client = broker.connect(random.nextInt(2));
            low = false;
            ready.addAll(held.values());
            held.clear();
            ready.removeIf(entry -> !entry.durable);
        }
    }
}
