package io.sluicemq.broker.engine;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Completion;
import io.sluicemq.api.Message;
import io.sluicemq.api.Producer;
import io.sluicemq.broker.journal.Journal;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.broker.queue.RecoveredMessages;

/**
 * A queue as other loops reach it: what it is asked becomes an item for its loop, or a direct call if that is the caller's.
 * Immutable.
 *
 * @param declaredBy the user among whose queues it counts; null if that is not known
 */
record QueueProxy(Queue queue, LoopContext home, String declaredBy) {

    /**
     * Hands over a message; {@code completion}, if any, has taken on this obligation.
     *
     * @param position where it is in the log, or {@link Journal#NONE}
     * @param share the bytes of its record that each queue in the log accounts for
     * @param reserved whether room was reserved for it in the queue's account
     */
    void enqueue(
            LoopContext here, Message message, long position, int share, boolean reserved, Completion completion,
            Producer producer) {
        if (here == home) {
            take(message, position, share, reserved, completion, producer);
        } else {
            here.owes(home, message.sizeBytes());
            here.loop.send(
                    home.loop, new Enqueue(this, here, message, position, share, reserved, completion, producer));
        }
    }

    private void take(
            Message message, long position, int share, boolean reserved, Completion completion, Producer producer) {
        BrokerError error =
                queue.enqueue(message, queue.isLogged() ? position : Journal.NONE, share, reserved, producer);
        if (completion != null) {
            if (error == null) {
                completion.met(home.loop);
            } else {
                completion.refused(home.loop, error);
            }
        }
    }

    /** On the queue's loop: begins its life. */
    void open() {
        enlist();
        queue.start();
    }

    /** On the queue's loop: gives it what was recovered of it. It is {@linkplain #begin to begin} when all queues have theirs. */
    void restore(RecoveredMessages recovered) {
        enlist();
        queue.restore(recovered);
    }

    /** On the queue's loop: begins the life of a queue that was restored. */
    void begin() {
        queue.start();
    }

    private void enlist() {
        home.queues.add(queue);
        if (queue.id() != 0) {
            home.queuesById.put(queue.id(), queue);
        }
    }

    /** On the queue's loop: does {@code task} when all that the queue has done is durable. */
    void whenDurable(Witness.Command command, Runnable task) {
        if (!queue.isLogged() && !home.hasWitness()) {
            task.run();
            return;
        }
        Completion durable = new Completion(home.loop) {
            @Override
            protected void complete(BrokerError refusal) {
                task.run();
            }
        };
        home.witness(command, durable);
        if (queue.isLogged()) {
            durable.hold();
            home.afterDiscarding(() -> home.journal().awaitAll(durable));
        }
        durable.handedOut();
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
            QueueProxy target, LoopContext source, Message message, long position, int share, boolean reserved,
            Completion completion, Producer producer)
            implements Runnable {

        @Override
        public void run() {
            target.home.took(source, message.sizeBytes());
            target.take(message, position, share, reserved, completion, producer);
        }
    }
}
