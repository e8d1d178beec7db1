package io.sluicemq.broker.routing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;

/** Random sequences of changes do to a table what they do to a plain list of bindings. */
class RoutingProperties {

    /** Something that the writer may do. */
    sealed interface Action {

        record Declare(ExchangeSpec spec) implements Action {}

        record Delete(String exchange) implements Action {}

        record AddQueue(String name) implements Action {}

        record RemoveQueue(String name) implements Action {}

        record Bind(Binding binding) implements Action {}

        record Unbind(Binding binding) implements Action {}

        /** Unbinds one of those that are there, so that long histories of a binding come up. */
        record UnbindSome(int index) implements Action {}
    }

    /** A message to try. */
    record Probe(String exchange, List<String> keys, Map<String, Object> headers) {}

    private static final List<String> EXCHANGES = List.of("e0", "e1", "e2", "e3", "e4", "amq.topic");
    private static final List<String> QUEUES = List.of("q0", "q1", "q2", "q3", "a");

    @Property(tries = 400, edgeCases = EdgeCasesMode.NONE)
    void shouldRouteAsPlainRulesDo(
            @ForAll("actions") List<Action> actions, @ForAll("probes") List<Probe> probes) {
        RoutingTable<TestQueue> table = RoutingTable.withDefaults();
        NaiveRouter rules = new NaiveRouter();
        List<RoutingTable<TestQueue>> tables = new ArrayList<>();
        List<NaiveRouter> rulesThen = new ArrayList<>();
        for (Action action : actions) {
            table = apply(action, table, rules);
            tables.add(table);
            rulesThen.add(rules.copy());
        }
        RouteSet<TestQueue> out = new RouteSet<>();
        // Only now, so that what came later would show in an earlier table if it had changed it.
        for (int i = 0; i < tables.size(); i++) {
            assertSameContent(tables.get(i), rulesThen.get(i));
            assertSameRoutes(tables.get(i), rulesThen.get(i), probes, out);
        }
        for (int i = 1; i < tables.size(); i++) {
            assertStampsHold(tables.get(i - 1), tables.get(i), probes);
        }
    }

    private static RoutingTable<TestQueue> apply(Action action, RoutingTable<TestQueue> table, NaiveRouter rules) {
        NaiveRouter before = rules.copy();
        boolean changes;
        Outcome<TestQueue> outcome;
        switch (action) {
            case Action.Declare(ExchangeSpec spec) -> {
                changes = rules.declare(spec);
                outcome = table.declareExchange(spec);
            }
            case Action.Delete(String exchange) -> {
                changes = !exchange.startsWith("amq.") && rules.deleteExchange(exchange);
                outcome = table.deleteExchange(exchange, false);
            }
            case Action.AddQueue(String name) -> {
                changes = rules.queues.add(name);
                TestQueue existing = table.queue(name);
                outcome = table.addQueue(name, existing != null ? existing : new TestQueue(name));
            }
            case Action.RemoveQueue(String name) -> {
                changes = rules.removeQueue(name);
                outcome = table.removeQueue(name);
            }
            case Action.Bind(Binding binding) -> {
                changes = rules.bind(binding);
                outcome = table.bind(binding);
            }
            case Action.Unbind(Binding binding) -> {
                changes = rules.unbind(binding);
                outcome = table.unbind(binding);
            }
            case Action.UnbindSome(int index) -> {
                if (rules.bindings.isEmpty()) {
                    return table;
                }
                Binding binding = rules.bindings.get(index % rules.bindings.size());
                changes = rules.unbind(binding);
                outcome = table.unbind(binding);
            }
        }
        return switch (outcome) {
            case Outcome.Applied<TestQueue> applied -> {
                assertThat(changes).as("%s changes something", action).isTrue();
                assertReported(applied, before, rules);
                yield applied.table();
            }
            case Outcome.Unchanged<TestQueue> unchanged -> {
                assertThat(changes).as("%s changes something", action).isFalse();
                yield unchanged.table();
            }
            case Outcome.Refused<TestQueue> refused -> {
                assertThat(changes).as("%s changes something", action).isFalse();
                assertThat(refused.reason()).isNotNull();
                yield table;
            }
        };
    }

    private static void assertReported(Outcome.Applied<TestQueue> applied, NaiveRouter before, NaiveRouter after) {
        Set<String> gone = new HashSet<>(before.exchanges.keySet());
        gone.removeAll(after.exchanges.keySet());
        assertThat(applied.deletedExchanges())
                .extracting(Exchange::name)
                .containsExactlyInAnyOrderElementsOf(gone);
        List<Binding> unbound = new ArrayList<>(before.bindings);
        unbound.removeAll(after.bindings);
        assertThat(applied.removedBindings()).containsExactlyInAnyOrderElementsOf(unbound);
    }

    private static void assertSameContent(RoutingTable<TestQueue> table, NaiveRouter rules) {
        assertThat(table.exchanges().stream().collect(Collectors.toMap(Exchange::name, Exchange::spec)))
                .isEqualTo(rules.exchanges);
        assertThat(table.queues()).extracting(TestQueue::name).containsExactlyInAnyOrderElementsOf(rules.queues);
        List<Binding> fromSources = new ArrayList<>();
        List<Binding> toDestinations = new ArrayList<>();
        for (Exchange<TestQueue> exchange : table.exchanges()) {
            assertThat(exchange.bindings()).hasSize(exchange.bindingCount());
            fromSources.addAll(exchange.bindings());
            toDestinations.addAll(table.bindingsToExchange(exchange.name()));
        }
        QUEUES.forEach(queue -> toDestinations.addAll(table.bindingsToQueue(queue)));
        assertThat(fromSources).hasSameSizeAs(rules.bindings);
        assertThat(toDestinations).hasSameSizeAs(rules.bindings);
        // As sets, which are compared faster than lists without order.
        Set<Binding> expected = Set.copyOf(rules.bindings);
        assertThat(Set.copyOf(fromSources)).isEqualTo(expected);
        assertThat(Set.copyOf(toDestinations)).isEqualTo(expected);
    }

    private static void assertSameRoutes(
            RoutingTable<TestQueue> table, NaiveRouter rules, List<Probe> probes, RouteSet<TestQueue> out) {
        for (Probe probe : probes) {
            Exchange<TestQueue> exchange = table.exchange(probe.exchange);
            if (exchange == null) {
                continue;
            }
            List<String> routed = route(table, probe, out);
            assertThat(routed).as("%s", probe).doesNotHaveDuplicates();
            assertThat(Set.copyOf(routed)).as("%s", probe)
                    .isEqualTo(rules.route(probe.exchange, probe.keys, probe.headers));
        }
    }

    private static void assertStampsHold(
            RoutingTable<TestQueue> before, RoutingTable<TestQueue> after, List<Probe> probes) {
        RouteSet<TestQueue> out = new RouteSet<>();
        for (Probe probe : probes) {
            Exchange<TestQueue> then = before.exchange(probe.exchange);
            Exchange<TestQueue> now = after.exchange(probe.exchange);
            if (then == null || now == null) {
                continue;
            }
            Object stamp = before.routeStamp(then);
            if (stamp != null && stamp == after.routeStamp(now)) {
                assertThat(route(after, probe, out)).isEqualTo(route(before, probe, out));
            }
        }
    }

    private static List<String> route(RoutingTable<TestQueue> table, Probe probe, RouteSet<TestQueue> out) {
        out.clear();
        table.route(
                table.exchange(probe.exchange),
                probe.keys.getFirst(),
                probe.keys.subList(1, probe.keys.size()),
                () -> probe.headers,
                out);
        return TableBuilder.names(out);
    }

    /** Most exchanges and queues first, as bindings to nothing would show little, then anything. */
    @Provide
    Arbitrary<List<Action>> actions() {
        Arbitrary<Action> declare = Arbitraries.of(EXCHANGES).flatMap(RoutingProperties::declarations);
        Arbitrary<Action> delete = Arbitraries.of(EXCHANGES).map(Action.Delete::new);
        Arbitrary<Action> addQueue = Arbitraries.of(QUEUES).map(Action.AddQueue::new);
        Arbitrary<Action> removeQueue = Arbitraries.of(QUEUES).map(Action.RemoveQueue::new);
        Arbitrary<Action> bind = bindings().map(Action.Bind::new);
        Arbitrary<Action> unbind = bindings().map(Action.Unbind::new);
        Arbitrary<Action> unbindSome = Arbitraries.integers().between(0, 1_000).map(Action.UnbindSome::new);
        Arbitrary<List<Action>> anything = Arbitraries.frequencyOf(
                Tuple.of(2, declare),
                Tuple.of(1, delete),
                Tuple.of(2, addQueue),
                Tuple.of(1, removeQueue),
                Tuple.of(24, bind),
                Tuple.of(1, unbind),
                Tuple.of(6, unbindSome))
                .list().ofMinSize(1).ofMaxSize(60).withSizeDistribution(RandomDistribution.uniform());
        List<Arbitrary<Action>> first = new ArrayList<>();
        EXCHANGES.subList(0, 4).forEach(name -> first.add(declarations(name)));
        QUEUES.forEach(name -> first.add(Arbitraries.just(new Action.AddQueue(name))));
        return Combinators.combine(Combinators.combine(first).as(all -> all), anything).as((before, after) -> {
            List<Action> all = new ArrayList<>(before);
            all.addAll(after);
            return all;
        });
    }

    private static Arbitrary<Action> declarations(String name) {
        return Combinators.combine(
                Arbitraries.of(ExchangeType.values()),
                Arbitraries.of(true, false),
                Arbitraries.of("", "e0", "e1", "e2", "amq.topic", "absent").injectNull(0.6))
                .as((type, autoDelete, alternate) -> new Action.Declare(
                        new ExchangeSpec(name, type, false, autoDelete, false, alternate, Arguments.NONE)));
    }

    private static Arbitrary<Binding> bindings() {
        Arbitrary<Arguments> arguments = Arbitraries.frequencyOf(
                Tuple.of(2, Arbitraries.just(Arguments.NONE)),
                Tuple.of(1, criteria().map(Arguments::of)));
        return Combinators.combine(
                Arbitraries.of(EXCHANGES),
                Arbitraries.frequency(Tuple.of(3, true), Tuple.of(1, false)),
                Arbitraries.of(QUEUES),
                Arbitraries.of(EXCHANGES),
                keys("a", "b", "*", "#"),
                arguments)
                .as((source, toQueue, queue, exchange, key, args) -> toQueue
                        ? Binding.toQueue(source, queue, key, args)
                        : Binding.toExchange(source, exchange, key, args));
    }

    private static Arbitrary<String> keys(String... words) {
        return Arbitraries.of(words).list().ofMaxSize(2).map(list -> String.join(".", list));
    }

    private static Arbitrary<Map<String, Object>> criteria() {
        Arbitrary<String> match = Arbitraries.of("all", "any", "all-with-x", "any-with-x").injectNull(0.3);
        return Combinators.combine(match, fields()).as((x, fields) -> {
            Map<String, Object> criteria = new LinkedHashMap<>(fields);
            if (x != null) {
                criteria.put("x-match", x);
            }
            return criteria;
        });
    }

    private static Arbitrary<Map<String, Object>> fields() {
        Arbitrary<Object> values = Arbitraries.of((byte) 1, 1, 1L, 2, 2.0, "1", "b", true).map(value -> (Object) value);
        Arbitrary<Object> valuesOrVoid = values.injectNull(0.2);
        // Maps with null values, which jqwik's own map arbitrary would make as well, but without saying so.
        return Combinators.combine(Arbitraries.of("a", "b", "x-c").list().ofMaxSize(3), valuesOrVoid.list().ofSize(3))
                .as((names, all) -> {
                    Map<String, Object> fields = new HashMap<>();
                    for (int i = 0; i < names.size(); i++) {
                        fields.put(names.get(i), all.get(i));
                    }
                    return fields;
                });
    }

    @Provide
    Arbitrary<List<Probe>> probes() {
        List<String> published = new ArrayList<>(EXCHANGES);
        published.add("");
        return Combinators.combine(
                Arbitraries.of(published),
                keys("a", "b", "q0").list().ofMinSize(1).ofMaxSize(3),
                fields())
                .as(Probe::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(12);
    }

    @Property(tries = 2_500, edgeCases = EdgeCasesMode.NONE)
    void shouldMatchTopicsAsTheRuleDoes(
            @ForAll("patterns") Set<String> patterns, @ForAll("patterns") Set<String> removed,
            @ForAll("key") String key) {
        TableBuilder to = new TableBuilder();
        Set<String> all = new HashSet<>(patterns);
        all.addAll(removed);
        for (String pattern : all) {
            to.queues("q:" + pattern).bind("amq.topic", "q:" + pattern, pattern);
        }
        for (String pattern : removed) {
            to.unbind(Binding.toQueue("amq.topic", "q:" + pattern, pattern));
        }
        all.removeAll(removed);
        assertThat(to.route("amq.topic", key))
                .containsExactlyInAnyOrderElementsOf(all.stream()
                        .filter(pattern -> NaiveRouter.topicMatches(pattern, key))
                        .map(pattern -> "q:" + pattern)
                        .toList());
    }

    @Provide
    Arbitrary<Set<String>> patterns() {
        return Arbitraries.of("a", "b", "*", "#", "")
                .list()
                .ofMaxSize(7)
                .map(list -> String.join(".", list))
                .set()
                .ofMaxSize(12);
    }

    @Provide
    Arbitrary<String> key() {
        return Arbitraries.of("a", "b", "c", "").list().ofMaxSize(9).map(list -> String.join(".", list));
    }
}
