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
    private long parkedBytes;
    private int parkedMessages;
    private Hold hold;
    private CreditLine credit;

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

    // ---- credit

    /** The credit that its publishes spend; null if it has none. */
    public final CreditLine credit() {
        return credit;
    }

    /** The broker has opened a credit line for it, or closed it: then null. */
    public final void credit(CreditLine line) {
        credit = line;
    }

    // ---- full addresses

    /** The broker has parked one of its publishes, of so many bytes, until there is room. */
    public final void parked(Hold why, int bytes) {
        hold = why;
        parkedBytes += bytes;
        parkedMessages++;
        parkedChanged();
    }

    /** A publish that was parked, of so many bytes, waits no more: it was stored or refused. */
    public final void unparked(int bytes) {
        parkedBytes -= bytes;
        parkedMessages--;
        if (parkedMessages == 0) {
            hold = null;
        }
        parkedChanged();
    }

    /** Bytes of its publishes that wait for room in their addresses. */
    public final long parkedBytes() {
        return parkedBytes;
    }

    /** How many of its publishes wait for room in their addresses. */
    public final int parkedMessages() {
        return parkedMessages;
    }

    /** What the publish that was parked last waits for; null if none waits. */
    public final Hold latestHold() {
        return hold;
    }

    /** What it is within its connection, in words: {@code channel 1}. */
    public abstract String description();

    /** More of its publishes wait for room in their addresses, or fewer. */
    protected abstract void parkedChanged();

    /** A publish was refused whose sender asked for no answer: it has to be told otherwise. */
    public abstract void refused(BrokerError error);

    /** Stop publishing for a moment, if the client can be told so without harm to anything else; or go on. */
    protected abstract void paced(boolean hold);
}
