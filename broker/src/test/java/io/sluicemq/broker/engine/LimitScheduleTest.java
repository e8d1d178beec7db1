package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.TestBroker.grouped;
import static io.sluicemq.broker.engine.TestBroker.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Consumer;
import io.sluicemq.api.ConsumerSpec;
import io.sluicemq.api.ConsumerSpec.Credit;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Message;
import io.sluicemq.api.Reply;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Consumers with limits that rise, fall and are drained, on loops whose turns come in random order, with messages that wait in the
 * log, that come back, that are of groups or delayed. Whatever the order: none gets more than its limit, nothing comes between the
 * answer to a drain and the next limit, each drain is answered, where all have had time no consumer with room stands beside a
 * ready message that is for it, and in the end all is there once. A failure names its seed.
 */
class LimitScheduleTest {

    private static final int STEPS = 300;

    /** What the queue is like beside plain. */
    private enum Kind {
        PLAIN, PRIORITIES, SINGLE_ACTIVE
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void shouldGiveWhatTheLimitAllowsAndAnswerEachDrain(long seed) {
        for (long part = 0; part < 12; part++) {
            new Run(seed * 1000 + part, Kind.values()[(int) (part % 3)]).go();
        }
    }

    private record Held(Limited consumer, Delivery delivery) {}

    /** A consumer, and what it has asked for. */
    private static final class Limited extends TestConsumer {
        long limit;
        long highestLimit;
        int limits;
        boolean drained;
        boolean mayRefuse;
        boolean ended;
        int drains;
        int answers;
        long unwritten;

        Limited(TestClient client) {
            super(client);
        }

        boolean hasRoom() {
            return port != null && !ended && deliveries.size() < limit && !drained;
        }
    }

    private static final class Run {
        final long seed;
        final SplittableRandom random;
        final Kind kind;
        final StoredTestBroker broker;
        final TestClient publisher;
        final List<TestClient> clients = new ArrayList<>();
        final List<Limited> consumers = new ArrayList<>();
        final List<Limited> all = new ArrayList<>();
        final List<Held> held = new ArrayList<>();
        boolean groups;
        int published;
        int accepted;

        Run(long seed, Kind kind) {
            this.seed = seed;
            this.kind = kind;
            random = new SplittableRandom(seed);
            groups = random.nextInt(3) == 0;
            broker = StoredTestBroker.fresh(3);
            publisher = broker.connect(random.nextInt(3));
            publisher.declaresDurable("q", switch (kind) {
                case PLAIN -> Map.of();
                case PRIORITIES -> Map.of("x-max-priority", 2);
                case SINGLE_ACTIVE -> Map.of("x-single-active-consumer", true);
            });
            for (int i = 0; i < 3; i++) {
                clients.add(broker.connect(i));
            }
            if (random.nextBoolean()) {
                broker.queue("q").loop().execute(() -> broker.queue("q").pageLimits(-1, 1 + random.nextInt(4)));
            }
            broker.schedule = random;
        }

        void go() {
            for (int step = 0; step < STEPS; step++) {
                step();
                for (int turns = random.nextInt(5); turns > 0; turns--) {
                    broker.stepRandomly();
                }
                if (random.nextInt(40) == 0) {
                    rest();
                }
            }
            rest();
            end();
        }

        void step() {
            switch (random.nextInt(12)) {
                case 0, 1, 2, 3 -> publish();
                case 4 -> subscribe();
                case 5 -> cancel(random.nextInt(4) != 0);
                case 6 -> limit();
                case 7 -> drain();
                case 8 -> written();
                case 9 -> broker.loops.advance(20_000_000);
                default -> settleSome();
            }
        }

        void publish() {
            String text = "m" + published++ + "x".repeat(random.nextInt(8) == 0 ? 100_000 : 10);
            boolean durable = random.nextBoolean();
            Message message = groups && random.nextBoolean()
                    ? grouped("q", "g" + random.nextInt(4), text, durable)
                    : message("", "q", text, durable, random.nextInt(3), Message.NO_TTL);
            long delay = random.nextInt(5) == 0 ? random.nextInt(40) : 0;
            publisher.loop.execute(() -> publisher.client.publish(
                    delay == 0 ? message : message.notBefore(publisher.loop.currentTimeMillis() + delay), null));
        }

        Limited subscribe() {
            TestClient client = clients.get(random.nextInt(3));
            Limited consumer = new Limited(client);
            consumer.mayRefuse = random.nextInt(4) == 0;
            consumer.onDelivery = (to, delivery) -> {
                assertThat((long) to.deliveries.size()).as("seed %s", seed).isLessThanOrEqualTo(consumer.highestLimit);
                assertThat(consumer.drained).as("seed %s", seed).isFalse();
                consumer.unwritten += delivery.windowBytes();
                held.add(new Held(consumer, delivery));
            };
            ConsumerSpec spec = new ConsumerSpec(
                    "q", "tag", false, false, false, 0, Credit.LIMIT, random.nextInt(2), false, null, Map.of());
            client.loop.execute(() -> client.client.subscribe(spec, consumer, new Reply<>() {
                @Override
                public void done(Consumer port) {
                    consumer.port = port;
                }

                @Override
                public void failed(BrokerError error) {
                    throw new AssertionError("not subscribed: " + error);
                }
            }));
            consumers.add(consumer);
            all.add(consumer);
            return consumer;
        }

        Limited any() {
            Limited consumer = consumers.isEmpty() ? null : consumers.get(random.nextInt(consumers.size()));
            return consumer == null || consumer.port == null ? null : consumer;
        }

        void cancel(boolean enough) {
            Limited consumer = any();
            if (consumer != null && (!enough || consumers.size() > 3)) {
                consumers.remove(consumer);
                consumer.client.loop.execute(() -> {
                    consumer.ended = true;
                    consumer.port.cancel(new TestBroker.Answer<>());
                });
            }
        }

        void limit() {
            Limited consumer = any();
            if (consumer != null) {
                int more = random.nextInt(8) - 2;
                consumer.client.loop.execute(() -> limit(consumer, consumer.deliveries.size() + more));
            }
        }

        void limit(Limited consumer, long deliveries) {
            if (!consumer.ended) {
                consumer.drained = false;
                consumer.limits++;
                consumer.limit = Math.max(0, deliveries);
                consumer.highestLimit = Math.max(consumer.limit, consumer.highestLimit);
                consumer.port.limit(consumer.limit);
            }
        }

        void drain() {
            Limited consumer = any();
            if (consumer == null) {
                return;
            }
            consumer.client.loop.execute(() -> {
                consumer.drains++;
                int limitsThen = consumer.limits;
                consumer.port.drain(new Reply<>() {
                    @Override
                    public void done(Void nothing) {
                        consumer.answers++;
                        if (consumer.limits == limitsThen) {
                            consumer.drained = true;
                            consumer.limit = consumer.deliveries.size();
                        }
                    }

                    @Override
                    public void failed(BrokerError error) {
                        throw new AssertionError(error);
                    }
                });
            });
        }

        void written() {
            Limited consumer = any();
            if (consumer != null) {
                consumer.client.loop.execute(() -> write(consumer));
            }
        }

        void write(Limited consumer) {
            long bytes = consumer.unwritten;
            consumer.unwritten = 0;
            consumer.port.written(bytes);
        }

        void settleSome() {
            for (int n = random.nextInt(5); n > 0 && !held.isEmpty(); n--) {
                Held one = held.remove(random.nextInt(held.size()));
                settle(one, switch (random.nextInt(6)) {
                    case 0 -> Outcome.REQUEUED;
                    case 1 -> one.consumer.mayRefuse ? Outcome.REQUEUED_ELSEWHERE : Outcome.RELEASED;
                    case 2 -> one.consumer.mayRefuse ? Outcome.RELEASED_ELSEWHERE : Outcome.RELEASED;
                    default -> Outcome.ACCEPTED;
                });
            }
        }

        void settle(Held one, Outcome outcome) {
            if (outcome == Outcome.ACCEPTED) {
                accepted++;
            }
            one.consumer.client.loop.execute(() -> one.delivery.settle(outcome));
        }

        /** Everything that is on its way arrives: then nothing must be stuck. */
        void rest() {
            long before;
            do {
                broker.settle();
                before = all.stream().mapToLong(consumer -> consumer.deliveries.size()).sum();
                all.stream().filter(consumer -> consumer.port != null).forEach(
                        consumer -> consumer.client.loop.execute(() -> write(consumer)));
                broker.settle();
            } while (all.stream().mapToLong(consumer -> consumer.deliveries.size()).sum() != before);
            assertThat(all).as("seed %s", seed).allMatch(consumer -> consumer.drains == consumer.answers);
            boolean anyMayHaveIt = !groups && kind != Kind.SINGLE_ACTIVE;
            if (anyMayHaveIt && broker.counters().readyMessages() > 0) {
                assertThat(consumers).as("seed %s", seed)
                        .noneMatch(consumer -> consumer.hasRoom() && !consumer.mayRefuse);
            }
        }

        void end() {
            while (!consumers.isEmpty()) {
                cancel(false);
                broker.settle();
            }
            while (!held.isEmpty()) {
                settle(held.removeLast(), Outcome.RELEASED);
            }
            broker.passMillis(50);
            Limited last = subscribe();
            last.onDelivery = (to, delivery) -> {
                accepted++;
                to.port.written(delivery.windowBytes());
                delivery.settle(Outcome.ACCEPTED);
            };
            broker.settle();
            last.client.does(() -> limit(last, Long.MAX_VALUE));
            assertThat(accepted).as("seed %s", seed).isEqualTo(published);
            BrokerCounters counters = broker.counters();
            assertThat(counters.readyMessages()).isZero();
            assertThat(counters.delayedMessages()).isZero();
            assertThat(counters.unsettledMessages()).isZero();
            assertThat(broker.retainedRecords()).isZero();
        }
    }
}
