package io.sluicemq.api.operate;

/**
 * A consumer of a queue.
 *
 * @param connection the name of its connection
 * @param user who its connection's client is
 * @param settles whether its deliveries need no settlement
 * @param prefetch how many it may hold unsettled; 0 for no limit
 * @param credit how it gets credit: {@code none} but its prefetch, {@code shared} or {@code limit}
 * @param unsettledMessages messages that it holds
 * @param settledMessages how many it has settled since it began
 * @param slowMillis for how long it has been too slow by the queue's rule; negative if it isn't, or there is none
 */
public record ConsumerView(
        String virtualHost,
        String queue,
        String connection,
        String user,
        String tag,
        boolean settles,
        boolean browses,
        boolean exclusive,
        int priority,
        int prefetch,
        String credit,
        long unsettledMessages,
        long settledMessages,
        long slowMillis) {}
