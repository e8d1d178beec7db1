package io.sluicemq.campaign;

import io.sluicemq.broker.engine.BrokerCounters;

/** What there is at a broker at one moment: the part of its counters that returns to zero when all is over. */
public record Presence(
        long connections,
        long channels,
        long queues,
        long exchanges,
        long bindings,
        long consumers,
        long readyMessages,
        long unsettledMessages,
        long messageBytes,
        long replyAddresses) {

    /** Nothing. */
    public static final Presence NONE = new Presence(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** Whether there is no more of anything than in another. */
    public boolean isWithin(Presence other) {
        return connections <= other.connections && channels <= other.channels && queues <= other.queues
                && exchanges <= other.exchanges && bindings <= other.bindings && consumers <= other.consumers
                && readyMessages <= other.readyMessages && unsettledMessages <= other.unsettledMessages
                && messageBytes <= other.messageBytes && replyAddresses <= other.replyAddresses;
    }

    /** Of a broker's counters. */
    public static Presence of(BrokerCounters counters) {
        return new Presence(counters.connections(), counters.channels(), counters.queues(), counters.exchanges(),
                counters.bindings(), counters.consumers(), counters.readyMessages(), counters.unsettledMessages(),
                counters.messageBytes(), counters.replyAddresses());
    }
}
