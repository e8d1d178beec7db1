package io.sluicemq.broker.engine;

import io.sluicemq.base.Quota;

/** How many connections and queues a virtual host may have; {@link Quota#UNLIMITED} for any number. */
public record HostLimits(long maxConnections, long maxQueues) {

    /** Any number of both. */
    public static final HostLimits NONE = new HostLimits(Quota.UNLIMITED, Quota.UNLIMITED);
}
