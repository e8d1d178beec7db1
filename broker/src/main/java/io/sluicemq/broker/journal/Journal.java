package io.sluicemq.broker.journal;

import io.sluicemq.api.Completion;
import io.sluicemq.api.Message;
import io.sluicemq.api.MessageFormat;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.store.Log;
import io.sluicemq.store.LogListener;
import io.sluicemq.store.LogPort;
import io.sluicemq.store.LogState;
import io.sluicemq.store.ReadBatch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * One loop's access to the log in the broker's terms: messages, what queues have done with them, changes of the topology, and
 * completions that wait until a position is durable. Owned by that loop.
 *
 * <p>What leads to less in the log (removals, changes of the topology) is never refused: if there is no room at once it waits
 * here and goes ahead of all else when there is. A message may find none; then whoever brings it waits.
 *
 * <p>Invariants: what waits for durability stands in the order of positions, so one event from the log completes all that
 * became durable; a record's bytes are released only when its removal is durable, so no segment goes that a recovery may need.
 */
@LoopOwned
public final class Journal implements LogListener {

    /** No position: it is not in the log. */
    public static final long NONE = -1;

    /** No position: it can't be in the log. */
    public static final long TOO_LONG = -2;

    /** So many removals are written before the turn's end. */
    private static final int MOST_REMOVED = 32 << 10;
    private static final int NAME_SLOTS = 64;

    /** What the owner is told. */
    public interface Owner {
        /** Messages may find room again. */
        void room();

        /** What the log takes has changed. */
        void stateChanged(LogState state);

        /** There is a segment of which nothing is needed any more. */
        void segmentEmptied();
    }

    /** A read that is to begin when another has ended. */
    private record WaitingRead(long[] positions, int count, ReadBatch batch) {}

    private record Names(MessageFormat format, String exchange, String routingKey, byte[] encoded) {}

    private final Log log;
    private final Loop loop;
    private final Owner owner;
    private final LogPort port;
    private final DurableWaits waits = new DurableWaits();
    private final Names[] names = new Names[NAME_SLOTS];
    private final TurnRecord turn = new TurnRecord();
    private final Runnable flush = this::flushAtTurnEnd;
    private List<Runnable> beforeFlush = new ArrayList<>();
    /** Changes of the topology that wait for room, encoded. */
    private final ArrayDeque<byte[]> pending = new ArrayDeque<>();
    private final ArrayDeque<Completion> barriers = new ArrayDeque<>();
    /** Reads for which there was no room: while there are some, one is under way whose end is looked for, or just ends. */
    private final ArrayDeque<WaitingRead> waitingReads = new ArrayDeque<>();
    private Removed removed = new Removed();
    private Removed removedBefore = new Removed();
    private Removed spareRemoved;
    private final long[] pagedFor = new long[1];
    private int lastLength;
    private int lastQueues = 1;
    private boolean flushPlanned;
    private long watchedEnd = Long.MAX_VALUE;
    private Runnable endReached;

    public Journal(Log log, Loop loop, Owner owner) {
        this.log = log;
        this.loop = loop;
        this.owner = owner;
        this.port = log.attach(loop, this);
    }

    // ---- messages

    /**
     * Writes a message that goes to the queues of these ids, which are accounted {@link #lastShare} bytes each.
     *
     * @return its position, or {@link #NONE} if there is no room now; {@link Owner#room} follows then
     */
    public long append(Message message, long[] queueIds) {
        return append(RecordType.MESSAGE, message, queueIds);
    }

    /** As {@link #append}, for a message that counts only with the transaction that names it. */
    public long appendBody(Message message, long[] queueIds) {
        return append(RecordType.BODY, message, queueIds);
    }

    /**
     * Writes a message that memory has no room for, and that means nothing to a recovery. It is {@linkplain #unpage let go of}
     * when it is back in memory, or has left its queue.
     *
     * @return its position; {@link #NONE} if there is no room now, {@link Owner#room} follows then; {@link #TOO_LONG} if its record
     *     would be longer than a record may be
     */
    public long page(Message message, long queueId) {
        pagedFor[0] = queueId;
        byte[] encodedNames = names(message);
        int length = MessageRecord.length(message, encodedNames, 1);
        if (length > maxRecordBytes()) {
            return TOO_LONG;
        }
        // No time to live counts from this record, and the message keeps its age.
        long published = message.publishedMillis() == 0 ? loop.currentTimeMillis() : message.publishedMillis();
        return append(RecordType.PAGED, message, encodedNames, length, pagedFor, published);
    }

    /** Gives up what {@link #page} has written. Whatever comes of that, a recovery would drop it: so it waits for nothing. */
    public void unpage(long position, int share) {
        if (log.release(position, share, 1)) {
            owner.segmentEmptied();
        }
    }

    private long append(int type, Message message, long[] queueIds) {
        byte[] encodedNames = names(message);
        int length = MessageRecord.length(message, encodedNames, queueIds.length);
        return append(type, message, encodedNames, length, queueIds, loop.currentTimeMillis());
    }

    private long append(
            int type, Message message, byte[] encodedNames, int length, long[] queueIds, long publishedMillis) {
        int queues = queueIds.length;
        long position = port.claim(length);
        if (position == LogPort.NO_ROOM) {
            return NONE;
        }
        boolean complete = false;
        try {
            MessageRecord.encode(
                    port.payload(), message, encodedNames, queueIds, queues, publishedMillis);
            complete = true;
        } finally {
            if (complete) {
                port.commit(type);
            } else {
                port.abort();
            }
        }
        lastLength = length;
        lastQueues = queues;
        log.retain(position, (long) lastShare() * queues, queues);
        checkEnd(position);
        return position;
    }

    /** The length of the message's record that was written last. */
    public int lastLength() {
        return lastLength;
    }

    /** The bytes of the message's record that was written last which each of its queues accounts for. */
    public int lastShare() {
        return share(lastLength, lastQueues);
    }

    /** The bytes that each of several queues accounts for, of a record of that length. */
    public static int share(int payloadBytes, int queues) {
        return payloadBytes / queues;
    }

    private byte[] names(Message message) {
        int hash = message.exchange().hashCode() * 31 + message.routingKey().hashCode();
        int slot = (hash ^ hash >>> 16) & NAME_SLOTS - 1;
        Names known = names[slot];
        if (known == null
                || known.format != message.format()
                || !known.routingKey.equals(message.routingKey())
                || !known.exchange.equals(message.exchange())) {
            known = new Names(message.format(), message.exchange(), message.routingKey(), MessageRecord.names(message));
            names[slot] = known;
        }
        return known.encoded;
    }

    // ---- durability

    /** Meets an obligation of {@code completion}, which has been taken on, when the record at {@code position} is durable. */
    public void await(long position, Completion completion) {
        awaitPosition(position, meeting(completion));
    }

    private Runnable meeting(Completion completion) {
        return completion.loop() == loop ? completion : () -> completion.met(loop);
    }

    /** Meets an obligation, which has been taken on, when all that this loop has done so far is durable. */
    public void awaitAll(Completion completion) {
        if (!flush()) {
            barriers.add(completion);
        } else {
            awaitPosition(log.end() - 1, meeting(completion));
        }
    }

    private void awaitPosition(long position, Runnable action) {
        boolean first = waits.isEmpty();
        if (first && !port.await(position)) {
            action.run();
            return;
        }
        waits.add(position, action);
    }

    @Override
    public void durable(long position) {
        long durable = position;
        do {
            waits.run(durable);
            durable = log.durable();
        } while (!waits.isEmpty() && !port.await(waits.first()));
    }

    // ---- what queues have done

    /**
     * A message has left a queue: its record is released when that is durable.
     *
     * @param completion has an obligation met then; null if nobody waits
     */
    public void removed(long queueId, long position, int share, Completion completion) {
        turn.removed(queueId, position);
        removed.add(position, share);
        if (completion != null) {
            removed.completions.add(completion);
        }
        if (removed.size >= MOST_REMOVED) {
            flush();
        } else {
            planFlush();
        }
    }

    /** Messages of a queue up to and including {@code position} may have been delivered. */
    public void delivered(long queueId, long position) {
        turn.delivered(queueId, position);
        planFlush();
    }

    /** So many deliveries of a message have failed. */
    public void failed(long queueId, long position, int count) {
        turn.failed(queueId, position, count);
        planFlush();
    }

    /**
     * A message has left a queue by what was written already: a transaction's record, or the end of its queue. It is released
     * when that is durable.
     *
     * @param completion has an obligation met then; null if nobody waits
     */
    public void removedBefore(long position, int share, Completion completion) {
        if (removedBefore.isEmpty()) {
            planFlush();
        }
        removedBefore.add(position, share);
        if (completion != null) {
            removedBefore.completions.add(completion);
        }
    }

    /** Runs {@code task} once before what this turn has done is written. */
    public void beforeFlush(Runnable task) {
        beforeFlush.add(task);
        planFlush();
    }

    private void planFlush() {
        if (!flushPlanned) {
            flushPlanned = true;
            loop.atTurnEnd(flush);
        }
    }

    private void flushAtTurnEnd() {
        flushPlanned = false;
        flush();
    }

    /** Writes what queues have done; what finds no room stays for {@link #room}, and false is returned. */
    private boolean flush() {
        if (!beforeFlush.isEmpty()) {
            List<Runnable> due = beforeFlush;
            beforeFlush = new ArrayList<>();
            due.forEach(Runnable::run);
        }
        if (!pending.isEmpty()) {
            return false;
        }
        if (!removedBefore.isEmpty()) {
            Removed done = removedBefore;
            removedBefore = new Removed();
            awaitPosition(log.end() - 1, done);
        }
        if (turn.isEmpty()) {
            return true;
        }
        long position = port.claimReserved(turn.length());
        if (position == LogPort.NO_ROOM) {
            return false;
        }
        boolean complete = false;
        try {
            turn.writeTo(port.payload());
            complete = true;
        } finally {
            if (complete) {
                port.commit(RecordType.TURN);
            } else {
                port.abort();
            }
        }
        turn.clear();
        checkEnd(position);
        if (!removed.isEmpty()) {
            Removed done = removed;
            removed = takeRemoved();
            awaitPosition(position, done);
        }
        return true;
    }

    private Removed takeRemoved() {
        Removed taken = spareRemoved == null ? new Removed() : spareRemoved;
        spareRemoved = null;
        return taken;
    }

    /** Records that are not needed when this is run. */
    private final class Removed implements Runnable {

        private static final int KEPT = 1024;

        private long[] positions = new long[16];
        private int[] shares = new int[16];
        private int size;
        private final List<Completion> completions = new ArrayList<>(0);

        boolean isEmpty() {
            return size == 0;
        }

        void add(long position, int share) {
            if (size == positions.length) {
                positions = java.util.Arrays.copyOf(positions, size * 2);
                shares = java.util.Arrays.copyOf(shares, size * 2);
            }
            positions[size] = position;
            shares[size++] = share;
        }

        @Override
        public void run() {
            boolean emptied = false;
            for (int i = 0; i < size; i++) {
                emptied |= log.release(positions[i], shares[i], 1);
            }
            size = 0;
            if (emptied) {
                owner.segmentEmptied();
            }
            for (int i = 0; i < completions.size(); i++) {
                completions.get(i).met(loop);
            }
            completions.clear();
            if (spareRemoved == null && positions.length <= KEPT) {
                spareRemoved = this;
            }
        }
    }

    /** A record was copied: a queue refers to it by another position now. */
    public void moved(long from, long to, int share) {
        log.retain(to, share, 1);
        if (log.release(from, share, 1)) {
            owner.segmentEmptied();
        }
    }

    // ---- the topology, and transactions

    /** Writes a change of the topology; if there is no room now it comes before all else when there is. */
    public void append(TopologyRecord record) {
        byte[] next = record.encode();
        if (!pending.isEmpty() || !write(next)) {
            pending.add(next);
        }
    }

    /** Writes a change of the topology if there is room now; if not, {@link Owner#room} follows. */
    public boolean tryAppend(TopologyRecord record) {
        return pending.isEmpty() && write(record.encode());
    }

    private boolean write(byte[] topologyRecord) {
        long position = port.claimReserved(topologyRecord.length);
        if (position == LogPort.NO_ROOM) {
            return false;
        }
        port.payload().put(topologyRecord);
        port.commit(RecordType.TOPOLOGY);
        checkEnd(position);
        return true;
    }

    /**
     * Writes a transaction's record: with it, and not before, its messages are published and its settlements are made. One of
     * settlements alone finds room on a full disk, too.
     *
     * @return its position, or {@link #NONE} if there is no room now
     */
    public long commit(List<CommitRecord.Publish> publishes, TurnRecord settlements) {
        int length = CommitRecord.length(publishes, settlements);
        long position = publishes.isEmpty() ? port.claimReserved(length) : port.claim(length);
        if (position == LogPort.NO_ROOM) {
            return NONE;
        }
        boolean complete = false;
        try {
            CommitRecord.encode(port.payload(), publishes, settlements);
            complete = true;
        } finally {
            if (complete) {
                port.commit(RecordType.COMMIT);
            } else {
                port.abort();
            }
        }
        checkEnd(position);
        return position;
    }

    /** Whether a transaction's record is not larger than a record may be. */
    public boolean fits(List<CommitRecord.Publish> publishes, TurnRecord settlements) {
        return CommitRecord.length(publishes, settlements) <= maxRecordBytes();
    }

    /** The longest record, in bytes. */
    public int maxRecordBytes() {
        return log.options().maxRecordBytes();
    }

    /** Gives up a body that no transaction will name. */
    public void abandon(long position, int share, int queues) {
        if (log.release(position, (long) share * queues, queues)) {
            owner.segmentEmptied();
        }
    }

    // ---- reading

    /** Reads records, in turn with others that read; {@code batch} gets them as an event on this loop. */
    public void read(long[] positions, int count, ReadBatch batch) {
        ReadBatch watched = new ReadBatch() {
            @Override
            public void record(long position, int type, java.nio.ByteBuffer payload) {
                batch.record(position, type, payload);
            }

            @Override
            public void done(int records, java.io.IOException failure) {
                batch.done(records, failure);
                startReads();
            }
        };
        waitingReads.add(new WaitingRead(positions, count, watched));
        if (waitingReads.size() == 1) {
            startReads();
        }
    }

    /** Starts reads that wait, as far as there is room; for the others there is when the next one ends. */
    private void startReads() {
        for (WaitingRead next = waitingReads.peek(); next != null; next = waitingReads.peek()) {
            if (!port.read(next.positions(), 0, next.count(), next.batch())) {
                return;
            }
            waitingReads.poll();
        }
    }

    // ---- what the log says

    @Override
    public void room() {
        while (!pending.isEmpty()) {
            if (!write(pending.peek())) {
                return;
            }
            pending.poll();
        }
        if (!flush()) {
            return;
        }
        while (!barriers.isEmpty()) {
            awaitPosition(log.end() - 1, meeting(barriers.poll()));
        }
        owner.room();
    }

    @Override
    public void stateChanged(LogState state) {
        owner.stateChanged(state);
    }

    /** What the log takes. */
    public LogState state() {
        return log.state();
    }

    /** Writes a record that means nothing, so that the log ends elsewhere; false if there is no room even for that. */
    public boolean moveOn() {
        if (port.claimReserved(0) == LogPort.NO_ROOM) {
            return false;
        }
        port.abort();
        return true;
    }

    /** Has {@code task} run, once, when this loop writes a record at {@code end} or behind it; at once, if the log is there. */
    public void watchEnd(long end, Runnable task) {
        watchedEnd = end;
        endReached = task;
        checkEnd(log.end());
    }

    private void checkEnd(long position) {
        if (position >= watchedEnd) {
            watchedEnd = Long.MAX_VALUE;
            endReached.run();
        }
    }
}
