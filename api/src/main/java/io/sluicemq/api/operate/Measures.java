package io.sluicemq.api.operate;

import io.sluicemq.base.Distribution;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All that is measured of a broker, for those who draw curves of it. Of slightly different moments.
 *
 * @param counters the broker's counters by their names: what there is now, and sums since the start
 * @param memoryLimitBytes bytes of memory that messages may take
 * @param shortage what all publishers wait for; empty if they needn't
 * @param shortNanos for how long in all they had to wait for memory or the disk
 * @param loops each loop, by its index
 * @param protocols what the clients of each protocol have, by its name
 * @param slowConsumers how often one was found too slow, by what was done about it
 * @param answersOutstanding publishes whose publishers wait for an answer
 * @param answersGiven publishes that were answered
 * @param answersRefused of these, refused
 * @param answerNanos how long samples of them took
 * @param holdsNow producers that wait for room in an account
 * @param holdsBegun how often one began to
 * @param holdNanos how long those took that have ended
 * @param creditLines producers that are given credit before they send
 * @param queues all queues
 * @param addresses the accounts that have a limit, or that somebody waits for
 */
public record Measures(
        Map<String, Long> counters,
        long memoryLimitBytes,
        Optional<ShortageView> shortage,
        long shortNanos,
        List<Overview.LoopView> loops,
        Map<String, OfProtocol> protocols,
        Map<String, Long> slowConsumers,
        long answersOutstanding,
        long answersGiven,
        long answersRefused,
        Distribution answerNanos,
        long holdsNow,
        long holdsBegun,
        Distribution holdNanos,
        long creditLines,
        List<QueueView> queues,
        List<OfAddress> addresses) {

    /** What the clients of a protocol have. */
    public record OfProtocol(long connections, long channels, long consumers) {

        /** Both together. */
        public OfProtocol plus(OfProtocol other) {
            return new OfProtocol(
                    connections + other.connections, channels + other.channels, consumers + other.consumers);
        }
    }

    /**
     * What an address holds.
     *
     * @param kind {@code queue}, {@code exchange} or {@code virtual host}
     * @param creditBytes bytes that are reserved for messages that producers have credit for and have not sent
     * @param creditMessages messages, likewise
     * @param waiting how many wait for room in it
     * @param waitingMillis how long the first of them has; 0 if there is none
     */
    public record OfAddress(
            String virtualHost,
            String address,
            String kind,
            LimitsView limits,
            long usedBytes,
            long usedMessages,
            long creditBytes,
            long creditMessages,
            long droppedMessages,
            long refusedMessages,
            int waiting,
            long waitingMillis) {}
}
