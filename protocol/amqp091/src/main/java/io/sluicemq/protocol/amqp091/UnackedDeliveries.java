package io.sluicemq.protocol.amqp091;

import io.sluicemq.api.Delivery;
import io.sluicemq.base.LoopOwned;
import java.util.Arrays;

/**
 * The deliveries of one channel that the client has not settled, by delivery tag; owned by the connection's loop.
 *
 * <p>A ring of parallel arrays in the order of the tags, which only grow. An entry settled out of order leaves a hole;
 * holes at the head are dropped at once, and when the ring is full and at least half of it is holes it is compacted
 * instead of grown. So its size follows the number of unsettled deliveries, and taking the next tag, the last tags or all
 * of them costs nothing but the entries themselves.
 *
 * <p>Invariant: the tags of the slots from head to tail ascend strictly; the slot at the head is not a hole.
 */
@LoopOwned
final class UnackedDeliveries {

    private static final int FIRST_CAPACITY = 16;

    /** What is done with an entry that has left the ring. It may add new entries. */
    interface Visitor {
        /** @param consumer whom it was delivered to; null for a basic.get */
        void visit(long tag, Delivery delivery, ChannelConsumer consumer);
    }

    private long[] tags = {};
    private Delivery[] deliveries = {};
    private ChannelConsumer[] consumers = {};
    private int head;
    private int slots;
    private int live;

    int size() {
        return live;
    }

    /** How many entries there is room for before it grows or is compacted. */
    int capacity() {
        return tags.length;
    }

    /** Adds an entry; {@code tag} is above all before it. */
    void add(long tag, Delivery delivery, ChannelConsumer consumer) {
        if (slots == tags.length) {
            makeRoom();
        }
        int at = head + slots & tags.length - 1;
        tags[at] = tag;
        deliveries[at] = delivery;
        consumers[at] = consumer;
        slots++;
        live++;
    }

    private void makeRoom() {
        int capacity = live > slots / 2 ? Math.max(FIRST_CAPACITY, tags.length * 2) : tags.length;
        capacity = Math.max(FIRST_CAPACITY, capacity);
        long[] newTags = new long[capacity];
        Delivery[] newDeliveries = new Delivery[capacity];
        ChannelConsumer[] newConsumers = new ChannelConsumer[capacity];
        int kept = 0;
        for (int i = 0; i < slots; i++) {
            int at = head + i & tags.length - 1;
            if (deliveries[at] != null) {
                newTags[kept] = tags[at];
                newDeliveries[kept] = deliveries[at];
                newConsumers[kept] = consumers[at];
                kept++;
            }
        }
        tags = newTags;
        deliveries = newDeliveries;
        consumers = newConsumers;
        head = 0;
        slots = kept;
    }

    boolean contains(long tag) {
        return slotOf(tag) >= 0;
    }

    /** Where the live entry of {@code tag} is, counted from the head, or −1. */
    private int slotOf(long tag) {
        if (slots == 0) {
            return -1;
        }
        int mask = tags.length - 1;
        long guess = tag - tags[head];
        if (guess < 0) {
            return -1;
        }
        int found;
        if (guess < slots && tags[head + (int) guess & mask] == tag) {
            found = (int) guess;
        } else {
            found = search(tag, (int) Math.min(guess, slots - 1L));
        }
        return found >= 0 && deliveries[head + found & mask] != null ? found : -1;
    }

    private int search(long tag, int last) {
        int low = 0;
        int high = last;
        while (low <= high) {
            int middle = low + high >>> 1;
            long found = tags[head + middle & tags.length - 1];
            if (found == tag) {
                return middle;
            }
            if (found < tag) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1;
    }

    /** Takes out the entry of {@code tag} and hands it to {@code visitor}; false if there is none. */
    boolean take(long tag, Visitor visitor) {
        int slot = slotOf(tag);
        if (slot < 0) {
            return false;
        }
        int at = head + slot & tags.length - 1;
        Delivery delivery = deliveries[at];
        ChannelConsumer consumer = consumers[at];
        deliveries[at] = null;
        consumers[at] = null;
        live--;
        dropHoles();
        visitor.visit(tag, delivery, consumer);
        return true;
    }

    /**
     * Takes out all entries up to {@code tag}, included, and hands them on, the oldest first. With each handed on, new ones
     * may be added: {@code tag} has to be one that was given before.
     */
    void takeUpTo(long tag, Visitor visitor) {
        while (slots > 0 && tags[head] <= tag) {
            long taken = tags[head];
            Delivery delivery = deliveries[head];
            ChannelConsumer consumer = consumers[head];
            deliveries[head] = null;
            consumers[head] = null;
            live--;
            dropHoles();
            visitor.visit(taken, delivery, consumer);
        }
    }

    /** Takes out all entries of a consumer and hands them on, the oldest first. */
    void takeOf(ChannelConsumer consumer, Visitor visitor) {
        UnackedDeliveries taken = new UnackedDeliveries();
        int mask = tags.length - 1;
        for (int i = 0; i < slots; i++) {
            int at = head + i & mask;
            if (deliveries[at] != null && consumers[at] == consumer) {
                taken.add(tags[at], deliveries[at], consumer);
                deliveries[at] = null;
                consumers[at] = null;
                live--;
            }
        }
        dropHoles();
        while (taken.slots > 0) {
            taken.takeUpTo(taken.tags[taken.head], visitor);
        }
    }

    /** Puts entries that had been taken out back to their places. */
    void putBack(UnackedDeliveries taken) {
        UnackedDeliveries merged = new UnackedDeliveries();
        while (slots > 0 || taken.slots > 0) {
            boolean own = taken.slots == 0 || slots > 0 && tags[head] < taken.tags[taken.head];
            UnackedDeliveries from = own ? this : taken;
            from.takeUpTo(from.tags[from.head], merged::add);
        }
        tags = merged.tags;
        deliveries = merged.deliveries;
        consumers = merged.consumers;
        head = merged.head;
        slots = merged.slots;
        live = merged.live;
    }

    private void dropHoles() {
        int mask = tags.length - 1;
        while (slots > 0 && deliveries[head] == null) {
            head = head + 1 & mask;
            slots--;
        }
        while (slots > 0 && deliveries[head + slots - 1 & mask] == null) {
            slots--;
        }
    }

    @Override
    public String toString() {
        return live + " unacked in " + Arrays.toString(tags);
    }
}
