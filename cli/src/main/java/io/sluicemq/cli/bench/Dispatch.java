package io.sluicemq.cli.bench;

/** The thread on which the client library runs consumer callbacks. */
public enum Dispatch {
    /** The library's default: a pool of two threads a core for each connection. */
    POOL,
    /** The thread that read the delivery, by an executor that runs its tasks at once: no hand-over between threads. */
    DIRECT
}
