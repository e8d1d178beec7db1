package io.sluicemq.broker.flow;

/** What becomes of a consumer that is too slow, or of its queue. */
public enum ConsumerPolicy {
    /** It is cut; the queue of a subscription that is its alone goes with it. */
    DELETE,
    /** Nothing happens to it: its queue is limited, and the oldest messages make room for new ones. */
    CYCLE,
    /** The producers of its queue wait, as long as it has not caught up. */
    FLOW,
    /** It is told of, and nothing else. */
    NOTIFY
}
