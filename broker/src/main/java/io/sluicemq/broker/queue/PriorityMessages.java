package io.sluicemq.broker.queue;

/**
 * The ready messages of a queue by priority: the highest first, each priority in its order. A queue without priorities has
 * one level. Owned by the queue's loop.
 */
final class PriorityMessages {

    private final ReadyMessages[] levels;
    private int size;
    /** No level above this one has a message. */
    private int highest;

    /** @param maxPriority the highest priority told apart; 0 for a queue without priorities */
    PriorityMessages(int maxPriority) {
        levels = new ReadyMessages[maxPriority + 1];
        levels[0] = new ReadyMessages();
    }

    int size() {
        return size;
    }

    private int level(QueueEntry entry) {
        return Math.min(entry.message.priority(), levels.length - 1);
    }

    private ReadyMessages levelFor(QueueEntry entry) {
        int level = level(entry);
        highest = Math.max(highest, level);
        ReadyMessages messages = levels[level];
        if (messages == null) {
            messages = new ReadyMessages();
            levels[level] = messages;
        }
        return messages;
    }

    void append(QueueEntry entry) {
        levelFor(entry).append(entry);
        size++;
    }

    void restore(QueueEntry entry) {
        levelFor(entry).restore(entry);
        size++;
    }

    void remove(QueueEntry entry) {
        levels[level(entry)].remove(entry);
        size--;
    }

    /** The next to deliver, or null. */
    QueueEntry first() {
        if (size == 0) {
            return null;
        }
        while (highest > 0 && (levels[highest] == null || levels[highest].isEmpty())) {
            highest--;
        }
        return levels[highest].first();
    }

    /** The next that {@code consumer} may have, or null. */
    QueueEntry firstFor(QueueConsumer consumer) {
        if (size == 0) {
            return null;
        }
        for (int level = highest; level >= 0; level--) {
            if (levels[level] != null) {
                QueueEntry entry = levels[level].firstFor(consumer, levels.length == 1 ? consumer.cursor() : 0);
                if (entry != null) {
                    return entry;
                }
            }
        }
        return null;
    }

    /** The first to drop when there are too many: the oldest of the lowest priority. */
    QueueEntry leastWanted() {
        for (int level = 0; level <= highest; level++) {
            if (levels[level] != null && !levels[level].isEmpty()) {
                return levels[level].first();
            }
        }
        return null;
    }

    /** Among the first of each priority, the one that expires first; null if none expires. */
    QueueEntry firstToExpire() {
        QueueEntry soonest = null;
        for (int level = 0; level <= highest; level++) {
            QueueEntry first = levels[level] == null ? null : levels[level].first();
            if (first != null
                    && first.expiresAtMillis != QueueEntry.NEVER
                    && (soonest == null || first.expiresAtMillis < soonest.expiresAtMillis)) {
                soonest = first;
            }
        }
        return soonest;
    }
}
