package io.sluicemq.api.operate;

/** Where messages go that an operator moves. */
public sealed interface MoveTarget {

    /** All to one exchange with one key; a queue is reached by the default exchange, whose name is empty. */
    record To(String exchange, String routingKey) implements MoveTarget {}

    /**
     * Each dead letter to the queue that it died in last, or otherwise to the exchange and key that it was published with there; one
     * that never died stays.
     */
    record WhereTheyDied() implements MoveTarget {}
}
