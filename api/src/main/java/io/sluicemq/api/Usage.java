package io.sluicemq.api;

import io.sluicemq.base.Quota;

/**
 * What somebody has open, and how much that may be. One for each user, and for each virtual host; any thread.
 *
 * @param connections into virtual hosts
 * @param channels of these, or sessions
 * @param queues that they have; of virtual hosts only
 */
public record Usage(Quota connections, Quota channels, Quota queues) {

    /** Nothing yet, and no limits. */
    public Usage() {
        this(new Quota(), new Quota(), new Quota());
    }
}
