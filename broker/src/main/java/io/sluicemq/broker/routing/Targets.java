package io.sluicemq.broker.routing;

/**
 * Where a set of bindings with the same condition leads: each queue and each exchange once, however many of the bindings name it.
 * Immutable.
 */
final class Targets<Q> {

    private static final Targets<?> NONE = new Targets<>(Bag.empty(), Bag.empty());

    final Bag<Q> queues;
    final Bag<String> exchanges;

    private Targets(Bag<Q> queues, Bag<String> exchanges) {
        this.queues = queues;
        this.exchanges = exchanges;
    }

    @SuppressWarnings("unchecked") // it holds nothing
    static <Q> Targets<Q> none() {
        return (Targets<Q>) NONE;
    }

    boolean isEmpty() {
        return queues.isEmpty() && exchanges.isEmpty();
    }

    Targets<Q> with(Binding binding, Q queue) {
        return switch (binding.kind()) {
            case QUEUE -> new Targets<>(queues.with(queue), exchanges);
            case EXCHANGE -> new Targets<>(queues, exchanges.with(binding.destination()));
        };
    }

    Targets<Q> without(Binding binding, Q queue) {
        Targets<Q> rest = switch (binding.kind()) {
            case QUEUE -> new Targets<>(queues.without(queue), exchanges);
            case EXCHANGE -> new Targets<>(queues, exchanges.without(binding.destination()));
        };
        return rest.isEmpty() ? none() : rest;
    }
}
