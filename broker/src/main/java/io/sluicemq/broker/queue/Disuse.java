package io.sluicemq.broker.queue;

import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.util.concurrent.TimeUnit;

/**
 * Ends a queue that nobody has used for as long as its options say. Owned by the queue's loop. Invariant: for such a queue a timer
 * runs while it is there and has no consumers, once it has started.
 */
@LoopOwned
final class Disuse {

    private final Queue queue;
    private final Consumers consumers;
    private final long millis;
    private final Loop loop;
    private Loop.Timer timer;

    Disuse(Queue queue, Consumers consumers, Loop loop) {
        this.queue = queue;
        this.consumers = consumers;
        this.millis = queue.options().expiresMillis();
        this.loop = loop;
    }

    /** The queue is used at this moment, or not any more from now on: its time starts anew. */
    void begins() {
        stop();
        if (millis != QueueOptions.NONE && consumers.isEmpty() && !queue.isRemoved()) {
            timer = loop.schedule(TimeUnit.MILLISECONDS.toNanos(millis), queue::remove);
        }
    }

    /** It is used, or gone. */
    void stop() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }
}
