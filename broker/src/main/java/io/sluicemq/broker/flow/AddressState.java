package io.sluicemq.broker.flow;

import java.util.List;

/**
 * What an address holds at a moment, who waits for it, and who could make room. Immutable.
 *
 * @param address its name: that of a queue, or of an exchange
 * @param kind {@code queue}, {@code exchange} or {@code virtual host}
 * @param limits those that hold in the long run: not while producers are held for a consumer that is too slow
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
public record AddressState(
        String virtualHost,
        String address,
        String kind,
        AddressLimits limits,
        long usedBytes,
        long usedMessages,
        long highestBytes,
        long creditBytes,
        long creditMessages,
        long droppedMessages,
        long refusedMessages,
        List<Waiting> waiting,
        List<QueueState> queues) {

    /**
     * A producer that waits.
     *
     * @param connection the name of its connection
     * @param producer what it is there: {@code channel 1}, {@code credit of link 'l'}, or {@code dead letters of queue 'q'}
     * @param limit what it waits for, in words: the limit that is reached, {@code max-size-bytes 1000000}, or a consumer that is too
     *     slow
     * @param waitingMillis how long the first of its publishes has waited
     * @param position its place in the gate, from 1
     * @param parkedMessages publishes of it that wait; 0 if it waits for credit and has sent nothing
     * @param parkedBytes bytes of these
     */
    public record Waiting(
            String connection,
            String producer,
            String limit,
            long waitingMillis,
            int position,
            int parkedMessages,
            long parkedBytes) {}

    /**
     * A queue that holds messages of the address, and its consumers.
     *
     * @param delayedMessages messages that are not to be delivered yet
     * @param consumerRule when a consumer of it is too slow; null if nothing is said about that
     * @param paused whether an operator has stopped its deliveries: then no consumer can make room
     */
    public record QueueState(
            String name, long readyMessages, long delayedMessages, long unsettledMessages, ConsumerRule consumerRule,
            List<ConsumerState> consumers, boolean paused) {

        /** One whose deliveries nobody has stopped. */
        public QueueState(
                String name, long readyMessages, long delayedMessages, long unsettledMessages,
                ConsumerRule consumerRule, List<ConsumerState> consumers) {
            this(name, readyMessages, delayedMessages, unsettledMessages, consumerRule, consumers, false);
        }

        /** One that nothing is said about. */
        public QueueState(
                String name, long readyMessages, long delayedMessages, long unsettledMessages,
                List<ConsumerState> consumers) {
            this(name, readyMessages, delayedMessages, unsettledMessages, null, consumers);
        }
    }

    /**
     * A consumer, who could make room.
     *
     * @param connection the name of its connection
     * @param unsettledMessages messages that it has not acknowledged yet
     * @param settledPerSecond how many messages it has acknowledged a second, while that was looked at
     * @param measure how near it is to what the rule says; null if there is none
     */
    public record ConsumerState(
            String connection, String tag, long unsettledMessages, double settledPerSecond, ConsumerMeasure measure) {

        /** One of a queue without a rule. */
        public ConsumerState(String connection, String tag, long unsettledMessages, double settledPerSecond) {
            this(connection, tag, unsettledMessages, settledPerSecond, null);
        }
    }

    /**
     * How much a consumer has to do.
     *
     * @param messages messages that wait for it or that it holds unsettled
     * @param bytes bytes of these
     * @param oldestMillis how long the oldest of them has been there; 0 also if the rule doesn't ask
     * @param perSecond how many it has dealt with a second, since it was looked at last; negative if that is not known
     * @param slowMillis for how long it has been too slow; negative if it isn't
     */
    public record ConsumerMeasure(
            long messages, long bytes, long oldestMillis, double perSecond, long slowMillis) {}
}
