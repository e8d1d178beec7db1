package io.sluicemq.store;

import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One loop's access to the log. Call on that loop only; the few fields that the log's threads look at are named so.
 *
 * <p>A record is written in three steps within one turn: {@link #claim}, fill {@link #payload}, {@link #commit} (or {@link
 * #abort}). A claim that is left open stops the whole log, so nothing that may throw belongs between claim and commit without a
 * {@code finally}. What was committed during a turn reaches the writer at its end, by one wake-up.
 *
 * <p>Invariant: {@code awaited} is the lowest position this loop waits for that the writer has not sent an event for, or
 * {@link Long#MAX_VALUE}.
 */
@LoopOwned
public final class LogPort {

    /** What {@link #claim} returns when it found no room. */
    public static final long NO_ROOM = -1;

    private static final int NO_CLAIM = -1;

    private final Log log;
    private final Loop loop;
    private final LogListener listener;
    private final Claim claim = new Claim();
    private final Runnable wakeWriter;
    private final Runnable durableEvent;
    private final Runnable roomEvent;

    /** Shared with the writer. */
    private final AtomicLong awaited = new AtomicLong(Long.MAX_VALUE);
    /** Shared with whoever makes room. */
    private volatile boolean wantsRoom;

    private int claimedPayload = NO_CLAIM;
    private boolean wakeDue;
    private int readsUnderWay;

    LogPort(Log log, Loop loop, LogListener listener) {
        this.log = log;
        this.loop = loop;
        this.listener = listener;
        this.wakeWriter = () -> {
            wakeDue = false;
            log.wakeWriter();
        };
        this.durableEvent = () -> listener.durable(log.durable());
        this.roomEvent = listener::room;
    }

    /**
     * Claims room for a record.
     *
     * @param payloadBytes the exact length of what will be written
     * @return the record's position, which is above 0, divisible by 8, and its identity; or {@link #NO_ROOM}: all buffers are
     *     full, or the log doesn't admit records. Unless the log's state is final, {@link LogListener#room} follows.
     * @throws IllegalArgumentException if the record is longer than the log's longest
     */
    public long claim(int payloadBytes) {
        return claim(payloadBytes, false);
    }

    /**
     * As {@link #claim}, for records that lead to less in the log: settlements, deletions. They are taken on a full disk, too,
     * as long as the segments last that the log has in reserve.
     */
    public long claimReserved(int payloadBytes) {
        return claim(payloadBytes, true);
    }

    private long claim(int payloadBytes, boolean reserved) {
        assert loop.isCurrent() : "a loop's port is used on that loop";
        if (claimedPayload != NO_CLAIM) {
            throw new IllegalStateException("the record claimed before is neither committed nor aborted");
        }
        if (payloadBytes < 0 || payloadBytes > log.options().maxRecordBytes()) {
            throw new IllegalArgumentException(
                    "a record of " + payloadBytes + " bytes; at most " + log.options().maxRecordBytes());
        }
        int bytes = RecordFormat.recordBytes(payloadBytes);
        long position = log.claim(bytes, claim, reserved);
        if (position == NO_ROOM) {
            // Room that appears between the look and the wish would be told to nobody: so look again.
            wantsRoom = true;
            position = log.claim(bytes, claim, reserved);
            if (position == NO_ROOM) {
                return NO_ROOM;
            }
            // The wish stays: others of this loop may have found no room before, and wait for that event.
        }
        claimedPayload = payloadBytes;
        return position;
    }

    /**
     * Where the payload of the claimed record goes: from the buffer's position to its limit, little-endian. It must not be
     * used after {@link #commit}.
     */
    public ByteBuffer payload() {
        checkClaimed();
        return claim.payload(claimedPayload);
    }

    /**
     * Completes the claimed record.
     *
     * @param type from 1 to {@value RecordFormat#MAX_USER_TYPE}; what it means is the caller's
     */
    public void commit(int type) {
        checkClaimed();
        if (type < 1 || type > RecordFormat.MAX_USER_TYPE) {
            throw new IllegalArgumentException("a record of type " + type);
        }
        complete(type);
    }

    /** Takes the claim back: its bytes stay in the log and mean nothing. */
    public void abort() {
        checkClaimed();
        complete(RecordFormat.PAD);
    }

    private void complete(int type) {
        claim.complete(claimedPayload, type, log.synced(), log.logId());
        claimedPayload = NO_CLAIM;
        if (!wakeDue) {
            wakeDue = true;
            loop.atTurnEnd(wakeWriter);
        }
    }

    private void checkClaimed() {
        if (claimedPayload == NO_CLAIM) {
            throw new IllegalStateException("no record is claimed");
        }
    }

    /**
     * Asks for one {@link LogListener#durable} when the record at {@code position} is durable. To be called for the lowest
     * position that the loop waits for: when the wait begins, and again in the event for what is left. A call for a higher
     * position than one that is under way does nothing.
     *
     * @return false if the record is durable already; no event comes then
     */
    public boolean await(long position) {
        assert loop.isCurrent() : "a loop's port is used on that loop";
        if (position < log.durable()) {
            return false;
        }
        long before = awaited.get();
        if (position >= before) {
            return true;
        }
        if (!awaited.compareAndSet(before, position)) {
            awaited.set(position); // the writer has just sent the event for the one before
        }
        if (position < log.durable() && awaited.compareAndSet(position, Long.MAX_VALUE)) {
            // The writer had looked before it could see this.
            if (before == Long.MAX_VALUE) {
                return false;
            }
            loop.execute(durableEvent);
        }
        return true;
    }

    /**
     * Reads records, off this loop, and hands them to {@code batch} on it. Batches come back in the order of the calls. A record
     * that is moved, and its old position released, while a read of that is under way, may come back as a failure: it is to be
     * read again from its new position.
     *
     * @param positions of records that were committed and are retained, best in ascending order; not to be changed until the
     *     batch is done
     * @return false if as many batches as {@link LogOptions#readsPerLoop} are under way: ask again when one is done
     */
    public boolean read(long[] positions, int from, int count, ReadBatch batch) {
        assert loop.isCurrent() : "a loop's port is used on that loop";
        java.util.Objects.checkFromIndexSize(from, count, positions.length);
        if (readsUnderWay >= log.options().readsPerLoop()) {
            return false;
        }
        readsUnderWay++;
        log.read(new ReadRequest(this, positions, from, count, batch));
        return true;
    }

    void readDone() {
        readsUnderWay--;
    }

    Loop loop() {
        return loop;
    }

    /** Called by the writer. */
    void publish(long durable) {
        long wanted = awaited.get();
        if (wanted < durable && awaited.compareAndSet(wanted, Long.MAX_VALUE)) {
            loop.execute(durableEvent);
        }
    }

    /** Called by whoever makes room. */
    void roomAppeared() {
        if (wantsRoom) {
            wantsRoom = false;
            loop.execute(roomEvent);
        }
    }

    /** Called by the log's threads. */
    void stateChanged(LogState state) {
        loop.execute(() -> listener.stateChanged(state));
    }
}
