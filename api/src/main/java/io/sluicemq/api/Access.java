package io.sluicemq.api;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Where a user may go and what they may do there, at one moment. Immutable.
 *
 * @param byVirtualHost what they may in these virtual hosts
 * @param elsewhere what they may in all others; null if they may not enter them
 */
public record Access(Map<String, Permissions> byVirtualHost, Permissions elsewhere) {

    /** Everything everywhere. */
    public static final Access ALL = new Access(Map.of(), Permissions.ALL);

    /** Nothing, nowhere. */
    public static final Access NONE = new Access(Map.of(), null);

    public Access {
        byVirtualHost = Map.copyOf(byVirtualHost);
    }

    /** Everything in these virtual hosts. */
    public static Access inside(Set<String> virtualHosts) {
        return new Access(virtualHosts.stream().collect(Collectors.toMap(name -> name, name -> Permissions.ALL)),
                null);
    }

    /** What they may in a virtual host; null if they may not enter it. */
    public Permissions in(String virtualHost) {
        return byVirtualHost.getOrDefault(virtualHost, elsewhere);
    }
}
