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
 * @param sharedCredit deliveries need a {@link Consumer#grant grant} each, from an allowance shared with others
 * @param priority among the queue's consumers; higher ones are served first
 * @param arguments the protocol's own, such as a selector
 */
public record ConsumerSpec(
        String queue,
        String tag,
        boolean settled,
        boolean exclusive,
        boolean noLocal,
        int prefetch,
        boolean sharedCredit,
        int priority,
        Map<String, Object> arguments) {}
