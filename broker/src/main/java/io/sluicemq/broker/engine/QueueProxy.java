package io.sluicemq.broker.engine;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Completion;
import io.sluicemq.api.Message;
import io.sluicemq.api.Producer;
import io.sluicemq.broker.queue.Queue;

/**
 * A queue as other loops reach it: what it is asked becomes an item for its loop, or a direct call if that is the caller's.
 * Immutable.
 */
record QueueProxy(Queue queue, LoopContext home) {

    /** Hands over a message; {@code completion}, if any, has taken on this obligation. */
    void enqueue(LoopContext here, Message message, Completion completion, Producer producer) {
        if (here == home) {
            take(message, completion, producer);
        } else {
            here.owes(home, message.sizeBytes());
            here.loop.send(home.loop, new Enqueue(this, here, message, completion, producer));
        }
    }

    private void take(Message message, Completion completion, Producer producer) {
        BrokerError error = queue.enqueue(message, producer);
        if (completion != null) {
            if (error == null) {
                completion.met(home.loop);
            } else {
                completion.refused(home.loop, error);
            }
        }
    }

    /** Does {@code task} on the queue's loop. */
    void run(LoopContext here, Runnable task) {
        here.loop.send(home.loop, task);
    }

    // Identity is what tells queues apart: one deleted and declared again under the same name is another.

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    private record Enqueue(
            QueueProxy target, LoopContext source, Message message, Completion completion, Producer producer)
            implements Runnable {

        @Override
        public void run() {
            target.home.took(source, message.sizeBytes());
            target.take(message, completion, producer);
        }
    }
}
