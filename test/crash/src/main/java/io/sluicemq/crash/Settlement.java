package io.sluicemq.crash;

/**
 * Acks (or rejects that discard) that share their fate as far as the client can know: those of one transaction, or
 * those between two answers on one channel. Guarded by the {@link Ledger}.
 */
final class Settlement {

    /** The one that has them; null if none has. */
    final Transaction transaction;

    /**
     * {@link System#nanoTime} when a later command on the same channel was answered, so the broker has read them; 0 if
     * none was.
     */
    long readAt;

    Settlement(Transaction transaction) {
        this.transaction = transaction;
    }

    /** Whether the broker has read these acks for certain. */
    boolean isAnswered() {
        return transaction == null ? readAt != 0 : transaction.state == Transaction.State.COMMITTED;
    }
}
