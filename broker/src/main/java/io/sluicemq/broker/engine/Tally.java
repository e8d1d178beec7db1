package io.sluicemq.broker.engine;

/** One loop's part of the {@link BrokerCounters}: plain numbers, owned by that loop. A part may be negative; the sum is not. */
final class Tally {

    long connections;
    long channels;
    long queues;
    long exchanges;
    long bindings;
    long consumers;
    long readyMessages;
    long unsettledMessages;
    long delayedMessages;
    long messageBytes;
    long replyAddresses;
    long published;
    long delivered;
    // Not among the BrokerCounters, up to the next comment.
    long acknowledged;
    long redelivered;
    /** Of those dropped by policy: the oldest of a ring. */
    long cycled;
    /** Messages that have left memory for the log, and their bytes. */
    long pagedOut;
    long pagedOutBytes;
    /** Records read from the log, and their bytes. */
    long readBack;
    long readBackBytes;
    // These are.
    long droppedByLimit;
    long droppedByExpiry;
    long droppedByRejection;
    long deadLettered;
    long droppedInCycles;
    long droppedReplies;
    long parkedMessages;
    long parkedBytes;
    long droppedByPolicy;
    long refusedByPolicy;
    long droppedUnconfirmed;
    long slowConsumers;
    long slowConsumersFound;
    long consumersCut;
    long failedChecks;
    long keptLinks;
    long keptDeliveries;
    long refusedAccesses;
    long refusedByUserLimit;

    void add(Tally other) {
        connections += other.connections;
        channels += other.channels;
        queues += other.queues;
        exchanges += other.exchanges;
        bindings += other.bindings;
        consumers += other.consumers;
        readyMessages += other.readyMessages;
        unsettledMessages += other.unsettledMessages;
        delayedMessages += other.delayedMessages;
        messageBytes += other.messageBytes;
        replyAddresses += other.replyAddresses;
        published += other.published;
        delivered += other.delivered;
        acknowledged += other.acknowledged;
        redelivered += other.redelivered;
        cycled += other.cycled;
        pagedOut += other.pagedOut;
        pagedOutBytes += other.pagedOutBytes;
        readBack += other.readBack;
        readBackBytes += other.readBackBytes;
        droppedByLimit += other.droppedByLimit;
        droppedByExpiry += other.droppedByExpiry;
        droppedByRejection += other.droppedByRejection;
        deadLettered += other.deadLettered;
        droppedInCycles += other.droppedInCycles;
        droppedReplies += other.droppedReplies;
        parkedMessages += other.parkedMessages;
        parkedBytes += other.parkedBytes;
        droppedByPolicy += other.droppedByPolicy;
        refusedByPolicy += other.refusedByPolicy;
        droppedUnconfirmed += other.droppedUnconfirmed;
        slowConsumers += other.slowConsumers;
        slowConsumersFound += other.slowConsumersFound;
        consumersCut += other.consumersCut;
        failedChecks += other.failedChecks;
        keptLinks += other.keptLinks;
        keptDeliveries += other.keptDeliveries;
        refusedAccesses += other.refusedAccesses;
        refusedByUserLimit += other.refusedByUserLimit;
    }

    BrokerCounters toCounters() {
        return new BrokerCounters(
                connections,
                channels,
                queues,
                exchanges,
                bindings,
                consumers,
                readyMessages,
                unsettledMessages,
                delayedMessages,
                messageBytes,
                replyAddresses,
                published,
                delivered,
                droppedByLimit,
                droppedByExpiry,
                droppedByRejection,
                deadLettered,
                droppedInCycles,
                droppedReplies,
                parkedMessages,
                parkedBytes,
                droppedByPolicy,
                refusedByPolicy,
                droppedUnconfirmed,
                slowConsumers,
                slowConsumersFound,
                consumersCut,
                failedChecks,
                keptLinks,
                keptDeliveries,
                refusedAccesses,
                refusedByUserLimit);
    }
}
