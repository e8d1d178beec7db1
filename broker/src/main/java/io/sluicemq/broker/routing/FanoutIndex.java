package io.sluicemq.broker.routing;

/** The bindings of a fanout exchange: only where they lead matters. */
final class FanoutIndex<Q> implements BindingIndex<Q> {

    private static final FanoutIndex<?> EMPTY = new FanoutIndex<>(Targets.none());

    private final Targets<Q> targets;

    private FanoutIndex(Targets<Q> targets) {
        this.targets = targets;
    }

    @SuppressWarnings("unchecked") // it holds nothing
    static <Q> FanoutIndex<Q> empty() {
        return (FanoutIndex<Q>) EMPTY;
    }

    @Override
    public FanoutIndex<Q> with(Binding binding, Q queue) {
        return new FanoutIndex<>(targets.with(binding, queue));
    }

    @Override
    public FanoutIndex<Q> without(Binding binding, Q queue) {
        return new FanoutIndex<>(targets.without(binding, queue));
    }

    @Override
    public boolean match(String routingKey, HeaderSource headers, RouteSet<Q> out) {
        if (targets.isEmpty()) {
            return false;
        }
        out.addAll(targets);
        return true;
    }
}
