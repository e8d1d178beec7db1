package io.sluicemq.crash;

import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Durable queues with their messages, exchanges and the bindings between them. Immutable.
 *
 * @param queues the ids of each queue's messages, in order
 */
record Topology(SortedMap<String, List<Long>> queues, SortedSet<String> exchanges, SortedSet<Binding> bindings) {

    static final Topology EMPTY = new Topology(new TreeMap<>(), new TreeSet<>(), new TreeSet<>());

    /** A binding of a queue to a direct exchange. */
    record Binding(String exchange, String key, String queue) implements Comparable<Binding> {

        @Override
        public int compareTo(Binding other) {
            return toString().compareTo(other.toString());
        }

        @Override
        public String toString() {
            return exchange + "-" + key + "->" + queue;
        }
    }

    private Topology changed(Consumer<Topology> change) {
        Topology copy = new Topology(new TreeMap<>(queues), new TreeSet<>(exchanges), new TreeSet<>(bindings));
        change.accept(copy);
        return copy;
    }

    Topology withQueue(String queue, List<Long> messages) {
        return changed(copy -> copy.queues.put(queue, List.copyOf(messages)));
    }

    /** Without a queue, and its bindings. */
    Topology withoutQueue(String queue) {
        return changed(copy -> {
            copy.queues.remove(queue);
            copy.bindings.removeIf(binding -> binding.queue().equals(queue));
        });
    }

    Topology withExchange(String exchange) {
        return changed(copy -> copy.exchanges.add(exchange));
    }

    /** Without an exchange, and its bindings. */
    Topology withoutExchange(String exchange) {
        return changed(copy -> {
            copy.exchanges.remove(exchange);
            copy.bindings.removeIf(binding -> binding.exchange().equals(exchange));
        });
    }

    Topology withBinding(Binding binding) {
        return changed(copy -> copy.bindings.add(binding));
    }

    Topology withoutBinding(Binding binding) {
        return changed(copy -> copy.bindings.remove(binding));
    }

    /** For people: message ids by their names. */
    @Override
    public String toString() {
        SortedMap<String, List<String>> named = new TreeMap<>();
        queues.forEach((queue, messages) -> named.put(queue, messages.stream().map(Body::name).toList()));
        return "queues " + named + ", exchanges " + exchanges + ", bindings " + bindings;
    }
}
