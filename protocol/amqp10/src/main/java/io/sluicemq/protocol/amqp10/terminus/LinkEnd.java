package io.sluicemq.protocol.amqp10.terminus;

import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;

/** How a link has ended, which decides with its expiry policy whether its terminus lives on (part 3, §3.5.6). */
public enum LinkEnd {
    /** By the client's detach that closes it: the terminus goes. */
    CLOSED,
    /**
     * By an error, or since another link has its name: the terminus goes, but not a subscription that others may find by its name. Its
     * client has not asked for that.
     */
    FAILED,
    /** By the client's detach that doesn't close it. */
    DETACHED,
    /** With its session; also for a link that was detached before. */
    SESSION_ENDED;

    /** Whether a terminus of that policy, without a timeout, goes by this. */
    public boolean ends(TerminusExpiryPolicy policy) {
        return switch (this) {
            case CLOSED, FAILED -> true;
            case DETACHED -> policy == TerminusExpiryPolicy.LINK_DETACH;
            case SESSION_ENDED -> policy == TerminusExpiryPolicy.LINK_DETACH
                    || policy == TerminusExpiryPolicy.SESSION_END;
        };
    }
}
