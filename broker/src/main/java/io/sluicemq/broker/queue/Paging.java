package io.sluicemq.broker.queue;

import io.sluicemq.api.Charge;
import io.sluicemq.api.Death;
import io.sluicemq.api.Message;
import io.sluicemq.base.LogEvent;
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
 * Backlog} of its level at once, as an index entry: one that is in the log anyway, as soon as the queue has its part of the
 * memory; any other is written there for that, when memory is more than half full. What is in memory already goes when memory
 * is short, a {@linkplain PageSlice slice} a turn. The next ones are read back ahead of the consumers, and what was written for
 * memory's sake is then let go of in the log.
 *
 * <p>A limit of its own holds for ready messages in memory and those that consumers hold, together. A ready message always stays,
 * and where consumers hold all that the limit allows one message at a time is read, so that those who may have more get it; but
 * not for a queue with more than {@value #MOST_UNSETTLED_WHEN_SHORT} messages unsettled. So a queue exceeds its limit by what
 * consumers hold beyond it, and one message. A message that the log has no room for stays in memory, limit or not.
 *
 * <p>Owned by the queue's loop. Invariants: in each level, what is in memory precedes what waits in the log; one read for
 * consumers that take all is under way at a time, and until it is done the entries that it is for leave their backlog only to
 * consumers. Only
 * entries of a backlog are at {@linkplain Backlog#PAGED paged places}; a message in memory never is.
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
    private static final int NONE = -1;

    /** With a limit of its own, more is read when that part of it is free, so that each message that goes is not a read. */
    private static final int WORTH_READING = 4;

    private static final int DUE_BATCH = 256;
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Queue queue;
    private final PriorityMessages ready;
    private final QueueEffects effects;
    private final Loop loop;
    private final LogLimit failures = new LogLimit(TimeUnit.SECONDS.toNanos(60));
    private final PagedCharges charges;
    private long indexBytes;
    /** Messages that are held in memory among those that wait in the log, and their bytes. */
    private int held;

    private long heldBytes;
    private long maxBytes = NONE;
    private long maxMessages = NONE;
    private int loading = -1;
    /** Messages that reads for consumers have brought. */
    private long loaded;
    private int round;
    private boolean resting;
    /** Whether expired messages are being read, to become dead letters. */
    private boolean expiring;

    Paging(Queue queue, PriorityMessages ready, QueueEffects effects, Loop loop) {
        this.queue = queue;
        this.ready = ready;
        this.effects = effects;
        this.loop = loop;
        this.charges = new PagedCharges(loop);
    }

    // ---- how much is in memory

    int resident() {
        return ready.resident() + held;
    }

    long residentBytes() {
        return ready.residentBytes() + heldBytes;
    }

    void limits(long bytes, long messages) {
        maxBytes = bytes;
        maxMessages = messages;
        trim();
    }

    private boolean isLimited() {
        return maxBytes != NONE || maxMessages != NONE;
    }

    /** What its own limit still allows; negative if that is exceeded. */
    private long freeBytes() {
        return maxBytes == NONE ? Long.MAX_VALUE : maxBytes - residentBytes() - queue.unsettledBytes();
    }

    private long freeMessages() {
        return maxMessages == NONE ? Long.MAX_VALUE : maxMessages - resident() - queue.unsettled();
    }

    private boolean exceeds(int messages, long bytes) {
        return freeMessages() < messages
                || freeBytes() < bytes
                || effects.memoryLow() && residentBytes() + bytes > effects.keptBytes();
    }

    /** How many of the highest level stay even so: those who want messages must find the next one. */
    private int least() {
        return queue.deliveries().hasTakers() || isLimited() && !effects.memoryLow() ? 1 : 0;
    }

    /** Whether more is in memory than should be, and there is some to go. */
    boolean hasTooMuch() {
        return exceeds(0, 0) && (held > 0 || ready.resident() > least());
    }

    /** Has what is too much leave memory, as events of their own. */
    void trim() {
        if (hasTooMuch()) {
            effects.shrink(queue);
        }
    }

    // ---- to the log

    /**
     * Takes a new message that is to wait in the log, or behind those that do; returns false if it is to stay in memory.
     *
     * @param position where it is in the log, or {@link QueueEntry#NOT_LOGGED}
     */
    boolean takes(int level, long position, int share, Message message, long expiresAtMillis) {
        boolean waits = ready.waitsInLog(level);
        boolean logged = position != QueueEntry.NOT_LOGGED;
        if (!waits && ready.resident() == 0) {
            return false;
        }
        boolean enough = isEnough(message, logged);
        if (!waits && !enough) {
            return false;
        }
        long place = position;
        int bytes = share;
        if (!logged && enough && queue.pagesTransient()) {
            long written = effects.page(queue, message);
            if (written >= 0) {
                place = written + Backlog.PAGED;
                bytes = effects.pagedBytes();
            }
        }
        boolean inMemory = place == Backlog.IN_MEMORY;
        if (inMemory && !waits) {
            return false;
        }
        ready.openBacklog(level).append(
                ready.takeSequence(level), place, bytes, message.header().length, message.body().length,
                expiresAtMillis,
                inMemory ? message : null);
        ready.waiting(1);
        if (inMemory) {
            effects.stored(message);
        } else {
            charges.put(Backlog.position(place), message.charge());
            effects.notStored(message);
            effects.pagedOut(message.sizeBytes());
        }
        countIndex();
        if (inMemory) {
            trim();
        }
        return true;
    }

    /** Whether so much is in memory that a new message is not to join it. */
    private boolean isEnough(Message message, boolean logged) {
        return exceeds(1, message.sizeBytes())
                || (logged || effects.memoryTight())
                        && (resident() > MOST_RESIDENT || residentBytes() > effects.residentBytes());
    }

    /** A message that is in the log is ready from now on, behind all others of its level. */
    void due(Delayed entry) {
        ready.openBacklog(entry.level).append(
                ready.takeSequence(entry.level), entry.place, entry.share, entry.headerBytes, entry.bodyBytes,
                entry.expiresAtMillis, null);
        ready.waiting(1);
        charges.put(Backlog.position(entry.place), entry.charge);
        countIndex();
    }

    /** Takes back what was recovered. */
    void restore(int level, Backlog backlog) {
        ready.restoreBacklog(level, backlog);
        ready.waiting(backlog.size());
        countIndex();
    }

    /** Lets go of what is too much in memory, the last of the lowest level first; returns whether that was all. */
    boolean pageOut(PageSlice slice) {
        if (queue.pagesTransient()) {
            for (int level = 0; level < ready.levels() && held > 0 && exceeds(0, 0); level++) {
                if (ready.waitsInLog(level)) {
                    ready.backlog(level).pageHeld(new HeldPager(level, slice));
                    countIndex();
                }
            }
        }
        for (int level = 0; level < ready.levels() && !slice.isUsedUp(); level++) {
            // What is being read must stay the first of its backlog.
            if (loading != level) {
                pageOut(level, slice);
            }
        }
        countIndex();
        return !slice.isUsedUp();
    }

    private void pageOut(int level, PageSlice slice) {
        int least = level == ready.highest() ? least() : 0;
        while (exceeds(0, 0) && ready.resident(level) > least && !slice.isUsedUp()) {
            // One that came back stays as long as one before it may come back, too.
            QueueEntry entry = ready.last(level, queue.unsettled() == 0);
            if (entry == null) {
                return;
            }
            long place = entry.position;
            int share = entry.share;
            if (!entry.isLogged()) {
                long position = queue.pagesTransient() ? effects.page(queue, entry.message) : QueueEffects.TOO_LONG;
                if (position == QueueEffects.NO_ROOM) {
                    slice.noRoom();
                }
                if (position < 0) {
                    return;
                }
                place = position + Backlog.PAGED;
                share = effects.pagedBytes();
            }
            Message message = entry.message;
            slice.done(entry.isLogged() ? 0 : share);
            effects.pagedOut(message.sizeBytes());
            ready.remove(entry);
            ready.openBacklog(level).prepend(
                    entry.sequence, place, share, message.header().length, message.body().length, entry.expiresAtMillis,
                    null);
            ready.waiting(1);
            queue.transits().pagedOut(entry, place);
            charges.put(Backlog.position(place), message.charge());
            effects.released(message);
        }
    }

    /** Writes messages that are held in memory among those that wait in the log. */
    private final class HeldPager implements Backlog.Pager {

        private final int level;
        private final PageSlice slice;

        HeldPager(int level, PageSlice slice) {
            this.level = level;
            this.slice = slice;
        }

        @Override
        public long page(long sequence, Message message) {
            if (slice.isUsedUp() || !exceeds(0, 0)) {
                return ENOUGH;
            }
            long position = effects.page(queue, message);
            if (position >= 0) {
                slice.done(effects.pagedBytes());
                effects.pagedOut(message.sizeBytes());
                held--;
                heldBytes -= message.sizeBytes();
                charges.put(position, message.charge());
                queue.transits().heldPaged(Backlog.heldKey(level, sequence), position + Backlog.PAGED);
                effects.released(message);
            } else if (position == QueueEffects.NO_ROOM) {
                slice.noRoom();
            }
            return position;
        }

        @Override
        public int share() {
            return effects.pagedBytes();
        }
    }

    private void countIndex() {
        long bytes = charges.bytes();
        held = 0;
        heldBytes = 0;
        for (int level = 0; level < ready.levels(); level++) {
            Backlog backlog = ready.backlog(level);
            if (backlog != null) {
                bytes += backlog.indexBytes();
                held += backlog.held();
                heldBytes += backlog.heldBytes();
            }
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
        boolean deliverable = false;
        for (int level = ready.levels() - 1; level >= 0; level--) {
            deliverable |= ready.resident(level) > 0;
            if (ready.waitsInLog(level)) {
                if (mayLoad(level, deliverable)) {
                    load(level);
                }
                return;
            }
        }
    }

    /**
     * Whether more of the highest level may be read that waits in the log.
     *
     * @param deliverable whether it or a higher one has some in memory: if not, nothing can be delivered, whatever lower ones have
     */
    private boolean mayLoad(int level, boolean deliverable) {
        int resident = ready.resident(level);
        if (effects.memoryLow() || freeBytes() <= 0 || freeMessages() <= 0) {
            return !deliverable && queue.unsettled() <= MOST_UNSETTLED_WHEN_SHORT;
        }
        return !deliverable
                // Else what was read for nobody would leave memory again at once, and so on.
                || !effects.memoryTight()
                        && resident < FEW_RESIDENT
                        && ready.residentBytes() <= effects.residentBytes()
                        && (maxBytes == NONE
                                || freeBytes() >= Math.max(maxBytes / WORTH_READING, firstBytes(level)))
                        && (maxMessages == NONE || freeMessages() >= maxMessages / WORTH_READING);
    }

    /** What the first of those counts that wait in the log. */
    private long firstBytes(int level) {
        Backlog backlog = ready.backlog(level);
        return sizeBytes(backlog.firstHeaderBytes(), backlog.firstBodyBytes());
    }

    /** Reads the first ones of a level, whoever wants them; after a read that has failed, later. */
    void load(int level) {
        if (loading >= 0 || resting) {
            return;
        }
        boolean low = effects.memoryLow();
        long most = low
                ? Math.min(LEAST_BATCH_BYTES, effects.keptBytes())
                : Math.max(LEAST_BATCH_BYTES, Math.min(BATCH_BYTES, effects.residentBytes() / 2));
        int count = Math.clamp(freeMessages(), 1, BATCH);
        long[] sequences = new long[count];
        long[] places = new long[count];
        count = ready.backlog(level)
                .peek(Long.MIN_VALUE, count, Math.min(most, Math.max(0, freeBytes())), sequences, places);
        long[] positions = new long[count];
        int inLog = 0;
        for (int i = 0; i < count; i++) {
            if (places[i] != Backlog.IN_MEMORY) {
                positions[inLog++] = Backlog.position(places[i]);
            }
        }
        loading = level;
        Load load = new Load(level, sequences, places, count, round, positions);
        if (inLog == 0) {
            loop.execute(() -> load.done(0, null));
        } else {
            effects.read(positions, inLog, load);
        }
    }

    /** Whether more are being read for consumers; {@link Queue#loadEnded} follows. */
    boolean isLoading() {
        return loading >= 0;
    }

    /** How many messages reads for consumers have brought so far. */
    long loaded() {
        return loaded;
    }

    /** A level that is being read; its first ones must not leave otherwise, but to a consumer. */
    boolean isLoading(int level) {
        return loading == level;
    }

    /** What a read brings. */
    private final class Load implements QueueEffects.Loaded {

        private final int level;
        private final long[] sequences;
        private final long[] places;
        private final int count;
        private final int ofRound;
        private final long[] positions;
        private final List<Message> messages = new ArrayList<>();

        Load(int level, long[] sequences, long[] places, int count, int ofRound, long[] positions) {
            this.level = level;
            this.sequences = sequences;
            this.places = places;
            this.count = count;
            this.ofRound = ofRound;
            this.positions = positions;
        }

        @Override
        public void message(Message message) {
            messages.add(message);
        }

        /** Whether the one that could not be read is at the position that it was read from. */
        private boolean isWhereItWas(long[] asked, int failed) {
            int index = 0;
            for (int read = 0; index < count; index++) {
                if (places[index] != Backlog.IN_MEMORY && read++ == failed) {
                    break;
                }
            }
            Backlog backlog = ready.backlog(level);
            return index < count
                    && backlog.contains(sequences[index])
                    && Backlog.position(backlog.place(sequences[index])) == asked[failed];
        }

        @Override
        public void done(int read, IOException failure) {
            if (ofRound != round) {
                return; // purged meanwhile
            }
            Backlog backlog = ready.backlog(level);
            int next = 0;
            for (int i = 0; i < count; i++) {
                boolean wasRead = places[i] != Backlog.IN_MEMORY;
                if (wasRead && next == messages.size()) {
                    break;
                }
                Message wanted = wasRead ? messages.get(next++) : null;
                long first = backlog.firstFrom(Long.MIN_VALUE);
                if (first > sequences[i]) {
                    continue; // a consumer that doesn't take all has it
                }
                if (first < sequences[i]) {
                    break; // one before it has come back
                }
                long place = backlog.firstPlace();
                Message message = backlog.firstMessage();
                if (place != Backlog.IN_MEMORY) {
                    // One that was held in memory may have been written meanwhile: that is still to be read.
                    if (wanted == null) {
                        break;
                    }
                    message = wanted;
                    message.charge(charges.take(Backlog.position(place)));
                    effects.stored(message);
                    queue.departures().recount(message,
                            sizeBytes(backlog.firstHeaderBytes(), backlog.firstBodyBytes()));
                }
                if (Backlog.isPaged(place)) {
                    effects.unpage(Backlog.position(place), backlog.firstShare());
                }
                long known = place == Backlog.IN_MEMORY ? Backlog.heldKey(level, first) : place;
                queue.transits().loaded(message, first, known, backlog.firstShare(), backlog.firstExpiresAt());
                backlog.removeFirst();
                ready.waiting(-1);
                loaded++;
            }
            loading = -1;
            countIndex();
            if (failure != null && isWhereItWas(positions, next)) {
                failed(failure);
                rest();
            }
            queue.loadEnded();
            if (!queue.isRemoved()) {
                trim();
            }
        }
    }

    /** Takes a message out of those that wait in the log, which was read for that unless it is held in memory. */
    QueueEntry takeOut(int level, long sequence, Message read) {
        Taking taking = new Taking(level, sequence, read);
        ready.backlog(level).remove(sequence, taking);
        ready.waiting(-1);
        countIndex();
        return taking.entry;
    }

    /** Makes an entry of a queue out of what the backlog has of one. */
    private final class Taking implements Backlog.Entries {

        private final int level;
        private final long sequence;
        private final Message read;
        private QueueEntry entry;

        Taking(int level, long sequence, Message read) {
            this.level = level;
            this.sequence = sequence;
            this.read = read;
        }

        @Override
        public void entry(
                long place, int share, int headerBytes, int bodyBytes, long expiresAtMillis, Message message) {
            if (place == Backlog.IN_MEMORY) {
                entry = queue.transits().entryOf(message, sequence, Backlog.heldKey(level, sequence), share,
                        expiresAtMillis);
                return;
            }
            read.charge(charges.take(Backlog.position(place)));
            effects.stored(read);
            queue.departures().recount(read, sizeBytes(headerBytes, bodyBytes));
            if (Backlog.isPaged(place)) {
                effects.unpage(Backlog.position(place), share);
            }
            entry = queue.transits().entryOf(read, sequence, place, share, expiresAtMillis);
        }
    }

    /** A message whose place is among those that wait in the log has come back from a consumer. */
    void takeBack(QueueEntry entry) {
        int level = ready.level(entry);
        Message message = entry.message;
        long place = entry.position;
        int share = entry.share;
        if (!entry.isLogged()) {
            long written = queue.pagesTransient() ? effects.page(queue, message) : QueueEffects.TOO_LONG;
            place = written < 0 ? Backlog.IN_MEMORY : written + Backlog.PAGED;
            share = written < 0 ? 0 : effects.pagedBytes();
        }
        boolean inMemory = place == Backlog.IN_MEMORY;
        ready.backlog(level).insert(
                entry.sequence, place, share, message.header().length, message.body().length, entry.expiresAtMillis,
                inMemory ? message : null);
        ready.waiting(1);
        queue.transits().keptInLog(entry, inMemory ? Backlog.heldKey(level, entry.sequence) : place);
        if (!inMemory) {
            charges.put(Backlog.position(place), message.charge());
            effects.released(message);
        }
        countIndex();
    }

    /** Whether more are being read into memory, or would be as soon as somebody asks. */
    boolean readsAhead() {
        if (loading >= 0) {
            return true;
        }
        boolean deliverable = false;
        for (int level = ready.levels() - 1; level >= 0; level--) {
            deliverable |= ready.resident(level) > 0;
            if (ready.waitsInLog(level)) {
                return mayLoad(level, deliverable);
            }
        }
        return false;
    }

    /** Whether it is worth to read something now for consumers that don't take all. */
    boolean mayScan() {
        return !resting && (!effects.memoryLow() || queue.unsettled() <= MOST_UNSETTLED_WHEN_SHORT);
    }

    /** How many bytes are read at a time for those. */
    long scanBytes() {
        return effects.memoryLow() || freeBytes() <= 0
                ? Math.min(LEAST_BATCH_BYTES, effects.keptBytes())
                : Math.clamp(effects.residentBytes() / 2, LEAST_BATCH_BYTES, BATCH_BYTES);
    }

    /** A read has failed, and not since the record has moved: there is a rest before the next. */
    void scanFailed(IOException failure) {
        failed(failure);
        rest();
    }

    private void failed(IOException failure) {
        long times = failures.take(loop.nanoTime());
        if (times > 0) {
            LogEvent.MESSAGES_UNREADABLE.log(LOG,
                    "{}: messages could not be read from the log; trying again in 5 s: {}{}", queue,
                    failure.toString(),
                    times == 1 ? "" : " (so it was " + (times - 1) + " more times since the last such line)");
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
        long place = backlog.firstPlace();
        long position = Backlog.position(place);
        long key = key(level, backlog.firstSequence(), place);
        int headerBytes = backlog.firstHeaderBytes();
        int bodyBytes = backlog.firstBodyBytes();
        long expires = backlog.firstExpiresAt();
        Charge charge;
        if (position == QueueEntry.NOT_LOGGED) {
            charge = backlog.firstMessage().charge();
            effects.released(backlog.firstMessage());
        } else {
            charge = charges.take(position);
            if (Backlog.isPaged(place)) {
                effects.unpage(position, backlog.firstShare());
            } else {
                effects.unlog(queue, position, backlog.firstShare(), null);
            }
        }
        backlog.removeFirst();
        ready.waiting(-1);
        queue.transits().left(key, bodyBytes, expires);
        queue.departures().left(sizeBytes(headerBytes, bodyBytes), charge);
        dropped.run();
        countIndex();
    }

    /** By what facts are kept of a message that waits in the log. */
    private static long key(int level, long sequence, long place) {
        return place == Backlog.IN_MEMORY ? Backlog.heldKey(level, sequence) : Backlog.position(place);
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
            backlog.removeDue(nowMillis, 0, most,
                    (sequence, place, share, headerBytes, bodyBytes, expires, message) -> {
                        due.add(new Due(
                                place, share, sizeBytes(headerBytes, bodyBytes), message,
                                message == null ? charges.take(Backlog.position(place)) : message.charge()));
                        if (deadLetters) {
                            queue.logged().dying(here, place, share, headerBytes, bodyBytes, expires);
                        }
                        ready.waiting(-1);
                        queue.transits().left(key(here, sequence, place), bodyBytes, expires);
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
        private final boolean paged;
        private final int share;
        private final int sizeBytes;
        private final Message message;
        private final Charge charge;
        /** Where it is being read. */
        private long askedAt;

        Due(long place, int share, int sizeBytes, Message message, Charge charge) {
            this.position = Backlog.position(place);
            this.paged = Backlog.isPaged(place);
            this.share = share;
            this.sizeBytes = sizeBytes;
            this.message = message;
            this.charge = charge;
        }

        /** Ends it, by way of the dead letters if the message is given. */
        void leave(Message letter) {
            if (message != null) {
                effects.released(message);
            }
            boolean logged = !paged && position != QueueEntry.NOT_LOGGED;
            if (paged) {
                effects.unpage(queue.buried(position), share);
            }
            if (letter != null) {
                letter.charge(charge);
                queue.departures().recount(letter, sizeBytes);
                effects.deadLetter(
                        queue, letter, Death.Reason.EXPIRED, logged ? position : QueueEntry.NOT_LOGGED, share, null);
                return;
            }
            queue.departures().left(sizeBytes, charge);
            effects.dropped(Death.Reason.EXPIRED);
            if (logged) {
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

    /** What a message counts for. */
    private static int sizeBytes(int headerBytes, int bodyBytes) {
        return headerBytes + bodyBytes + Message.OVERHEAD_BYTES;
    }

    /** A message was copied to another position. */
    void moved(long from, long to) {
        charges.put(to, charges.take(from));
    }

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
        charges.leave();
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
