package io.sluicemq.api.operate;

import io.sluicemq.api.Principal;

/**
 * Who wants something done.
 *
 * @param peer where they come from, for people
 */
public record Actor(Principal user, String peer) {

    /** For logs: {@code ann (10.0.0.7:41022)}. */
    @Override
    public String toString() {
        return user.name() + " (" + peer + ")";
    }
}
