package io.sluicemq.broker.queue;

import io.sluicemq.api.Message;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;

/**
 * The compact index of a queue's messages, of one priority, that wait in the log: first in, first out, 16 bytes each, in
 * chunks of up to {@value BacklogChunk#MAX_ENTRIES}. Messages that are not in the log stand among them with the position −1
 * and are held in memory. An entry's place says where its message is: a position in the log, with {@link #PAGED} added if that
 * record is of this process only; or {@link #IN_MEMORY}. Its sequence number says where it stands and stays with it, so that
 * it can be found, taken out of the middle, and put back.
 *
 * <p>Owned by the queue's loop. No chunk is without a live entry, except that an empty backlog may keep one of the smallest
 * size; the first entry of each chunk is live. What a {@link Snapshot} has seen is never overwritten: a chunk that one refers
 * to copies its columns before it changes an entry.
 */
public final class Backlog {

    /** The place of a message that is not in the log. */
    static final long IN_MEMORY = -1;

    /** Added to a position, all of which are divisible by 8: the record is dropped by a start, and no checkpoint may name it. */
    static final long PAGED = 1;

    private BacklogChunk first;
    private BacklogChunk last;
    /** Where one was looked for last; null for nowhere. */
    private BacklogChunk near;
    private long nextSequence;
    private int chunks;
    private int size;
    private int held;
    private long heldBytes;
    private long headerBytes;
    private long bodyBytes;
    private long indexBytes;
    /** Not above the lowest of the live entries. */
    private long minExpiresAt = QueueEntry.NEVER;
    /** Whether the chunk that {@link #minExpiresAt} came from may have left, so that it has to be found again. */
    private boolean minExpiresStale;

    static boolean isPaged(long place) {
        return place >= 0 && (place & PAGED) != 0;
    }

    /** Where the record is; {@link #IN_MEMORY} if there is none. */
    static long position(long place) {
        return isPaged(place) ? place - PAGED : place;
    }

    /** What stands for the place of a message in memory, where it is to be told apart from others: below {@link #IN_MEMORY}. */
    static long heldKey(int level, long sequence) {
        return -2 - (sequence << Byte.SIZE | level);
    }

    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** The bodies' bytes of all its entries. */
    long bodyBytes() {
        return bodyBytes;
    }

    /** What its entries count as messages, in memory or not: header, body and {@link Message#OVERHEAD_BYTES} of each. */
    long sizeBytes() {
        return headerBytes + bodyBytes + (long) Message.OVERHEAD_BYTES * size;
    }

    /** How many of its messages are held in memory. */
    int held() {
        return held;
    }

    /** The {@linkplain Message#sizeBytes bytes} of those. */
    long heldBytes() {
        return heldBytes;
    }

    /** Bytes of memory that the index takes; messages held in memory count for a reference. */
    long indexBytes() {
        return indexBytes;
    }

    /** Adds an entry at the end, with the number after the last one's; the parameters are those of the other. */
    void append(
            long place, int share, int headerBytes, int bodyBytes, long expiresAtMillis, Message message) {
        append(nextSequence, place, share, headerBytes, bodyBytes, expiresAtMillis, message);
    }

    /**
     * Adds an entry at the end.
     *
     * @param sequence above those of all others
     * @param place its position in the log, divisible by 8, {@link #PAGED} added or not; or {@link #IN_MEMORY}
     * @param share bytes of the record that this entry accounts for
     * @param headerBytes of the message, as {@code bodyBytes}; 0 if it was recovered and nothing says how many
     * @param expiresAtMillis milliseconds since 1970, or {@link QueueEntry#NEVER}
     * @param message null unless it is in memory
     */
    void append(
            long sequence, long place, int share, int headerBytes, int bodyBytes, long expiresAtMillis,
            Message message) {
        check(place, share, headerBytes, bodyBytes, message);
        if (last == null || !last.hasRoomBehind(sequence)) {
            linkLast(new BacklogChunk(capacityFor(size), false));
        }
        nextSequence = Math.max(nextSequence, sequence + 1);
        long before = last.bytes();
        last.append(sequence, place, share, headerBytes, bodyBytes, expiresAtMillis, message);
        added(last, before, headerBytes, bodyBytes, expiresAtMillis, message);
    }

    /** Adds an entry before the first, whose number is above this one; the parameters are those of {@link #append}. */
    void prepend(
            long sequence, long place, int share, int headerBytes, int bodyBytes, long expiresAtMillis,
            Message message) {
        check(place, share, headerBytes, bodyBytes, message);
        nextSequence = Math.max(nextSequence, sequence + 1);
        if (first == null || !first.hasRoomBefore(sequence)) {
            // Few come back as a rule: only if they fill a chunk the next is larger.
            int capacity = first != null && first.filledFromBehind ? capacityFor(2 * first.capacity()) : capacityFor(0);
            linkFirst(new BacklogChunk(capacity, true));
        }
        long before = first.bytes();
        first.prepend(sequence, place, share, headerBytes, bodyBytes, expiresAtMillis, message);
        added(first, before, headerBytes, bodyBytes, expiresAtMillis, message);
    }

    /** Puts an entry back between others, to where its number belongs; the parameters are those of {@link #append}. */
    void insert(
            long sequence, long place, int share, int headerBytes, int bodyBytes, long expiresAtMillis,
            Message message) {
        if (size == 0 || sequence > last.sequence(last.to() - 1)) {
            append(sequence, place, share, headerBytes, bodyBytes, expiresAtMillis, message);
            return;
        }
        if (sequence < firstSequence()) {
            prepend(sequence, place, share, headerBytes, bodyBytes, expiresAtMillis, message);
            return;
        }
        check(place, share, headerBytes, bodyBytes, message);
        BacklogChunk chunk = chunkOf(sequence);
        int index = chunk.indexOf(sequence);
        long before = chunk.bytes();
        if (index < chunk.to() && chunk.sequence(index) == sequence) {
            chunk.refill(index, place, share, headerBytes, bodyBytes, expiresAtMillis, message);
            added(chunk, before, headerBytes, bodyBytes, expiresAtMillis, message);
            return;
        }
        if (chunk.live() >= BacklogChunk.MAX_ENTRIES) {
            BacklogChunk tail = chunk.split();
            linkAfter(chunk, tail);
            indexBytes += chunk.bytes() - before;
            if (tail.sequence(tail.from()) < sequence) {
                chunk = tail;
            }
            before = chunk.bytes();
        }
        if (!chunk.hasRoomBehind(sequence)) {
            chunk.squeeze();
        }
        chunk.insert(
                chunk.indexOf(sequence), sequence, place, share, headerBytes, bodyBytes, expiresAtMillis, message);
        added(chunk, before, headerBytes, bodyBytes, expiresAtMillis, message);
    }

    // ---- finding by number

    /** The number of the first entry, of which there must be one. */
    long firstSequence() {
        BacklogChunk chunk = nonEmpty();
        return chunk.sequence(chunk.from());
    }

    /** One more than the number of any entry that was ever added. */
    long nextSequence() {
        return nextSequence;
    }

    /** The number of the first entry whose number is not below this one; {@link Long#MAX_VALUE} if there is none. */
    long firstFrom(long sequence) {
        for (BacklogChunk chunk = size == 0 ? null : chunkOf(sequence); chunk != null; chunk = chunk.next) {
            for (int i = chunk.indexOf(sequence); i < chunk.to(); i++) {
                if (!chunk.isHole(i)) {
                    return chunk.sequence(i);
                }
            }
        }
        return Long.MAX_VALUE;
    }

    boolean contains(long sequence) {
        return firstFrom(sequence) == sequence;
    }

    /** The place of an entry that is there. */
    long place(long sequence) {
        BacklogChunk chunk = chunkOf(sequence);
        return chunk.place(chunk.indexOf(sequence));
    }

    /** The message of an entry that is there; null if it is not in memory. */
    Message message(long sequence) {
        BacklogChunk chunk = chunkOf(sequence);
        return chunk.message(chunk.indexOf(sequence));
    }

    long expiresAt(long sequence) {
        BacklogChunk chunk = chunkOf(sequence);
        return chunk.expiresAt(chunk.indexOf(sequence));
    }

    /** Removes an entry that is there, wherever it stands; tells it to {@code out}, which must not touch this backlog. */
    void remove(long sequence, Entries out) {
        BacklogChunk chunk = chunkOf(sequence);
        int index = chunk.indexOf(sequence);
        if (index == chunk.to() || chunk.sequence(index) != sequence || chunk.isHole(index)) {
            throw new NoSuchElementException("no entry has the number " + sequence);
        }
        chunk.tell(index, out);
        long before = chunk.bytes();
        if (chunk.expiresAt(index) <= minExpiresAt) {
            minExpiresStale = true;
        }
        letGo(chunk.message(index));
        headerBytes -= chunk.headerBytes(index);
        bodyBytes -= chunk.bodyBytes(index);
        size--;
        chunk.remove(index);
        indexBytes += chunk.bytes() - before;
        removedFrom(chunk);
    }

    /** The last chunk that does not begin behind this number, or the first; there is one. */
    private BacklogChunk chunkOf(long sequence) {
        BacklogChunk chunk = near == null ? first : near;
        while (chunk.previous != null && chunk.sequence(chunk.from()) > sequence) {
            chunk = chunk.previous;
        }
        while (chunk.next != null && chunk.next.sequence(chunk.next.from()) <= sequence) {
            chunk = chunk.next;
        }
        near = chunk;
        return chunk;
    }

    private static void check(long place, int share, int headerBytes, int bodyBytes, Message message) {
        if ((share | headerBytes | bodyBytes) < 0) {
            throw new IllegalArgumentException("no entry has a share of " + share + ", a header of " + headerBytes
                    + ", a body of " + bodyBytes + " bytes");
        }
        if (place < 0 ? place != IN_MEMORY || message == null : (position(place) & 7) != 0 || message != null) {
            throw new IllegalArgumentException("no entry has the place " + place
                    + (message == null ? " and no message" : " and a message"));
        }
    }

    private void added(
            BacklogChunk chunk, long bytesBefore, int headerBytes, int bodyBytes, long expiresAtMillis,
            Message message) {
        indexBytes += chunk.bytes() - bytesBefore;
        size++;
        this.headerBytes += headerBytes;
        this.bodyBytes += bodyBytes;
        if (message != null) {
            held++;
            heldBytes += message.sizeBytes();
        }
        if (expiresAtMillis < minExpiresAt) {
            minExpiresAt = expiresAtMillis;
        }
    }

    /** A chunk is about as large as the backlog, so that many short ones take little. */
    private static int capacityFor(int entries) {
        return Math.clamp(Integer.highestOneBit(entries), BacklogChunk.MIN_ENTRIES, BacklogChunk.MAX_ENTRIES);
    }

    private void linkLast(BacklogChunk chunk) {
        dropIfEmpty();
        chunk.previous = last;
        if (last == null) {
            first = chunk;
        } else {
            last.next = chunk;
        }
        last = chunk;
        chunks++;
        indexBytes += chunk.bytes();
    }

    private void linkAfter(BacklogChunk before, BacklogChunk chunk) {
        chunk.previous = before;
        chunk.next = before.next;
        if (before.next == null) {
            last = chunk;
        } else {
            before.next.previous = chunk;
        }
        before.next = chunk;
        chunks++;
        indexBytes += chunk.bytes();
    }

    private void linkFirst(BacklogChunk chunk) {
        dropIfEmpty();
        chunk.next = first;
        if (first == null) {
            last = chunk;
        } else {
            first.previous = chunk;
        }
        first = chunk;
        chunks++;
        indexBytes += chunk.bytes();
    }

    /** The chunk that an empty backlog kept makes way for one that fits. */
    private void dropIfEmpty() {
        if (first != null && first.live() == 0) {
            unlink(first);
        }
    }

    private void unlink(BacklogChunk chunk) {
        if (chunk.previous == null) {
            first = chunk.next;
        } else {
            chunk.previous.next = chunk.next;
        }
        if (chunk.next == null) {
            last = chunk.previous;
        } else {
            chunk.next.previous = chunk.previous;
        }
        chunks--;
        if (near == chunk) {
            near = null;
        }
        indexBytes -= chunk.bytes();
        if (chunk.minExpiresAt() <= minExpiresAt) {
            minExpiresStale = true;
        }
    }

    private BacklogChunk nonEmpty() {
        if (size == 0) {
            throw new NoSuchElementException("the backlog is empty");
        }
        return first;
    }

    /** Where the first entry's record is, or {@link #IN_MEMORY}. */
    public long firstPosition() {
        return position(firstPlace());
    }

    /** Whether the first entry's record is dropped by a start. */
    public boolean firstIsPaged() {
        return isPaged(firstPlace());
    }

    long firstPlace() {
        return nonEmpty().place(first.from());
    }

    public int firstShare() {
        return nonEmpty().share(first.from());
    }

    int firstHeaderBytes() {
        return nonEmpty().headerBytes(first.from());
    }

    int firstBodyBytes() {
        return nonEmpty().bodyBytes(first.from());
    }

    long firstExpiresAt() {
        return nonEmpty().expiresAt(first.from());
    }

    /** The first entry's message if it is in memory, otherwise null. */
    public Message firstMessage() {
        return nonEmpty().message(first.from());
    }

    public void removeFirst() {
        BacklogChunk chunk = nonEmpty();
        letGo(chunk.message(chunk.from()));
        headerBytes -= chunk.headerBytes(chunk.from());
        bodyBytes -= chunk.bodyBytes(chunk.from());
        size--;
        chunk.removeFirst();
        removedFrom(chunk);
    }

    private void letGo(Message message) {
        if (message != null) {
            held--;
            heldBytes -= message.sizeBytes();
        }
    }

    private void removedFrom(BacklogChunk chunk) {
        if (size == 0 && chunk.reset()) {
            minExpiresAt = QueueEntry.NEVER;
            minExpiresStale = false;
        } else if (chunk.live() == 0) {
            unlink(chunk);
        }
    }

    /**
     * Tells the first entries whose numbers are not below {@code from}, up to {@code max} and only as many as {@linkplain
     * #sizeBytes count} {@code maxBytes} together, but one at least if there is one.
     *
     * @return how many; of each, its number and its place are in the arrays
     */
    int peek(long from, int max, long maxBytes, long[] sequences, long[] places) {
        int count = 0;
        long bytes = 0;
        for (BacklogChunk chunk = size == 0 ? null : chunkOf(from); chunk != null; chunk = chunk.next) {
            for (int i = chunk.indexOf(from); i < chunk.to(); i++) {
                if (chunk.isHole(i)) {
                    continue;
                }
                bytes += chunk.headerBytes(i) + (long) chunk.bodyBytes(i) + Message.OVERHEAD_BYTES;
                if (count >= max || count > 0 && bytes > maxBytes) {
                    return count;
                }
                sequences[count] = chunk.sequence(i);
                places[count] = chunk.place(i);
                count++;
            }
        }
        return count;
    }

    /**
     * When the first of its entries expires, in milliseconds since 1970; {@link QueueEntry#NEVER} if none does. Never later
     * than that; earlier if that one has left since the last {@link #removeDue}.
     */
    long minExpiresAt() {
        if (minExpiresStale) {
            minExpiresStale = false;
            minExpiresAt = QueueEntry.NEVER;
            for (BacklogChunk chunk = first; chunk != null; chunk = chunk.next) {
                minExpiresAt = Math.min(minExpiresAt, chunk.minExpiresAt());
            }
        }
        return minExpiresAt;
    }

    /**
     * Removes up to {@code most} entries that expire by {@code nowMillis}, but none of the first {@code skipFirst}; tells
     * each, in order, to {@code out}, which must not touch this backlog.
     */
    void removeDue(long nowMillis, int skipFirst, int most, Numbered out) {
        long due = Math.min(nowMillis, QueueEntry.NEVER - 1);
        int skip = skipFirst;
        int left = most;
        Numbered counted = (sequence, place, share, header, body, expires, message) -> {
            letGo(message);
            headerBytes -= header;
            bodyBytes -= body;
            out.entry(sequence, place, share, header, body, expires, message);
        };
        BacklogChunk next;
        for (BacklogChunk chunk = first; chunk != null && left > 0; chunk = next) {
            next = chunk.next;
            int live = chunk.live();
            if (skip < live && chunk.minExpiresAt() <= due) {
                long bytesBefore = chunk.bytes();
                long minBefore = chunk.minExpiresAt();
                chunk.removeDue(due, skip, left, counted);
                indexBytes += chunk.bytes() - bytesBefore;
                int removed = live - chunk.live();
                left -= removed;
                size -= removed;
                if (minBefore <= minExpiresAt) {
                    minExpiresStale = true;
                }
                if (removed > 0) {
                    removedFrom(chunk);
                }
            }
            skip = Math.max(0, skip - live);
        }
    }

    /** Tells all entries in their order to {@code out}, which must not touch this backlog. */
    void forEach(Entries out) {
        for (BacklogChunk chunk = first; chunk != null; chunk = chunk.next) {
            for (int i = chunk.from(); i < chunk.to(); i++) {
                if (!chunk.isHole(i)) {
                    chunk.tell(i, out);
                }
            }
        }
    }

    void clear() {
        first = null;
        last = null;
        near = null;
        chunks = 0;
        size = 0;
        held = 0;
        heldBytes = 0;
        headerBytes = 0;
        bodyBytes = 0;
        indexBytes = 0;
        minExpiresAt = QueueEntry.NEVER;
        minExpiresStale = false;
    }

    /** Tells which positions of its entries are in {@code [lowest, highest]} and are {@code candidate}s; neither may touch it. */
    void findAny(LongPredicate candidate, long lowest, long highest, LongConsumer found) {
        // Neither a hole nor an entry in memory has a position from 0 on.
        long from = Math.max(0, lowest);
        for (BacklogChunk chunk = first; chunk != null; chunk = chunk.next) {
            if (chunk.overlaps(from, highest)) {
                for (int i = chunk.from(); i < chunk.to(); i++) {
                    long position = position(chunk.place(i));
                    if (position >= from && position <= highest && candidate.test(position)) {
                        found.accept(position);
                    }
                }
            }
        }
    }

    /**
     * Records have moved in the log: replaces the positions in {@code [lowest, highest]} for which {@code where} knows another.
     *
     * @param where the new position of the one given, or −1 if it stays
     * @param out told each; it and {@code where} must not touch this backlog
     */
    void move(long lowest, long highest, LongUnaryOperator where, Moved out) {
        for (BacklogChunk chunk = first; chunk != null; chunk = chunk.next) {
            if (chunk.overlaps(lowest, highest)) {
                chunk.move(Math.max(0, lowest), highest, where, out);
            }
        }
    }

    /** Offers the messages that are held in memory, the last first, until {@code pager}, which must not touch this, has enough. */
    void pageHeld(Pager pager) {
        Pager counted = new Pager() {
            @Override
            public long page(long sequence, Message message) {
                long position = pager.page(sequence, message);
                if (position >= 0) {
                    letGo(message);
                }
                return position;
            }

            @Override
            public int share() {
                return pager.share();
            }
        };
        boolean more = true;
        for (BacklogChunk chunk = last; chunk != null && held > 0 && more; chunk = chunk.previous) {
            if (chunk.held() > 0) {
                long bytesBefore = chunk.bytes();
                more = chunk.pageHeld(counted);
                indexBytes += chunk.bytes() - bytesBefore;
            }
        }
    }

    /** What is in it now, to be encoded piece by piece; nothing that happens later changes it. */
    Snapshot snapshot() {
        Columns[] parts = new Columns[chunks];
        int count = 0;
        for (BacklogChunk chunk = first; chunk != null; chunk = chunk.next) {
            parts[count++] = chunk.share();
        }
        return new Snapshot(parts);
    }

    /** Is told entries. */
    interface Entries {

        /** The parameters are those of {@link Backlog#append}. */
        void entry(
                long place, int share, int headerBytes, int bodyBytes, long expiresAtMillis, Message message);
    }

    /** Is told entries and their numbers. */
    interface Numbered {

        /** The parameters are those of {@link Backlog#append}. */
        void entry(
                long sequence, long place, int share, int headerBytes, int bodyBytes, long expiresAtMillis,
                Message message);
    }

    /** Is offered messages that are in memory. */
    interface Pager {

        /** It is not to be asked again. */
        long ENOUGH = -3;

        /** The message's position in the log from now on; {@link #ENOUGH}; or another negative number, if it stays in memory. */
        long page(long sequence, Message message);

        /** The bytes of the record at the position told last. */
        int share();
    }

    /** Is told which entries have another position than before. */
    public interface Moved {

        void moved(long from, long to, int share);
    }

    /** The columns of a chunk and the range of them that was in use. */
    record Columns(
            long[] positions,
            int[] shares,
            int commonHeaderBytes,
            int[] headerBytes,
            int[] bodyBytes,
            long[] expiresAt,
            long base,
            int[] offsets,
            int from,
            int to) {

        int headerBytes(int index) {
            return headerBytes == null ? commonHeaderBytes : headerBytes[index];
        }

        long sequence(int index) {
            return base + (offsets == null ? index : offsets[index]);
        }
    }

    /** The entries of a backlog at one moment. Owned by the backlog's loop. */
    static final class Snapshot {

        private final Columns[] parts;
        private final EntryBlock block = new EntryBlock();
        /** What belongs between its entries though it is not among them now, in their order; and how many were encoded. */
        private List<QueueSnapshot.Resident> between = List.of();

        private int nextBetween;
        private int part;
        private int next;

        private Snapshot(Columns[] parts) {
            this.parts = parts;
            next = parts.length == 0 ? 0 : parts[0].from;
        }

        /** Adds, before anything is encoded, what is to stand among its entries by sequence numbers, which rise. */
        void include(List<QueueSnapshot.Resident> others) {
            between = others;
        }

        /**
         * Encodes, as one {@linkplain EntryBlock block}, as many entries in the log as fit into {@code out}, after those that
         * earlier calls have encoded.
         *
         * @return whether more remain
         * @throws IllegalArgumentException if {@code out} has room for less than {@link EntryBlock#MIN_BYTES}
         */
        boolean encodeNext(ByteBuffer out) {
            block.begin(out);
            boolean remain = addParts();
            block.end();
            return remain;
        }

        private boolean addParts() {
            while (part < parts.length) {
                Columns columns = parts[part];
                for (; next < columns.to; next++) {
                    long position = columns.positions[next];
                    if (position >= 0
                            && !isPaged(position)
                            && (!addBefore(columns.sequence(next))
                                    || !block.add(
                                            position,
                                            columns.shares[next],
                                            columns.headerBytes(next),
                                            columns.bodyBytes[next],
                                            columns.expiresAt == null
                                                    ? QueueEntry.NEVER
                                                    : columns.expiresAt[next]))) {
                        return true;
                    }
                }
                // It may be the last that holds on to the columns.
                parts[part] = null;
                part++;
                next = part < parts.length ? parts[part].from : 0;
            }
            return !addBefore(Long.MAX_VALUE);
        }

        private boolean addBefore(long sequence) {
            while (nextBetween < between.size() && between.get(nextBetween).sequence() < sequence) {
                if (!between.get(nextBetween).addTo(block)) {
                    return false;
                }
                nextBetween++;
            }
            return true;
        }
    }
}
