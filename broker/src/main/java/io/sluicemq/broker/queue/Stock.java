package io.sluicemq.broker.queue;

import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.flow.Account;

/**
 * A queue's ready messages with their sums, and word of each that comes or goes: to the counters, to the groups, to producers that
 * are held while there are many, and to those who wait until there is none. Owned by the queue's loop.
 *
 * <p>Invariant: the sums are those of the ready messages, in memory or not, between two calls; a message that goes from memory to the
 * log or back stays counted.
 */
@LoopOwned
final class Stock {

    private final PriorityMessages ready;
    private final Groups groups;
    private final Pace pace;
    private final QueueEffects effects;
    private final Account account;
    private long bodyBytes;
    private long expiring;

    Stock(PriorityMessages ready, Groups groups, Pace pace, QueueEffects effects, Account account) {
        this.ready = ready;
        this.groups = groups;
        this.pace = pace;
        this.effects = effects;
        this.account = account;
        account.gate().drainedWhen(() -> ready.size() == 0);
    }

    /** Bytes of their bodies. */
    long bodyBytes() {
        return bodyBytes;
    }

    /** Whether any of them expires. */
    boolean expires() {
        return expiring > 0;
    }

    /** Those of a level that wait in the log from the start; the counters are told later. */
    void restored(Backlog backlog, long expiringOnes) {
        bodyBytes += backlog.bodyBytes();
        expiring += expiringOnes;
    }

    /** Adds a new one in memory. */
    void append(QueueEntry entry) {
        ready.append(entry);
        groups.ready(entry);
        came(entry);
    }

    /** Puts one back to its place in memory. */
    void restore(QueueEntry entry) {
        ready.restore(entry);
        groups.ready(entry);
        came(entry);
    }

    /** Takes one out that is in memory. */
    void remove(QueueEntry entry) {
        ready.remove(entry);
        groups.left(entry);
        left(entry);
    }

    /** One is ready, wherever it is. */
    void came(QueueEntry entry) {
        came(entry.message.body().length, entry.expiresAtMillis);
    }

    /** One is ready, wherever it is. */
    void came(int itsBodyBytes, long expiresAtMillis) {
        bodyBytes += itsBodyBytes;
        if (expiresAtMillis != QueueEntry.NEVER) {
            expiring++;
        }
        effects.changed(0, 1, 0);
    }

    /** One is ready no more. */
    void left(QueueEntry entry) {
        left(entry.message.body().length, entry.expiresAtMillis);
        if (pace.isHolding()) {
            pace.left(ready.size(), bodyBytes);
        }
    }

    /** One is ready no more that no consumer has taken. */
    void left(int itsBodyBytes, long expiresAtMillis) {
        bodyBytes -= itsBodyBytes;
        if (expiresAtMillis != QueueEntry.NEVER) {
            expiring--;
        }
        effects.changed(0, -1, 0);
        if (ready.size() == 0 && account.isWaited()) {
            // Who waits goes on when there is nothing left that consumers could take.
            account.gate().plan();
        }
    }

    /** There are none any more. */
    void cleared() {
        bodyBytes = 0;
        expiring = 0;
    }
}
