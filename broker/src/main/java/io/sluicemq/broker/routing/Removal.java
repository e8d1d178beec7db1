package io.sluicemq.broker.routing;

import io.vavr.collection.HashMap;
import io.vavr.collection.HashSet;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * One removal from a {@link RoutingTable} and all that follows from it: bindings go with what they join, and auto-delete exchanges
 * with their last binding, which may take further bindings along.
 *
 * <p>Used once, by the writer, between one table and the next.
 */
final class Removal<Q> {

    private HashMap<String, Exchange<Q>> exchanges;
    private HashMap<String, Q> queues;
    private HashMap<String, HashSet<Binding>> toQueues;
    private HashMap<String, HashSet<Binding>> toExchanges;

    /** Names of exchanges that are to go; a list and no recursion, since chains of exchanges may be long. */
    private final Deque<String> doomed = new ArrayDeque<>();

    private final List<Exchange<Q>> deletedExchanges = new ArrayList<>();
    private final List<Binding> removedBindings = new ArrayList<>();

    Removal(
            HashMap<String, Exchange<Q>> exchanges,
            HashMap<String, Q> queues,
            HashMap<String, HashSet<Binding>> toQueues,
            HashMap<String, HashSet<Binding>> toExchanges) {
        this.exchanges = exchanges;
        this.queues = queues;
        this.toQueues = toQueues;
        this.toExchanges = toExchanges;
    }

    /** Removes a binding that is there. */
    void binding(Binding binding) {
        removeTo(binding);
        removeFrom(binding);
        deleteDoomed();
    }

    /** Removes a queue that is there. */
    void queue(String name) {
        HashSet<Binding> bindings = toQueues.getOrElse(name, HashSet.empty());
        toQueues = toQueues.remove(name);
        for (Binding binding : bindings) {
            removeFrom(binding);
        }
        queues = queues.remove(name);
        deleteDoomed();
    }

    /** Removes an exchange that is there. */
    void exchange(String name) {
        doomed.add(name);
        deleteDoomed();
    }

    Outcome<Q> applied() {
        return new Outcome.Applied<>(
                new RoutingTable<>(exchanges, queues, toQueues, toExchanges),
                List.copyOf(deletedExchanges),
                List.copyOf(removedBindings));
    }

    private void deleteDoomed() {
        for (String name = doomed.poll(); name != null; name = doomed.poll()) {
            Exchange<Q> exchange = exchanges.getOrElse(name, null);
            if (exchange != null) {
                delete(exchange);
            }
        }
    }

    private void delete(Exchange<Q> exchange) {
        exchanges = exchanges.remove(exchange.name());
        deletedExchanges.add(exchange);
        for (Binding binding : exchange.bindingSet()) {
            removeTo(binding);
            removedBindings.add(binding);
        }
        HashSet<Binding> incoming = toExchanges.getOrElse(exchange.name(), HashSet.empty());
        toExchanges = toExchanges.remove(exchange.name());
        for (Binding binding : incoming) {
            removeFrom(binding);
        }
    }

    /** Removes a binding at its destination. */
    private void removeTo(Binding binding) {
        switch (binding.kind()) {
            case QUEUE -> toQueues = withoutTo(toQueues, binding);
            case EXCHANGE -> toExchanges = withoutTo(toExchanges, binding);
        }
    }

    private static HashMap<String, HashSet<Binding>> withoutTo(
            HashMap<String, HashSet<Binding>> to, Binding binding) {
        HashSet<Binding> rest = to.getOrElse(binding.destination(), HashSet.empty()).remove(binding);
        return rest.isEmpty() ? to.remove(binding.destination()) : to.put(binding.destination(), rest);
    }

    /** Removes a binding at its source, which is there. */
    private void removeFrom(Binding binding) {
        Exchange<Q> source = exchanges.get(binding.source()).get();
        Q queue =
                switch (binding.kind()) {
                    case QUEUE -> queues.get(binding.destination()).get();
                    case EXCHANGE -> null;
                };
        Exchange<Q> rest = source.without(binding, queue);
        exchanges = exchanges.put(rest.name(), rest);
        removedBindings.add(binding);
        if (rest.bindingCount() == 0 && rest.spec().autoDelete()) {
            doomed.add(rest.name());
        }
    }
}
