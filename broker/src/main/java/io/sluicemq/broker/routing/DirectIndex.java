package io.sluicemq.broker.routing;

import io.vavr.collection.HashMap;

/** The bindings of a direct exchange, by routing key. */
final class DirectIndex<Q> implements BindingIndex<Q> {

    private static final DirectIndex<?> EMPTY = new DirectIndex<>(HashMap.empty());

    private final HashMap<String, Targets<Q>> byKey;

    private DirectIndex(HashMap<String, Targets<Q>> byKey) {
        this.byKey = byKey;
    }

    @SuppressWarnings("unchecked") // it holds nothing
    static <Q> DirectIndex<Q> empty() {
        return (DirectIndex<Q>) EMPTY;
    }

    @Override
    public DirectIndex<Q> with(Binding binding, Q queue) {
        Targets<Q> targets = byKey.getOrElse(binding.routingKey(), Targets.none());
        return new DirectIndex<>(byKey.put(binding.routingKey(), targets.with(binding, queue)));
    }

    @Override
    public DirectIndex<Q> without(Binding binding, Q queue) {
        Targets<Q> rest = byKey.getOrElse(binding.routingKey(), Targets.none()).without(binding, queue);
        return new DirectIndex<>(
                rest.isEmpty() ? byKey.remove(binding.routingKey()) : byKey.put(binding.routingKey(), rest));
    }

    @Override
    public boolean match(String routingKey, HeaderSource headers, RouteSet<Q> out) {
        Targets<Q> targets = byKey.getOrElse(routingKey, null);
        if (targets == null) {
            return false;
        }
        out.addAll(targets);
        return true;
    }
}
