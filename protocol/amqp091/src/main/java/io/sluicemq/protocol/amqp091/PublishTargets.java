package io.sluicemq.protocol.amqp091;

import io.sluicemq.api.ClientDetails;
import io.sluicemq.base.LoopOwned;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a channel has published to of late, for operators: exchanges, and the queues that it reaches by the default exchange. Owned by
 * the connection's loop.
 *
 * <p>It costs each publish a look at the place of the one before, and no memory. Invariant: at most {@link #MOST} places are known; a new one
 * takes that of the one that was noted longest ago, whose count is forgotten.
 */
@LoopOwned
final class PublishTargets {

    /** More would tell an operator no more. */
    static final int MOST = 8;

    private final List<Place> places = new ArrayList<>(1);
    private Place latest;
    private int next;

    /** A place; the key is empty for any but the default exchange. */
    private static final class Place {

        private final String exchange;
        private final String key;
        private long messages;

        Place(String exchange, String key) {
            this.exchange = exchange;
            this.key = key;
        }

        boolean is(String toExchange, String withKey) {
            return exchange.equals(toExchange) && (!exchange.isEmpty() || key.equals(withKey));
        }
    }

    /** A message is published. */
    void count(String exchange, String routingKey) {
        if (latest == null || !latest.is(exchange, routingKey)) {
            latest = find(exchange, routingKey);
        }
        latest.messages++;
    }

    private Place find(String exchange, String routingKey) {
        for (Place place : places) {
            if (place.is(exchange, routingKey)) {
                return place;
            }
        }
        Place place = new Place(exchange, exchange.isEmpty() ? routingKey : "");
        if (places.size() < MOST) {
            places.add(place);
        } else {
            places.set(next, place);
            next = (next + 1) % MOST;
        }
        return place;
    }

    List<ClientDetails.Target> list(String producer) {
        return places.stream()
                .map(place -> new ClientDetails.Target(producer, place.exchange, place.key, place.messages))
                .toList();
    }
}
