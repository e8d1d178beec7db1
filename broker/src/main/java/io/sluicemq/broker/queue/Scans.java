package io.sluicemq.broker.queue;

import io.sluicemq.api.Message;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds messages for consumers that don't take all: first in memory, then, by reading forward, among those that wait in the log.
 * What somebody wants is taken out from where it stands; the rest stays in the log and is not kept in memory. What one reads is
 * shown to all who have come as far, so consumers that go along a backlog together share the reads; of those that don't, the
 * one that has waited longest is next.
 *
 * <p>Owned by the queue's loop. Invariants: one read is under way at a time; a consumer that could take a message and is not for
 * any in memory either waits for a read, or has looked at all there are.
 */
@LoopOwned
final class Scans {

    private static final int MOST_BATCH = 1024;
    /** How many messages in memory are looked at in one turn, so that nothing else on the loop waits for long. */
    private static final int MOST_LOOKS = 4096;

    private final Queue queue;
    private final Deliveries deliveries;
    private final PriorityMessages ready;
    private final QueueEffects effects;
    private final Loop loop;
    private final Paging paging;
    private final List<QueueConsumer> waiting = new ArrayList<>(0);
    /** Those that go on in another turn. */
    private List<QueueConsumer> pausing = new ArrayList<>(0);
    private int looksLeft = MOST_LOOKS;
    /** What is being read or shown; null for nothing. */
    private Batch batch;
    private long reads;

    Scans(
            Queue queue, Deliveries deliveries, PriorityMessages ready, QueueEffects effects, Loop loop,
            Paging paging) {
        this.queue = queue;
        this.deliveries = deliveries;
        this.ready = ready;
        this.effects = effects;
        this.loop = loop;
        this.paging = paging;
    }

    /**
     * The next message in memory that a consumer may have; null if there is none, or if one before it may be in the log: then the
     * consumer waits for that.
     */
    QueueEntry next(QueueConsumer consumer) {
        Outlook outlook = consumer.outlook();
        stopWaiting(consumer);
        for (int level = ready.highest(); level >= 0; level--) {
            QueueEntry entry = returned(consumer, outlook, level);
            if (entry != null || outlook.waits()) {
                return entry;
            }
            ReadyMessages residents = ready.residents(level);
            if (residents != null) {
                entry = residents.firstFor(consumer, outlook.cursor(level), looksLeft);
                looksLeft -= residents.looks();
                if (entry != null) {
                    return entry;
                }
                if (residents.stoppedAt() != Long.MAX_VALUE) {
                    outlook.reach(level, residents.stoppedAt());
                    pause(consumer);
                    return null;
                }
            }
            if (ready.waitsInLog(level)) {
                Backlog backlog = ready.backlog(level);
                outlook.reach(level, backlog.firstSequence());
                long first = backlog.firstFrom(outlook.cursor(level));
                if (first != Long.MAX_VALUE) {
                    outlook.reach(level, first);
                    waitAt(consumer, level);
                    return null;
                }
            }
            outlook.reach(level, ready.nextSequence(level));
        }
        return null;
    }

    private void pause(QueueConsumer consumer) {
        if (!consumer.outlook().pauses) {
            consumer.outlook().pauses = true;
            pausing.add(consumer);
            if (pausing.size() == 1) {
                loop.execute(this::goOn);
            }
        }
    }

    private void goOn() {
        List<QueueConsumer> all = pausing;
        pausing = new ArrayList<>(0);
        looksLeft = MOST_LOOKS;
        for (QueueConsumer consumer : all) {
            consumer.outlook().pauses = false;
            deliveries.offer(consumer);
        }
        deliveries.scanned();
        for (QueueConsumer consumer : all) {
            if (!consumer.waits()) {
                consumer.returnUnused(loop);
            }
        }
    }

    /** Messages are given out, beginning now. */
    void begin() {
        if (pausing.isEmpty()) {
            looksLeft = MOST_LOOKS;
        }
    }

    /** The first of those that have come back behind the consumer's cursor. */
    private QueueEntry returned(QueueConsumer consumer, Outlook outlook, int level) {
        long sequence = outlook.firstReturned(level);
        while (sequence != Long.MAX_VALUE) {
            QueueEntry entry = ready.find(level, sequence);
            if (entry != null && consumer.accepts(entry)) {
                return entry;
            }
            if (entry == null && ready.waitsInLog(level) && ready.backlog(level).contains(sequence)) {
                waitAt(consumer, level);
                return null;
            }
            outlook.passed(level, sequence);
            sequence = outlook.firstReturned(level);
        }
        return null;
    }

    private void waitAt(QueueConsumer consumer, int level) {
        if (consumer.filters() || !paging.readsAhead()) {
            consumer.outlook().waitsAt = level;
            waiting.add(consumer);
        }
    }

    private void stopWaiting(QueueConsumer consumer) {
        if (consumer.outlook().waits()) {
            consumer.outlook().waitsAt = -1;
            waiting.remove(consumer);
        }
    }

    /** Whether something is being read, after which all who wait look again. */
    boolean isReading() {
        return batch != null;
    }

    /** A message has come back among those that wait in the log: what is behind it is not to be shown before it. */
    void cameBack(int level, long sequence) {
        if (batch != null && batch.level == level) {
            batch.end = Math.min(batch.end, sequence);
        }
    }

    /** None waits in the log any more. */
    void cleared() {
        batch = null;
        for (QueueConsumer consumer : waiting) {
            consumer.outlook().waitsAt = -1;
        }
        waiting.clear();
    }

    // ---- what has just come

    /**
     * Offers a message that is about to wait in the log to those who have looked at all before it, so that they need not read it.
     *
     * @return who takes it; null for nobody
     */
    QueueConsumer takerOf(QueueEntry entry, int level, Consumers consumers) {
        QueueConsumer taker = null;
        for (int i = 0; i < consumers.size(); i++) {
            QueueConsumer consumer = consumers.inTurn(i);
            if (!hasComeTo(consumer, level, entry.sequence) || isNoBetter(consumer, taker)) {
                continue;
            }
            if (!consumer.accepts(entry)) {
                consumer.outlook().passed(level, entry.sequence);
            } else if (deliveries.canTake(consumer)) {
                if (consumer.browses()) {
                    consumer.outlook().passed(level, entry.sequence);
                    deliveries.show(entry, consumer);
                } else {
                    taker = consumer;
                }
            }
        }
        for (int i = 0; taker != null && i < consumers.size(); i++) {
            QueueConsumer consumer = consumers.inTurn(i);
            if (!consumer.browses() && hasComeTo(consumer, level, entry.sequence)) {
                consumer.outlook().passed(level, entry.sequence);
            }
        }
        return taker;
    }

    /** Whether the next message of a level is the next for a consumer to look at. */
    private static boolean hasComeTo(QueueConsumer consumer, int level, long sequence) {
        return consumer.filters() && !consumer.waits() && consumer.outlook().next(level) == sequence;
    }

    /** Whether one that would take a message need not be asked, as another takes it whose turn comes first. */
    private static boolean isNoBetter(QueueConsumer consumer, QueueConsumer taker) {
        return taker != null && !consumer.browses() && consumer.spec().priority() <= taker.spec().priority();
    }

    // ---- reading

    /** Reads for the one who has waited longest, if nothing is being read; returns whether one is to look again at once. */
    boolean read() {
        if (batch != null || waiting.isEmpty()) {
            return false;
        }
        if (!paging.mayScan()) {
            waiting.forEach(consumer -> consumer.returnUnused(loop));
            return false;
        }
        QueueConsumer first = null;
        for (int i = waiting.size() - 1; i >= 0; i--) {
            QueueConsumer consumer = waiting.get(i);
            if (!deliveries.canTake(consumer)) {
                consumer.outlook().waitsAt = -1;
                waiting.remove(i);
            } else if (first == null || consumer.outlook().lastRead < first.outlook().lastRead) {
                first = consumer;
            }
        }
        if (first == null) {
            return false;
        }
        Outlook outlook = first.outlook();
        int level = outlook.waitsAt;
        long from = outlook.next(level);
        int most = from < outlook.cursor(level) ? 1 : outlook.batch;
        long[] sequences = new long[most];
        long[] places = new long[most];
        int count = ready.waitsInLog(level)
                ? ready.backlog(level).peek(from, most, paging.scanBytes(), sequences, places)
                : 0;
        if (count == 0) {
            stopWaiting(first);
            deliveries.offer(first);
            return true;
        }
        long[] positions = new long[count];
        int inLog = 0;
        for (int i = 0; i < count; i++) {
            if (places[i] != Backlog.IN_MEMORY) {
                positions[inLog++] = Backlog.position(places[i]);
            }
        }
        outlook.lastRead = ++reads;
        Batch next = new Batch(first, level, from, sequences, places, count, positions);
        batch = next;
        if (inLog == 0) {
            loop.execute(() -> next.done(0, null));
        } else {
            effects.read(positions, inLog, next);
        }
        return false;
    }

    /** Some messages in a row, and what was read of them. */
    private final class Batch implements QueueEffects.Loaded {

        private final QueueConsumer reader;
        private final int level;
        private final long from;
        private final long[] sequences;
        private final long[] places;
        private final int count;
        private final long[] positions;
        private final List<Message> messages = new ArrayList<>();
        /** The first that is not to be shown, as one before it has come back. */
        private long end = Long.MAX_VALUE;
        /** How many were shown. */
        private int shown;

        Batch(
                QueueConsumer reader, int level, long from, long[] sequences, long[] places, int count,
                long[] positions) {
            this.reader = reader;
            this.level = level;
            this.from = from;
            this.sequences = sequences;
            this.places = places;
            this.count = count;
            this.positions = positions;
        }

        @Override
        public void message(Message message) {
            messages.add(message);
        }

        @Override
        public void done(int read, IOException failure) {
            if (batch != this || queue.isRemoved()) {
                return; // purged meanwhile
            }
            lookAtWhatWasLoaded();
            deliveries.present(this::show);
            batch = null;
            if (failure != null && messages.size() == shownFromLog() && isWhereItWas()) {
                paging.scanFailed(failure);
            }
            Outlook outlook = reader.outlook();
            outlook.batch = Math.clamp(2L * shown, Outlook.LEAST_BATCH, MOST_BATCH);
            List<QueueConsumer> all = List.copyOf(waiting);
            for (QueueConsumer consumer : all) {
                stopWaiting(consumer);
                deliveries.offer(consumer);
            }
            deliveries.scanned();
            for (QueueConsumer consumer : all) {
                if (!consumer.outlook().waits()) {
                    consumer.returnUnused(loop);
                }
            }
        }

        /** Some of what they wait for may be in memory by now. */
        private void lookAtWhatWasLoaded() {
            for (QueueConsumer consumer : List.copyOf(waiting)) {
                Outlook outlook = consumer.outlook();
                if (outlook.waitsAt == level
                        && (!ready.waitsInLog(level) || outlook.next(level) < ready.backlog(level).firstSequence())) {
                    stopWaiting(consumer);
                    deliveries.offer(consumer);
                }
            }
            deliveries.scanned();
        }

        /** Shows them, in their order, to all who have come as far. */
        private void show() {
            int next = 0;
            boolean somebody = true;
            for (int i = 0; i < count && somebody && sequences[i] <= end; i++) {
                boolean wasRead = places[i] != Backlog.IN_MEMORY;
                if (wasRead && next == messages.size()) {
                    break;
                }
                Message read = wasRead ? messages.get(next++) : null;
                if (ready.waitsInLog(level) && ready.backlog(level).contains(sequences[i])) {
                    Backlog backlog = ready.backlog(level);
                    Message held = backlog.message(sequences[i]);
                    if (held == null && read == null) {
                        break; // it was held in memory and has been written meanwhile
                    }
                    somebody = show(backlog, sequences[i], held == null ? read : held, read);
                }
                shown = somebody ? i + 1 : i;
            }
        }

        /** Shows one; returns whether anybody is left for the next. */
        private boolean show(Backlog backlog, long sequence, Message message, Message read) {
            long place = backlog.place(sequence);
            long key = place == Backlog.IN_MEMORY ? Backlog.heldKey(level, sequence) : place;
            QueueEntry probe = queue.transits().probe(message, sequence, key, backlog.expiresAt(sequence));
            boolean expired = deliveries.isExpired(probe);
            boolean somebody = false;
            QueueConsumer taker = null;
            for (int i = 0; i < waiting.size(); i++) {
                QueueConsumer consumer = waiting.get(i);
                if (!isAt(consumer, sequence) || isNoBetter(consumer, taker)) {
                    continue;
                }
                if (expired || !consumer.accepts(probe)) {
                    consumer.outlook().passed(level, sequence);
                    somebody = true;
                } else if (deliveries.canTake(consumer)) {
                    somebody = true;
                    if (consumer.browses()) {
                        consumer.outlook().passed(level, sequence);
                        deliveries.show(probe, consumer);
                    } else {
                        taker = consumer;
                    }
                }
            }
            if (taker != null) {
                taker.outlook().passed(level, sequence);
                // The next is for another, if that wants it.
                waiting.remove(taker);
                waiting.add(taker);
                deliveries.giveFromLog(paging.takeOut(level, sequence, read), taker);
            }
            return somebody;
        }

        /** Whether this is the next message for a consumer to look at. */
        private boolean isAt(QueueConsumer consumer, long sequence) {
            Outlook outlook = consumer.outlook();
            long next = outlook.next(level);
            return outlook.waitsAt == level
                    && (next < outlook.cursor(level) ? next == sequence : next >= from && next <= sequence);
        }

        /** How many of those that were shown had been read. */
        private int shownFromLog() {
            int read = 0;
            for (int i = 0; i < shown; i++) {
                read += places[i] == Backlog.IN_MEMORY ? 0 : 1;
            }
            return read;
        }

        /** Whether the one that could not be read is at the position that it was read from. */
        private boolean isWhereItWas() {
            return shown < count
                    && ready.waitsInLog(level)
                    && ready.backlog(level).contains(sequences[shown])
                    && Backlog.position(ready.backlog(level).place(sequences[shown])) == positions[messages.size()];
        }
    }
}
