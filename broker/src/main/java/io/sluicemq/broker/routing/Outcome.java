package io.sluicemq.broker.routing;

import java.util.List;

/** What came of a change to a {@link RoutingTable}. */
public sealed interface Outcome<Q> {

    /**
     * There is a new table.
     *
     * @param deletedExchanges the exchanges that went with the change, in the order of their going: the one that was to be
     *     deleted, and auto-delete exchanges that lost their last binding
     * @param removedBindings all bindings that went, those from and to deleted exchanges and queues included
     */
    record Applied<Q>(RoutingTable<Q> table, List<Exchange<Q>> deletedExchanges, List<Binding> removedBindings)
            implements Outcome<Q> {

        Applied(RoutingTable<Q> table) {
            this(table, List.of(), List.of());
        }
    }

    /** All was so already: the thing to add is there, the thing to remove is not. */
    record Unchanged<Q>(RoutingTable<Q> table) implements Outcome<Q> {}

    /** The change is not allowed. */
    record Refused<Q>(Refusal reason) implements Outcome<Q> {}
}
