package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.TestBroker.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Client;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.broker.engine.TestBroker.Answer;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.AddressSettings.Rule;
import io.sluicemq.broker.flow.FullPolicy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever waits, and wherever: the messages of one producer come into each queue in their order, all of them, and what needs
 * room in several queues finds it. A failure names its seed.
 */
class FlowOrderTest {

    private static final List<String> QUEUES = List.of("a", "b", "c");

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 60);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldKeepTheOrderOfEachProducerInEachQueue(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        TestBroker broker = new TestBroker(2 + random.nextInt(2));
        broker.schedule = random;
        TestClient admin = broker.connect(0);
        for (String queue : QUEUES) {
            admin.declares(queue, Map.of());
            admin.binds("amq.fanout", queue);
        }
        limits(broker, random);
        Map<String, TestConsumer> consumers = new LinkedHashMap<>();
        for (String queue : QUEUES) {
            consumers.put(queue, broker.connect(random.nextInt(2)).consumes(queue, 0));
        }
        Map<String, List<Integer>> sent = new LinkedHashMap<>();
        Map<TestConsumer, Integer> settled = new LinkedHashMap<>();
        List<TestClient> clients = List.of(broker.connect(0), broker.connect(1), broker.connect(0));
        List<TestProducer> producers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            producers.add(new TestProducer(clients.get(i / 2).loop));
        }
        for (int step = 0; step < 300; step++) {
            int number = step;
            int from = random.nextInt(6);
            TestClient client = clients.get(from / 2);
            boolean toAll = random.nextInt(3) == 0;
            String queue = QUEUES.get(random.nextInt(3));
            for (String each : toAll ? QUEUES : List.of(queue)) {
                sent.computeIfAbsent(from + each, key -> new ArrayList<>()).add(number);
            }
            client.loop.execute(() -> client.client.publish(
                    message(toAll ? "amq.fanout" : "", toAll ? "" : queue, from + ":" + number), null,
                    producers.get(from)));
            if (random.nextInt(30) == 0) {
                limits(broker, random);
            }
            if (random.nextInt(2) == 0) {
                broker.loops.get(random.nextInt(broker.loops.size())).runTurn();
                consumers.values().forEach(each -> settleSome(each, settled, random));
            }
        }
        for (int round = 0; broker.counters().parkedMessages() > 0; round++) {
            assertThat(round).as("rounds").isLessThan(1000);
            consumers.values().forEach(each -> settleSome(each, settled, random));
            broker.settle();
            broker.loops.advance(TimeUnit.MILLISECONDS.toNanos(10));
        }
        broker.settle();
        for (String queue : QUEUES) {
            for (int from = 0; from < 6; from++) {
                String prefix = from + ":";
                assertThat(consumers.get(queue).texts().stream().filter(text -> text.startsWith(prefix)))
                        .as("seed %s, producer %s, queue %s", seed, from, queue)
                        .containsExactlyElementsOf(sent.getOrDefault(from + queue, List.of()).stream()
                                .map(number -> prefix + number).toList());
            }
        }
        producers.forEach(each -> assertThat(each.parkedMessages()).isZero());
    }

    private static void limits(TestBroker broker, SplittableRandom random) {
        List<Rule> rules = new ArrayList<>();
        for (String name : List.of("a", "b", "c", "amq.fanout")) {
            if (random.nextInt(4) > 0) {
                rules.add(new Rule(name, null, 1L + random.nextInt(4), FullPolicy.BLOCK,
                        random.nextBoolean() ? 80 : 0, null, null, null));
            }
        }
        broker.engine.addressSettings(new AddressSettings(rules));
    }

    private static void settleSome(TestConsumer consumer, Map<TestConsumer, Integer> settled, SplittableRandom random) {
        int from = settled.getOrDefault(consumer, 0);
        int upTo = Math.min(consumer.deliveries.size(), from + random.nextInt(4));
        for (int i = from; i < upTo; i++) {
            Delivery delivery = consumer.deliveries.get(i);
            consumer.client.loop.execute(() -> delivery.settle(Outcome.ACCEPTED));
        }
        settled.put(consumer, upTo);
    }

    /** Each waits at the gate of one queue and is served at the same moment, and then needs room in the other's. */
    @Test
    void shouldNotHaveTwoGoRoundEachOtherForEver() {
        TestBroker broker = new TestBroker(2);
        TestClient first = broker.connect(0);
        TestClient second = broker.connect(1);
        first.declares("a", Map.of());
        first.declares("b", Map.of());
        broker.engine.addressSettings(new AddressSettings(List.of(
                new Rule("a", null, 1L, FullPolicy.BLOCK, null, null, null, null),
                new Rule("b", null, 1L, FullPolicy.BLOCK, null, null, null, null))));
        broker.settle();
        for (int owner = 0; owner < 2; owner++) {
            first.publishes(message("", "a", "held"));
            first.publishes(message("", "b", "held"));
            Answer<Void> one = commit(first, "a", "b");
            Answer<Void> two = commit(second, "b", "a");
            TestClient consuming = owner == 0 ? first : second;
            settleBoth(consuming);
            assertThat(one.done ^ two.done).isTrue();
            settleBoth(consuming);
            assertThat(one.done && two.done).isTrue();
            settleBoth(consuming);
        }
    }

    private static void settleBoth(TestClient client) {
        client.settlesAll(List.of(client.gets("a"), client.gets("b")), Outcome.ACCEPTED);
    }

    private static Answer<Void> commit(TestClient client, String... queues) {
        return client.asks(reply -> {
            Client.Transaction work = client.client.begin();
            for (String queue : queues) {
                work.publish(message("", queue, "m"));
            }
            work.commit(reply);
        });
    }
}
