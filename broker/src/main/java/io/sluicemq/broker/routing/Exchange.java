package io.sluicemq.broker.routing;

import io.vavr.collection.HashSet;
import java.util.List;

/**
 * An exchange of one {@link RoutingTable} with the bindings from it. Immutable: the next table has another object for the same
 * exchange if bindings from it changed, and the same if not.
 */
public final class Exchange<Q> {

    private final ExchangeSpec spec;
    private final HashSet<Binding> bindings;

    /** How many of the bindings lead to exchanges. */
    private final int exchangeBindings;

    private final BindingIndex<Q> index;

    private Exchange(ExchangeSpec spec, HashSet<Binding> bindings, int exchangeBindings, BindingIndex<Q> index) {
        this.spec = spec;
        this.bindings = bindings;
        this.exchangeBindings = exchangeBindings;
        this.index = index;
    }

    static <Q> Exchange<Q> of(ExchangeSpec spec) {
        return new Exchange<>(spec, HashSet.empty(), 0, spec.type().emptyIndex());
    }

    public String name() {
        return spec.name();
    }

    public ExchangeType type() {
        return spec.type();
    }

    /** What the exchange was declared to be. */
    public ExchangeSpec spec() {
        return spec;
    }

    /** Whether clients may not publish to it. */
    public boolean isInternal() {
        return spec.internal();
    }

    /** Whether this is the exchange that reaches every queue by its name. */
    public boolean isDefault() {
        return spec.name().isEmpty();
    }

    /** How many bindings lead away from here. */
    public int bindingCount() {
        return bindings.size();
    }

    /** The bindings that lead away from here, in no order: a copy, whose cost is their number. */
    public List<Binding> bindings() {
        return bindings.toJavaList();
    }

    boolean has(Binding binding) {
        return bindings.contains(binding);
    }

    HashSet<Binding> bindingSet() {
        return bindings;
    }

    Exchange<Q> with(Binding binding, Q queue) {
        int more = binding.kind() == Binding.Kind.EXCHANGE ? 1 : 0;
        return new Exchange<>(
                spec, bindings.add(binding), exchangeBindings + more, index.with(binding, queue));
    }

    Exchange<Q> without(Binding binding, Q queue) {
        int fewer = binding.kind() == Binding.Kind.EXCHANGE ? 1 : 0;
        return new Exchange<>(
                spec, bindings.remove(binding), exchangeBindings - fewer, index.without(binding, queue));
    }

    /** Adds what the key, or any of the extra keys, matches to {@code out}; returns whether there was anything. */
    boolean match(String routingKey, List<String> extraKeys, HeaderSource headers, RouteSet<Q> out) {
        boolean matched = index.match(routingKey, headers, out);
        for (int i = 0; i < extraKeys.size(); i++) {
            matched |= index.match(extraKeys.get(i), headers, out);
        }
        return matched;
    }

    /**
     * What alone decides, with the routing key, where a message goes from here; null if more than that and the key does. Not for
     * the default exchange.
     */
    Object stamp() {
        return spec.type() == ExchangeType.HEADERS || spec.alternate() != null || exchangeBindings > 0 ? null : index;
    }

    @Override
    public String toString() {
        return "exchange '" + name() + "' (" + type().label() + ", " + bindingCount() + " bindings)";
    }
}
