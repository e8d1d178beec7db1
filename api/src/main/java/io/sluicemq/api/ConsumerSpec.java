package io.sluicemq.api;

import java.util.Map;

/**
 * What a consumer asks for.
 *
 * @param tag the consumer's name, for people
 * @param settled deliveries count as accepted when sent
 * @param exclusive no other consumer may share the queue
 * @param noLocal not the messages that this connection has published
 * @param prefetch how many unsettled deliveries it may hold; 0 for no limit
 * @param credit what it needs for a delivery beside that
 * @param priority among the queue's consumers; higher ones are served first
 * @param browses it sees the messages and leaves them where they are: its deliveries are settled, whatever else they are
 * @param filter which messages it wants; null for all
 * @param arguments the protocol's own
 */
public record ConsumerSpec(
        String queue,
        String tag,
        boolean settled,
        boolean exclusive,
        boolean noLocal,
        int prefetch,
        Credit credit,
        int priority,
        boolean browses,
        MessageFilter filter,
        Map<String, Object> arguments) {

    /** What a consumer needs for a delivery. */
    public enum Credit {
        /** Nothing but its prefetch. */
        NONE,
        /** A {@link Consumer#grant grant} for each, from an allowance shared with others. */
        SHARED,
        /** To be below the {@link Consumer#limit limit}, which is none at first. */
        LIMIT
    }

    /** One that takes all messages, with shared credit or with none. */
    public ConsumerSpec(
            String queue, String tag, boolean settled, boolean exclusive, boolean noLocal, int prefetch,
            boolean sharedCredit, int priority, Map<String, Object> arguments) {
        this(
                queue, tag, settled, exclusive, noLocal, prefetch, sharedCredit ? Credit.SHARED : Credit.NONE, priority,
                false, null, arguments);
    }

    /** Whether deliveries need a grant each, from an allowance shared with others. */
    public boolean sharedCredit() {
        return credit == Credit.SHARED;
    }
}
