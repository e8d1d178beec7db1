package io.sluicemq.api;

import io.sluicemq.base.Ceiling;
import io.sluicemq.base.Quota;

/**
 * What somebody has open, and how much that may be. One for each user, and for each virtual host; any thread.
 *
 * @param connections into virtual hosts
 * @param channels of these, or sessions; of users only
 * @param queues that a virtual host has; of a user their limit alone, as what a user has declared is counted by the user's name, which
 *     outlives the user
 * @param messageBytes how large a message may be
 * @param keptLinks how many links of AMQP 1.0 are kept for those who come back; of users only
 */
public record Usage(Quota connections, Quota channels, Quota queues, Ceiling messageBytes, Ceiling keptLinks) {

    /** Nothing yet, and no limits. */
    public Usage() {
        this(new Quota(), new Quota(), new Quota(), new Ceiling(), new Ceiling());
    }
}
