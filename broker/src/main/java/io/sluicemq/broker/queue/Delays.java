package io.sluicemq.broker.queue;

import io.sluicemq.api.Message;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;

/**
 * The messages of a queue that are not to be delivered yet. When one is due, or expires before that, it joins the ready ones,
 * behind what is ready then; those that are due in one moment in the order in which they are due, and then of their arrival.
 * A message that is in the log leaves memory until then but for an index entry; any other stays, unless messages take more than
 * half of the memory that they may when it comes.
 *
 * <p>Owned by the queue's loop. Invariant: while there are any, one timer runs, for the first of them or for an earlier time: a clock
 * that is set forward is noticed within a minute.
 */
@LoopOwned
final class Delays {

    private static final long LONGEST_MILLIS = TimeUnit.MINUTES.toMillis(1);
    /** So many join the ready ones in a turn. */
    private static final int BATCH = 1024;

    private final Queue queue;
    private final QueueEffects effects;
    private final Loop loop;
    private PriorityQueue<Delayed> waiting;
    private long arrivals;
    private long sizeBytes;
    private long bodyBytes;
    private Loop.Timer timer;
    private long timerMillis = QueueEntry.NEVER;

    Delays(Queue queue, QueueEffects effects, Loop loop) {
        this.queue = queue;
        this.effects = effects;
        this.loop = loop;
    }

    int size() {
        return waiting == null ? 0 : waiting.size();
    }

    /** What they count as messages, in memory or not. */
    long sizeBytes() {
        return sizeBytes;
    }

    long bodyBytes() {
        return bodyBytes;
    }

    /** Takes a message that is counted and was not stored. */
    void add(int level, Message message, long position, int share, long expiresAtMillis) {
        long place = position;
        int bytes = share;
        if (position == QueueEntry.NOT_LOGGED && effects.memoryTight() && queue.pagesTransient()) {
            long written = effects.page(queue, message);
            if (written >= 0) {
                place = written + Backlog.PAGED;
                bytes = effects.pagedBytes();
            }
        }
        boolean inMemory = place == Backlog.IN_MEMORY;
        if (!inMemory) {
            effects.notStored(message);
        }
        add(new Delayed(
                level, place, bytes, message.header().length, message.body().length, expiresAtMillis,
                message.notBeforeMillis(), inMemory ? message : null, message.charge()));
        arm();
    }

    private void add(Delayed entry) {
        if (waiting == null) {
            waiting = new PriorityQueue<>();
        }
        entry.number = arrivals++;
        waiting.add(entry);
        sizeBytes += entry.sizeBytes();
        bodyBytes += entry.bodyBytes;
        effects.indexBytes(memoryBytes(entry));
    }

    /** What it takes of memory. */
    private static int memoryBytes(Delayed entry) {
        if (entry.message == null) {
            return Delayed.BYTES;
        }
        return entry.message.isShared() ? Message.ENTRY_BYTES : entry.message.sizeBytes();
    }

    private void removed(Delayed entry) {
        sizeBytes -= entry.sizeBytes();
        bodyBytes -= entry.bodyBytes;
        effects.indexBytes(-memoryBytes(entry));
    }

    /** Takes what was recovered, and counts it no further; {@link #arm} has to follow. */
    void restore(List<Delayed> recovered) {
        recovered.sort(Comparator.comparingLong(entry -> entry.place));
        recovered.forEach(this::add);
    }

    /** Has those that are due join the ready ones in time. */
    void arm() {
        Delayed first = waiting == null ? null : waiting.peek();
        if (first == null || first.endsAtMillis() >= timerMillis) {
            return;
        }
        stopTimer();
        long now = loop.currentTimeMillis();
        long wait = Math.clamp(first.endsAtMillis() - now, 0, LONGEST_MILLIS);
        timerMillis = now + wait;
        timer = loop.schedule(TimeUnit.MILLISECONDS.toNanos(wait), this::due);
    }

    private void stopTimer() {
        if (timer != null) {
            timer.cancel();
        }
        timer = null;
        timerMillis = QueueEntry.NEVER;
    }

    private void due() {
        timer = null;
        timerMillis = QueueEntry.NEVER;
        long now = loop.currentTimeMillis();
        for (int left = BATCH; left > 0 && waiting != null && !waiting.isEmpty(); left--) {
            if (waiting.peek().endsAtMillis() > now) {
                break;
            }
            Delayed entry = waiting.poll();
            removed(entry);
            queue.arrivals().due(entry);
        }
        queue.arrivals().dueEnded();
        arm();
    }

    /** Gives up all; returns how many there were. */
    int discard(boolean queueIsGone) {
        if (waiting == null) {
            return 0;
        }
        PriorityQueue<Delayed> all = waiting;
        waiting = null;
        stopTimer();
        Backlog inLog = new Backlog();
        for (Delayed entry : all) {
            removed(entry);
            queue.departures().left(entry.sizeBytes(), entry.charge);
            if (entry.message == null) {
                inLog.append(entry.place, entry.share, entry.headerBytes, entry.bodyBytes, QueueEntry.NEVER, null);
            } else {
                effects.notStored(entry.message);
            }
        }
        if (!inLog.isEmpty()) {
            effects.discard(queue, inLog, queueIsGone);
        }
        return all.size();
    }

    // ---- what the log asks

    /** Those that a checkpoint has to have, as they are now. */
    List<Delayed> logged() {
        if (waiting == null) {
            return List.of();
        }
        List<Delayed> logged = new ArrayList<>(waiting.size());
        for (Delayed entry : waiting) {
            if (entry.isLogged()) {
                logged.add(entry);
            }
        }
        return logged;
    }

    /** Finds those that are at a position between two, both included, which {@code candidate} accepts. */
    void findPositions(long lowest, long highest, LongPredicate candidate, LongConsumer found) {
        if (waiting != null) {
            for (Delayed entry : waiting) {
                long position = Backlog.position(entry.place);
                if (position >= Math.max(0, lowest) && position <= highest && candidate.test(position)) {
                    found.accept(position);
                }
            }
        }
    }

    /** Messages were copied: {@code where} tells the new position of an old one, or a negative number. */
    void move(long lowest, long highest, LongUnaryOperator where, Backlog.Moved moved) {
        if (waiting == null) {
            return;
        }
        for (Delayed entry : waiting) {
            long position = Backlog.position(entry.place);
            if (position >= Math.max(0, lowest) && position <= highest) {
                long to = where.applyAsLong(position);
                if (to >= 0) {
                    entry.place += to - position;
                    moved.moved(position, to, entry.share);
                }
            }
        }
    }
}
