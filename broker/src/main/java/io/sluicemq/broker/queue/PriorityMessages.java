package io.sluicemq.broker.queue;

/**
 * The ready messages of a queue by priority: the highest first, each priority in its order. A queue without priorities has
 * one level. In each level those in memory come first, and behind them those that wait in the log; each has a sequence number
 * among those of its level, which it keeps while it goes from one to the other or comes back from a consumer. Owned by the
 * queue's loop.
 */
final class PriorityMessages {

    private final ReadyMessages[] levels;
    private final Backlog[] backlogs;
    private final long[] nextSequence;
    private int size;
    private int inBacklog;
    private long residentBytes;
    /** No level above this one has a message. */
    private int highest;

    /** @param maxPriority the highest priority told apart; 0 for a queue without priorities */
    PriorityMessages(int maxPriority) {
        levels = new ReadyMessages[maxPriority + 1];
        levels[0] = new ReadyMessages();
        backlogs = new Backlog[levels.length];
        nextSequence = new long[levels.length];
    }

    /** How many there are, those that wait in the log included. */
    int size() {
        return size + inBacklog;
    }

    /** So many more (fewer, if negative) wait in the log. */
    void waiting(int difference) {
        inBacklog += difference;
    }

    /** Those in memory. */
    int resident() {
        return size;
    }

    /** Bytes of those in memory. */
    long residentBytes() {
        return residentBytes;
    }

    /** What all of them {@linkplain Backlog#sizeBytes count}, in memory or not. */
    long sizeBytes() {
        long bytes = residentBytes;
        for (Backlog backlog : backlogs) {
            bytes += backlog == null ? 0 : backlog.sizeBytes();
        }
        return bytes;
    }

    int levels() {
        return levels.length;
    }

    int level(int priority) {
        return Math.min(priority, levels.length - 1);
    }

    int level(QueueEntry entry) {
        return level(entry.message.priority());
    }

    /** The number that the next new message of a level is to have. */
    long nextSequence(int level) {
        return nextSequence[level];
    }

    /** The numbers that the next new messages of all levels are to have. */
    long[] nextSequences() {
        return nextSequence.clone();
    }

    /** The number of a new message. */
    long takeSequence(int level) {
        return nextSequence[level]++;
    }

    /** Whether a message's place is behind the first that waits in the log. */
    boolean belongsInLog(QueueEntry entry) {
        int level = level(entry);
        return waitsInLog(level) && entry.sequence > backlogs[level].firstSequence();
    }

    /** What waits in the log at a level; null if nothing ever did. */
    Backlog backlog(int level) {
        return backlogs[level];
    }

    /** What waits in the log at a level, for more to be added. */
    Backlog openBacklog(int level) {
        if (backlogs[level] == null) {
            backlogs[level] = new Backlog();
        }
        highest = Math.max(highest, level);
        return backlogs[level];
    }

    /** Takes what waits in the log at a level from the start. */
    void restoreBacklog(int level, Backlog backlog) {
        backlogs[level] = backlog;
        nextSequence[level] = Math.max(nextSequence[level], backlog.nextSequence());
        highest = Math.max(highest, level);
    }

    /** Takes away what waits in the log at a level. */
    Backlog takeBacklog(int level) {
        Backlog taken = backlogs[level];
        backlogs[level] = null;
        return taken;
    }

    boolean waitsInLog(int level) {
        return backlogs[level] != null && !backlogs[level].isEmpty();
    }

    /** How many are in memory at a level. */
    int resident(int level) {
        return levels[level] == null ? 0 : levels[level].size();
    }

    /** The first in memory at a level, or null. */
    QueueEntry first(int level) {
        return levels[level] == null ? null : levels[level].first();
    }

    /** The last in memory at a level, which {@link #remove} takes out; null as {@link ReadyMessages#last} says. */
    QueueEntry last(int level, boolean returnedToo) {
        return levels[level] == null ? null : levels[level].last(returnedToo);
    }

    /** The highest level that has a message; 0 if there is none. */
    int highest() {
        while (highest > 0 && resident(highest) == 0 && !waitsInLog(highest)) {
            highest--;
        }
        return highest;
    }

    /** The lowest level that has a message, of which there must be one. */
    int lowest() {
        int level = 0;
        while (resident(level) == 0 && !waitsInLog(level)) {
            level++;
        }
        return level;
    }

    /** All in memory at a level, in any order. */
    void forEachResident(int level, java.util.function.Consumer<QueueEntry> each) {
        if (levels[level] != null) {
            levels[level].forEach(each);
        }
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
        residentBytes += entry.message.sizeBytes();
    }

    void restore(QueueEntry entry) {
        levelFor(entry).restore(entry);
        size++;
        residentBytes += entry.message.sizeBytes();
    }

    void remove(QueueEntry entry) {
        levels[level(entry)].remove(entry);
        size--;
        residentBytes -= entry.message.sizeBytes();
    }

    /** The next to deliver; null if there is none, or if it waits in the log. */
    QueueEntry first() {
        if (size == 0) {
            return null;
        }
        return first(highest());
    }

    /** Those in memory at a level; null if there never were any. */
    ReadyMessages residents(int level) {
        return levels[level];
    }

    /** The one in memory at a level that has this number, or null. */
    QueueEntry find(int level, long sequence) {
        return levels[level] == null ? null : levels[level].find(sequence);
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
