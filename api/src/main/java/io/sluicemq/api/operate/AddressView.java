package io.sluicemq.api.operate;

import java.util.List;

/**
 * What an address holds at a moment, who waits for it, and who could make room.
 *
 * @param kind {@code queue}, {@code exchange} or {@code virtual host}
 * @param usedBytes bytes stored and reserved
 * @param usedMessages messages stored and reserved
 * @param highestBytes the most bytes that were ever used at a time since it has a limit
 * @param creditBytes bytes of these that are reserved for messages that producers have credit for and have not sent
 * @param creditMessages messages, likewise
 * @param droppedMessages messages that its policy has dropped
 * @param refusedMessages messages that its policy has refused
 * @param waiting the producers that wait for room in it, the first in its gate first
 * @param queues the queues that hold its messages
 */
public record AddressView(
        String virtualHost,
        String address,
        String kind,
        LimitsView limits,
        long usedBytes,
        long usedMessages,
        long highestBytes,
        long creditBytes,
        long creditMessages,
        long droppedMessages,
        long refusedMessages,
        List<Waiting> waiting,
        List<Holder> queues) {

    /**
     * A producer that waits.
     *
     * @param producer what it is in its connection: {@code channel 1}, {@code credit of link 'l'}
     * @param limit the limit that it waits for, in words: {@code max-size-bytes 1000000}
     * @param waitingMillis how long the first of its publishes has waited
     * @param position its place in the gate, from 1
     * @param parkedMessages publishes of it that wait; 0 if it waits for credit and has sent nothing
     */
    public record Waiting(
            String connection, String producer, String limit, long waitingMillis, int position, int parkedMessages,
            long parkedBytes) {}

    /**
     * A queue that holds messages of the address.
     *
     * @param paused whether deliveries were stopped by an operator: then no consumer can make room
     * @param rule when a consumer of it is too slow; null if nothing is said about that
     */
    public record Holder(
            String name, long readyMessages, long delayedMessages, long unsettledMessages, boolean paused,
            List<Taker> consumers, Rule rule) {}

    /**
     * When a consumer is too slow: if any of these is exceeded. One of -1 is none.
     *
     * @param maxMessages how many messages may wait for it or be held by it
     * @param maxBytes bytes of these
     * @param maxAgeMillis how long the oldest of these may have been there
     * @param minPerSecond how many it is to deal with a second at least
     * @param policy what follows: {@code flow}, {@code delete}, {@code cycle} or {@code notify}
     */
    public record Rule(long maxMessages, long maxBytes, long maxAgeMillis, long minPerSecond, String policy) {}

    /**
     * A consumer, who could make room.
     *
     * @param settledPerSecond how many messages it has acknowledged a second, while that was looked at
     * @param slowMillis for how long it has been too slow by a rule; negative if it isn't, or there is none
     * @param measure how near it is to the rule's thresholds; null if there is none
     */
    public record Taker(
            String connection, String tag, long unsettledMessages, double settledPerSecond, long slowMillis,
            Measure measure) {}

    /**
     * How much a consumer has to do.
     *
     * @param messages messages that wait for it or that it holds unsettled
     * @param bytes bytes of these
     * @param oldestMillis how long the oldest of them has been there; 0 also if the rule doesn't ask
     * @param perSecond how many it has dealt with a second, since it was looked at last; negative if that is not known
     */
    public record Measure(long messages, long bytes, long oldestMillis, double perSecond) {}
}
