package io.sluicemq.broker.routing;

import io.vavr.collection.HashMap;
import io.vavr.collection.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The exchanges, queues and bindings of a virtual host at one moment, and the way of a message through them.
 *
 * <p>Immutable. One writer makes each table from the one before it, at a cost that does not grow with what else is in the table;
 * any loop may route on any table it holds. A change returns an {@link Outcome}; nothing here throws for what a client may ask.
 *
 * <p>Every table has the default exchange, whose name is empty and which reaches each queue by its name, and to which no binding
 * can be added.
 *
 * <p><b>Caching routes.</b> As long as {@code current == remembered} for tables, everything found in the one holds in the other.
 * Across tables, {@link #routeStamp} says whether the routes by key from one exchange can have changed.
 *
 * @param <Q> what stands for a queue. Its {@code equals} must not change over its life and must tell queues apart; identity does.
 */
public final class RoutingTable<Q> {

    private static final String DEFAULT = "";

    private static final List<ExchangeSpec> PREDECLARED = List.of(
            ExchangeSpec.durable(DEFAULT, ExchangeType.DIRECT),
            ExchangeSpec.durable("amq.direct", ExchangeType.DIRECT),
            ExchangeSpec.durable("amq.fanout", ExchangeType.FANOUT),
            ExchangeSpec.durable("amq.topic", ExchangeType.TOPIC),
            ExchangeSpec.durable("amq.headers", ExchangeType.HEADERS),
            ExchangeSpec.durable("amq.match", ExchangeType.HEADERS));

    private static final Set<String> PREDECLARED_NAMES =
            Set.copyOf(PREDECLARED.stream().map(ExchangeSpec::name).toList());

    private final HashMap<String, Exchange<Q>> exchanges;
    private final HashMap<String, Q> queues;

    /** The bindings to each queue that has some. */
    private final HashMap<String, HashSet<Binding>> toQueues;

    /** The bindings to each exchange that has some. */
    private final HashMap<String, HashSet<Binding>> toExchanges;

    RoutingTable(
            HashMap<String, Exchange<Q>> exchanges,
            HashMap<String, Q> queues,
            HashMap<String, HashSet<Binding>> toQueues,
            HashMap<String, HashSet<Binding>> toExchanges) {
        this.exchanges = exchanges;
        this.queues = queues;
        this.toQueues = toQueues;
        this.toExchanges = toExchanges;
    }

    /**
     * A table with the exchanges that every virtual host has: the default exchange, {@code amq.direct}, {@code amq.fanout},
     * {@code amq.topic}, {@code amq.headers} and {@code amq.match} (0-9-1 §3.1.3).
     */
    public static <Q> RoutingTable<Q> withDefaults() {
        HashMap<String, Exchange<Q>> exchanges = HashMap.empty();
        for (ExchangeSpec spec : PREDECLARED) {
            exchanges = exchanges.put(spec.name(), Exchange.of(spec));
        }
        return new RoutingTable<>(exchanges, HashMap.empty(), HashMap.empty(), HashMap.empty());
    }

    /** The exchange of that name, or null. */
    public Exchange<Q> exchange(String name) {
        return exchanges.getOrElse(name, null);
    }

    /** The queue of that name, or null. */
    public Q queue(String name) {
        return queues.getOrElse(name, null);
    }

    /** All exchanges, in no order: a copy. */
    public List<Exchange<Q>> exchanges() {
        return exchanges.values().toJavaList();
    }

    /** All queues, in no order: a copy. */
    public List<Q> queues() {
        return queues.values().toJavaList();
    }

    public int exchangeCount() {
        return exchanges.size();
    }

    public int queueCount() {
        return queues.size();
    }

    /** The bindings that lead to a queue, in no order, without the one from the default exchange: a copy. */
    public List<Binding> bindingsToQueue(String name) {
        return toQueues.getOrElse(name, HashSet.empty()).toJavaList();
    }

    /** The bindings that lead to an exchange, in no order: a copy. */
    public List<Binding> bindingsToExchange(String name) {
        return toExchanges.getOrElse(name, HashSet.empty()).toJavaList();
    }

    /**
     * Whether a binding from an exchange to a queue exists. The default exchange is bound to each queue by its name.
     *
     * @param queue the queue, or null for any
     * @param routingKey the binding's key, compared as text whatever the exchange's type, or null for any
     */
    public boolean hasBinding(String exchange, String queue, String routingKey) {
        if (exchange.equals(DEFAULT)) {
            return hasDefaultBinding(queue, routingKey);
        }
        if (queue != null) {
            return toQueues.getOrElse(queue, HashSet.empty())
                    .exists(binding -> binding.source().equals(exchange)
                            && (routingKey == null || binding.routingKey().equals(routingKey)));
        }
        Exchange<Q> source = exchange(exchange);
        return source != null
                && source.bindingSet()
                        .exists(binding -> binding.kind() == Binding.Kind.QUEUE
                                && (routingKey == null || binding.routingKey().equals(routingKey)));
    }

    private boolean hasDefaultBinding(String queue, String routingKey) {
        if (queue == null) {
            return routingKey == null ? !queues.isEmpty() : queues.containsKey(routingKey);
        }
        return queues.containsKey(queue) && (routingKey == null || routingKey.equals(queue));
    }

    /** As {@link #route(Exchange, String, List, HeaderSource, RouteSet)} without extra keys. */
    public void route(Exchange<Q> exchange, String routingKey, HeaderSource headers, RouteSet<Q> out) {
        route(exchange, routingKey, List.of(), headers, out);
    }

    /**
     * Adds to {@code out} the queues that a message published to {@code exchange} goes to. Each exchange on the way is passed
     * once, so bindings may lead in circles. An exchange at which no binding matches passes the message on to its alternate
     * exchange, if it has one and that exists.
     *
     * @param exchange one of this table
     * @param extraKeys keys that the message is routed by besides {@code routingKey}, at every exchange on the way
     *     (the CC and BCC of RabbitMQ); accessed by index
     */
    public void route(
            Exchange<Q> exchange, String routingKey, List<String> extraKeys, HeaderSource headers, RouteSet<Q> out) {
        if (exchange.isDefault()) {
            routeByName(routingKey, extraKeys, out);
            return;
        }
        DistinctList<Exchange<Q>> visited = out.visited();
        visited.add(exchange);
        for (int i = 0; i < visited.size(); i++) {
            Exchange<Q> at = visited.get(i);
            if (at.isDefault()) {
                // Only as an alternate exchange: nothing can be bound to it.
                routeByName(routingKey, extraKeys, out);
            } else if (!at.match(routingKey, extraKeys, headers, out) && at.spec().alternate() != null) {
                out.reach(at.spec().alternate());
            }
            for (String name = out.takeReached(); name != null; name = out.takeReached()) {
                Exchange<Q> next = exchange(name);
                if (next != null) {
                    visited.add(next);
                }
            }
        }
        visited.clear();
    }

    private void routeByName(String routingKey, List<String> extraKeys, RouteSet<Q> out) {
        Q queue = queue(routingKey);
        if (queue != null) {
            out.add(queue);
        }
        for (int i = 0; i < extraKeys.size(); i++) {
            Q extra = queue(extraKeys.get(i));
            if (extra != null) {
                out.add(extra);
            }
        }
    }

    /**
     * An object that stands for all routes by key from an exchange. If it is the same object ({@code ==}) for an exchange of this
     * table and for the exchange of the same name in another, both lead every message with the same routing key (and the same extra
     * keys) to the same queues: so a caller may remember the queues of a key together with the stamp. The stamp says nothing about
     * whether the exchange still exists, nor of its flags.
     *
     * <p>Null if the key is not enough to tell where a message goes, or exchanges besides this one have a say: it is a headers
     * exchange, has an alternate exchange, or leads to other exchanges. Such routes are not to be remembered.
     *
     * @param exchange one of this table
     */
    public Object routeStamp(Exchange<Q> exchange) {
        return exchange.isDefault() ? queues : exchange.stamp();
    }

    /**
     * Declares an exchange. Unchanged if it is there and as asked for; refused if it is there and differs
     * ({@link Refusal.Inequivalent}), or if it is the default exchange.
     */
    public Outcome<Q> declareExchange(ExchangeSpec spec) {
        if (spec.name().equals(DEFAULT)) {
            return new Outcome.Refused<>(new Refusal.DefaultExchange());
        }
        Exchange<Q> existing = exchange(spec.name());
        if (existing == null) {
            return new Outcome.Applied<>(new RoutingTable<>(
                    exchanges.put(spec.name(), Exchange.of(spec)), queues, toQueues, toExchanges));
        }
        Refusal difference = existing.spec().differenceTo(spec);
        return difference == null ? new Outcome.Unchanged<>(this) : new Outcome.Refused<>(difference);
    }

    /**
     * Deletes an exchange, with all bindings from it and to it. Auto-delete exchanges that thereby lose their last binding go too.
     * Unchanged if it is not there.
     *
     * @param ifUnused whether to refuse if there are bindings from it
     */
    public Outcome<Q> deleteExchange(String name, boolean ifUnused) {
        if (name.equals(DEFAULT)) {
            return new Outcome.Refused<>(new Refusal.DefaultExchange());
        }
        Exchange<Q> exchange = exchange(name);
        if (exchange == null) {
            return new Outcome.Unchanged<>(this);
        }
        if (PREDECLARED_NAMES.contains(name)) {
            return new Outcome.Refused<>(new Refusal.Predeclared(name));
        }
        if (ifUnused && exchange.bindingCount() > 0) {
            return new Outcome.Refused<>(new Refusal.InUse(name));
        }
        Removal<Q> removal = removal();
        removal.exchange(name);
        return removal.applied();
    }

    /** Adds a queue, which the default exchange reaches at once. Unchanged if it is there; refused if another has its name. */
    public Outcome<Q> addQueue(String name, Q queue) {
        Q existing = queue(name);
        if (existing != null) {
            return existing == queue
                    ? new Outcome.Unchanged<>(this)
                    : new Outcome.Refused<>(new Refusal.QueueNameTaken(name));
        }
        return new Outcome.Applied<>(
                new RoutingTable<>(exchanges, queues.put(name, queue), toQueues, toExchanges));
    }

    /**
     * Removes a queue with all bindings to it, at a cost that goes by their number alone. Auto-delete exchanges that thereby lose
     * their last binding go too. Unchanged if it is not there.
     */
    public Outcome<Q> removeQueue(String name) {
        if (!queues.containsKey(name)) {
            return new Outcome.Unchanged<>(this);
        }
        Removal<Q> removal = removal();
        removal.queue(name);
        return removal.applied();
    }

    /**
     * Adds a binding. Unchanged if there is an equal one; refused if its source or destination is not there or the default
     * exchange, or if the source's type can't work with its arguments.
     */
    public Outcome<Q> bind(Binding binding) {
        if (touchesDefault(binding)) {
            return new Outcome.Refused<>(new Refusal.DefaultExchange());
        }
        Exchange<Q> source = exchange(binding.source());
        if (source == null) {
            return new Outcome.Refused<>(new Refusal.NoSuchExchange(binding.source()));
        }
        Q queue = null;
        switch (binding.kind()) {
            case QUEUE -> {
                queue = queue(binding.destination());
                if (queue == null) {
                    return new Outcome.Refused<>(new Refusal.NoSuchQueue(binding.destination()));
                }
            }
            case EXCHANGE -> {
                if (exchange(binding.destination()) == null) {
                    return new Outcome.Refused<>(new Refusal.NoSuchExchange(binding.destination()));
                }
            }
        }
        Refusal refusal = source.type().refusalOf(binding.arguments());
        if (refusal != null) {
            return new Outcome.Refused<>(refusal);
        }
        if (source.has(binding)) {
            return new Outcome.Unchanged<>(this);
        }
        return new Outcome.Applied<>(
                switch (binding.kind()) {
                    case QUEUE ->
                        new RoutingTable<>(
                                exchanges.put(binding.source(), source.with(binding, queue)),
                                queues,
                                withTo(toQueues, binding),
                                toExchanges);
                    case EXCHANGE ->
                        new RoutingTable<>(
                                exchanges.put(binding.source(), source.with(binding, null)),
                                queues,
                                toQueues,
                                withTo(toExchanges, binding));
                });
    }

    private static HashMap<String, HashSet<Binding>> withTo(
            HashMap<String, HashSet<Binding>> to, Binding binding) {
        HashSet<Binding> bindings = to.getOrElse(binding.destination(), HashSet.empty());
        return to.put(binding.destination(), bindings.add(binding));
    }

    /**
     * Removes a binding; its source goes too if it is auto-delete and this was the last binding from it. Unchanged if there is no
     * such binding, be it that its source or destination is not there; refused if one of them is the default exchange.
     */
    public Outcome<Q> unbind(Binding binding) {
        if (touchesDefault(binding)) {
            return new Outcome.Refused<>(new Refusal.DefaultExchange());
        }
        Exchange<Q> source = exchange(binding.source());
        if (source == null || !source.has(binding)) {
            return new Outcome.Unchanged<>(this);
        }
        Removal<Q> removal = removal();
        removal.binding(binding);
        return removal.applied();
    }

    private static boolean touchesDefault(Binding binding) {
        return binding.source().equals(DEFAULT)
                || binding.kind() == Binding.Kind.EXCHANGE && binding.destination().equals(DEFAULT);
    }

    private Removal<Q> removal() {
        return new Removal<>(exchanges, queues, toQueues, toExchanges);
    }
}
