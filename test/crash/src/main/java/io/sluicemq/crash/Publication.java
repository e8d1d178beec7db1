package io.sluicemq.crash;

/** A message that a producer has sent, or was about to send. Guarded by the {@link Ledger}. */
final class Publication {

    final long id;
    final boolean persistent;
    /** The one it was published in; null if in none. */
    final Transaction transaction;
    /** {@link System#nanoTime} of its confirm; 0 if it was not confirmed. */
    long confirmedAt;

    Publication(long id, boolean persistent, Transaction transaction) {
        this.id = id;
        this.persistent = persistent;
        this.transaction = transaction;
    }

    /** Whether the broker has answered for it. */
    boolean isCertain() {
        return transaction == null ? confirmedAt != 0 : transaction.state == Transaction.State.COMMITTED;
    }

    /** Whether it may be in a queue. */
    boolean mayBe() {
        return transaction == null || transaction.mayApply();
    }
}
