package io.sluicemq.broker.engine;

import io.sluicemq.base.Quota;

/**
 * How many connections and queues a virtual host may have, and how large a message into it may be, in bytes; {@link Quota#UNLIMITED} for
 * any number or size.
 */
public record HostLimits(long maxConnections, long maxQueues, long maxMessageBytes) {

    /** No limits. */
    public static final HostLimits NONE = new HostLimits(Quota.UNLIMITED, Quota.UNLIMITED, Quota.UNLIMITED);
}
