package io.sluicemq.broker.journal;

import java.nio.ByteBuffer;

/**
 * What the queues of one loop have done in one turn: collected, then written as one record.
 *
 * <pre>
 *  payload = operations(varint) group*
 *  group   = tag(varint) ...               tag = count * 4 + kind
 *  kind 0    queue: count = 1; then zigzag(queueId - the one before, 0 at first): whose the next groups are
 *  kind 1    removed:          then zigzag((position - the one before, 0 at first) / 8), for each of count operations
 *  kind 2    delivered:        then the same
 *  kind 3    failed: count = 1, then the same, and the failed deliveries so far (varint)
 * </pre>
 *
 * <p>Messages of one size that leave in their order have equal distances, so however many they are they take two groups.
 * Operations are read back in the order in which they were added.
 *
 * <p>Reused; owned by the loop whose turn it is.
 */
public final class TurnRecord {

    /** The most operations in a record, which bounds what damaged bytes can claim to stand for. */
    static final int MAX_OPERATIONS = 1 << 28;

    private static final int QUEUE = 0;
    private static final int REMOVED = 1;
    private static final int DELIVERED = 2;
    private static final int FAILED = 3;

    private static final int INITIAL_BYTES = 256;
    /** A larger buffer is given back after the turn that needed it. */
    private static final int LARGEST_KEPT_BYTES = 1 << 16;

    private static final int MAX_GROUP_BYTES = 3 * Numbers.MAX_VARINT_BYTES;

    private ByteBuffer groups = ByteBuffer.allocate(INITIAL_BYTES);
    private int operations;
    private boolean hasQueue;
    private long queueId;
    private long position;

    /** Operations in the group that is not written yet, each {@code runDelta} behind the one before. */
    private int run;

    private int runKind;
    private long runDelta;

    public boolean isEmpty() {
        return operations == 0;
    }

    /** Bytes of the payload. */
    public int length() {
        writeRun();
        return Numbers.varintBytes(operations) + groups.position();
    }

    /** The message at {@code position} has left the queue. */
    public void removed(long queueId, long position) {
        add(REMOVED, queueId, position);
    }

    /** The queue's messages up to and including the one at {@code position} may have been delivered. */
    public void delivered(long queueId, long position) {
        add(DELIVERED, queueId, position);
    }

    /** The message at {@code position} has been delivered {@code count} times in vain. */
    public void failed(long queueId, long position, int count) {
        if (count < 0) {
            throw new IllegalArgumentException(count + " failed deliveries");
        }
        add(FAILED, queueId, position);
        writeRun();
        Numbers.putVarint(groups, count);
    }

    private void add(int kind, long queueId, long position) {
        if (position < 0 || (position & 7) != 0) {
            throw new IllegalArgumentException("no record has the position " + position);
        }
        if (operations == MAX_OPERATIONS) {
            throw new IllegalStateException("more than " + MAX_OPERATIONS + " operations in one turn");
        }
        if (!hasQueue || queueId != this.queueId) {
            writeRun();
            reserve();
            Numbers.putVarint(groups, 1 << 2 | QUEUE);
            Numbers.putVarint(groups, Numbers.zigzag(queueId - this.queueId));
            this.queueId = queueId;
            hasQueue = true;
        }
        long delta = position - this.position >> 3;
        if (run == 0 || kind != runKind || delta != runDelta) {
            writeRun();
            runKind = kind;
            runDelta = delta;
        }
        run++;
        this.position = position;
        operations++;
    }

    private void writeRun() {
        if (run > 0) {
            reserve();
            Numbers.putVarint(groups, (long) run << 2 | runKind);
            Numbers.putVarint(groups, Numbers.zigzag(runDelta));
            run = 0;
        }
    }

    private void reserve() {
        if (groups.remaining() < MAX_GROUP_BYTES) {
            groups = ByteBuffer.allocate(Math.multiplyExact(groups.capacity(), 2)).put(groups.flip());
        }
    }

    /** Writes the payload at the position of {@code target}, which moves behind it. */
    public void writeTo(ByteBuffer target) {
        writeRun();
        Numbers.putVarint(target, operations);
        target.put(groups.array(), 0, groups.position());
    }

    public void clear() {
        if (groups.capacity() > LARGEST_KEPT_BYTES) {
            groups = ByteBuffer.allocate(INITIAL_BYTES);
        } else {
            groups.clear();
        }
        operations = 0;
        hasQueue = false;
        queueId = 0;
        position = 0;
        run = 0;
    }

    /**
     * Reads the payload from the position of {@code in} to its limit, where the position is then.
     *
     * @throws BadRecord if it is malformed; operations before the fault have been told then
     */
    public static void read(ByteBuffer in, Visitor visitor) throws BadRecord {
        int left = Numbers.readVarint(in, MAX_OPERATIONS);
        boolean hasQueue = false;
        long queueId = 0;
        long position = 0;
        while (left > 0) {
            long tag = Numbers.readVarint(in);
            int kind = (int) tag & 3;
            long count = tag >>> 2;
            long delta = Numbers.unzigzag(Numbers.readVarint(in));
            if (count == 0 || count > (kind == QUEUE || kind == FAILED ? 1 : left)) {
                throw new BadRecord("a group of " + count + " operations of the kind " + kind + " where " + left
                        + " are left");
            }
            if (kind == QUEUE) {
                queueId += delta;
                hasQueue = true;
                continue;
            }
            if (!hasQueue) {
                throw new BadRecord("an operation of no queue");
            }
            int failures = kind == FAILED ? Numbers.readVarint(in, Integer.MAX_VALUE) : 0;
            for (long i = 0; i < count; i++) {
                position += delta << 3;
                if (position < 0) {
                    throw new BadRecord("an operation on the position " + position);
                }
                switch (kind) {
                    case REMOVED -> visitor.removed(queueId, position);
                    case DELIVERED -> visitor.delivered(queueId, position);
                    default -> visitor.failed(queueId, position, failures);
                }
            }
            left -= (int) count;
        }
        if (in.hasRemaining()) {
            throw new BadRecord(in.remaining() + " bytes behind the last operation");
        }
    }

    /** Is told the operations of a record, in their order. */
    public interface Visitor {

        /** See {@link TurnRecord#removed}. */
        void removed(long queueId, long position);

        /** See {@link TurnRecord#delivered}. */
        void delivered(long queueId, long position);

        /** See {@link TurnRecord#failed}. */
        void failed(long queueId, long position, int count);
    }
}
