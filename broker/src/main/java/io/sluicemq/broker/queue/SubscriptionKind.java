package io.sluicemq.broker.queue;

/** Whether a queue is a subscription, and for how long. */
public enum SubscriptionKind {
    /** It is a queue like any other. */
    NONE,
    /** A subscription that ends with its client, its last consumer, or when it is not used for a while. */
    TRANSIENT,
    /** A subscription that goes on when nobody is attached. */
    DURABLE
}
