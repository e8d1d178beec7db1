package io.sluicemq.broker.routing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A routing table under construction in a test: each step must succeed, and the table so far can be asked for. */
final class TableBuilder {

    private RoutingTable<TestQueue> table = RoutingTable.withDefaults();

    RoutingTable<TestQueue> table() {
        return table;
    }

    TableBuilder exchange(String name, ExchangeType type) {
        return exchange(ExchangeSpec.durable(name, type));
    }

    TableBuilder exchange(ExchangeSpec spec) {
        return apply(table.declareExchange(spec));
    }

    TableBuilder autoDelete(String name, ExchangeType type) {
        return exchange(new ExchangeSpec(name, type, false, true, false, null, Arguments.NONE));
    }

    TableBuilder withAlternate(String name, ExchangeType type, String alternate) {
        return exchange(new ExchangeSpec(name, type, false, false, false, alternate, Arguments.NONE));
    }

    TableBuilder queues(String... names) {
        for (String name : names) {
            apply(table.addQueue(name, new TestQueue(name)));
        }
        return this;
    }

    TableBuilder bind(String exchange, String queue, String key) {
        return bind(Binding.toQueue(exchange, queue, key));
    }

    TableBuilder bind(String exchange, String queue, Map<String, Object> arguments) {
        return bind(Binding.toQueue(exchange, queue, "", Arguments.of(arguments)));
    }

    TableBuilder bindExchange(String source, String destination, String key) {
        return bind(Binding.toExchange(source, destination, key));
    }

    TableBuilder bind(Binding binding) {
        return apply(table.bind(binding));
    }

    TableBuilder unbind(Binding binding) {
        return apply(table.unbind(binding));
    }

    TableBuilder removeQueue(String name) {
        return apply(table.removeQueue(name));
    }

    private TableBuilder apply(Outcome<TestQueue> outcome) {
        table = applied(outcome).table();
        return this;
    }

    static Outcome.Applied<TestQueue> applied(Outcome<TestQueue> outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Applied.class);
        return (Outcome.Applied<TestQueue>) outcome;
    }

    /** The names of the queues that a message goes to. */
    List<String> route(String exchange, String key) {
        return route(table, exchange, key, HeaderSource.NONE);
    }

    List<String> route(String exchange, Map<String, Object> headers) {
        return route(table, exchange, "", () -> headers);
    }

    static List<String> route(RoutingTable<TestQueue> table, String exchange, String key, HeaderSource headers) {
        RouteSet<TestQueue> out = new RouteSet<>();
        table.route(table.exchange(exchange), key, headers, out);
        return names(out);
    }

    static List<String> names(RouteSet<TestQueue> routes) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < routes.size(); i++) {
            names.add(routes.get(i).name());
        }
        return names;
    }
}
