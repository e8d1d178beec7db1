package io.sluicemq.broker.engine;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.BrokerError.Kind;
import io.sluicemq.api.Client.BindingSpec;
import io.sluicemq.api.Client.ExchangeSpec;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.Client.QueueStatus;
import io.sluicemq.api.Completion;
import io.sluicemq.api.Principal;
import io.sluicemq.api.Reply;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.base.Published;
import io.sluicemq.broker.journal.TopologyRecord;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.broker.queue.QueueOptions;
import io.sluicemq.broker.routing.Arguments;
import io.sluicemq.broker.routing.Binding;
import io.sluicemq.broker.routing.Exchange;
import io.sluicemq.broker.routing.ExchangeType;
import io.sluicemq.broker.routing.Outcome;
import io.sluicemq.broker.routing.Refusal;
import io.sluicemq.broker.routing.RoutingTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The single writer of a virtual host's topology, owned by the host's home loop. Each change derives a new table, publishes
 * it, and then answers, so that whoever has the answer finds the change.
 */
@LoopOwned
final class Topology {

    static final String ALTERNATE = "alternate-exchange";

    private final VirtualHost host;
    private final LoopContext home;
    private final LoopContext[] contexts;
    private final Published<RoutingTable<QueueProxy>> published;
    private final Supplier<String> names;
    private int nextLoop;

    Topology(
            VirtualHost host,
            LoopContext home,
            LoopContext[] contexts,
            Published<RoutingTable<QueueProxy>> published,
            Supplier<String> names) {
        this.host = host;
        this.home = home;
        this.contexts = contexts;
        this.published = published;
        this.names = names;
        this.nextLoop = home.loop.index();
    }

    // ---- exchanges and bindings

    void declareExchange(ExchangeSpec spec, Relay<Void> relay) {
        ExchangeType type = ExchangeType.labelled(spec.type());
        if (type == null) {
            relay.failed(home.loop, new BrokerError.UnknownExchangeType(spec.name(), spec.type()));
            return;
        }
        Object alternate = spec.arguments().get(ALTERNATE);
        if (alternate != null && !(alternate instanceof CharSequence)) {
            relay.failed(
                    home.loop,
                    new BrokerError.InvalidArgument(
                            Kind.EXCHANGE,
                            spec.name(),
                            host.name(),
                            ALTERNATE,
                            "expected a string, got '" + alternate + "'"));
            return;
        }
        RoutingTable<QueueProxy> before = published.get();
        Outcome<QueueProxy> outcome = before
                .declareExchange(new io.sluicemq.broker.routing.ExchangeSpec(
                        spec.name(),
                        type,
                        spec.durable(),
                        spec.autoDelete(),
                        spec.internal(),
                        alternate == null ? null : alternate.toString(),
                        Arguments.of(spec.arguments())));
        if (outcome instanceof Outcome.Applied<QueueProxy>) {
            home.tally.exchanges++;
            host.limitExchange(spec.name());
        }
        TopologyRecord record = spec.durable()
                ? new TopologyRecord.ExchangeDeclared(
                        host.name(), spec.name(), spec.type(), true, spec.autoDelete(), spec.internal(),
                        spec.arguments())
                : null;
        apply(outcome, record, Witness.Command.DECLARE, Kind.EXCHANGE, spec.name(), relay);
    }

    void deleteExchange(String name, boolean ifUnused, Relay<Void> relay) {
        // What goes with it is written for each that goes.
        apply(published.get().deleteExchange(name, ifUnused), null, Witness.Command.DELETE, Kind.EXCHANGE, name,
                relay);
    }

    void bind(ConnectedClient client, BindingSpec spec, Relay<Void> relay) {
        QueueProxy queue = spec.toExchange() ? null : published.get().queue(spec.destination());
        if (queue != null && queue.queue().lockedFor(client)) {
            relay.failed(home.loop, new BrokerError.Locked(spec.destination(), host.name()));
            return;
        }
        Binding binding = toBinding(spec);
        Outcome<QueueProxy> outcome = published.get().bind(binding);
        boolean applied = outcome instanceof Outcome.Applied<QueueProxy>;
        if (applied) {
            home.tally.bindings++;
        }
        TopologyRecord record = isDurable(published.get(), binding) ? bound(spec) : null;
        apply(outcome, record, Witness.Command.BIND, spec.toExchange() ? Kind.EXCHANGE : Kind.QUEUE,
                spec.destination(), relay);
        if (applied) {
            host.consumerRules().bound(binding, published.get());
        }
    }

    private TopologyRecord bound(BindingSpec spec) {
        return new TopologyRecord.Bound(
                host.name(), spec.source(), spec.destination(), spec.toExchange(), spec.routingKey(), spec.arguments());
    }

    /** Whether a binding outlives the broker: both of its ends do. */
    private static boolean isDurable(RoutingTable<QueueProxy> table, Binding binding) {
        Exchange<QueueProxy> source = table.exchange(binding.source());
        if (source == null || !source.spec().durable()) {
            return false;
        }
        if (binding.kind() == Binding.Kind.EXCHANGE) {
            Exchange<QueueProxy> destination = table.exchange(binding.destination());
            return destination != null && destination.spec().durable();
        }
        QueueProxy queue = table.queue(binding.destination());
        return queue != null && queue.queue().isLogged();
    }

    void unbind(ConnectedClient client, BindingSpec spec, Relay<Void> relay) {
        QueueProxy queue = spec.toExchange() ? null : published.get().queue(spec.destination());
        if (queue != null && queue.queue().lockedFor(client)) {
            relay.failed(home.loop, new BrokerError.Locked(spec.destination(), host.name()));
            return;
        }
        // The binding that goes is written as one that has gone.
        apply(
                published.get().unbind(toBinding(spec)),
                null,
                Witness.Command.UNBIND,
                spec.toExchange() ? Kind.EXCHANGE : Kind.QUEUE,
                spec.destination(),
                relay);
    }

    private static Binding toBinding(BindingSpec spec) {
        return new Binding(
                spec.source(),
                spec.toExchange() ? Binding.Kind.EXCHANGE : Binding.Kind.QUEUE,
                spec.destination(),
                spec.routingKey(),
                Arguments.of(spec.arguments()));
    }

    /** @param added what is written of the change itself, if it is one; null for nothing */
    private void apply(
            Outcome<QueueProxy> outcome, TopologyRecord added, Witness.Command command, Kind kind, String name,
            Relay<Void> relay) {
        switch (outcome) {
            case Outcome.Applied<QueueProxy> applied -> answer(command, publish(applied, added), relay, null);
            case Outcome.Unchanged<QueueProxy> unchanged -> {
                // Who finds something declared, or gone, may count on it, too.
                boolean ends = command == Witness.Command.UNBIND || command == Witness.Command.DELETE;
                answer(command, ends || added != null, relay, null);
            }
            case Outcome.Refused<QueueProxy> refused -> relay.failed(home.loop, error(refused.reason(), kind, name));
        }
    }

    /** Answers when all that was changed so far is durable; at once, if the change is none that outlives the broker. */
    private <T> void answer(Witness.Command command, boolean durable, Relay<T> relay, T result) {
        boolean waits = durable && home.journal() != null;
        if (!waits && !host.hasWitness()) {
            relay.done(home.loop, result);
            return;
        }
        Completion completion = new Completion(home.loop) {
            @Override
            protected void complete(BrokerError refusal) {
                relay.done(home.loop, result);
            }
        };
        host.witness(command, completion);
        if (waits) {
            completion.hold();
            home.journal().awaitAll(completion);
        }
        completion.handedOut();
    }

    /** Returns whether the log has to do with it. */
    private boolean publish(Outcome.Applied<QueueProxy> applied, TopologyRecord added) {
        boolean durable = added != null;
        home.tally.exchanges -= applied.deletedExchanges().size();
        home.tally.bindings -= applied.removedBindings().size();
        RoutingTable<QueueProxy> before = published.get();
        if (home.journal() != null) {
            for (Binding binding : applied.removedBindings()) {
                if (isDurable(before, binding)) {
                    durable = true;
                    log(new TopologyRecord.Unbound(
                            host.name(), binding.source(), binding.destination(),
                            binding.kind() == Binding.Kind.EXCHANGE, binding.routingKey(),
                            binding.arguments().asMap()));
                }
            }
            for (Exchange<QueueProxy> exchange : applied.deletedExchanges()) {
                if (exchange.spec().durable()) {
                    durable = true;
                    log(new TopologyRecord.ExchangeDeleted(host.name(), exchange.name()));
                }
            }
            if (added != null) {
                log(added);
            }
        }
        published.publish(applied.table());
        host.routesChanged();
        host.consumerRules().unbound(applied.removedBindings(), before, applied.table());
        if (!applied.deletedExchanges().isEmpty()) {
            host.forgetExchanges();
        }
        return durable;
    }

    private void log(TopologyRecord record) {
        home.journal().append(record);
    }

    private BrokerError error(Refusal reason, Kind kind, String name) {
        return switch (reason) {
            case Refusal.NoSuchExchange missing -> host.noExchange(missing.name());
            case Refusal.NoSuchQueue missing -> host.noQueue(missing.name());
            case Refusal.DefaultExchange refused ->
                new BrokerError.NotAllowed(
                        Kind.EXCHANGE, "", host.name(), "operation not permitted on the default exchange");
            case Refusal.Predeclared predeclared ->
                new BrokerError.NotAllowed(
                        Kind.EXCHANGE,
                        predeclared.name(),
                        host.name(),
                        "exchange '" + predeclared.name() + "' in vhost '" + host.name()
                                + "' is predeclared and cannot be deleted");
            case Refusal.InUse used -> new BrokerError.InUse(Kind.EXCHANGE, used.name(), host.name());
            case Refusal.Inequivalent unlike ->
                new BrokerError.Inequivalent(
                        Kind.EXCHANGE,
                        unlike.name(),
                        host.name(),
                        unlike.property(),
                        phrase(unlike, unlike.requested(), unlike.current()),
                        phrase(unlike, unlike.current(), unlike.requested()));
            case Refusal.InvalidArgument invalid ->
                new BrokerError.InvalidArgument(
                        kind,
                        name,
                        host.name(),
                        invalid.argument(),
                        "expected " + invalid.expected() + ", got '" + invalid.value() + "'");
            case Refusal.QueueNameTaken taken ->
                throw new IllegalStateException("queue '" + taken.name() + "' was declared twice");
        };
    }

    /** A property's value in words; an argument's with its type. */
    private static String phrase(Refusal.Inequivalent unlike, Object value, Object other) {
        return unlike.property().equals(ALTERNATE) ? QueueEquivalence.phrase(value, other) : "'" + value + "'";
    }

    // ---- queues

    /** What a queue is bound to in the change that declares it. */
    record BoundTo(String exchange, String routingKey) {

        BindingSpec binding(String queue) {
            return new BindingSpec(exchange, queue, false, routingKey, Map.of());
        }
    }

    /** @param bound to be bound in the same change, so that it is bound as long as it is what was declared; null for not */
    void declareQueue(
            ConnectedClient client, QueueSpec spec, QueueOptions options, BoundTo bound, Relay<QueueStatus> relay) {
        if (bound != null && published.get().exchange(bound.exchange) == null) {
            relay.failed(home.loop, host.noExchange(bound.exchange));
            return;
        }
        String name = spec.name();
        if (name.isEmpty()) {
            do {
                name = QueueSpec.GENERATED + names.get();
            } while (published.get().queue(name) != null);
        }
        QueueProxy existing = published.get().queue(name);
        if (existing == null) {
            QueueSpec named = new QueueSpec(
                    name, spec.durable(), spec.exclusive(), spec.autoDelete(), spec.arguments());
            create(client, named, options, bound, relay);
            return;
        }
        Queue queue = existing.queue();
        if (queue.lockedFor(client) || queue.options().exclusive() != options.exclusive()) {
            relay.failed(home.loop, new BrokerError.Locked(name, host.name()));
            return;
        }
        BrokerError difference = QueueEquivalence.difference(queue.spec(), spec, host.name());
        if (difference != null) {
            relay.failed(home.loop, difference);
            return;
        }
        if (bound != null) {
            bind(client, bound.binding(name), new Relay<>(home.loop, new Reply<>() {
                @Override
                public void done(Void result) {
                    find(client, spec, options, bound, existing, relay);
                }

                @Override
                public void failed(BrokerError error) {
                    relay.failed(home.loop, error);
                }
            }));
        } else {
            find(client, spec, options, null, existing, relay);
        }
    }

    /** Answers with a queue that is what was declared. */
    private void find(
            ConnectedClient client, QueueSpec spec, QueueOptions options, BoundTo bound, QueueProxy existing,
            Relay<QueueStatus> relay) {
        Queue queue = existing.queue();
        existing.run(home, () -> {
            if (queue.isRemoved()) {
                // The news of its end is on its way here, ahead of this: the name is free then.
                queue.loop().send(home.loop, () -> declareQueue(client, spec, options, bound, relay));
            } else {
                queue.used();
                QueueStatus status = queue.status();
                existing.whenDurable(Witness.Command.DECLARE, () -> relay.done(queue.loop(), status));
            }
        });
    }

    private void create(
            ConnectedClient client, QueueSpec spec, QueueOptions options, BoundTo bound, Relay<QueueStatus> relay) {
        if (!host.usage().queues().tryTake()) {
            long limit = host.usage().queues().limit();
            home.tally.refusedByUserLimit++;
            home.limits.refused("queue '" + spec.name() + "' in vhost '" + host.name() + "', which may have " + limit
                    + " queues, by " + client, home.loop.nanoTime());
            relay.failed(home.loop, new BrokerError.LimitReached("queues", host.name(), host.name(), limit));
            return;
        }
        Principal user = client.principal();
        long mostOfUser = user.usage().queues().limit();
        if (!host.queuesByUser().tryTake(user.name(), mostOfUser)) {
            host.usage().queues().give(1);
            home.tally.refusedByUserLimit++;
            home.limits.refused("queue '" + spec.name() + "' in vhost '" + host.name() + "' of '" + user.name()
                    + "', who may have " + mostOfUser + " queues, by " + client, home.loop.nanoTime());
            relay.failed(home.loop, new BrokerError.LimitReached("queues", user.name(), host.name(), mostOfUser));
            return;
        }
        boolean owned = options.exclusive() || options.deletedWithConnection();
        LoopContext context = owned ? client.context() : contexts[nextLoop];
        if (!owned) {
            nextLoop = (nextLoop + 1) % contexts.length;
        }
        Queue queue = new Queue(
                spec, options, host.name(), owned ? client : null, context.loop, host.effects(context.loop.index()),
                host.newAccount(spec.name(), context.loop));
        TopologyRecord record = null;
        if (home.journal() != null && options.durable() && !owned) {
            queue.logged(host.newQueueId());
            record = declared(queue, user.name());
            // Nobody may find it before the log has it: a message for a queue that the log doesn't know would be lost.
            if (!home.journal().tryAppend(record)) {
                host.usage().queues().give(1);
                host.queuesByUser().give(user.name());
                if (home.journal().state().isFinal()) {
                    relay.failed(home.loop, new BrokerError.Unavailable(home.journal().state().reason()));
                    return;
                }
                host.postpone(() -> declareQueue(client, spec, options, bound, relay));
                return;
            }
        } else if (home.journal() != null) {
            queue.numbered(host.newQueueId());
        }
        QueueProxy proxy = new QueueProxy(queue, context, user.name());
        switch (published.get().addQueue(spec.name(), proxy)) {
            case Outcome.Applied<QueueProxy> applied -> publish(applied, null);
            case Outcome.Unchanged<QueueProxy> unchanged ->
                throw new IllegalStateException(queue + " was there before it was made");
            case Outcome.Refused<QueueProxy> refused ->
                throw new IllegalStateException(queue + " was refused: " + refused.reason());
        }
        home.tally.queues++;
        proxy.run(home, proxy::open);
        host.consumerRules().added(proxy);
        if (owned) {
            home.loop.send(client.loop(), () -> client.owns(proxy));
        }
        if (bound != null) {
            bind(spec.name(), bound);
        }
        answer(Witness.Command.DECLARE, record != null, relay, new QueueStatus(spec.name(), 0, 0));
    }

    private void bind(String queue, BoundTo bound) {
        BindingSpec spec = bound.binding(queue);
        Binding binding = toBinding(spec);
        switch (published.get().bind(binding)) {
            case Outcome.Applied<QueueProxy> applied -> {
                home.tally.bindings++;
                publish(applied, isDurable(published.get(), binding) ? bound(spec) : null);
                host.consumerRules().bound(binding, published.get());
            }
            case Outcome.Unchanged<QueueProxy> unchanged ->
                throw new IllegalStateException(binding + " was there before its queue");
            case Outcome.Refused<QueueProxy> refused ->
                throw new IllegalStateException(binding + " was refused: " + refused.reason());
        }
    }

    private TopologyRecord declared(Queue queue, String by) {
        QueueSpec spec = queue.spec();
        return new TopologyRecord.QueueDeclared(
                host.name(), queue.id(), spec.name(), spec.durable(), spec.exclusive(), spec.autoDelete(),
                by, spec.arguments());
    }

    // ---- what the log keeps of it

    /** All of it that outlives the broker. */
    List<TopologyRecord> durable() {
        home.loop.assertCurrent();
        RoutingTable<QueueProxy> table = published.get();
        List<TopologyRecord> records = new ArrayList<>();
        RoutingTable<QueueProxy> defaults = RoutingTable.withDefaults();
        for (Exchange<QueueProxy> exchange : table.exchanges()) {
            io.sluicemq.broker.routing.ExchangeSpec spec = exchange.spec();
            if (spec.durable() && defaults.exchange(exchange.name()) == null) {
                records.add(new TopologyRecord.ExchangeDeclared(
                        host.name(), exchange.name(), spec.type().label(), true, spec.autoDelete(), spec.internal(),
                        spec.arguments().asMap()));
            }
        }
        for (QueueProxy proxy : table.queues()) {
            if (proxy.queue().isLogged()) {
                records.add(declared(proxy.queue(), proxy.declaredBy()));
            }
        }
        for (Exchange<QueueProxy> exchange : table.exchanges()) {
            for (Binding binding : exchange.bindings()) {
                if (isDurable(table, binding)) {
                    records.add(new TopologyRecord.Bound(
                            host.name(), binding.source(), binding.destination(),
                            binding.kind() == Binding.Kind.EXCHANGE, binding.routingKey(),
                            binding.arguments().asMap()));
                }
            }
        }
        return records;
    }

    /**
     * Puts back what was recovered. On the thread that starts the broker, before the loops have any work; what belongs to a
     * queue's loop is handed to it.
     *
     * @return the queues, which are yet to begin their lives
     */
    List<QueueProxy> restore(RecoveredHost recovered) {
        RoutingTable<QueueProxy> table = published.get();
        int exchanges = 0;
        int bindings = 0;
        for (TopologyRecord.ExchangeDeclared each : recovered.exchanges()) {
            Outcome<QueueProxy> outcome = table.declareExchange(new io.sluicemq.broker.routing.ExchangeSpec(
                    each.name(), ExchangeType.labelled(each.type()), true, each.autoDelete(), each.internal(),
                    each.arguments().get(ALTERNATE) == null ? null : each.arguments().get(ALTERNATE).toString(),
                    Arguments.of(each.arguments())));
            if (outcome instanceof Outcome.Applied<QueueProxy> applied) {
                table = applied.table();
                exchanges++;
            }
        }
        List<QueueProxy> restored = new ArrayList<>();
        for (RecoveredQueue each : recovered.queues()) {
            LoopContext context = contexts[nextLoop];
            nextLoop = (nextLoop + 1) % contexts.length;
            Queue queue = new Queue(
                    each.spec(), each.optionsWith(host.filters()), host.name(), null, context.loop,
                    host.effects(context.loop.index()),
                    host.newAccount(each.spec().name(), context.loop));
            queue.logged(each.id());
            QueueProxy proxy = new QueueProxy(queue, context, each.declaredBy());
            if (table.addQueue(queue.name(), proxy) instanceof Outcome.Applied<QueueProxy> applied) {
                table = applied.table();
                context.loop.execute(() -> proxy.restore(each.messages()));
                restored.add(proxy);
                host.usage().queues().take();
                if (each.declaredBy() != null) {
                    host.queuesByUser().take(each.declaredBy());
                }
            } else {
                throw new IllegalStateException("the log has two queues '" + queue.name() + "'");
            }
        }
        for (TopologyRecord.Bound each : recovered.bindings()) {
            Outcome<QueueProxy> outcome = table.bind(new Binding(
                    each.source(), each.toExchange() ? Binding.Kind.EXCHANGE : Binding.Kind.QUEUE,
                    each.destination(), each.routingKey(), Arguments.of(each.arguments())));
            if (outcome instanceof Outcome.Applied<QueueProxy> applied) {
                table = applied.table();
                bindings++;
            }
        }
        published.publish(table);
        int exchangesMade = exchanges;
        int bindingsMade = bindings;
        home.loop.execute(() -> {
            home.tally.queues += recovered.queues().size();
            home.tally.exchanges += exchangesMade;
            home.tally.bindings += bindingsMade;
            published.get().exchanges().forEach(exchange -> host.limitExchange(exchange.name()));
            host.consumerRules().restored(published.get());
        });
        return restored;
    }

    /** A queue has ended: it leaves the table, unless another has taken its name by now. */
    void queueRemoved(Queue queue) {
        QueueProxy listed = published.get().queue(queue.name());
        if (listed != null && listed.queue() == queue) {
            host.consumerRules().removed(listed);
            host.usage().queues().give(1);
            if (listed.declaredBy() != null) {
                host.queuesByUser().give(listed.declaredBy());
            }
            if (published.get().removeQueue(queue.name()) instanceof Outcome.Applied<QueueProxy> applied) {
                publish(applied, null);
            }
            if (queue.owner() instanceof ConnectedClient owner) {
                home.loop.send(owner.loop(), () -> owner.ownsNoMore(listed));
            }
        }
    }
}
