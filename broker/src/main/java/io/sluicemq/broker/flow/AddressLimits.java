package io.sluicemq.broker.flow;

/**
 * What an address may hold, and what happens to what is too much. Immutable.
 *
 * @param maxBytes bytes of its messages, each with its header and {@link io.sluicemq.api.Message#OVERHEAD_BYTES}; with the
 *     policy {@link FullPolicy#PAGE} those in memory; or {@link #NONE}
 * @param maxMessages messages, likewise; or {@link #NONE}
 * @param lowWaterPercent when it was full, producers go on when no more than this part of a limit is used, in percent
 * @param pageLimitBytes bytes of its messages, in memory or not, beyond which those who publish wait although the policy is
 *     {@link FullPolicy#PAGE}; or {@link #NONE}
 * @param holdLimitNanos how long a publish may wait before it is refused; or {@link #NONE}
 * @param closesChannel whether a producer that goes on publishing beyond what may be parked is closed, rather than not read
 */
public record AddressLimits(
        long maxBytes,
        long maxMessages,
        FullPolicy policy,
        int lowWaterPercent,
        long pageLimitBytes,
        long holdLimitNanos,
        boolean closesChannel) {

    /** No limit. */
    public static final long NONE = -1;

    /** Whether what comes by an exchange of that name is to be counted together: the other policies are those of queues. */
    public boolean limitsExchanges() {
        return switch (policy) {
            case BLOCK, DROP, FAIL -> maxBytes != NONE || maxMessages != NONE;
            case PAGE, RING -> false;
        };
    }

    public static final int DEFAULT_LOW_WATER_PERCENT = 80;

    /** What holds for an address of which nothing is said. */
    public static final AddressLimits UNLIMITED =
            new AddressLimits(NONE, NONE, FullPolicy.PAGE, DEFAULT_LOW_WATER_PERCENT, NONE, NONE, false);

    /** What all addresses of a virtual host may hold together: beyond that producers wait. */
    public static AddressLimits ofVirtualHost(long maxBytes, long maxMessages) {
        return new AddressLimits(
                maxBytes, maxMessages, FullPolicy.BLOCK, DEFAULT_LOW_WATER_PERCENT, NONE, NONE, false);
    }
}
