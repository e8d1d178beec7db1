package io.sluicemq.crash;

/** A transaction of a channel, as far as its client knows. Guarded by the {@link Ledger}, which alone changes it. */
final class Transaction {

    /** How far it has come. */
    enum State {
        /** Nobody has asked to commit it: it may leave no trace. */
        OPEN,
        /** The commit was sent and not answered: all of it may be there, or nothing. */
        COMMITTING,
        /** The commit was answered: all of it is there. */
        COMMITTED,
        /** It was rolled back, or is going to be: it may leave no trace. */
        ROLLED_BACK
    }

    State state = State.OPEN;

    /** {@link System#nanoTime} when the commit was answered; 0 if it was not. */
    long committedAt;

    boolean mayApply() {
        return state == State.COMMITTING || state == State.COMMITTED;
    }
}
