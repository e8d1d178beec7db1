package io.sluicemq.api;

import java.util.Set;

/**
 * A user who has proved who they are.
 *
 * @param name the user's name
 * @param anonymous whether they gave no name; a message's user-id can then not be checked against it
 * @param virtualHosts the virtual hosts they may use; null for all
 */
public record Principal(String name, boolean anonymous, Set<String> virtualHosts) {

    public boolean mayUse(String virtualHost) {
        return virtualHosts == null || virtualHosts.contains(virtualHost);
    }
}
