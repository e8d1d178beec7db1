package io.sluicemq.broker.queue;

import io.sluicemq.api.Death;
import io.sluicemq.api.Message;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.util.concurrent.TimeUnit;

/**
 * When a queue's messages expire, and the timer by which they leave then, in memory or in the log. Owned by the queue's loop.
 *
 * <p>Invariant: while ready messages expire, the timer is set for the first of them or for an earlier time; but not for those that wait
 * in the log while some of them are just leaving or being read, or while dead letters wait: when that ends {@link #watchBacklog}
 * is called.
 */
@LoopOwned
final class Expirations {

    private final Queue queue;
    private final QueueOptions options;
    private final Loop loop;
    private final Expiry expiry;
    private Paging paging;
    private Loop.Timer timer;
    private long timerMillis = QueueEntry.NEVER;

    Expirations(Queue queue, PriorityMessages ready, Loop loop) {
        this.queue = queue;
        this.options = queue.options();
        this.loop = loop;
        this.expiry = new Expiry(ready);
    }

    /** From now on messages may wait in the log. */
    void include(Paging messages) {
        paging = messages;
    }

    /** When a message that comes now expires, in milliseconds since 1970, or {@link QueueEntry#NEVER}. */
    long expiresAt(Message message) {
        long ttl = options.messageTtlMillis();
        if (message.ttlMillis() != Message.NO_TTL && (ttl == QueueOptions.NONE || message.ttlMillis() < ttl)) {
            ttl = message.ttlMillis();
        }
        return ttl == QueueOptions.NONE ? QueueEntry.NEVER : loop.currentTimeMillis() + ttl;
    }

    /** Whether a message expires by its own time rather than its queue's, or may stand behind ones that expire later. */
    private boolean isOutOfOrder(Message message) {
        long ownTtl = message.ttlMillis();
        return message.notBeforeMillis() != 0
                || ownTtl != Message.NO_TTL
                        && (options.messageTtlMillis() == QueueOptions.NONE || ownTtl < options.messageTtlMillis());
    }

    /** An entry is ready that expires; it leaves at once if it has. */
    void watch(QueueEntry entry) {
        if (isOutOfOrder(entry.message)) {
            expiry.watch(entry);
        }
        long now = loop.currentTimeMillis();
        if (entry.expiresAtMillis <= now) {
            queue.expired(entry);
        } else if (entry.expiresAtMillis < timerMillis) {
            arm(entry.expiresAtMillis, now);
        }
    }

    /** An entry that expires was read back from the log. */
    void loaded(QueueEntry entry) {
        if (isOutOfOrder(entry.message)) {
            expiry.watch(entry);
        }
        if (entry.expiresAtMillis < timerMillis) {
            // The timer may have come and gone while it was being read.
            arm(entry.expiresAtMillis, loop.currentTimeMillis());
        }
    }

    /** An entry has left the ready messages in memory. */
    void left(QueueEntry entry) {
        expiry.left(entry);
    }

    /** Sees to it that messages which wait in the log expire in time. */
    void watchBacklog() {
        if (paging != null && queue.hasExpiring()) {
            long next = paging.nextExpiry();
            if (next < timerMillis) {
                arm(next, loop.currentTimeMillis());
            }
        }
    }

    /** Nothing expires any more. */
    void stop() {
        if (timer != null) {
            timer.cancel();
        }
    }

    private void arm(long atMillis, long nowMillis) {
        stop();
        timerMillis = atMillis;
        timer = loop.schedule(TimeUnit.MILLISECONDS.toNanos(Math.max(0, atMillis - nowMillis)), this::expireDue);
    }

    private void expireDue() {
        timer = null;
        timerMillis = QueueEntry.NEVER;
        if (queue.isRemoved()) {
            return;
        }
        long now = loop.currentTimeMillis();
        QueueEntry entry = expiry.first();
        while (entry != null && entry.expiresAtMillis <= now) {
            queue.expired(entry);
            entry = expiry.first();
        }
        if (entry != null) {
            arm(entry.expiresAtMillis, now);
        }
        if (paging != null && queue.hasExpiring()) {
            paging.expireDue(now, options.hasLetters(Death.Reason.EXPIRED));
            watchBacklog();
        }
    }
}
