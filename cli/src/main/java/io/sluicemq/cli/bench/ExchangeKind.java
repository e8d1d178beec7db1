package io.sluicemq.cli.bench;

/** How messages reach the queues of a run. */
public enum ExchangeKind {
    /** The default exchange: the routing key is the queue's name, each message goes to one queue. */
    DIRECT,
    /** A fanout exchange of the run's own: each message goes to every queue. */
    FANOUT,
    /** A topic exchange of the run's own, all queues bound with the one topic published to. */
    TOPIC;

    /** Copies the broker makes of one published message, given the number of queues. */
    int copies(int queues) {
        return this == DIRECT ? 1 : queues;
    }
}
