package io.sluicemq.architecture.samples.names;

/** A name that doesn't say what it does. */
class QueueManager {
    /** Another. */
    interface QueueImpl {}
}
