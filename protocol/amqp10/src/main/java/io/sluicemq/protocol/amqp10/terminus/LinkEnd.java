package io.sluicemq.protocol.amqp10.terminus;

import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;

/** How a link has ended, which decides with its expiry policy whether its terminus lives on (part 3, §3.5.6). */
public enum LinkEnd {
    /** By a detach that closes it: the terminus goes. */
    CLOSED,
    /** By a detach that doesn't close it. */
    DETACHED,
    /** With its session; also for a link that was detached before. */
    SESSION_ENDED;

    /** Whether a terminus of that policy, without a timeout, goes by this. */
    boolean ends(TerminusExpiryPolicy policy) {
        return switch (this) {
            case CLOSED -> true;
            case DETACHED -> policy == TerminusExpiryPolicy.LINK_DETACH;
            case SESSION_ENDED -> policy == TerminusExpiryPolicy.LINK_DETACH
                    || policy == TerminusExpiryPolicy.SESSION_END;
        };
    }
}
