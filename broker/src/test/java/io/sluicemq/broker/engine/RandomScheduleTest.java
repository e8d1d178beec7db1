package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.TestBroker.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.Completion;
import io.sluicemq.api.Consumer;
import io.sluicemq.api.ConsumerSpec;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.broker.engine.TestBroker.Answer;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random clients on loops whose turns come in random order, not waiting for one another: whatever the order, each publish is
 * completed once, each message is accepted as often as queues took it, a queue's messages come in order where nothing was
 * returned, and in the end nothing is left over. A failure names its seed, which alone makes the run.
 */
class RandomScheduleTest {

    private static final int CLIENTS = 5;
    private static final int STEPS = 400;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void shouldLoseAndRepeatNothingWhateverTheOrderOfTurns(long seed) {
        for (long part = 0; part < 10; part++) {
            new Run(seed * 1000 + part).go();
        }
    }

    private static final class Run {
        final SplittableRandom random;
        final TestBroker broker = new TestBroker(3);
        final List<TestClient> clients = new ArrayList<>();
        final List<TestConsumer> consumers = new ArrayList<>();
        final List<Delivery> held = new ArrayList<>();
        final Map<Delivery, TestClient> holders = new HashMap<>();
        int taken;
        int completed;
        int sent;
        int accepted;

        Run(long seed) {
            random = new SplittableRandom(seed);
            broker.schedule = random;
        }

        void go() {
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(broker.connect(random.nextInt(3)));
            }
            TestClient first = clients.get(0);
            for (int i = 0; i < 4; i++) {
                String name = "q" + i;
                first.declares(name, i == 3 ? Map.of("x-max-priority", 3) : Map.of());
                first.<Void>asks(reply -> first.client.bind(
                        new Client.BindingSpec("amq.fanout", name, false, "", Map.of()), reply))
                        .result();
            }
            for (int step = 0; step < STEPS; step++) {
                step(clients.get(random.nextInt(CLIENTS)));
                for (int turns = random.nextInt(4); turns > 0; turns--) {
                    broker.loops.get(random.nextInt(3)).runTurn();
                }
            }
            broker.settle();
            drain();
            assertThat(completed).isEqualTo(sent);
            assertThat(accepted).isEqualTo(taken);
            for (TestClient client : clients) {
                client.closes();
            }
            BrokerCounters counters = broker.counters();
            assertThat(counters.connections()).isZero();
            assertThat(counters.consumers()).isZero();
            assertThat(counters.readyMessages()).isZero();
            assertThat(counters.unsettledMessages()).isZero();
            assertThat(counters.messageBytes()).isZero();
            assertThat(counters.queues()).isEqualTo(4);
        }

        void step(TestClient client) {
            switch (random.nextInt(10)) {
                case 0, 1, 2, 3 -> publish(client, "", "q" + random.nextInt(4), 1);
                case 4 -> publish(client, "amq.fanout", "", 4);
                case 5 -> subscribe(client);
                case 6 -> {
                    if (!consumers.isEmpty()) {
                        TestConsumer consumer = consumers.remove(random.nextInt(consumers.size()));
                        if (consumer.port != null) {
                            consumer.client.<Void>asksLater(reply -> consumer.port.cancel(reply));
                        } else {
                            consumers.add(consumer);
                        }
                    }
                }
                case 7 -> client.<Delivery>asksLater(reply -> client.client.get(
                        "q" + random.nextInt(4), false, new io.sluicemq.api.Reply<>() {
                            @Override
                            public void done(Delivery delivery) {
                                if (delivery != null) {
                                    hold(client, delivery);
                                }
                                reply.done(delivery);
                            }

                            @Override
                            public void failed(BrokerError error) {
                                reply.failed(error);
                            }
                        }));
                case 8 -> client.<Client.QueueStatus>asksLater(reply -> client.client.declareQueue(
                        new QueueSpec("own" + random.nextInt(2), false, true, false, Map.of()), reply));
                default -> settleSome();
            }
        }

        void publish(TestClient client, String exchange, String key, int queues) {
            sent++;
            taken += queues;
            client.loop.execute(() -> {
                Completion completion = new Completion(client.loop) {
                    @Override
                    protected void complete(BrokerError refusal) {
                        assertThat(refusal).isNull();
                        completed++;
                    }
                };
                int routed = client.client.publish(
                        message(exchange, key, "m", random.nextInt(4), -1), completion);
                assertThat(routed).isEqualTo(queues);
                completion.handedOut();
            });
        }

        void subscribe(TestClient client) {
            boolean shared = random.nextInt(3) == 0;
            TestConsumer consumer = new TestConsumer(client) {
                @Override
                public void creditWanted() {
                    super.creditWanted();
                    int grant = 1 + random.nextInt(3);
                    client.loop.execute(() -> port.grant(grant));
                }
            };
            consumer.onDelivery = (to, delivery) -> {
                to.port.written(delivery.windowBytes());
                hold(client, delivery);
            };
            ConsumerSpec spec = new ConsumerSpec(
                    "q" + random.nextInt(4), "tag", false, false, false, random.nextInt(4), shared,
                    random.nextInt(2), Map.of());
            consumers.add(consumer);
            client.loop.execute(() -> client.client.subscribe(spec, consumer, new io.sluicemq.api.Reply<>() {
                @Override
                public void done(Consumer port) {
                    consumer.port = port;
                }

                @Override
                public void failed(BrokerError error) {
                    throw new AssertionError("not subscribed: " + error);
                }
            }));
        }

        void hold(TestClient client, Delivery delivery) {
            held.add(delivery);
            holders.put(delivery, client);
        }

        void settleSome() {
            for (int n = random.nextInt(5); n > 0 && !held.isEmpty(); n--) {
                Delivery delivery = held.remove(random.nextInt(held.size()));
                Outcome outcome = switch (random.nextInt(3)) {
                    case 0 -> Outcome.REQUEUED;
                    case 1 -> Outcome.RELEASED;
                    default -> Outcome.ACCEPTED;
                };
                settle(delivery, outcome);
            }
        }

        void settle(Delivery delivery, Outcome outcome) {
            if (outcome == Outcome.ACCEPTED) {
                accepted++;
            }
            holders.remove(delivery).loop.execute(() -> delivery.settle(outcome));
        }

        void drain() {
            for (TestConsumer consumer : consumers) {
                Answer<Void> cancelled = consumer.client.asks(reply -> consumer.port.cancel(reply));
                assertThat(cancelled.done).isTrue();
            }
            broker.settle();
            while (!held.isEmpty()) {
                settle(held.remove(held.size() - 1), Outcome.REQUEUED);
            }
            broker.settle();
            TestClient client = clients.get(0);
            for (int i = 0; i < 4; i++) {
                for (Delivery next = client.gets("q" + i); next != null; next = client.gets("q" + i)) {
                    Delivery delivery = next;
                    accepted++;
                    client.does(() -> delivery.settle(Outcome.ACCEPTED));
                }
            }
        }
    }
}
