package io.sluicemq.broker.engine;

/**
 * The broker's numbers, summed over its loops. The first group is what there is now; each of it returns to zero when all
 * clients have gone and all queues were deleted. The second counts since the start.
 *
 * @param connections clients in virtual hosts
 * @param channels the protocols' channels of these clients
 * @param queues queues of all virtual hosts
 * @param exchanges exchanges that clients have declared
 * @param bindings bindings that clients have made
 * @param consumers consumers of all queues
 * @param readyMessages messages in queues that wait for a consumer, counted once for each queue
 * @param unsettledMessages messages that consumers hold, likewise
 * @param delayedMessages messages in queues that are not to be delivered yet, likewise
 * @param messageBytes bytes of memory that messages take, counted once for each message
 * @param replyAddresses open addresses for replies
 * @param published messages accepted from clients, whether or not a queue was reached
 * @param delivered messages given to consumers
 * @param droppedByLimit messages dropped or refused by a queue's length limit, with nowhere to go
 * @param droppedByExpiry messages that expired with nowhere to go
 * @param droppedByRejection messages rejected by a consumer, or delivered too often, with nowhere to go
 * @param deadLettered messages published again by a dead-letter exchange
 * @param droppedInCycles dead letters not put into a queue that they had passed in the same automatic cycle
 * @param droppedReplies replies dropped since the receiver read too slowly or had gone
 * @param parkedMessages messages that wait for room in their addresses; returns to zero
 * @param parkedBytes bytes of these; returns to zero
 * @param droppedByPolicy messages dropped by an address's policy drop or ring
 * @param refusedByPolicy messages refused by an address's policy fail or hold-limit, or since they are larger than its limit
 * @param droppedUnconfirmed messages that waited for room when their connection was lost
 * @param slowConsumers consumers, and subscriptions that nobody is attached to, which are too slow; returns to zero
 * @param slowConsumersFound how often one was found too slow
 * @param consumersCut consumers that were cut since they were too slow
 * @param failedChecks checks that have failed by a defect of the broker
 * @param keptLinks links whose clients have gone without closing them, and that are kept with deliveries until they come back; there
 *     is an end to each that has a timeout
 * @param keptDeliveries deliveries of these: those that clients have received are among the unsettled messages
 * @param refusedAccesses what users have asked for without being allowed to
 * @param refusedByUserLimit what was refused by a limit of a user or of a virtual host: connections, channels, queues, sizes of messages
 */
public record BrokerCounters(
        long connections,
        long channels,
        long queues,
        long exchanges,
        long bindings,
        long consumers,
        long readyMessages,
        long unsettledMessages,
        long delayedMessages,
        long messageBytes,
        long replyAddresses,
        long published,
        long delivered,
        long droppedByLimit,
        long droppedByExpiry,
        long droppedByRejection,
        long deadLettered,
        long droppedInCycles,
        long droppedReplies,
        long parkedMessages,
        long parkedBytes,
        long droppedByPolicy,
        long refusedByPolicy,
        long droppedUnconfirmed,
        long slowConsumers,
        long slowConsumersFound,
        long consumersCut,
        long failedChecks,
        long keptLinks,
        long keptDeliveries,
        long refusedAccesses,
        long refusedByUserLimit) {}
