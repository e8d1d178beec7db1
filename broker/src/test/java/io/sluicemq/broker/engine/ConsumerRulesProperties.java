package io.sluicemq.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Client;
import io.sluicemq.api.ConsumerSink.Cut;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.ConsumerPolicy;
import io.sluicemq.broker.flow.ConsumerRule;
import io.sluicemq.broker.flow.TopicRules;
import io.sluicemq.broker.flow.TopicRules.TopicRule;
import io.sluicemq.broker.queue.Queue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever is declared, bound, deleted and configured: the rule of each queue is what a look at all its bindings finds. */
class ConsumerRulesProperties {

    private static final List<String> EXCHANGES = List.of("amq.topic", "topics", "passing", "amq.direct");
    private static final List<String> QUEUES = List.of("q0", "q1", "own");
    private static final List<String> KEYS = List.of("a.b", "a.*", "a.#", "b", "#");

    /** Numbers, so that a history that fails is made shorter; what each means depends on those before it. */
    @Provide
    Arbitrary<List<Integer>> steps() {
        return Arbitraries.integers().between(0, 999).list().ofMinSize(1).ofMaxSize(60);
    }

    private record Bound(String exchange, String queue, String key) {}

    private static ConsumerRule rule(int messages) {
        return new ConsumerRule(
                ConsumerRule.NONE, messages, ConsumerRule.NONE, ConsumerRule.NONE, ConsumerRule.DEFAULT_PERIOD_NANOS,
                ConsumerPolicy.NOTIFY, false, Cut.CHANNEL);
    }

    @Property(tries = 150, edgeCases = EdgeCasesMode.NONE)
    void shouldBeWhatAllBindingsSay(@ForAll("steps") List<Integer> steps) {
        History history = new History();
        for (int step : steps) {
            history.does(step % 10, step / 10);
            history.check();
        }
    }

    /** One broker, and what it should have. */
    private static final class History {

        private final TestBroker broker = new TestBroker(2);
        private final TestClient client = broker.connect(0);
        private final Set<String> queues = new HashSet<>();
        private final Set<Bound> bindings = new LinkedHashSet<>();
        private AddressSettings settings = new AddressSettings(List.of());

        void check() {
            for (String name : queues) {
                List<String> keys = bindings.stream()
                        .filter(each -> each.queue.equals(name) && !each.exchange.equals("amq.direct"))
                        .map(Bound::key)
                        .toList();
                assertThat(ruleOf(name)).as(name).isEqualTo(settings.consumerRuleOf(name, keys));
            }
        }

        void does(int what, int choice) {
            String exchange = EXCHANGES.get(choice % EXCHANGES.size());
            String queue = QUEUES.get(choice / EXCHANGES.size() % QUEUES.size());
            Bound bound = new Bound(exchange, queue, KEYS.get(choice % KEYS.size()));
            switch (what) {
                case 0, 1, 2, 3 -> bind(bound);
                case 4 -> new ArrayList<>(bindings).stream().skip(choice % (bindings.size() + 1)).limit(1)
                        .forEach(this::unbind);
                case 5 -> unbind(bound);
                case 6 -> {
                    if (!exchange.startsWith("amq.")) {
                        client.<Void>asks(reply -> client.client.deleteExchange(exchange, false, reply)).result();
                        bindings.removeIf(each -> each.exchange.equals(exchange));
                    }
                }
                case 7 -> {
                    if (queues.remove(queue)) {
                        client.<Long>asks(reply -> client.client.deleteQueue(queue, false, false, reply)).result();
                        bindings.removeIf(each -> each.queue.equals(queue));
                    }
                }
                default -> settings(choice);
            }
        }

        private void bind(Bound bound) {
            if (queues.add(bound.queue)) {
                client.declares(bound.queue, Map.of());
            }
            if (!bound.exchange.startsWith("amq.")) {
                client.<Void>asks(reply -> client.client.declareExchange(
                        new Client.ExchangeSpec(
                                bound.exchange, "topic", false, bound.exchange.equals("passing"), false, Map.of()),
                        reply)).result();
            }
            client.<Void>asks(reply -> client.client.bind(spec(bound), reply)).result();
            bindings.add(bound);
        }

        private void unbind(Bound bound) {
            if (bindings.remove(bound)) {
                client.<Void>asks(reply -> client.client.unbind(spec(bound), reply)).result();
            }
        }

        private static Client.BindingSpec spec(Bound bound) {
            return new Client.BindingSpec(bound.exchange, bound.queue, false, bound.key, Map.of());
        }

        /** Which rules there are by the bits of a number. */
        private void settings(int bits) {
            List<TopicRule> topics = new ArrayList<>();
            for (int i = 0; i < KEYS.size(); i++) {
                if ((bits >> i & 1) != 0) {
                    topics.add(new TopicRule(KEYS.get(i), rule(i + 1)));
                }
            }
            settings = new AddressSettings(
                    (bits >> KEYS.size() & 1) != 0 ? List.of(new AddressSettings.Rule("own", rule(100))) : List.of(),
                    new TopicRules(topics));
            broker.engine.addressSettings(settings);
            broker.settle();
        }

        private ConsumerRule ruleOf(String name) {
            List<ConsumerRule> found = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                LoopContext context = broker.engine.context(i);
                broker.loops.get(i).execute(() -> context.queues.stream()
                        .filter(queue -> queue.name().equals(name))
                        .map(Queue::consumerRule)
                        .forEach(found::add));
            }
            broker.settle();
            assertThat(found).hasSize(1);
            return found.getFirst();
        }
    }
}
