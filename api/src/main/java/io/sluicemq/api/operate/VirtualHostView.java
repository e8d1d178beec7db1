package io.sluicemq.api.operate;

/**
 * A virtual host.
 *
 * @param readyMessages of all its queues
 * @param unsettledMessages of all its queues
 * @param limits what it may hold; of no limit if nothing is said
 * @param usedBytes bytes that count against its limit; 0 without one
 * @param usedMessages messages, likewise
 */
public record VirtualHostView(
        String name, int queues, int exchanges, long readyMessages, long unsettledMessages, long consumers, Rates rates,
        LimitsView limits, long usedBytes, long usedMessages) {}
