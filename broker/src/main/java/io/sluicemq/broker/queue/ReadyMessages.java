package io.sluicemq.broker.queue;

import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.TreeMap;

/**
 * The ready messages of a queue, or of one priority of it, in their order. New ones are appended to a ring; those that come
 * back from a consumer return to their place by their sequence number. Any one can be taken out of the middle.
 *
 * <p>Owned by the queue's loop. Invariant: sequence numbers rise along the ring, and {@code size} counts what is not a hole.
 */
final class ReadyMessages {

    private static final int SMALLEST_RING = 16;

    private QueueEntry[] ring;
    private long head;
    private long tail;
    private int inRing;
    private TreeMap<Long, QueueEntry> returned;
    private int looks;
    private long stoppedAt = Long.MAX_VALUE;

    int size() {
        return inRing + (returned == null ? 0 : returned.size());
    }

    boolean isEmpty() {
        return inRing == 0 && (returned == null || returned.isEmpty());
    }

    /** Appends an entry that is younger than all before it. */
    void append(QueueEntry entry) {
        if (ring == null) {
            ring = new QueueEntry[SMALLEST_RING];
        } else if (tail - head == ring.length) {
            resize(inRing * 2 > ring.length ? ring.length * 2 : ring.length);
        }
        entry.slot = tail;
        entry.inRing = true;
        ring[(int) (tail++ & (ring.length - 1))] = entry;
        inRing++;
    }

    /** Puts an entry back to its place. */
    void restore(QueueEntry entry) {
        if (returned == null) {
            returned = new TreeMap<>();
        }
        entry.inRing = false;
        returned.put(entry.sequence, entry);
    }

    /** The first entry, or null. */
    QueueEntry first() {
        QueueEntry fromRing = inRing == 0 ? null : ring[(int) (head & (ring.length - 1))];
        if (returned == null || returned.isEmpty()) {
            return fromRing;
        }
        QueueEntry fromReturned = returned.firstEntry().getValue();
        return fromRing == null || fromReturned.sequence < fromRing.sequence ? fromReturned : fromRing;
    }

    /** The entry of that sequence number, or null. */
    QueueEntry find(long sequence) {
        QueueEntry fromReturned = returned == null ? null : returned.get(sequence);
        if (fromReturned != null) {
            return fromReturned;
        }
        for (long slot = firstSlot(sequence); slot < tail; slot++) {
            QueueEntry entry = ring[(int) (slot & (ring.length - 1))];
            if (entry != null) {
                return entry.sequence == sequence ? entry : null;
            }
        }
        return null;
    }

    /**
     * The first entry with a sequence number of {@code from} or more that {@code consumer} may have; null if there is none, or if
     * that would take more than {@code most} looks: {@link #stoppedAt} tells.
     */
    QueueEntry firstFor(QueueConsumer consumer, long from, int most) {
        looks = 0;
        stoppedAt = Long.MAX_VALUE;
        Iterator<QueueEntry> back = returned == null || returned.isEmpty()
                ? Collections.emptyIterator()
                : returned.tailMap(from, true).values().iterator();
        QueueEntry fromReturned = back.hasNext() ? back.next() : null;
        long slot = firstSlot(from);
        while (true) {
            while (slot < tail && ring[(int) (slot & (ring.length - 1))] == null) {
                slot++;
            }
            QueueEntry fromRing = slot < tail ? ring[(int) (slot & (ring.length - 1))] : null;
            boolean isFromRing =
                    fromReturned == null || fromRing != null && fromRing.sequence < fromReturned.sequence;
            QueueEntry entry = isFromRing ? fromRing : fromReturned;
            if (entry == null) {
                return null;
            }
            if (looks == most) {
                stoppedAt = entry.sequence;
                return null;
            }
            looks++;
            if (consumer.accepts(entry)) {
                return entry;
            }
            if (isFromRing) {
                slot++;
            } else {
                fromReturned = back.hasNext() ? back.next() : null;
            }
        }
    }

    /** How many the last {@link #firstFor} has looked at. */
    int looks() {
        return looks;
    }

    /** The sequence number of the first that the last {@link #firstFor} should have looked at; {@link Long#MAX_VALUE} for none. */
    long stoppedAt() {
        return stoppedAt;
    }

    /** The first slot of the ring before which no entry has a sequence number of {@code from} or more. */
    private long firstSlot(long from) {
        long low = head;
        long high = tail;
        while (low < high) {
            long middle = (low + high) >>> 1;
            long slot = middle;
            while (slot < high && ring[(int) (slot & (ring.length - 1))] == null) {
                slot++;
            }
            if (slot < high && ring[(int) (slot & (ring.length - 1))].sequence < from) {
                low = slot + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Takes an entry out, wherever it stands. */
    void remove(QueueEntry entry) {
        if (!entry.inRing) {
            returned.remove(entry.sequence);
            return;
        }
        entry.inRing = false;
        ring[(int) (entry.slot & (ring.length - 1))] = null;
        inRing--;
        if (entry.slot == head) {
            skipHoles();
        }
        if (ring.length > SMALLEST_RING && inRing < ring.length / 8) {
            resize(Math.max(SMALLEST_RING, ring.length / 4));
        }
    }

    /**
     * The youngest; null if there is none.
     *
     * @param returnedToo whether it may be one that was returned; if not, and it is, null
     */
    QueueEntry last(boolean returnedToo) {
        QueueEntry fromReturned = returned == null || returned.isEmpty() ? null : returned.lastEntry().getValue();
        if (inRing == 0) {
            return returnedToo ? fromReturned : null;
        }
        while (ring[(int) (tail - 1 & (ring.length - 1))] == null) {
            tail--;
        }
        QueueEntry fromRing = ring[(int) (tail - 1 & (ring.length - 1))];
        if (fromReturned == null || fromReturned.sequence < fromRing.sequence) {
            return fromRing;
        }
        return returnedToo ? fromReturned : null;
    }

    /** All entries, in any order. */
    void forEach(java.util.function.Consumer<QueueEntry> each) {
        for (long slot = head; slot < tail; slot++) {
            QueueEntry entry = ring[(int) (slot & (ring.length - 1))];
            if (entry != null) {
                each.accept(entry);
            }
        }
        if (returned != null) {
            returned.values().forEach(each);
        }
    }

    private void skipHoles() {
        if (inRing == 0) {
            head = tail;
            return;
        }
        while (ring[(int) (head & (ring.length - 1))] == null) {
            head++;
        }
    }

    private void resize(int length) {
        QueueEntry[] next = new QueueEntry[length];
        int count = 0;
        for (long slot = head; slot < tail; slot++) {
            QueueEntry entry = ring[(int) (slot & (ring.length - 1))];
            if (entry != null) {
                entry.slot = count;
                next[count++] = entry;
            }
        }
        ring = next;
        head = 0;
        tail = count;
    }

    /** Empties it and frees its memory. */
    void clear() {
        if (ring != null) {
            Arrays.fill(ring, null);
        }
        ring = null;
        returned = null;
        head = 0;
        tail = 0;
        inRing = 0;
    }
}
