package io.sluicemq.protocol.amqp10;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Deliveries of a session that are not settled, by their delivery-id: a serial number (§2.8.10, RFC 1982), given in order. Owned
 * by the connection's loop.
 *
 * <p>Invariant: the numbers in {@code numbers} from {@code head} to {@code tail} rise; an entry that has left is null until
 * the rest is moved together.
 */
final class Unsettled<T> {

    private static final int LEAST = 16;

    private long[] numbers = new long[LEAST];
    private Object[] entries = new Object[LEAST];
    private int head;
    private int tail;
    private int size;
    private long latest;
    /** How often entries have got other places. */
    private int moves;

    int size() {
        return size;
    }

    /** What serial number {@code id} stands for, given that it is not far from the latest one. */
    private long unwrap(int id) {
        return latest + (id - (int) latest);
    }

    /** Adds the next delivery. Its id is behind all that were added before. */
    void add(int id, T entry) {
        long number = unwrap(id);
        latest = number;
        if (tail == numbers.length) {
            makeRoom();
        }
        numbers[tail] = number;
        entries[tail++] = entry;
        size++;
    }

    private void makeRoom() {
        if (size <= numbers.length / 2) {
            moves++;
            int kept = 0;
            for (int i = head; i < tail; i++) {
                if (entries[i] != null) {
                    numbers[kept] = numbers[i];
                    entries[kept++] = entries[i];
                }
            }
            Arrays.fill(entries, kept, tail, null);
            head = 0;
            tail = kept;
        } else {
            numbers = Arrays.copyOf(numbers, numbers.length * 2);
            entries = Arrays.copyOf(entries, entries.length * 2);
        }
    }

    /** The place of the first number that is not below this one. */
    private int place(long number) {
        if (head < tail && numbers[head] >= number) {
            return head;
        }
        int found = Arrays.binarySearch(numbers, head, tail, number);
        return found >= 0 ? found : -found - 1;
    }

    /** The delivery of that id; null if there is none. */
    T get(int id) {
        long number = unwrap(id);
        int at = place(number);
        return at < tail && numbers[at] == number ? cast(entries[at]) : null;
    }

    /** Takes the delivery of that id away; null if there is none. */
    T remove(int id) {
        long number = unwrap(id);
        int at = place(number);
        if (at == tail || numbers[at] != number || entries[at] == null) {
            return null;
        }
        T entry = cast(entries[at]);
        entries[at] = null;
        left();
        return entry;
    }

    private void left() {
        size--;
        if (size == 0) {
            moves++;
            head = 0;
            tail = 0;
            return;
        }
        while (entries[head] == null) {
            head++;
        }
    }

    /**
     * Hands on those from {@code first} to {@code last}, both included, which may be removed meanwhile. Those that are added meanwhile
     * are left out.
     */
    void forEach(int first, int last, Consumer<T> action) {
        forEach(unwrap(first), Math.min(unwrap(last), latest), action);
    }

    /** Hands on all, which may be removed meanwhile. Those that are added meanwhile are left out. */
    void forEach(Consumer<T> action) {
        if (size > 0) {
            forEach(numbers[head], latest, action);
        }
    }

    private void forEach(long from, long to, Consumer<T> action) {
        int at = place(from);
        while (at < tail && numbers[at] <= to) {
            long number = numbers[at];
            T entry = cast(entries[at]);
            int before = moves;
            if (entry != null) {
                action.accept(entry);
            }
            at = moves == before ? at + 1 : place(number + 1);
        }
    }

    @SuppressWarnings("unchecked")
    private T cast(Object entry) {
        return (T) entry;
    }
}
