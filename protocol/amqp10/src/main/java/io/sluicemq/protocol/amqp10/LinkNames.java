package io.sluicemq.protocol.amqp10;

import io.sluicemq.base.LoopOwned;
import java.util.HashMap;
import java.util.Map;

/**
 * The links of a connection by their names, which are unique in each direction between two containers (§2.6.1). Owned by the
 * connection's loop.
 */
@LoopOwned
final class LinkNames {

    private record Key(String name, boolean fromPeer) {}

    private final Map<Key, Link> links = new HashMap<>();

    /** Takes a name for a link; returns the link that had it, or null. */
    Link take(String name, boolean fromPeer, Link link) {
        return links.put(new Key(name, fromPeer), link);
    }

    /** A link is there no more. */
    void free(String name, boolean fromPeer, Link link) {
        links.remove(new Key(name, fromPeer), link);
    }
}
