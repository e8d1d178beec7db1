package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.TestBroker.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Client;
import io.sluicemq.api.Completion;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Message;
import io.sluicemq.broker.engine.TestBroker.Answer;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.store.LogOptions;
import io.sluicemq.store.sim.SimulatedDisk.Loss;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random clients on a broker with a store, with checkpoints at any moment, segments emptied by copying, and the power gone in
 * between: whatever the schedule, a confirmed message is there afterwards once, in its producer's order, and one whose accept was
 * completed is not; and none is delivered before its time. A failure names its seed, which alone makes the run.
 */
class RecoveryScheduleTest {

    private static final int LOOPS = 3;
    private static final int ROUNDS = 3;
    private static final int STEPS = 250;
    private static final int MOST_DELAY_MILLIS = 1_000;

    private static final LogOptions PLAIN = StoredTestBroker.SMALL.withBuffers(4, 4096).withSegmentBytes(32 << 10);
    private static final LogOptions MOVING =
            StoredTestBroker.SMALL.withBuffers(4, 4096).withSegmentBytes(8 << 10).withCompaction(0.9, 1 << 30);

    private static final Map<String, Map<String, Object>> QUEUES = new LinkedHashMap<>();

    static {
        QUEUES.put("plain", Map.of());
        QUEUES.put("priorities", Map.of("x-max-priority", 3));
        QUEUES.put("ttl", Map.of("x-message-ttl", 3_600_000));
        QUEUES.put("limited", Map.of("x-delivery-limit", 100));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void shouldBeAfterARestartWhatItWasBefore(long seed) {
        new Run(seed, PLAIN).go();
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25})
    void shouldBeAfterARestartWhatItWasBeforeThoughRecordsHaveMoved(long seed) {
        new Run(seed, MOVING).go();
    }

    /** A message in a queue. */
    private static final class Copy {
        final String host;
        final String queue;
        final String text;
        final int priority;
        final long notBeforeMillis;
        Answer<Void> confirmed;
        Answer<Void> accepted;
        boolean delivered;
        int failures;

        Copy(String host, String queue, String text, int priority, long notBeforeMillis) {
            this.host = host;
            this.queue = queue;
            this.text = text;
            this.priority = priority;
            this.notBeforeMillis = notBeforeMillis;
        }

        String key() {
            return host + "/" + queue + "/" + text;
        }
    }

    private record Held(TestClient client, Delivery delivery, Copy copy) {}

    private static final class Run {
        final SplittableRandom random;
        StoredTestBroker broker;
        final List<TestClient> clients = new ArrayList<>();
        final Map<TestClient, String> hosts = new HashMap<>();
        final Map<String, Copy> copies = new TreeMap<>();
        final List<Held> held = new ArrayList<>();
        int published;

        Run(long seed, LogOptions options) {
            random = new SplittableRandom(seed);
            broker = StoredTestBroker.open(new StoredTestBroker.Setup(LOOPS, options)
                    .withMemory(64 << 10)
                    .withHosts(List.of("/", "b")));
        }

        void connect() {
            clients.clear();
            hosts.clear();
            held.clear();
            for (int i = 0; i < 4; i++) {
                String host = i % 2 == 0 ? "/" : "b";
                TestClient client = broker.connect(random.nextInt(LOOPS), host);
                clients.add(client);
                hosts.put(client, host);
            }
            broker.schedule = random;
        }

        void go() {
            connect();
            for (TestClient client : clients.subList(0, 2)) {
                QUEUES.forEach((queue, arguments) -> {
                    client.declaresDurable(queue, arguments);
                    client.binds("amq.fanout", queue);
                });
            }
            for (int round = 0; round < ROUNDS; round++) {
                for (int step = 0; step < STEPS; step++) {
                    step(clients.get(random.nextInt(clients.size())));
                    for (int turns = random.nextInt(8); turns > 0; turns--) {
                        broker.stepRandomly();
                    }
                }
                boolean settled = random.nextBoolean();
                if (settled) {
                    broker.settle();
                    assertThat(copies.values()).allMatch(copy -> copy.confirmed.done);
                }
                broker = broker.crashesAndReopens(random, Loss.values()[random.nextInt(4)]);
                connect();
                check(settled);
            }
        }

        void step(TestClient client) {
            String host = hosts.get(client);
            String queue = List.copyOf(QUEUES.keySet()).get(random.nextInt(QUEUES.size()));
            switch (random.nextInt(12)) {
                case 0, 1, 2, 3 -> publish(client, host, "", queue, Set.of(queue));
                case 4 -> publish(client, host, "amq.fanout", "", QUEUES.keySet());
                case 5, 6 -> client.asksLater(reply -> client.client.get(queue, false, new Answer<>() {
                    @Override
                    public void done(Delivery delivery) {
                        if (delivery != null) {
                            Copy copy = copies.get(host + "/" + queue + "/" + TestBroker.text(delivery));
                            assertThat(copy.accepted).as("delivered after its accept: %s", copy.key()).isNull();
                            assertThat(client.loop.currentTimeMillis()).isGreaterThanOrEqualTo(copy.notBeforeMillis);
                            copy.delivered = true;
                            held.add(new Held(client, delivery, copy));
                        }
                    }
                }));
                case 7, 8, 9 -> settleSome();
                case 10 -> {
                    if (random.nextInt(4) == 0) {
                        broker.engine.rest();
                    }
                }
                default -> broker.loops.advance(random.nextInt(300) * 1_000_000L);
            }
        }

        void publish(TestClient client, String host, String exchange, String key, Set<String> queues) {
            int priority = random.nextInt(3);
            long notBefore = random.nextInt(4) == 0
                    ? client.loop.currentTimeMillis() + random.nextInt(2 * MOST_DELAY_MILLIS) - MOST_DELAY_MILLIS
                    : 0;
            String text =
                    String.format("%s-%05d-", clients.indexOf(client), published++) + "x".repeat(random.nextInt(200));
            List<Copy> made = queues.stream().map(queue -> new Copy(host, queue, text, priority, notBefore)).toList();
            Message message = message(exchange, key, text, true, priority, Message.NO_TTL).notBefore(notBefore);
            Answer<Void> answer = random.nextInt(5) == 0
                    ? client.asksLater(reply -> {
                        Client.Transaction transaction = client.client.begin();
                        transaction.publish(message);
                        transaction.commit(reply);
                    })
                    : client.asksLater(reply -> client.publish(message, reply));
            for (Copy copy : made) {
                copy.confirmed = answer;
                copies.put(copy.key(), copy);
            }
        }

        void settleSome() {
            for (int n = random.nextInt(6); n > 0 && !held.isEmpty(); n--) {
                Held one = held.remove(random.nextInt(held.size()));
                if (random.nextInt(4) == 0) {
                    one.copy.failures++;
                    one.client.loop.execute(() -> one.delivery.settle(Outcome.REQUEUED));
                } else if (random.nextInt(3) == 0) {
                    one.copy.accepted = one.client.asksLater(reply -> {
                        Client.Transaction transaction = one.client.client.begin();
                        transaction.settle(List.of(one.delivery), Outcome.ACCEPTED);
                        transaction.commit(reply);
                    });
                } else {
                    one.copy.accepted = one.client.asksLater(reply -> {
                        Completion completion = one.client.completion(reply);
                        completion.hold();
                        one.delivery.settle(Outcome.ACCEPTED, completion);
                        completion.handedOut();
                    });
                }
            }
        }

        /** Takes all there is, compares it, and leaves it where it was. */
        void check(boolean settled) {
            broker.passMillis(MOST_DELAY_MILLIS);
            assertThat(broker.counters().delayedMessages()).isZero();
            Set<String> found = new TreeSet<>();
            for (TestClient client : clients.subList(0, 2)) {
                for (String queue : QUEUES.keySet()) {
                    List<Delivery> deliveries = new ArrayList<>();
                    for (Delivery next = client.gets(queue); next != null; next = client.gets(queue)) {
                        deliveries.add(next);
                    }
                    check(hosts.get(client), queue, deliveries, settled, found);
                    client.does(() -> deliveries.forEach(each -> each.settle(Outcome.RELEASED)));
                }
            }
            for (Copy copy : List.copyOf(copies.values())) {
                boolean there = found.contains(copy.key());
                if (copy.accepted != null && copy.accepted.done) {
                    assertThat(there).as("accepted, and back: %s", copy.key()).isFalse();
                } else if (copy.confirmed.done && copy.accepted == null) {
                    assertThat(there).as("confirmed, and lost: %s", copy.key()).isTrue();
                }
                if (there) {
                    copy.accepted = null;
                    copy.confirmed.done = true;
                } else {
                    copies.remove(copy.key());
                }
            }
            BrokerCounters counters = broker.counters();
            assertThat(counters.readyMessages()).isEqualTo(found.size());
            assertThat(counters.unsettledMessages()).isZero();
            assertThat(broker.retainedRecords()).isEqualTo(found.size());
        }

        void check(String host, String queue, List<Delivery> deliveries, boolean settled, Set<String> found) {
            Map<String, String> last = new HashMap<>();
            int priority = Integer.MAX_VALUE;
            for (Delivery delivery : deliveries) {
                Copy copy = copies.get(host + "/" + queue + "/" + TestBroker.text(delivery));
                assertThat(copy).as("was never published there").isNotNull();
                assertThat(found.add(copy.key())).as("twice: %s", copy.key()).isTrue();
                if (queue.equals("priorities")) {
                    assertThat(copy.priority).isLessThanOrEqualTo(priority);
                    if (copy.priority < priority) {
                        last.clear();
                    }
                    priority = copy.priority;
                }
                if (copy.notBeforeMillis == 0) {
                    String producer = copy.text.substring(0, 1);
                    String before = last.put(producer, copy.text);
                    assertThat(before == null || before.compareTo(copy.text) < 0)
                            .as("%s after %s", copy.key(), before)
                            .isTrue();
                }
                if (settled) {
                    assertThat(delivery.redelivered() || !copy.delivered).as("delivered: %s", copy.key()).isTrue();
                    if (queue.equals("limited")) {
                        assertThat(delivery.deliveryCount()).as("of %s", copy.key()).isEqualTo(copy.failures);
                    }
                } else {
                    copy.failures = delivery.deliveryCount();
                }
            }
        }
    }
}
