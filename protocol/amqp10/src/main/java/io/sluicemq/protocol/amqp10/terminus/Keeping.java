package io.sluicemq.protocol.amqp10.terminus;

import org.apache.qpid.protonj2.types.UnsignedInteger;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;

/**
 * How long the state of a link's deliveries is kept when it has ended without being closed (part 3, §3.5.3, §3.5.4): as long as a
 * terminus of its policy and timeout lives. What is dynamic ends with its connection; what one link of a shared subscription has not
 * settled is for the others.
 */
public final class Keeping {

    /** What {@link #seconds} is for ever. */
    public static final long EVER = -1;

    /** Some hundred years. */
    private static final long LONGEST_SECONDS = 3_155_760_000L;

    private Keeping() {}

    /** In seconds, {@link #EVER}, or 0 if not beyond the connection. */
    public static long seconds(Source wanted) {
        return wanted.isDynamic() || Subscriptions.has(wanted, Subscriptions.SHARED)
                ? 0
                : seconds(wanted.getExpiryPolicy(), wanted.getTimeout());
    }

    /**
     * In seconds, {@link #EVER}, or 0 if not beyond the connection.
     *
     * @param wanted null if there is none
     */
    public static long seconds(Target wanted) {
        return wanted == null || wanted.isDynamic() ? 0 : seconds(wanted.getExpiryPolicy(), wanted.getTimeout());
    }

    private static long seconds(TerminusExpiryPolicy expiry, UnsignedInteger timeout) {
        if (expiry == TerminusExpiryPolicy.NEVER) {
            return EVER;
        }
        return timeout == null ? 0 : Math.min(timeout.longValue(), LONGEST_SECONDS);
    }

    /** The timeout that an answer says. */
    static UnsignedInteger timeout(UnsignedInteger wanted) {
        return wanted == null ? UnsignedInteger.ZERO : wanted;
    }
}
