package io.sluicemq.protocol.amqp10;

import io.sluicemq.base.LoopOwned;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The peer's sending links that have been detached without being closed, with the deliveries that were not settled then (part 2,
 * §2.6.5): a link of the same name that comes back on the connection learns what has become of them. Owned by the connection's
 * loop; nothing of it outlives the connection.
 *
 * <p>Invariant: there are {@link #MOST_LINKS} at most, each with {@link #MOST_DELIVERIES} at most, the latest ones.
 */
@LoopOwned
final class SuspendedLinks {

    private static final int MOST_LINKS = 256;
    private static final int MOST_DELIVERIES = 1_000;

    private final Map<String, Map<ByteBuffer, Received>> links = new LinkedHashMap<>();

    /** Keeps the deliveries of a link, the earliest first. */
    void keep(String name, List<Received> unsettled) {
        Map<ByteBuffer, Received> byTag = new LinkedHashMap<>();
        int first = Math.max(0, unsettled.size() - MOST_DELIVERIES);
        for (Received each : unsettled.subList(0, first)) {
            each.over();
        }
        for (Received each : unsettled.subList(first, unsettled.size())) {
            byTag.put(each.tag(), each);
        }
        links.put(name, byTag);
        if (links.size() > MOST_LINKS) {
            drop(links.remove(links.keySet().iterator().next()));
        }
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
        Map<ByteBuffer, Received> wanted = new LinkedHashMap<>(kept);
        wanted.keySet().retainAll(known);
        kept.keySet().removeAll(known);
        drop(kept);
        return wanted;
    }

    private static void drop(Map<ByteBuffer, Received> deliveries) {
        deliveries.values().forEach(Received::over);
    }
}
