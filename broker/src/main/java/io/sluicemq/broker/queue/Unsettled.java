package io.sluicemq.broker.queue;

import io.sluicemq.base.LoopOwned;

/**
 * The messages of a queue that consumers hold, in the order in which they were delivered: linked through the entries themselves, so
 * that nothing is allocated for it. Owned by the queue's loop.
 *
 * <p>Invariant: an entry is in it from its delivery until it is settled, also when its consumer has ended.
 */
@LoopOwned
final class Unsettled {

    private QueueEntry oldest;
    private QueueEntry latest;

    /** The one that was delivered first of them, from which {@link QueueEntry#after} leads to the others; null for none. */
    QueueEntry oldest() {
        return oldest;
    }

    void add(QueueEntry entry) {
        entry.before = latest;
        if (latest == null) {
            oldest = entry;
        } else {
            latest.after = entry;
        }
        latest = entry;
    }

    void remove(QueueEntry entry) {
        if (entry.before == null) {
            oldest = entry.after;
        } else {
            entry.before.after = entry.after;
        }
        if (entry.after == null) {
            latest = entry.before;
        } else {
            entry.after.before = entry.before;
        }
        entry.before = null;
        entry.after = null;
    }
}
