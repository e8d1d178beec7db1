package io.sluicemq.broker.queue;

import io.sluicemq.api.Message;
import java.util.Arrays;
import java.util.function.LongUnaryOperator;

/**
 * A part of a {@link Backlog}: entries in columns, of which those from {@link #from} up to {@link #to} are in use. Some of
 * them may be holes, where an entry was removed; the first is not.
 *
 * <p>Columns that few entries need exist only once one does. Columns that a snapshot refers to are copied before a slot is
 * changed that it may see; new entries behind the last are outside of what it sees. Owned by the queue's loop.
 */
final class BacklogChunk {

    static final int MIN_ENTRIES = 16;
    static final int MAX_ENTRIES = 1_024;

    private static final long HOLE = Long.MIN_VALUE;
    /** This object and the heads of the three columns that it always has. */
    private static final int FIXED_BYTES = 96 + 3 * 16;

    private static final int ENTRY_BYTES = Long.BYTES + 2 * Integer.BYTES;
    private static final int ARRAY_HEAD_BYTES = 16;
    private static final int REFERENCE_BYTES = 4;

    BacklogChunk previous;
    BacklogChunk next;
    /** Whether it was made for entries that come before the first. */
    final boolean filledFromBehind;

    /** Places, as {@link Backlog#PAGED} says. */
    private long[] positions;
    private int[] shares;
    private int[] bodyBytes;
    /** Of each entry; null while {@link #commonHeaderBytes} holds for all: most messages of a queue are alike. */
    private int[] headerBytes;

    private int commonHeaderBytes;
    private long[] expiresAt;
    private Message[] messages;
    private int from;
    private int to;
    private int live;
    /** How many messages are held in memory. */
    private int held;
    /** Whether a snapshot refers to the columns. */
    private boolean shared;

    /** The range that no position in the log is outside of. */
    private long minPosition = Long.MAX_VALUE;

    private long maxPosition = -1;
    /** Not above the lowest. */
    private long minExpiresAt = QueueEntry.NEVER;

    BacklogChunk(int capacity, boolean filledFromBehind) {
        this.filledFromBehind = filledFromBehind;
        positions = new long[capacity];
        shares = new int[capacity];
        bodyBytes = new int[capacity];
        from = filledFromBehind ? capacity : 0;
        to = from;
    }

    int capacity() {
        return positions.length;
    }

    int live() {
        return live;
    }

    int from() {
        return from;
    }

    int to() {
        return to;
    }

    long minExpiresAt() {
        return minExpiresAt;
    }

    boolean isHole(int index) {
        return positions[index] == HOLE;
    }

    /** Its position, {@link Backlog#PAGED} added or not; or {@link Backlog#IN_MEMORY}. */
    long place(int index) {
        return positions[index];
    }

    int held() {
        return held;
    }

    int share(int index) {
        return shares[index];
    }

    int bodyBytes(int index) {
        return bodyBytes[index];
    }

    int headerBytes(int index) {
        return headerBytes == null ? commonHeaderBytes : headerBytes[index];
    }

    long expiresAt(int index) {
        return expiresAt == null ? QueueEntry.NEVER : expiresAt[index];
    }

    Message message(int index) {
        return messages == null ? null : messages[index];
    }

    void tell(int index, Backlog.Entries out) {
        out.entry(
                positions[index], shares[index], headerBytes(index), bodyBytes[index], expiresAt(index),
                message(index));
    }

    /** Bytes of memory that it takes. */
    long bytes() {
        long bytes = FIXED_BYTES + (long) ENTRY_BYTES * capacity();
        if (headerBytes != null) {
            bytes += ARRAY_HEAD_BYTES + (long) Integer.BYTES * capacity();
        }
        if (expiresAt != null) {
            bytes += ARRAY_HEAD_BYTES + (long) Long.BYTES * capacity();
        }
        if (messages != null) {
            bytes += ARRAY_HEAD_BYTES + (long) REFERENCE_BYTES * capacity();
        }
        return bytes;
    }

    boolean hasRoomBehind() {
        return to < capacity();
    }

    boolean hasRoomBefore() {
        return from > 0;
    }

    void append(
            long position, int share, int headerBytes, int bodyBytes, long expiresAtMillis, Message message) {
        set(to, position, share, headerBytes, bodyBytes, expiresAtMillis, message);
        to++;
    }

    void prepend(
            long position, int share, int headerBytes, int bodyBytes, long expiresAtMillis, Message message) {
        own();
        set(from - 1, position, share, headerBytes, bodyBytes, expiresAtMillis, message);
        from--;
    }

    private void set(
            int index, long position, int share, int headerBytes, int bodyBytes, long expiresAtMillis,
            Message message) {
        setHeaderBytes(index, headerBytes);
        if (expiresAtMillis != QueueEntry.NEVER && expiresAt == null) {
            expiresAt = new long[capacity()];
            Arrays.fill(expiresAt, QueueEntry.NEVER);
        }
        if (message != null && messages == null) {
            messages = new Message[capacity()];
        }
        positions[index] = position;
        shares[index] = share;
        this.bodyBytes[index] = bodyBytes;
        if (expiresAt != null) {
            expiresAt[index] = expiresAtMillis;
            minExpiresAt = Math.min(minExpiresAt, expiresAtMillis);
        }
        if (messages != null) {
            messages[index] = message;
            held += message == null ? 0 : 1;
        }
        include(position);
        live++;
    }

    private void include(long place) {
        if (place >= 0) {
            minPosition = Math.min(minPosition, Backlog.position(place));
            maxPosition = Math.max(maxPosition, Backlog.position(place));
        }
    }

    private void setHeaderBytes(int index, int bytes) {
        if (headerBytes == null && bytes != commonHeaderBytes) {
            if (live == 0) {
                commonHeaderBytes = bytes;
            } else {
                headerBytes = new int[capacity()];
                Arrays.fill(headerBytes, commonHeaderBytes);
            }
        }
        if (headerBytes != null) {
            headerBytes[index] = bytes;
        }
    }

    /** Removes the first entry; its slot stays as it is for the snapshots, but lets go of a message. */
    void removeFirst() {
        letGo(from);
        from++;
        live--;
        skipHoles();
    }

    private void letGo(int index) {
        if (messages != null && messages[index] != null) {
            messages[index] = null;
            held--;
        }
    }

    private void skipHoles() {
        while (from < to && positions[from] == HOLE) {
            from++;
        }
    }

    /** Makes it, when it is empty, as good as new; returns false if it is too large to be kept or a snapshot's. */
    boolean reset() {
        if (shared || capacity() > MIN_ENTRIES) {
            return false;
        }
        from = filledFromBehind ? capacity() : 0;
        to = from;
        minPosition = Long.MAX_VALUE;
        maxPosition = -1;
        minExpiresAt = QueueEntry.NEVER;
        return true;
    }

    /** Removes up to {@code most} entries that expire by {@code nowMillis}, but none of the first {@code skip}. */
    void removeDue(long nowMillis, int skip, int most, Backlog.Entries out) {
        long soonest = QueueEntry.NEVER;
        int seen = 0;
        int left = most;
        for (int i = from; i < to; i++) {
            if (isHole(i)) {
                continue;
            }
            seen++;
            if (expiresAt[i] > nowMillis || seen <= skip || left == 0) {
                soonest = Math.min(soonest, expiresAt[i]);
                continue;
            }
            left--;
            live--;
            tell(i, out);
            own();
            positions[i] = HOLE;
            letGo(i);
        }
        minExpiresAt = soonest;
        skipHoles();
        if (live > 0 && live <= capacity() / 4 && capacity() > MIN_ENTRIES) {
            squeeze();
        }
    }

    /** Moves what is left after holes were made into columns that fit, so that a few survivors do not hold a whole chunk. */
    private void squeeze() {
        int capacity = Math.max(MIN_ENTRIES, Integer.highestOneBit(live) * 2);
        long[] newPositions = new long[capacity];
        int[] newShares = new int[capacity];
        int[] newBodyBytes = new int[capacity];
        int[] newHeaderBytes = headerBytes == null ? null : new int[capacity];
        long[] newExpiresAt = minExpiresAt == QueueEntry.NEVER ? null : new long[capacity];
        Message[] newMessages = held == 0 ? null : new Message[capacity];
        int count = 0;
        for (int i = from; i < to; i++) {
            if (isHole(i)) {
                continue;
            }
            newPositions[count] = positions[i];
            newShares[count] = shares[i];
            newBodyBytes[count] = bodyBytes[i];
            if (newHeaderBytes != null) {
                newHeaderBytes[count] = headerBytes[i];
            }
            if (newExpiresAt != null) {
                newExpiresAt[count] = expiresAt[i];
            }
            if (newMessages != null) {
                newMessages[count] = messages[i];
            }
            count++;
        }
        positions = newPositions;
        shares = newShares;
        bodyBytes = newBodyBytes;
        headerBytes = newHeaderBytes;
        expiresAt = newExpiresAt;
        messages = newMessages;
        from = 0;
        to = count;
        shared = false;
    }

    boolean overlaps(long lowest, long highest) {
        return minPosition <= highest && maxPosition >= lowest;
    }

    void move(long lowest, long highest, LongUnaryOperator where, Backlog.Moved out) {
        long min = Long.MAX_VALUE;
        long max = -1;
        for (int i = from; i < to; i++) {
            if (positions[i] < 0) {
                continue;
            }
            long mark = positions[i] & Backlog.PAGED;
            long position = positions[i] - mark;
            if (position >= lowest && position <= highest) {
                long target = where.applyAsLong(position);
                if (target >= 0) {
                    own();
                    positions[i] = target + mark;
                    out.moved(position, target, shares[i]);
                    position = target;
                }
            }
            min = Math.min(min, position);
            max = Math.max(max, position);
        }
        minPosition = min;
        maxPosition = max;
    }

    /** Offers the messages that are held in memory, the last first; returns whether {@code pager} may want more. */
    boolean pageHeld(Backlog.Pager pager) {
        for (int i = to - 1; i >= from && held > 0; i--) {
            if (messages[i] == null) {
                continue;
            }
            long position = pager.page(messages[i]);
            if (position == Backlog.Pager.ENOUGH) {
                return false;
            }
            if (position >= 0) {
                own();
                positions[i] = position + Backlog.PAGED;
                shares[i] = pager.share();
                include(position);
                letGo(i);
            }
        }
        if (held == 0) {
            messages = null;
        }
        return true;
    }

    /** Lends its columns to a snapshot. */
    Backlog.Columns share() {
        shared = true;
        return new Backlog.Columns(
                positions, shares, commonHeaderBytes, headerBytes, bodyBytes, expiresAt, from, to);
    }

    /** Makes sure that no snapshot refers to the columns. */
    private void own() {
        if (shared) {
            shared = false;
            positions = positions.clone();
            shares = shares.clone();
            bodyBytes = bodyBytes.clone();
            headerBytes = headerBytes == null ? null : headerBytes.clone();
            expiresAt = expiresAt == null ? null : expiresAt.clone();
        }
    }
}
