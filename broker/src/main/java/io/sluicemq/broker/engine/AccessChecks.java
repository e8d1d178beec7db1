package io.sluicemq.broker.engine;

import io.sluicemq.api.Access;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.BrokerError.Kind;
import io.sluicemq.api.Client;
import io.sluicemq.api.Client.BindingSpec;
import io.sluicemq.api.Client.ExchangeSpec;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.Message;
import io.sluicemq.api.Permission;
import io.sluicemq.api.Permissions;
import io.sluicemq.api.Principal;
import io.sluicemq.api.Undeliverable;
import io.sluicemq.base.LoopOwned;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What one client's user may do, by the rules of RabbitMQ's access control; owned by the client's loop. Every method answers null, or
 * why not.
 *
 * <p>Where the rules here differ:
 * <ul>
 * <li>the default exchange has no permissions of its own: what counts is the address, which is the routing key. That of
 *     {@code amq.topic} is allowed to whom the exchange is, or the address;
 * <li>a queue that the broker has named, or a temporary topic, can't be guessed: who knows its name may publish to it, and whose
 *     connection it belongs to alone may do with it what they like;
 * <li>a subscription, which a protocol makes, names and ends, needs no more than to be allowed to read from its topic; nor do queues
 *     that the configuration names for messages that nobody takes need anything.
 * </ul>
 */
@LoopOwned
final class AccessChecks {

    private static final String DEFAULT_EXCHANGE = "";
    private static final String TOPICS = "amq.topic";
    private static final String DEAD_LETTER_EXCHANGE = "x-dead-letter-exchange";
    private static final String DEAD_LETTER_KEY = "x-dead-letter-routing-key";
    private static final String EXPIRY_ADDRESS = "x-expiry-address";
    private static final String EVERY_NAME = "#";

    private final Principal user;
    private final VirtualHost host;
    private final LoopContext context;
    private final Client client;
    /** Temporary topics that this client has declared, and not deleted. */
    private final Set<String> ownTopics = new HashSet<>(0);

    private Access seen;
    private Permissions permissions;

    AccessChecks(Principal user, VirtualHost host, LoopContext context, Client client) {
        this.user = user;
        this.host = host;
        this.context = context;
        this.client = client;
    }

    /** What the user may at this moment; the same object as long as nothing has changed. */
    Permissions permissions() {
        Access now = user.access().get();
        if (now != seen) {
            seen = now;
            Permissions here = now.in(host.name());
            permissions = here == null ? Permissions.NONE : here;
        }
        return permissions;
    }

    /** Whether the user may be in this virtual host at all. */
    boolean mayStay() {
        return user.mayUse(host.name());
    }

    // ---- topology

    BrokerError declareExchange(ExchangeSpec exchange) {
        String name = exchange.name();
        if (name.startsWith(Client.TEMPORARY_TOPIC) && !exchange.durable()) {
            ownTopics.add(name);
            return null;
        }
        if (!permissions().allow(Permission.CONFIGURE, name)) {
            return refused(Permission.CONFIGURE, Kind.EXCHANGE, name);
        }
        Object alternate = exchange.arguments().get(Topology.ALTERNATE);
        if (alternate == null) {
            return null;
        }
        return mayReadFrom(name, null)
                ? publishTo(alternate.toString(), null)
                : refused(Permission.READ, Kind.EXCHANGE, name);
    }

    BrokerError deleteExchange(String name) {
        return ownTopics.remove(name) || permissions().allow(Permission.CONFIGURE, name)
                ? null
                : refused(Permission.CONFIGURE, Kind.EXCHANGE, name);
    }

    BrokerError bind(BindingSpec binding) {
        String destination = binding.destination();
        boolean writes = permissions().allow(Permission.WRITE, destination)
                || (binding.toExchange() ? ownTopics.contains(destination) : isOwn(destination));
        if (!writes) {
            return refused(Permission.WRITE, binding.toExchange() ? Kind.EXCHANGE : Kind.QUEUE, destination);
        }
        return bindFrom(binding.source(), binding.routingKey());
    }

    private BrokerError bindFrom(String exchange, String key) {
        return mayReadFrom(exchange, key) ? null : refused(Permission.READ, Kind.EXCHANGE, exchange);
    }

    /** @param topic the exchange that it is bound to in the same change: then it is a subscription; else null */
    BrokerError declareQueue(QueueSpec queue, Topology.BoundTo topic) {
        if (topic != null) {
            return bindFrom(topic.exchange(), topic.routingKey());
        }
        String name = queue.name();
        boolean own = name.isEmpty() ? queue.exclusive() : isOwn(name);
        boolean byUse = Boolean.TRUE.equals(queue.arguments().get(QueueSpec.MADE_BY_USE));
        String named = name.isEmpty() ? QueueSpec.GENERATED : name;
        if (!own && !(byUse && host.isForUndeliverable(name)) && !permissions().allow(Permission.CONFIGURE, named)) {
            return refused(Permission.CONFIGURE, Kind.QUEUE, named);
        }
        return byUse && isConfigured(name, queue.arguments()) ? null : deadLetters(queue, named, own);
    }

    private BrokerError deadLetters(QueueSpec queue, String name, boolean own) {
        Object exchange = queue.arguments().get(DEAD_LETTER_EXCHANGE);
        Object expiry = queue.arguments().get(EXPIRY_ADDRESS);
        if (exchange == null && expiry == null) {
            return null;
        }
        if (!own && !permissions().allow(Permission.READ, name)) {
            return refused(Permission.READ, Kind.QUEUE, name);
        }
        Object key = queue.arguments().get(DEAD_LETTER_KEY);
        BrokerError refused =
                exchange == null ? null : publishTo(exchange.toString(), key == null ? null : key.toString());
        return refused == null && expiry != null ? publishTo(DEFAULT_EXCHANGE, expiry.toString()) : refused;
    }

    /** Whether a queue's messages that nobody takes go where the configuration says. */
    private boolean isConfigured(String queue, Map<String, Object> arguments) {
        Undeliverable configured = host.undeliverable(queue);
        Object exchange = arguments.get(DEAD_LETTER_EXCHANGE);
        Object expiry = arguments.get(EXPIRY_ADDRESS);
        return (exchange == null || exchange.equals(DEFAULT_EXCHANGE)
                && configured.deadLetterAddress() != null
                && configured.deadLetterAddress().equals(arguments.get(DEAD_LETTER_KEY)))
                && (expiry == null || expiry.equals(configured.expiryAddress()));
    }

    BrokerError deleteQueue(String name) {
        return permissions().allow(Permission.CONFIGURE, name) || isOwn(name) || isReadableSubscription(name)
                ? null
                : refused(Permission.CONFIGURE, Kind.QUEUE, name);
    }

    // ---- messages

    /** To consume from a queue, take a message from it, purge it. */
    BrokerError.AccessRefused read(String queue) {
        return mayRead(queue) ? null : refused(Permission.READ, Kind.QUEUE, queue);
    }

    private boolean mayRead(String queue) {
        return permissions().allow(Permission.READ, queue) || isOwn(queue) || isReadableSubscription(queue);
    }

    /** @param key null for any */
    BrokerError publishTo(String exchange, String key) {
        if (mayPublish(exchange, key)) {
            return null;
        }
        boolean address = exchange.equals(DEFAULT_EXCHANGE) && key != null;
        return refused(Permission.WRITE, address ? Kind.QUEUE : Kind.EXCHANGE, address ? key : exchange);
    }

    /** Whether a message may be published; with each of its keys. */
    boolean mayPublish(Message message) {
        if (!mayPublish(message.exchange(), message.routingKey())) {
            return false;
        }
        for (String key : message.extraKeys()) {
            if (!mayPublish(message.exchange(), key)) {
                return false;
            }
        }
        for (String key : message.hiddenKeys()) {
            if (!mayPublish(message.exchange(), key)) {
                return false;
            }
        }
        return true;
    }

    private boolean mayPublish(String exchange, String key) {
        Permissions mine = permissions();
        if (exchange.equals(DEFAULT_EXCHANGE)) {
            return key == null
                    ? mine.allowAllOf(Permission.WRITE, EVERY_NAME)
                    : mine.allow(Permission.WRITE, key) || key.startsWith(QueueSpec.GENERATED)
                            || key.startsWith(Client.ReplyAddress.PREFIX);
        }
        return mine.allow(Permission.WRITE, exchange)
                || exchange.startsWith(Client.TEMPORARY_TOPIC)
                || exchange.equals(TOPICS) && key != null && mine.allow(Permission.WRITE, key);
    }

    /** @param key a binding's, null for any */
    private boolean mayReadFrom(String exchange, String key) {
        return permissions().allow(Permission.READ, exchange)
                || exchange.startsWith(Client.TEMPORARY_TOPIC)
                || exchange.equals(TOPICS) && key != null && permissions().allowAllOf(Permission.READ, key);
    }

    /** Whether the broker has named that queue for this client alone. */
    private boolean isOwn(String queue) {
        if (!queue.startsWith(QueueSpec.GENERATED)) {
            return false;
        }
        QueueProxy proxy = host.table().queue(queue);
        return proxy != null && proxy.queue().options().exclusive() && proxy.queue().owner() == client;
    }

    private boolean isReadableSubscription(String queue) {
        QueueProxy proxy = host.table().queue(queue);
        if (proxy == null || !(proxy.queue().spec().arguments().get(QueueSpec.SUBSCRIBES_TO) instanceof String topic)) {
            return false;
        }
        Object key = proxy.queue().spec().arguments().get(QueueSpec.SUBSCRIBES_WITH_KEY);
        return host.table().exchange(topic) != null
                ? mayReadFrom(topic, key == null ? null : key.toString())
                : mayReadFrom(TOPICS, topic);
    }

    private BrokerError.AccessRefused refused(Permission permission, Kind kind, String name) {
        String thing = kind.word() + " '" + name + "' in vhost '" + host.name() + "'";
        context.refusals.refused(
                permission.word() + " access of user '" + user.name() + "' to " + thing + " by " + client,
                context.loop.nanoTime());
        context.tally.refusedAccesses++;
        return new BrokerError.AccessRefused(
                user.name(), kind, name, host.name(),
                permission.word() + " access to " + thing + " refused for user '" + user.name() + "'");
    }
}
