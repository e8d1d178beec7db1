package io.sluicemq.simulation;

import java.util.Set;
import java.util.function.BooleanSupplier;

/** Something that owes one answer. */
final class Command {

    private final String what;
    private final long step;
    private final Set<Command> open;
    /** Whether it may still wait for room in addresses when nothing else goes on; null if it must be answered. */
    private final BooleanSupplier excuse;
    private boolean abandoned;

    Command(String what, long step, Set<Command> open, BooleanSupplier excuse) {
        this.what = what;
        this.step = step;
        this.open = open;
        this.excuse = excuse;
        open.add(this);
    }

    void answered() {
        Broken.unless(open.remove(this) || abandoned, "%s was answered twice", this);
    }

    /** Whoever waits for the answer has gone: it may come or not. */
    void abandon() {
        abandoned = true;
        open.remove(this);
    }

    /** Whether it may wait for room. */
    boolean mayWait() {
        return excuse != null;
    }

    /** Whether it has a reason to wait though nothing goes on. */
    boolean isExcused() {
        return excuse != null && excuse.getAsBoolean();
    }

    @Override
    public String toString() {
        return what + " of step " + step;
    }
}
