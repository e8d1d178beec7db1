package io.sluicemq.broker.routing;

import io.vavr.collection.HashMap;
import java.util.Arrays;

/**
 * Distinct items, each with a count of how often it was put in; it goes when it was taken out as often. Immutable.
 *
 * <p>Read far more often than changed, and by plain loops over arrays. A small bag is one array. A large one is an array of
 * chunks, so that a change copies a chunk and the list of chunks and not everything, with a map from item to position beside it.
 * It stays so when it shrinks, until it is empty. The order of the items means nothing.
 */
final class Bag<T> {

    /** Items of a chunk, and the most that a small bag has. */
    static final int CHUNK = 64;

    private static final Bag<?> EMPTY = new Bag<>(new Object[0], null, null, null, 0);

    /** A small bag's items, else null. */
    private final Object[] items;

    /** A small bag's counts, or null if all are one. */
    private final int[] counts;

    /** A large bag's items: all chunks but the last are full. Else null. */
    private final Object[][] chunks;

    /** Where a large bag's items are, else null. */
    private final HashMap<T, Place> places;

    private final int size;

    private record Place(int position, int count) {}

    private Bag(Object[] items, int[] counts, Object[][] chunks, HashMap<T, Place> places, int size) {
        this.items = items;
        this.counts = counts;
        this.chunks = chunks;
        this.places = places;
        this.size = size;
    }

    private static <T> Bag<T> small(Object[] items, int[] counts) {
        return new Bag<>(items, counts, null, null, items.length);
    }

    @SuppressWarnings("unchecked") // it holds nothing
    static <T> Bag<T> empty() {
        return (Bag<T>) EMPTY;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** How many distinct items there are. */
    int size() {
        return size;
    }

    /** How many arrays the items are in. */
    int chunkCount() {
        return items != null ? 1 : chunks.length;
    }

    /** The items of one of the arrays, which is full and not to be changed. */
    Object[] chunk(int index) {
        return items != null ? items : chunks[index];
    }

    Bag<T> with(T item) {
        return items != null ? withInSmall(item) : withInLarge(item);
    }

    Bag<T> without(T item) {
        return items != null ? withoutInSmall(item) : withoutInLarge(item);
    }

    private Bag<T> withInSmall(T item) {
        int at = indexOf(item);
        if (at >= 0) {
            return small(items, countsPlus(at, 1));
        }
        if (size == CHUNK) {
            return enlarged().withInLarge(item);
        }
        Object[] more = Arrays.copyOf(items, size + 1);
        more[size] = item;
        int[] moreCounts = null;
        if (counts != null) {
            moreCounts = Arrays.copyOf(counts, size + 1);
            moreCounts[size] = 1;
        }
        return small(more, moreCounts);
    }

    private Bag<T> withoutInSmall(T item) {
        int at = indexOf(item);
        if (at < 0) {
            return this;
        }
        if (counts != null && counts[at] > 1) {
            return small(items, countsPlus(at, -1));
        }
        if (size == 1) {
            return empty();
        }
        int last = size - 1;
        Object[] fewer = Arrays.copyOf(items, last);
        int[] fewerCounts = counts == null ? null : Arrays.copyOf(counts, last);
        if (at < last) {
            fewer[at] = items[last];
            if (counts != null) {
                fewerCounts[at] = counts[last];
            }
        }
        return small(fewer, fewerCounts);
    }

    private int indexOf(T item) {
        for (int i = 0; i < items.length; i++) {
            if (items[i].equals(item)) {
                return i;
            }
        }
        return -1;
    }

    private int[] countsPlus(int at, int difference) {
        int[] changed;
        if (counts == null) {
            changed = new int[size];
            Arrays.fill(changed, 1);
        } else {
            changed = counts.clone();
        }
        changed[at] += difference;
        return changed;
    }

    @SuppressWarnings("unchecked") // only a T gets into items
    private Bag<T> enlarged() {
        HashMap<T, Place> positions = HashMap.empty();
        for (int i = 0; i < size; i++) {
            positions = positions.put((T) items[i], new Place(i, counts == null ? 1 : counts[i]));
        }
        return new Bag<>(null, null, new Object[][] {items}, positions, size);
    }

    private Bag<T> withInLarge(T item) {
        Place place = places.getOrElse(item, null);
        if (place != null) {
            return recounted(item, place, place.count + 1);
        }
        int chunk = size / CHUNK;
        int offset = size % CHUNK;
        Object[][] more = Arrays.copyOf(chunks, chunk + 1);
        more[chunk] = offset == 0 ? new Object[1] : Arrays.copyOf(chunks[chunk], offset + 1);
        more[chunk][offset] = item;
        return new Bag<>(null, null, more, places.put(item, new Place(size, 1)), size + 1);
    }

    private Bag<T> withoutInLarge(T item) {
        Place place = places.getOrElse(item, null);
        if (place == null) {
            return this;
        }
        if (place.count > 1) {
            return recounted(item, place, place.count - 1);
        }
        if (size == 1) {
            return empty();
        }
        int last = size - 1;
        int lastChunk = last / CHUNK;
        Object[][] fewer = chunks.clone();
        HashMap<T, Place> positions = places.remove(item);
        if (place.position < last) {
            // The last item fills the gap.
            @SuppressWarnings("unchecked") // only a T gets into chunks
            T moved = (T) chunks[lastChunk][last % CHUNK];
            int chunk = place.position / CHUNK;
            fewer[chunk] = chunks[chunk].clone();
            fewer[chunk][place.position % CHUNK] = moved;
            positions = positions.put(moved, new Place(place.position, places.get(moved).get().count));
        }
        if (last % CHUNK == 0) {
            fewer = Arrays.copyOf(fewer, lastChunk);
        } else {
            fewer[lastChunk] = Arrays.copyOf(fewer[lastChunk], last % CHUNK);
        }
        return new Bag<>(null, null, fewer, positions, last);
    }

    private Bag<T> recounted(T item, Place place, int count) {
        return new Bag<>(null, null, chunks, places.put(item, new Place(place.position, count)), size);
    }
}
