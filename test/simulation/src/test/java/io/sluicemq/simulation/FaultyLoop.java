package io.sluicemq.simulation;

import io.sluicemq.base.Loop;
import io.sluicemq.testkit.ManualLoop;

/**
 * A loop with a bug, on purpose: of what the accounts and gates of flow control send, it loses or repeats events of one
 * kind. All else goes to the loop below as it is. The events are told by the class that made them.
 */
final class FaultyLoop implements Loop {

    /** What goes wrong. */
    enum Bug {
        /** An account's home is not told that something was given back, so that its gate does not look who may go on. */
        LOST_WAKE_UP("io.sluicemq.broker.flow.Account$$Lambda", 1),
        /** A loop is not told that others wait for room that its credit lines hold. */
        LOST_RECALL("io.sluicemq.broker.engine.Credits$$Lambda", 2),
        /** A grant comes twice; the second is not wanted, so that its holder gives back what it never had. */
        DOUBLE_RELEASE("io.sluicemq.broker.flow.Gate$$Lambda", 3);

        private final String eventClass;
        /** How much the event has to know: of a gate's, only a grant knows its ticket, the bytes and the messages. */
        private final int captured;

        Bug(String eventClass, int captured) {
            this.eventClass = eventClass;
            this.captured = captured;
        }

        boolean concerns(Runnable item) {
            Class<?> type = item.getClass();
            return type.getName().startsWith(eventClass) && type.getDeclaredFields().length == captured;
        }
    }

    private final ManualLoop loop;
    private final Bug bug;
    private long hits;

    FaultyLoop(ManualLoop loop, Bug bug) {
        this.loop = loop;
        this.bug = bug;
    }

    /** How often its bug has struck. */
    long hits() {
        return hits;
    }

    @Override
    public void send(Loop target, Runnable item) {
        Loop below = target instanceof FaultyLoop faulty ? faulty.loop : target;
        boolean hit = bug.concerns(item);
        hits += hit ? 1 : 0;
        if (hit && bug != Bug.DOUBLE_RELEASE) {
            return;
        }
        loop.send(below, item);
        if (hit) {
            loop.send(below, item);
        }
    }

    @Override
    public int index() {
        return loop.index();
    }

    @Override
    public boolean isCurrent() {
        return loop.isCurrent();
    }

    @Override
    public void execute(Runnable task) {
        loop.execute(task);
    }

    @Override
    public void atTurnEnd(Runnable hook) {
        loop.atTurnEnd(hook);
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        return loop.schedule(delayNanos, task);
    }

    @Override
    public long nanoTime() {
        return loop.nanoTime();
    }

    @Override
    public long currentTimeMillis() {
        return loop.currentTimeMillis();
    }
}
