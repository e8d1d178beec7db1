package io.sluicemq.broker.engine;

import io.sluicemq.api.Client;
import io.sluicemq.api.Message;
import io.sluicemq.api.Permissions;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.routing.Exchange;
import io.sluicemq.broker.routing.RouteSet;
import io.sluicemq.broker.routing.RoutingTable;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a client's recent publishes went: most send with few keys. An entry holds as long as the table is the same, or the
 * routes from its exchange are. Whether they are allowed is remembered as well, as long as the user's permissions are the same. Owned by the client's loop. A fixed number of entries, overwritten by their hash.
 */
@LoopOwned
final class RouteCache {

    private static final int SLOTS = 64;
    private static final int MOST_TARGETS = 64;

    private static final class Entry {
        String exchange;
        String routingKey;
        RoutingTable<QueueProxy> table;
        Object stamp;
        Route route;
        /** By which the client's user may publish there; null if that was not asked. */
        Permissions allowedBy;
    }

    private Entry[] slots;
    private Route route = Route.NOWHERE;

    /** What the last {@link #find} has found. */
    Route route() {
        return route;
    }

    /**
     * Routes a message; returns how many queues it reaches, or what is wrong with its exchange.
     *
     * @param access what its publisher may; null if that is not asked
     */
    int find(RoutingTable<QueueProxy> table, Message message, LoopContext context, AccessChecks access) {
        boolean plain = message.extraKeys().isEmpty() && message.hiddenKeys().isEmpty();
        Entry entry = plain ? entry(message.exchange(), message.routingKey()) : null;
        boolean remembered = entry != null
                && entry.table != null
                && entry.routingKey.equals(message.routingKey())
                && entry.exchange.equals(message.exchange());
        if (access != null) {
            Permissions permissions = access.permissions();
            if (!remembered || entry.allowedBy != permissions) {
                if (!access.mayPublish(message)) {
                    return Client.NO_ACCESS;
                }
                if (remembered) {
                    entry.allowedBy = permissions;
                }
            }
        }
        if (remembered && entry.table == table) {
            route = entry.route;
            return route.size();
        }
        Exchange<QueueProxy> exchange = table.exchange(message.exchange());
        if (exchange == null) {
            return Client.NO_EXCHANGE;
        }
        if (exchange.isInternal()) {
            return Client.INTERNAL_EXCHANGE;
        }
        Object stamp = plain ? table.routeStamp(exchange) : null;
        if (remembered && stamp != null && entry.stamp == stamp) {
            entry.table = table;
            route = entry.route;
            return route.size();
        }
        RouteSet<QueueProxy> routes = context.routes;
        table.route(exchange, message.routingKey(), otherKeys(message), context.headers.of(message), routes);
        // The last message would live as long as the loop.
        context.headers.of(null);
        int size = routes.size();
        route = Route.of(routes);
        routes.clear();
        if (stamp != null && size <= MOST_TARGETS) {
            entry.exchange = message.exchange();
            entry.routingKey = message.routingKey();
            entry.table = table;
            entry.stamp = stamp;
            entry.route = route;
            entry.allowedBy = access == null ? null : access.permissions();
        }
        return size;
    }

    /** All keys go through an exchange together: its alternate gets the message only if none of them matches. */
    private static List<String> otherKeys(Message message) {
        if (message.hiddenKeys().isEmpty()) {
            return message.extraKeys();
        }
        List<String> keys = new ArrayList<>(message.extraKeys());
        keys.addAll(message.hiddenKeys());
        return keys;
    }

    private Entry entry(String exchange, String routingKey) {
        if (slots == null) {
            slots = new Entry[SLOTS];
        }
        int hash = exchange.hashCode() * 31 + routingKey.hashCode();
        int index = (hash ^ hash >>> 16) & SLOTS - 1;
        Entry entry = slots[index];
        if (entry == null) {
            entry = new Entry();
            slots[index] = entry;
        }
        return entry;
    }
}
