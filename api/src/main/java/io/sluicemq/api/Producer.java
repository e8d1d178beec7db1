package io.sluicemq.api;

import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;

/**
 * Where a client publishes from: a channel or a link. A queue whose consumers keep up, but are a little behind, asks its
 * producers to wait a moment, so that publishing and consuming go at one pace rather than the one fast and the other late.
 * It is never more than a moment, and never asked again for long by a queue whose consumers do not use it (see the broker's
 * documentation of pacing). Owned by its client's loop.
 */
@LoopOwned
public abstract class Producer {

    private final Loop loop;
    private int holds;
    private int reach = 1;
    private boolean held;

    protected Producer(Loop loop) {
        this.loop = loop;
    }

    /** The owner's loop. */
    public final Loop loop() {
        return loop;
    }

    /** Its latest message went to so many queues. */
    public final void reached(int queues) {
        reach = Math.max(1, queues);
    }

    /** A queue asks it to wait. */
    public final void hold() {
        holds++;
        update();
    }

    /** A queue that asked it to wait no longer does. */
    public final void release() {
        holds--;
        update();
    }

    /** With several queues it goes by the most of them: one slow subscriber must not slow the others. */
    private void update() {
        boolean now = holds * 2 > reach;
        if (now != held) {
            held = now;
            paced(now);
        }
    }

    /** Stop publishing for a moment, if the client can be told so without harm to anything else; or go on. */
    protected abstract void paced(boolean hold);
}
