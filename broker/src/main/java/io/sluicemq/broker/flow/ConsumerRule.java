package io.sluicemq.broker.flow;

import io.sluicemq.api.ConsumerSink.Cut;
import java.util.concurrent.TimeUnit;

/**
 * When a consumer is too slow, and what follows. A threshold is exceeded by more than it says; what is exactly as much is fine.
 * Immutable.
 *
 * @param maxBytes bytes of messages that wait for it or that it holds unsettled, headers and overhead included; or {@link #NONE}
 * @param maxMessages how many, likewise; or {@link #NONE}
 * @param maxAgeMillis how long the oldest of them may have been there; or {@link #NONE}
 * @param minPerSecond how many messages a second it is to deal with at least while it has some; or {@link #NONE}
 * @param periodNanos how often it is looked at, and for how long it must have been too slow
 * @param deletesDurable with the policy {@link ConsumerPolicy#DELETE}, whether a durable subscription is deleted, too
 * @param cut what is cut, with the same policy
 */
public record ConsumerRule(
        long maxBytes, long maxMessages, long maxAgeMillis, long minPerSecond, long periodNanos, ConsumerPolicy policy,
        boolean deletesDurable, Cut cut) {

    /** No such threshold. */
    public static final long NONE = -1;

    public static final long DEFAULT_PERIOD_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Whether its queue is limited by dropping the oldest. */
    public boolean cycles() {
        return policy == ConsumerPolicy.CYCLE;
    }

    /** The limits of an address whose oldest messages make room at these thresholds, or at its own if those are lower. */
    AddressLimits ring(AddressLimits own) {
        boolean ringsAnyway = own.policy() == FullPolicy.RING;
        return new AddressLimits(
                lower(maxBytes, ringsAnyway ? own.maxBytes() : NONE),
                lower(maxMessages, ringsAnyway ? own.maxMessages() : NONE),
                FullPolicy.RING, own.lowWaterPercent(), AddressLimits.NONE, AddressLimits.NONE, own.closesChannel());
    }

    static long lower(long one, long other) {
        return one == NONE ? other : other == NONE ? one : Math.min(one, other);
    }
}
