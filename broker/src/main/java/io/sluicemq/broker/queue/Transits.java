package io.sluicemq.broker.queue;

import io.sluicemq.api.Message;
import io.sluicemq.base.LoopOwned;

/**
 * Ready messages that go from memory to the log and come back: what else is known of one (its failed deliveries, who refuses it,
 * its group, when it expires) goes along. Owned by the queue's loop.
 *
 * <p>Invariant: an entry that has come back tells what the one that had gone did, whatever its record's place was meanwhile.
 */
@LoopOwned
final class Transits {

    private final Queue queue;
    private final PriorityMessages ready;
    private final Stock stock;
    private final LoggedMessages logged;
    private final Refusals refusals;
    private final Groups groups;
    private final Expirations expirations;

    Transits(
            Queue queue, PriorityMessages ready, Stock stock, LoggedMessages logged, Refusals refusals, Groups groups,
            Expirations expirations) {
        this.queue = queue;
        this.ready = ready;
        this.stock = stock;
        this.logged = logged;
        this.refusals = refusals;
        this.groups = groups;
        this.expirations = expirations;
    }

    // ---- from the log

    /**
     * A message was read back from its {@linkplain Backlog#PAGED place}, or {@linkplain Backlog#heldKey what stands for it}: it is
     * ready in memory now.
     */
    void loaded(Message message, long sequence, long place, int share, long expiresAtMillis) {
        QueueEntry entry = entryOf(message, sequence, place, share, expiresAtMillis);
        ready.append(entry);
        groups.ready(entry);
        if (expiresAtMillis != QueueEntry.NEVER) {
            expirations.loaded(entry);
        }
    }

    /** A message is no longer among those that wait in the log, at this place or {@linkplain Backlog#heldKey held}. */
    QueueEntry entryOf(Message message, long sequence, long place, int share, long expiresAtMillis) {
        QueueEntry entry = new QueueEntry(queue, message, sequence, expiresAtMillis);
        if (place >= 0 && !Backlog.isPaged(place)) {
            entry.position = place;
            entry.share = share;
        }
        entry.waited = true;
        logged.loaded(entry, place);
        refusals.loaded(entry, place);
        return entry;
    }

    /** What {@link #entryOf} would be, of a message that stays where it is. */
    QueueEntry probe(Message message, long sequence, long place, long expiresAtMillis) {
        QueueEntry entry = new QueueEntry(queue, message, sequence, expiresAtMillis);
        entry.waited = true;
        logged.describe(entry, place);
        entry.refusers = refusals.of(place);
        return entry;
    }

    // ---- to the log

    /** A ready message was let go of in memory. */
    void pagedOut(QueueEntry entry, long place) {
        groups.left(entry);
        keptInLog(entry, place);
    }

    /** A message is among those that wait in the log, at a place or {@linkplain Backlog#heldKey held}. */
    void keptInLog(QueueEntry entry, long place) {
        logged.pagedOut(entry, place);
        refusals.pagedOut(entry, place);
        entry.gone();
        expirations.left(entry);
    }

    /** A message that is held in memory, known by {@code heldKey}, was written to a place. */
    void heldPaged(long heldKey, long place) {
        logged.heldPaged(heldKey, place);
        refusals.moved(heldKey, Backlog.position(place));
    }

    /** A message has left from among those that wait in the log, at a position or {@linkplain Backlog#heldKey held}. */
    void left(long position, int bodyBytes, long expiresAtMillis) {
        logged.left(position);
        refusals.left(position);
        stock.left(bodyBytes, expiresAtMillis);
    }
}
