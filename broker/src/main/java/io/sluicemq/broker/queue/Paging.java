package io.sluicemq.broker.queue;

import io.sluicemq.api.Death;
import io.sluicemq.api.Message;
import io.sluicemq.base.LogLimit;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves a queue's ready messages between memory and the log. A message that comes while enough are in memory goes to the {@link
 * Backlog} of its level at once, as an index entry; the next ones are read back ahead of the consumers. Owned by the queue's
 * loop.
 *
 * <p>Invariants: in each level, what is in memory precedes what waits in the log; one read for consumers is under way at a time,
 * and until it is done the entries that it is for stay the first of their backlog.
 */
@LoopOwned
final class Paging {

    private static final Logger LOG = LoggerFactory.getLogger(Paging.class);

    /** Ready messages of a level in memory, beyond which others wait in the log. */
    static final int MOST_RESIDENT = 4096;

    /** More are read when fewer are in memory. */
    private static final int FEW_RESIDENT = 1024;

    /** How many are read at a time, and how many bytes. */
    private static final int BATCH = 1024;

    private static final long BATCH_BYTES = 1 << 20;
    private static final long LEAST_BATCH_BYTES = 16 << 10;
    /** When memory is short, those who hold more unsettled messages than this get no more of the log. */
    private static final int MOST_UNSETTLED_WHEN_SHORT = 1024;
    /** What stays in memory of a level when memory is short. */
    private static final int KEPT_WHEN_SHORT = 64;

    private static final int DUE_BATCH = 256;
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Queue queue;
    private final PriorityMessages ready;
    private final QueueEffects effects;
    private final Loop loop;
    private final LogLimit failures = new LogLimit(TimeUnit.SECONDS.toNanos(60));
    private long indexBytes;
    private int loading = -1;
    private int round;
    private boolean resting;
    /** Whether expired messages are being read, to become dead letters. */
    private boolean expiring;

    Paging(Queue queue, PriorityMessages ready, QueueEffects effects, Loop loop) {
        this.queue = queue;
        this.ready = ready;
        this.effects = effects;
        this.loop = loop;
    }

    // ---- to the log

    /** Whether a new message of that level is to wait in the log; if it isn't there, it waits behind those that are. */
    boolean takes(int level, boolean logged) {
        return ready.waitsInLog(level)
                || logged && (ready.resident() > MOST_RESIDENT || ready.residentBytes() > effects.residentBytes());
    }

    /** Adds a message; one that is not logged is kept with it. */
    void add(int level, long position, int share, Message message, long expiresAtMillis) {
        boolean logged = position != QueueEntry.NOT_LOGGED;
        ready.openBacklog(level)
                .append(position, share, message.header().length, message.body().length, expiresAtMillis,
                        logged ? null : message);
        ready.waiting(1);
        if (logged) {
            effects.notStored(message);
        } else {
            effects.stored(message);
        }
        countIndex();
    }

    /** Takes back what was recovered. */
    void restore(int level, Backlog backlog) {
        ready.restoreBacklog(level, backlog);
        ready.waiting(backlog.size());
        countIndex();
    }

    /** Memory is short: most of what is in the log is let go of. */
    void shrink() {
        for (int level = 0; level < ready.levels(); level++) {
            if (loading == level) {
                continue;
            }
            for (QueueEntry entry = ready.takeLast(level, KEPT_WHEN_SHORT);
                    entry != null;
                    entry = ready.takeLast(level, KEPT_WHEN_SHORT)) {
                boolean logged = entry.isLogged();
                ready.openBacklog(level)
                        .prepend(entry.position, entry.share, entry.message.header().length,
                                entry.message.body().length, entry.expiresAtMillis, logged ? null : entry.message);
                ready.waiting(1);
                queue.pagedOut(entry);
                if (logged) {
                    effects.released(entry.message);
                }
            }
        }
        countIndex();
    }

    private void countIndex() {
        long bytes = 0;
        for (int level = 0; level < ready.levels(); level++) {
            Backlog backlog = ready.backlog(level);
            bytes += backlog == null ? 0 : backlog.indexBytes();
        }
        if (bytes != indexBytes) {
            effects.indexBytes(bytes - indexBytes);
            indexBytes = bytes;
        }
    }

    // ---- from the log

    /** Reads ahead if few are in memory and somebody may want more. */
    void readAhead() {
        if (loading >= 0 || resting) {
            return;
        }
        for (int level = ready.levels() - 1; level >= 0; level--) {
            if (ready.waitsInLog(level)) {
                int resident = ready.resident(level);
                // While the highest level has none in memory nothing can be delivered, whatever lower ones have there.
                boolean mayMore = effects.memoryLow()
                        ? resident == 0 && queue.unsettled() <= MOST_UNSETTLED_WHEN_SHORT
                        : resident == 0
                                || resident < FEW_RESIDENT && ready.residentBytes() <= effects.residentBytes();
                if (mayMore) {
                    load(level);
                }
                return;
            }
        }
    }

    /** Reads the first ones of a level, whoever wants them; after a read that has failed, later. */
    void load(int level) {
        if (loading >= 0 || resting) {
            return;
        }
        long most = effects.memoryLow()
                ? LEAST_BATCH_BYTES
                : Math.max(LEAST_BATCH_BYTES, Math.min(BATCH_BYTES, effects.residentBytes() / 2));
        long[] positions = new long[BATCH];
        Backlog backlog = ready.backlog(level);
        int count = backlog.peek(BATCH, most, positions);
        long[] logged = new long[count];
        int inLog = 0;
        for (int i = 0; i < count; i++) {
            if (positions[i] != QueueEntry.NOT_LOGGED) {
                logged[inLog++] = positions[i];
            }
        }
        loading = level;
        Load load = new Load(level, count, round, logged);
        if (inLog == 0) {
            loop.execute(() -> load.done(0, null));
        } else {
            effects.read(logged, inLog, load);
        }
    }

    /** A level that is being read; its first ones must not be taken otherwise. */
    boolean isLoading(int level) {
        return loading == level;
    }

    /** What a read brings. */
    private final class Load implements QueueEffects.Loaded {

        private final int level;
        private final int count;
        private final int ofRound;
        private final long[] logged;
        private final List<Message> messages = new ArrayList<>();

        Load(int level, int count, int ofRound, long[] logged) {
            this.level = level;
            this.count = count;
            this.ofRound = ofRound;
            this.logged = logged;
        }

        @Override
        public void message(Message message) {
            messages.add(message);
        }

        @Override
        public void done(int read, IOException failure) {
            if (ofRound != round) {
                return; // purged meanwhile
            }
            Backlog backlog = ready.backlog(level);
            int next = 0;
            for (int i = 0; i < count; i++) {
                Message message = backlog.firstMessage();
                boolean logged = backlog.firstPosition() != QueueEntry.NOT_LOGGED;
                if (logged) {
                    if (next == messages.size()) {
                        break;
                    }
                    message = messages.get(next++);
                    effects.stored(message);
                }
                queue.loaded(message, backlog.firstPosition(), backlog.firstShare(), backlog.firstExpiresAt());
                backlog.removeFirst();
                ready.waiting(-1);
            }
            loading = -1;
            countIndex();
            boolean moved = next < logged.length && !backlog.isEmpty() && backlog.firstPosition() != logged[next];
            if (failure != null && !moved) {
                failed(failure);
                rest();
            }
            queue.loadEnded();
        }
    }

    private void failed(IOException failure) {
        long times = failures.take(loop.nanoTime());
        if (times > 0) {
            LOG.error("{}: messages could not be read from the log; trying again in 5 s", queue, failure);
        }
    }

    private void rest() {
        resting = true;
        loop.schedule(RETRY_NANOS, () -> {
            resting = false;
            queue.loadEnded();
        });
    }

    // ---- leaving from the log

    /** What is being read of that level is not wanted: the first of it may be taken otherwise. */
    void stopLoading(int level) {
        if (loading == level) {
            round++;
            loading = -1;
        }
    }

    /** Drops the first of a level, which waits in the log and is not being read, without a dead letter. */
    void dropFirst(int level, Runnable dropped) {
        Backlog backlog = ready.backlog(level);
        long position = backlog.firstPosition();
        int headerBytes = backlog.firstHeaderBytes();
        int bodyBytes = backlog.firstBodyBytes();
        long expires = backlog.firstExpiresAt();
        if (position == QueueEntry.NOT_LOGGED) {
            effects.released(backlog.firstMessage());
        } else {
            effects.unlog(queue, position, backlog.firstShare(), null);
        }
        backlog.removeFirst();
        ready.waiting(-1);
        queue.leftBacklog(position, headerBytes, bodyBytes, expires);
        queue.left(headerBytes + bodyBytes + Message.OVERHEAD_BYTES);
        dropped.run();
        countIndex();
    }

    /** When the first message expires of those that wait in the log; {@link QueueEntry#NEVER} if none does, or some are about to. */
    long nextExpiry() {
        if (expiring || effects.deadLettersWait(queue)) {
            return QueueEntry.NEVER;
        }
        long soonest = QueueEntry.NEVER;
        for (int level = 0; level < ready.levels(); level++) {
            Backlog backlog = ready.backlog(level);
            if (backlog != null && !backlog.isEmpty() && loading != level) {
                soonest = Math.min(soonest, backlog.minExpiresAt());
            }
        }
        return soonest;
    }

    /** Lets messages go that have expired, a bounded number at a time. */
    void expireDue(long nowMillis, boolean deadLetters) {
        if (expiring || deadLetters && effects.deadLettersWait(queue)) {
            return; // watched again when that ends
        }
        List<Due> due = new ArrayList<>();
        for (int level = 0; level < ready.levels() && due.size() < DUE_BATCH; level++) {
            Backlog backlog = ready.backlog(level);
            if (backlog == null || loading == level) {
                continue;
            }
            int here = level;
            int most = DUE_BATCH - due.size();
            backlog.removeDue(nowMillis, 0, most, (position, share, headerBytes, bodyBytes, expires, message) -> {
                due.add(new Due(position, share, headerBytes + bodyBytes + Message.OVERHEAD_BYTES, message));
                if (deadLetters) {
                    queue.logged().dying(here, position, share, headerBytes, bodyBytes, expires);
                }
                ready.waiting(-1);
                queue.leftBacklog(position, headerBytes, bodyBytes, expires);
            });
        }
        countIndex();
        if (due.isEmpty()) {
            return;
        }
        if (!deadLetters) {
            for (Due each : due) {
                each.leave(null);
            }
            return;
        }
        expiring = true;
        readExpired(due);
    }

    private void readExpired(List<Due> due) {
        if (queue.isRemoved()) {
            expiring = false;
            due.forEach(each -> each.leave(null));
            return;
        }
        long[] positions = new long[due.size()];
        int inLog = 0;
        for (Due each : due) {
            if (each.message == null) {
                each.askedAt = queue.logged().dyingAt(each.position);
                positions[inLog++] = each.askedAt;
            }
        }
        ExpiredLoad load = new ExpiredLoad(due);
        if (inLog == 0) {
            load.done(0, null);
        } else {
            effects.read(positions, inLog, load);
        }
    }

    /** A message that has expired in the log. */
    private final class Due {

        private final long position;
        private final int share;
        private final int sizeBytes;
        private final Message message;
        /** Where it is being read. */
        private long askedAt;

        Due(long position, int share, int sizeBytes, Message message) {
            this.position = position;
            this.share = share;
            this.sizeBytes = sizeBytes;
            this.message = message;
        }

        /** Ends it, by way of the dead letters if the message is given. */
        void leave(Message letter) {
            if (message != null) {
                effects.released(message);
            }
            if (letter != null) {
                effects.deadLetter(queue, letter, Death.Reason.EXPIRED, position, share, null);
                return;
            }
            queue.left(sizeBytes);
            effects.dropped(Death.Reason.EXPIRED);
            if (position != QueueEntry.NOT_LOGGED) {
                effects.unlog(queue, queue.buried(position), share, null);
            }
        }
    }

    /** Reads expired messages, which become dead letters. */
    private final class ExpiredLoad implements QueueEffects.Loaded {

        private final List<Due> due;
        private int next;

        ExpiredLoad(List<Due> due) {
            this.due = due;
        }

        @Override
        public void message(Message letter) {
            inMemory();
            due.get(next++).leave(letter);
        }

        /** Those in between that need no reading. */
        private void inMemory() {
            while (next < due.size() && due.get(next).message != null) {
                Due each = due.get(next++);
                each.leave(each.message);
            }
        }

        @Override
        public void done(int messages, IOException failure) {
            inMemory();
            if (next == due.size()) {
                expiring = false;
                queue.loadEnded();
                return;
            }
            List<Due> rest = new ArrayList<>(due.subList(next, due.size()));
            Due first = rest.getFirst();
            if (failure != null && queue.logged().dyingAt(first.position) == first.askedAt) {
                failed(failure);
                loop.schedule(RETRY_NANOS, () -> readExpired(rest));
            } else {
                readExpired(rest);
            }
        }
    }

    // ---- the end of all of them

    /** Bytes that the messages count for which wait in the log. */
    long waitingBytes() {
        long bytes = 0;
        for (int level = 0; level < ready.levels(); level++) {
            Backlog backlog = ready.backlog(level);
            bytes += backlog == null ? 0 : backlog.sizeBytes();
        }
        return bytes;
    }

    /** Gives up all messages that wait in the log; returns how many. */
    int discard(boolean queueIsGone) {
        int count = 0;
        round++;
        loading = -1;
        for (int level = 0; level < ready.levels(); level++) {
            Backlog backlog = ready.takeBacklog(level);
            if (backlog != null && !backlog.isEmpty()) {
                count += backlog.size();
                ready.waiting(-backlog.size());
                effects.discard(queue, backlog, queueIsGone);
            }
        }
        countIndex();
        return count;
    }
}
