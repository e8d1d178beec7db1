package io.sluicemq.simulation;

import java.util.Set;

/** Something that owes one answer. */
final class Command {

    private final String what;
    private final long step;
    private final Set<Command> open;

    Command(String what, long step, Set<Command> open) {
        this.what = what;
        this.step = step;
        this.open = open;
        open.add(this);
    }

    void answered() {
        Broken.unless(open.remove(this), "%s was answered twice", this);
    }

    @Override
    public String toString() {
        return what + " of step " + step;
    }
}
