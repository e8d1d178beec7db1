package io.sluicemq.protocol.amqp10;

import io.sluicemq.base.LogEvent;
import io.sluicemq.base.LoopOwned;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The peer's sending links that have been detached without being closed and that do not outlive their connection, with the deliveries
 * that were not settled then (part 2, §2.6.5): a link of the same name that comes back on the connection learns what has become of
 * them. Owned by the connection's loop. Links that outlive their connections are the {@link LinkRegistry}'s.
 *
 * <p>Invariant: there are {@link #MOST_LINKS} at most, each with {@link #MOST_DELIVERIES_OF_LINK} at most, the latest ones, and {@link
 * #MOST_DELIVERIES} in all; they count as memory that the connection holds. What was suspended first goes first.
 */
@LoopOwned
final class SuspendedLinks {

    private static final int MOST_LINKS = 256;
    private static final int MOST_DELIVERIES_OF_LINK = 1_000;

    /** Deliveries of all links together. */
    static final int MOST_DELIVERIES = 16_000;

    /** What a delivery takes of memory, in bytes, by rule of thumb. */
    private static final int DELIVERY_BYTES = 256;

    private final ConnectionSession connection;
    private final Map<String, Map<ByteBuffer, Received>> links = new LinkedHashMap<>();
    private int deliveries;

    SuspendedLinks(ConnectionSession connection) {
        this.connection = connection;
    }

    /** Keeps the deliveries of a link, the earliest first. */
    void keep(String name, List<Received> unsettled) {
        drop(name);
        Map<ByteBuffer, Received> byTag = new LinkedHashMap<>();
        int first = Math.max(0, unsettled.size() - MOST_DELIVERIES_OF_LINK);
        for (Received each : unsettled.subList(0, first)) {
            each.over();
        }
        for (Received each : unsettled.subList(first, unsettled.size())) {
            byTag.put(each.tag(), each);
        }
        links.put(name, byTag);
        count(byTag.size());
        while (links.size() > MOST_LINKS || deliveries > MOST_DELIVERIES) {
            String eldest = links.keySet().iterator().next();
            connection.log().line(LogEvent.UNSETTLED_FORGOTTEN,
                    "what link '{}' had not settled is not kept any more: {} links with {} deliveries are", eldest,
                    links.size(), deliveries);
            drop(eldest);
        }
    }

    private void count(int difference) {
        deliveries += difference;
        connection.holdsMemory((long) DELIVERY_BYTES * difference);
    }

    /**
     * Takes the deliveries of a link that comes back, by their tags; empty if there are none.
     *
     * @param known tags of those that the peer wants to know of; the others are forgotten
     */
    Map<ByteBuffer, Received> take(String name, Set<ByteBuffer> known) {
        Map<ByteBuffer, Received> kept = links.remove(name);
        if (kept == null) {
            return Map.of();
        }
        count(-kept.size());
        Map<ByteBuffer, Received> wanted = new LinkedHashMap<>(kept);
        wanted.keySet().retainAll(known);
        kept.keySet().removeAll(known);
        kept.values().forEach(Received::over);
        return wanted;
    }

    private void drop(String name) {
        Map<ByteBuffer, Received> dropped = links.remove(name);
        if (dropped != null) {
            count(-dropped.size());
            dropped.values().forEach(Received::over);
        }
    }
}
