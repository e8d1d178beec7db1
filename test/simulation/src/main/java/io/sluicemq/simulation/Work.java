package io.sluicemq.simulation;

import java.util.ArrayList;
import java.util.List;

/** A transaction, as its client knows it. */
final class Work {

    enum State {
        OPEN,
        COMMITTING,
        COMMITTED,
        /** Refused or forgotten: nothing of it may be seen. */
        NOTHING,
        /** A crash came before the answer, and what it left is known. */
        SETTLED_BY_CRASH
    }

    final String name;
    State state = State.OPEN;
    final List<Sent> publishes = new ArrayList<>();
    final List<Copy> accepts = new ArrayList<>();

    Work(String name) {
        this.name = name;
    }

    @Override
    public String toString() {
        return "transaction " + name + " (" + state + ")";
    }
}
