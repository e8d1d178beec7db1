package io.sluicemq.broker.routing;

/**
 * The bindings of one exchange in the form that answers fastest which of them a message matches. Immutable: {@code with} and
 * {@code without} share what they can with the index they start from.
 */
interface BindingIndex<Q> {

    /**
     * This index and one binding more, which it does not have yet.
     *
     * @param queue what the binding leads to, or null if that is an exchange
     */
    BindingIndex<Q> with(Binding binding, Q queue);

    /** This index without a binding that it has; {@code queue} as it was when the binding was added. */
    BindingIndex<Q> without(Binding binding, Q queue);

    /** Adds the destinations of all bindings that match to {@code out}; returns whether there was one. */
    boolean match(String routingKey, HeaderSource headers, RouteSet<Q> out);
}
