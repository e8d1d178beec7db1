package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.TestBroker.grouped;
import static io.sluicemq.broker.engine.TestBroker.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Consumer;
import io.sluicemq.api.ConsumerSpec;
import io.sluicemq.api.ConsumerSpec.Credit;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Messages of groups for consumers that come and go, requeue and settle in any order, on loops whose turns come in random order.
 * When a message is delivered, all earlier ones of its group that are not accepted were delivered to the same consumer last; and
 * where all settle, nothing is left over. A failure names its seed.
 */
class GroupScheduleTest {

    private static final int STEPS = 400;
    private static final String[] GROUPS = {"a", "b", "c", "d", "e"};

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void shouldKeepTheOrderOfEachGroup(long seed) {
        for (long part = 0; part < 20; part++) {
            new Run(seed * 1000 + part).go();
        }
    }

    private record Held(TestConsumer consumer, Delivery delivery) {}

    private static final class Run {
        final long seed;
        final SplittableRandom random;
        final TestBroker broker = new TestBroker(3);
        final TestClient publisher;
        final List<TestClient> clients = new ArrayList<>();
        final List<TestConsumer> consumers = new ArrayList<>();
        final List<Held> held = new ArrayList<>();
        /** By group and number, who had each last that was not accepted. */
        final Map<String, TreeMap<Integer, TestConsumer>> open = new LinkedHashMap<>();
        int published;
        int accepted;

        Run(long seed) {
            this.seed = seed;
            random = new SplittableRandom(seed);
            broker.schedule = random;
            publisher = broker.connect(random.nextInt(3));
            publisher.declares("q", Map.of());
            for (int i = 0; i < 3; i++) {
                clients.add(broker.connect(i));
            }
            for (String group : GROUPS) {
                open.put(group, new TreeMap<>());
            }
        }

        void go() {
            for (int step = 0; step < STEPS; step++) {
                switch (random.nextInt(10)) {
                    case 0, 1, 2, 3 -> publish();
                    case 4 -> subscribe();
                    case 5 -> cancel();
                    case 6 -> limit();
                    default -> settleSome();
                }
                for (int turns = random.nextInt(5); turns > 0; turns--) {
                    broker.loops.get(random.nextInt(3)).runTurn();
                }
            }
            broker.settle();
            while (!consumers.isEmpty()) {
                cancel();
                broker.settle();
            }
            while (!held.isEmpty()) {
                settle(held.removeLast(), Outcome.RELEASED);
            }
            broker.settle();
            TestConsumer last = subscribe();
            last.onDelivery = last.onDelivery.andThen((consumer, delivery) -> {
                held.removeLast();
                accept(delivery);
                delivery.settle(Outcome.ACCEPTED);
            });
            broker.settle();
            last.client.does(() -> last.port.limit(Long.MAX_VALUE));
            assertThat(accepted).as("seed %s", seed).isEqualTo(published);
            assertThat(broker.counters().readyMessages()).isZero();
            assertThat(broker.counters().unsettledMessages()).isZero();
        }

        void publish() {
            int number = published++;
            String group = random.nextInt(6) == 0 ? null : GROUPS[random.nextInt(GROUPS.length)];
            publisher.loop.execute(() -> {
                if (group != null) {
                    open.get(group).put(number, null);
                }
                publisher.client.publish(
                        group == null
                                ? message("", "q", "-" + number)
                                : grouped("q", group, group + number, false),
                        null);
            });
        }

        TestConsumer subscribe() {
            TestClient client = clients.get(random.nextInt(3));
            TestConsumer consumer = new TestConsumer(client);
            consumer.onDelivery = (to, delivery) -> {
                to.port.written(delivery.windowBytes());
                held.add(new Held(to, delivery));
                String text = TestBroker.text(delivery);
                TreeMap<Integer, TestConsumer> group = open.get(text.substring(0, 1));
                if (group != null) {
                    int number = Integer.parseInt(text.substring(1));
                    assertThat(group.headMap(number).values())
                            .as("seed %s: those before %s", seed, text)
                            .allMatch(holder -> holder == to);
                    group.put(number, to);
                }
            };
            ConsumerSpec spec = new ConsumerSpec(
                    "q", "tag", false, false, false, 0, Credit.LIMIT, random.nextInt(2), false, null, Map.of());
            client.loop.execute(() -> client.client.subscribe(spec, consumer, new io.sluicemq.api.Reply<>() {
                @Override
                public void done(Consumer port) {
                    consumer.port = port;
                    port.limit(random.nextInt(6));
                }

                @Override
                public void failed(io.sluicemq.api.BrokerError error) {
                    throw new AssertionError("not subscribed: " + error);
                }
            }));
            consumers.add(consumer);
            return consumer;
        }

        void cancel() {
            if (!consumers.isEmpty()) {
                TestConsumer consumer = consumers.get(random.nextInt(consumers.size()));
                if (consumer.port != null) {
                    consumers.remove(consumer);
                    consumer.client.<Void>asksLater(reply -> consumer.port.cancel(reply));
                }
            }
        }

        void limit() {
            if (!consumers.isEmpty()) {
                TestConsumer consumer = consumers.get(random.nextInt(consumers.size()));
                if (consumer.port != null) {
                    int more = random.nextInt(6);
                    consumer.client.loop.execute(() -> consumer.port.limit(consumer.deliveries.size() + more));
                }
            }
        }

        void settleSome() {
            for (int n = random.nextInt(5); n > 0 && !held.isEmpty(); n--) {
                settle(held.remove(random.nextInt(held.size())), switch (random.nextInt(4)) {
                    case 0 -> Outcome.REQUEUED;
                    case 1 -> Outcome.RELEASED;
                    default -> Outcome.ACCEPTED;
                });
            }
        }

        void accept(Delivery delivery) {
            accepted++;
            String text = TestBroker.text(delivery);
            if (open.containsKey(text.substring(0, 1))) {
                open.get(text.substring(0, 1)).remove(Integer.parseInt(text.substring(1)));
            }
        }

        void settle(Held one, Outcome outcome) {
            one.consumer.client.loop.execute(() -> {
                if (outcome == Outcome.ACCEPTED) {
                    accept(one.delivery);
                }
                one.delivery.settle(outcome);
            });
        }
    }
}
