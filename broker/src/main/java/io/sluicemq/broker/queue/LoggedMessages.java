package io.sluicemq.broker.queue;

import io.sluicemq.base.LoopOwned;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;

/**
 * What the log has of a queue: its ready messages, those that consumers hold, and those that are about to become dead letters; and
 * what the log knows of their deliveries. A checkpoint holds all of them, and all follow when records are copied. Owned by the
 * queue's loop.
 *
 * <p>Invariant: a logged message of the queue is in exactly one of them until its removal is handed to the log.
 */
@LoopOwned
final class LoggedMessages {

    private static final long NONE_ACQUIRED = Long.MIN_VALUE;

    private final PriorityMessages ready;
    /** The unsettled messages, in the log or not. */
    private final Unsettled unsettled;
    /** Messages that have left and whose dead letters are not in the log yet, by the position that they left from. */
    private final Map<Long, Dying> dying = new LinkedHashMap<>(0);
    /** Messages up to this position may have been delivered, and up to which the log knows. */
    private long deliveredUpTo = QueueEntry.NOT_LOGGED;

    private long deliveredKnown = QueueEntry.NOT_LOGGED;
    /** What {@link #deliveredUpTo} was at the start: what was recovered below it may have been delivered before. */
    private long recoveredUpTo = QueueEntry.NOT_LOGGED;
    /**
     * Failed deliveries of messages that wait in the log, by position; 0 for one that was delivered and is behind {@link
     * #recoveredUpTo}, as its record has moved or it was delivered since.
     */
    private Map<Long, Integer> failed = new HashMap<>(0);
    /** The same of messages whose records a start drops, those that were delivered without failing included. */
    private final Map<Long, Integer> failedPaged = new HashMap<>(0);
    /** The last in order of those that a client has given back and that wait in the log: those before it may be such. */
    private long acquiredUpTo = NONE_ACQUIRED;

    /** A message that has left, as a checkpoint keeps it until its dead letter is in the log. */
    static final class Dying {
        final int level;
        final int share;
        final int headerBytes;
        final int bodyBytes;
        final long expiresAtMillis;
        /** Whether a start drops its record, so that no checkpoint is to name it. */
        final boolean paged;
        /** Changes when the log is compacted. */
        long position;

        Dying(
                int level, long position, boolean paged, int share, int headerBytes, int bodyBytes,
                long expiresAtMillis) {
            this.level = level;
            this.position = position;
            this.paged = paged;
            this.share = share;
            this.headerBytes = headerBytes;
            this.bodyBytes = bodyBytes;
            this.expiresAtMillis = expiresAtMillis;
        }
    }

    LoggedMessages(PriorityMessages ready, Unsettled unsettled) {
        this.ready = ready;
        this.unsettled = unsettled;
    }

    void restore(RecoveredMessages recovered) {
        deliveredUpTo = recovered.deliveredUpTo();
        deliveredKnown = deliveredUpTo;
        recoveredUpTo = deliveredUpTo;
        failed = recovered.failedDeliveries();
    }

    // ---- deliveries

    /** A message is given to a consumer who will settle it; returns whether the log is to be told that more were delivered. */
    boolean delivered(QueueEntry entry) {
        if (entry.position <= deliveredUpTo) {
            return false;
        }
        boolean first = deliveredUpTo == deliveredKnown;
        deliveredUpTo = entry.position;
        return first;
    }

    /** Up to which position messages may have been delivered; the log is told that now. */
    long takeDelivered() {
        deliveredKnown = deliveredUpTo;
        return deliveredUpTo;
    }

    /** A message was read back from its {@linkplain Backlog#PAGED place}: it is as it was before. */
    void loaded(QueueEntry entry, long place) {
        entry.redelivered = entry.isLogged() && entry.position <= recoveredUpTo;
        entry.acquired = entry.sequence <= acquiredUpTo;
        Map<Long, Integer> known = isLost(place) ? failedPaged : failed;
        if (!known.isEmpty()) {
            Integer count = known.remove(Backlog.position(place));
            if (count != null) {
                entry.redelivered = true;
                entry.deliveryCount = count;
            }
        }
    }

    /** A ready message was let go of in memory; its place in the log is told. */
    void pagedOut(QueueEntry entry, long place) {
        if (entry.acquired) {
            acquiredUpTo = Math.max(acquiredUpTo, entry.sequence);
        }
        if (isLost(place)) {
            if (entry.deliveryCount > 0 || entry.redelivered) {
                failedPaged.put(Backlog.position(place), entry.deliveryCount);
            }
        } else if (entry.deliveryCount > 0 || entry.redelivered && entry.position > recoveredUpTo) {
            failed.put(entry.position, entry.deliveryCount);
        }
    }

    /** Whether a start drops what is at this place, or it is in memory. */
    private static boolean isLost(long place) {
        return place < 0 || Backlog.isPaged(place);
    }

    /** A message that was held in memory was written. */
    void heldPaged(long heldKey, long place) {
        if (!failedPaged.isEmpty()) {
            Integer count = failedPaged.remove(heldKey);
            if (count != null) {
                failedPaged.put(Backlog.position(place), count);
            }
        }
    }

    /** Tells a copy of a message what {@link #loaded} would tell the message itself. */
    void describe(QueueEntry copy, long place) {
        long position = Backlog.position(place);
        Integer count = (isLost(place) ? failedPaged : failed).get(position);
        copy.redelivered = count != null || !isLost(place) && position <= recoveredUpTo;
        copy.acquired = copy.sequence <= acquiredUpTo;
        copy.deliveryCount = count == null ? 0 : count;
    }

    /** A message has left from among those that wait in the log. */
    void left(long position) {
        if (!failed.isEmpty()) {
            failed.remove(position);
        }
        if (!failedPaged.isEmpty()) {
            failedPaged.remove(position);
        }
    }

    /** None waits in the log any more. */
    void cleared() {
        failed.clear();
        failedPaged.clear();
        acquiredUpTo = NONE_ACQUIRED;
    }

    // ---- dead letters

    /** A message has left that is to become a dead letter; until it is {@link #buried} a crash must find it here. */
    void dying(
            int level, long place, int share, int headerBytes, int bodyBytes, long expiresAtMillis) {
        if (place != QueueEntry.NOT_LOGGED) {
            long position = Backlog.position(place);
            dying.putIfAbsent(position, new Dying(
                    level, position, Backlog.isPaged(place), share, headerBytes, bodyBytes, expiresAtMillis));
        }
    }

    /** Where a message that is dying is by now, if it was at {@code position} when it left. */
    long dyingAt(long position) {
        Dying found = dying.get(position);
        return found == null ? position : found.position;
    }

    /**
     * The dead letter of the message that was at this position when it left is in the log, or there is none.
     *
     * @return where the message is by now
     */
    long buried(long position) {
        Dying found = dying.remove(position);
        return found == null ? position : found.position;
    }

    // ---- what the log asks

    PriorityMessages ready() {
        return ready;
    }

    Unsettled unsettled() {
        return unsettled;
    }

    Collection<Dying> dying() {
        return dying.values();
    }

    long deliveredUpTo() {
        return deliveredUpTo;
    }

    Map<Long, Integer> failed() {
        return failed;
    }

    /** Finds messages that are at a position between two, both included, which {@code candidate} accepts. */
    void findPositions(long lowest, long highest, LongPredicate candidate, LongConsumer found) {
        forEachInMemory(entry -> {
            if (entry.position >= lowest && entry.position <= highest && candidate.test(entry.position)) {
                found.accept(entry.position);
            }
        });
        for (Dying each : dying.values()) {
            if (each.position >= lowest && each.position <= highest && candidate.test(each.position)) {
                found.accept(each.position);
            }
        }
        for (int level = 0; level < ready.levels(); level++) {
            if (ready.backlog(level) != null) {
                ready.backlog(level).findAny(candidate, lowest, highest, found);
            }
        }
    }

    /** Messages were copied: {@code where} tells the new position of an old one, or a negative number. */
    void move(long lowest, long highest, LongUnaryOperator where, Backlog.Moved moved) {
        forEachInMemory(entry -> {
            long to = where.applyAsLong(entry.position);
            if (to >= 0) {
                moved.moved(entry.position, to, entry.share);
                entry.position = to;
            }
        });
        for (Dying each : dying.values()) {
            long to = where.applyAsLong(each.position);
            if (to >= 0) {
                moved.moved(each.position, to, each.share);
                each.position = to;
            }
        }
        for (int level = 0; level < ready.levels(); level++) {
            if (ready.backlog(level) != null) {
                ready.backlog(level).move(lowest, highest, where, (from, to, share) -> {
                    moved.moved(from, to, share);
                    Integer paged = failedPaged.remove(from);
                    if (paged != null) {
                        failedPaged.put(to, paged);
                    }
                    Integer count = failed.remove(from);
                    if (count != null || from <= recoveredUpTo) {
                        failed.put(to, count == null ? 0 : count);
                    }
                });
            }
        }
    }

    private void forEachInMemory(Consumer<QueueEntry> each) {
        for (QueueEntry entry = unsettled.oldest(); entry != null; entry = entry.after) {
            if (entry.isLogged()) {
                each.accept(entry);
            }
        }
        for (int level = 0; level < ready.levels(); level++) {
            ready.forEachResident(level, entry -> {
                if (entry.isLogged()) {
                    each.accept(entry);
                }
            });
        }
    }
}
