package io.sluicemq.broker.queue;

import io.sluicemq.api.Charge;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * What a queue's messages count for in the accounts of exchanges, of those that wait in the log: by their positions, since a
 * message that is read back knows nothing of it. Owned by the queue's loop.
 */
@LoopOwned
final class PagedCharges {

    /** The charge, its counter and its place in the map, about. */
    private static final long BYTES_EACH = 96;

    private final Loop loop;
    private Long2ObjectHashMap<Charge> charges;

    PagedCharges(Loop loop) {
        this.loop = loop;
    }

    /** Bytes of memory that they take. */
    long bytes() {
        return charges == null ? 0 : BYTES_EACH * charges.size();
    }

    /** A message leaves memory for the log; {@code charge} is null if it counts for no exchange. */
    void put(long position, Charge charge) {
        if (charge != null) {
            if (charges == null) {
                charges = new Long2ObjectHashMap<>();
            }
            charges.put(position, charge);
        }
    }

    /** A message comes back to memory, or leaves the queue; returns its charge, or null. */
    Charge take(long position) {
        if (charges == null) {
            return null;
        }
        Charge taken = charges.remove(position);
        if (charges.isEmpty()) {
            charges = null;
        }
        return taken;
    }

    /** All messages leave the queue. */
    void leave() {
        if (charges != null) {
            Long2ObjectHashMap<Charge> all = charges;
            charges = null;
            all.values().forEach(charge -> charge.left(loop));
        }
    }
}
