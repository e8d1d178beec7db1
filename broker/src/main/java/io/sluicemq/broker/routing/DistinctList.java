package io.sluicemq.broker.routing;

import java.util.Arrays;

/**
 * A list that takes each object once, by identity, and is used over and over without allocating once it has grown to its work.
 * A few objects are told apart by looking at all, more by a hash table that is built when it is first needed.
 *
 * <p>Belongs to one caller.
 */
final class DistinctList<T> {

    /** Up to this many objects are compared one by one. */
    private static final int FEW = 8;

    private Object[] items = new Object[FEW];
    private int size;

    /** Positions of the items plus one, by hash, 0 for a free slot; only the first {@code mask + 1} slots are in use. */
    private int[] slots = new int[0];

    /** 0 while there are too few items for the table. */
    private int mask;

    int size() {
        return size;
    }

    @SuppressWarnings("unchecked") // only a T gets in
    T get(int index) {
        return (T) items[index];
    }

    /** Adds {@code item} unless it is there already; returns whether it was added. */
    boolean add(T item) {
        if (size < FEW) {
            for (int i = 0; i < size; i++) {
                if (items[i] == item) {
                    return false;
                }
            }
            items[size++] = item;
            return true;
        }
        if (2 * size > mask) {
            rebuildTable();
        }
        int slot = slotOf(item);
        if (slots[slot] != 0) {
            return false;
        }
        if (size == items.length) {
            items = Arrays.copyOf(items, 2 * size);
        }
        items[size++] = item;
        slots[slot] = size;
        return true;
    }

    /** Adds all of {@code batch}, in which no object is twice. */
    void addAll(Object[] batch) {
        if (size == 0) {
            if (items.length < batch.length) {
                items = new Object[batch.length];
            }
            System.arraycopy(batch, 0, items, 0, batch.length);
            size = batch.length;
            return;
        }
        for (Object item : batch) {
            @SuppressWarnings("unchecked") // only called with arrays of T
            T it = (T) item;
            add(it);
        }
    }

    void clear() {
        Arrays.fill(items, 0, size, null);
        size = 0;
        if (mask != 0) {
            Arrays.fill(slots, 0, mask + 1, 0);
            mask = 0;
        }
    }

    /** Where {@code item} is, or the free slot where it would be. */
    private int slotOf(T item) {
        int hash = System.identityHashCode(item);
        int slot = (hash ^ hash >>> 16) & mask;
        while (slots[slot] != 0 && items[slots[slot] - 1] != item) {
            slot = slot + 1 & mask;
        }
        return slot;
    }

    /** Makes the table at least four times as large as the list, so that it is never more than half full. */
    private void rebuildTable() {
        int capacity = Integer.highestOneBit(size) << 3;
        if (slots.length < capacity) {
            slots = new int[capacity];
        } else {
            Arrays.fill(slots, 0, capacity, 0);
        }
        mask = capacity - 1;
        for (int i = 0; i < size; i++) {
            slots[slotOf(get(i))] = i + 1;
        }
    }
}
