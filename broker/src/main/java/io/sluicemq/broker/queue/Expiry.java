package io.sluicemq.broker.queue;

import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Finds the ready message that expires first. Those that live as long as their queue lets them expire in their order, so
 * looking at the first of each priority is enough; those with a time of their own stand in a heap as well, so that they are
 * found wherever they are in the queue.
 *
 * <p>Owned by the queue's loop. An entry that leaves stays in the heap until half of the heap is such: then it is rebuilt,
 * so that no dead message is held for long.
 */
final class Expiry {

    private static final int SMALLEST_REBUILD = 64;

    private final PriorityMessages ready;
    private PriorityQueue<QueueEntry> heap;
    private int stale;

    Expiry(PriorityMessages ready) {
        this.ready = ready;
    }

    /** A ready entry expires at a time of its own. */
    void watch(QueueEntry entry) {
        if (entry.inExpiryHeap) {
            stale--;
            return;
        }
        if (heap == null) {
            heap = new PriorityQueue<>(Comparator.comparingLong((QueueEntry e) -> e.expiresAtMillis));
        }
        entry.inExpiryHeap = true;
        heap.add(entry);
    }

    /** An entry has left the ready messages. */
    void left(QueueEntry entry) {
        if (!entry.inExpiryHeap) {
            return;
        }
        stale++;
        if (stale >= SMALLEST_REBUILD && stale * 2 > heap.size()) {
            rebuild();
        }
    }

    private void rebuild() {
        PriorityQueue<QueueEntry> live =
                new PriorityQueue<>(Comparator.comparingLong((QueueEntry e) -> e.expiresAtMillis));
        for (QueueEntry entry : heap) {
            if (entry.isReady()) {
                live.add(entry);
            } else {
                entry.inExpiryHeap = false;
            }
        }
        heap = live;
        stale = 0;
    }

    /** The ready entry that expires first, or null if none does. */
    QueueEntry first() {
        QueueEntry fromOrder = ready.firstToExpire();
        if (heap == null) {
            return fromOrder;
        }
        QueueEntry fromHeap = heap.peek();
        while (fromHeap != null && !fromHeap.isReady()) {
            heap.remove();
            fromHeap.inExpiryHeap = false;
            stale--;
            fromHeap = heap.peek();
        }
        if (fromHeap == null) {
            heap = null;
            return fromOrder;
        }
        return fromOrder == null || fromHeap.expiresAtMillis < fromOrder.expiresAtMillis ? fromHeap : fromOrder;
    }

    /** How many entries the heap holds, dead ones included. */
    int heapSize() {
        return heap == null ? 0 : heap.size();
    }
}
