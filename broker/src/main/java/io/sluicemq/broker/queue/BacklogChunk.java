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
 *
 * <p>Invariant: sequence numbers rise from {@link #from} to {@link #to}, those of holes included.
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
    /** What an entry's sequence number is counted from: its index, or, where numbers are missing in between, its offset. */
    private long base;

    private int[] offsets;
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

    /** The number by which it is found, and which says where its place is. */
    long sequence(int index) {
        return base + (offsets == null ? index : offsets[index]);
    }

    /** The first in use, hole or not, whose sequence number is not below this one; {@link #to} if there is none. */
    int indexOf(long sequence) {
        if (from == to || sequence <= sequence(from)) {
            return from;
        }
        if (offsets == null) {
            return Math.clamp(sequence - base, from, to);
        }
        int low = from;
        int high = to;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (sequence(middle) < sequence) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
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
        if (offsets != null) {
            bytes += ARRAY_HEAD_BYTES + (long) Integer.BYTES * capacity();
        }
        return bytes;
    }

    boolean hasRoomBehind(long sequence) {
        return to < capacity() && canCount(sequence);
    }

    boolean hasRoomBefore(long sequence) {
        return from > 0 && canCount(sequence);
    }

    private boolean canCount(long sequence) {
        return from == to || Math.abs(sequence - base) < Integer.MAX_VALUE;
    }

    void append(
            long sequence, long position, int share, int headerBytes, int bodyBytes, long expiresAtMillis,
            Message message) {
        number(to, sequence);
        set(to, position, share, headerBytes, bodyBytes, expiresAtMillis, message);
        to++;
    }

    void prepend(
            long sequence, long position, int share, int headerBytes, int bodyBytes, long expiresAtMillis,
            Message message) {
        own();
        number(from - 1, sequence);
        set(from - 1, position, share, headerBytes, bodyBytes, expiresAtMillis, message);
        from--;
    }

    /** Puts an entry into the hole that it has left. */
    void refill(
            int index, long position, int share, int headerBytes, int bodyBytes, long expiresAtMillis,
            Message message) {
        own();
        set(index, position, share, headerBytes, bodyBytes, expiresAtMillis, message);
    }

    /** Puts an entry between two, or behind the last; there must be {@linkplain #hasRoomBehind room behind}. */
    void insert(
            int index, long sequence, long position, int share, int headerBytes, int bodyBytes, long expiresAtMillis,
            Message message) {
        own();
        countOffsets();
        shift(positions, index);
        shift(shares, index);
        shift(this.bodyBytes, index);
        shift(this.headerBytes, index);
        shift(expiresAt, index);
        shift(messages, index);
        shift(offsets, index);
        number(index, sequence);
        set(index, position, share, headerBytes, bodyBytes, expiresAtMillis, message);
        to++;
    }

    private void shift(Object column, int index) {
        if (column != null) {
            System.arraycopy(column, index, column, index + 1, to - index);
        }
    }

    /** Takes the second half of its entries away, into a chunk of their own. */
    BacklogChunk split() {
        own();
        int middle = (from + to) >>> 1;
        while (isHole(middle)) {
            middle++;
        }
        BacklogChunk tail = new BacklogChunk(Math.max(MIN_ENTRIES, to - middle), false);
        for (int i = middle; i < to; i++) {
            if (!isHole(i)) {
                tail.append(
                        sequence(i), positions[i], shares[i], headerBytes(i), bodyBytes[i], expiresAt(i), message(i));
                letGo(i);
                live--;
            }
        }
        to = middle;
        return tail;
    }

    private void number(int index, long sequence) {
        if (from == to) {
            base = sequence - index;
            offsets = null;
        } else if (offsets == null && sequence != base + index) {
            countOffsets();
        }
        if (offsets != null) {
            offsets[index] = (int) (sequence - base);
        }
    }

    private void countOffsets() {
        if (offsets == null) {
            offsets = new int[capacity()];
            for (int i = from; i < to; i++) {
                offsets[i] = i;
            }
        }
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

    /** Removes one wherever it is. */
    void remove(int index) {
        if (index == from) {
            removeFirst();
        } else {
            own();
            positions[index] = HOLE;
            letGo(index);
            live--;
        }
        squeezeIfSparse();
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
        if (shared || capacity() > MIN_ENTRIES || offsets != null) {
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
    void removeDue(long nowMillis, int skip, int most, Backlog.Numbered out) {
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
            out.entry(
                    sequence(i), positions[i], shares[i], headerBytes(i), bodyBytes[i], expiresAt(i), message(i));
            own();
            positions[i] = HOLE;
            letGo(i);
        }
        minExpiresAt = soonest;
        skipHoles();
        squeezeIfSparse();
    }

    /** A few survivors do not hold a whole chunk. */
    private void squeezeIfSparse() {
        if (live > 0 && live <= capacity() / 4 && capacity() > MIN_ENTRIES) {
            squeeze();
        }
    }

    /** Moves what is left after holes were made into columns that fit, with room for one more. */
    void squeeze() {
        int capacity = Math.max(MIN_ENTRIES, Integer.highestOneBit(live) * 2);
        int[] newOffsets = new int[capacity];
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
            newOffsets[count] = (int) (sequence(i) - base);
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
        offsets = newOffsets;
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
            long position = pager.page(sequence(i), messages[i]);
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
                positions, shares, commonHeaderBytes, headerBytes, bodyBytes, expiresAt, base, offsets, from, to);
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
            offsets = offsets == null ? null : offsets.clone();
        }
    }
}
