package io.sluicemq.broker.queue;

import io.sluicemq.broker.flow.ConsumerRule;
import java.util.List;

/**
 * A consumer that is too slow, or was, as it is told of. Immutable.
 *
 * @param queue the name of its queue
 * @param client the identity of its connection; null if this is about a subscription that nobody is attached to
 * @param tag its name, for people; empty likewise
 * @param exceeded the thresholds that it exceeds, each in words with what was measured; empty if it exceeds none any more
 * @param sinceMillis how long that has been so
 * @param others how many other consumers its queue has
 */
public record SlowConsumer(
        String queue, String virtualHost, Object client, String tag, ConsumerRule rule, Measure measure,
        List<String> exceeded, long sinceMillis, int others) {

    /**
     * How much a consumer has to do, and how much it does.
     *
     * @param messages messages that wait for it or that it holds unsettled
     * @param bytes bytes of these
     * @param oldestMillis how long the oldest of them has been there; 0 also if nobody wants to know
     * @param perSecond how many it has dealt with a second since it was looked at last; negative if that is not known
     */
    public record Measure(long messages, long bytes, long oldestMillis, double perSecond) {}

    /** What is done about one. */
    public enum Action {
        /** Nothing but that it is told of. */
        NONE,
        /** It is cut. */
        CUT,
        /** It is cut, and its durable subscription is kept, since the configuration doesn't say that it be deleted. */
        CUT_AND_KEEP,
        /** Producers of its queue are held. */
        HOLD,
        /** Its queue, which nobody consumes from, is deleted. */
        DELETE,
        /** Its queue, which nobody consumes from, could be deleted, and is not, since the configuration doesn't say so. */
        KEEP,
        /** The same, since the client that it belongs to is connected. */
        KEEP_FOR_OWNER
    }

    /** Why one is no longer told of. */
    public enum End {
        /** It has caught up, or its client has stopped it. */
        RECOVERED,
        /** It is there no more. */
        GONE,
        /** Somebody is attached to the subscription again. */
        ATTENDED,
        /** Another rule holds. */
        OTHER_RULE
    }
}
