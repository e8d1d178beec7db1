package io.sluicemq.api.users;

import io.sluicemq.base.Quota;

/** How many connections a user may have, and channels (sessions) of these together; {@link Quota#UNLIMITED} for any number. */
public record UserLimits(long maxConnections, long maxChannels) {

    /** Any number of both. */
    public static final UserLimits NONE = new UserLimits(Quota.UNLIMITED, Quota.UNLIMITED);
}
