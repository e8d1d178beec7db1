package io.sluicemq.broker.engine;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.BrokerError.Kind;
import io.sluicemq.api.Client.BindingSpec;
import io.sluicemq.api.Client.ExchangeSpec;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.Client.QueueStatus;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.base.Published;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.broker.queue.QueueOptions;
import io.sluicemq.broker.routing.Arguments;
import io.sluicemq.broker.routing.Binding;
import io.sluicemq.broker.routing.ExchangeType;
import io.sluicemq.broker.routing.Outcome;
import io.sluicemq.broker.routing.Refusal;
import io.sluicemq.broker.routing.RoutingTable;
import java.util.function.Supplier;

/**
 * The single writer of a virtual host's topology, owned by the host's home loop. Each change derives a new table, publishes
 * it, and then answers, so that whoever has the answer finds the change.
 */
@LoopOwned
final class Topology {

    private static final String ALTERNATE = "alternate-exchange";

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
        Outcome<QueueProxy> outcome = published.get()
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
        }
        apply(outcome, Kind.EXCHANGE, spec.name(), relay);
    }

    void deleteExchange(String name, boolean ifUnused, Relay<Void> relay) {
        apply(published.get().deleteExchange(name, ifUnused), Kind.EXCHANGE, name, relay);
    }

    void bind(ConnectedClient client, BindingSpec spec, Relay<Void> relay) {
        QueueProxy queue = spec.toExchange() ? null : published.get().queue(spec.destination());
        if (queue != null && queue.queue().lockedFor(client)) {
            relay.failed(home.loop, new BrokerError.Locked(spec.destination(), host.name()));
            return;
        }
        Outcome<QueueProxy> outcome = published.get().bind(toBinding(spec));
        if (outcome instanceof Outcome.Applied<QueueProxy>) {
            home.tally.bindings++;
        }
        apply(outcome, spec.toExchange() ? Kind.EXCHANGE : Kind.QUEUE, spec.destination(), relay);
    }

    void unbind(ConnectedClient client, BindingSpec spec, Relay<Void> relay) {
        QueueProxy queue = spec.toExchange() ? null : published.get().queue(spec.destination());
        if (queue != null && queue.queue().lockedFor(client)) {
            relay.failed(home.loop, new BrokerError.Locked(spec.destination(), host.name()));
            return;
        }
        apply(
                published.get().unbind(toBinding(spec)),
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

    private void apply(Outcome<QueueProxy> outcome, Kind kind, String name, Relay<Void> relay) {
        switch (outcome) {
            case Outcome.Applied<QueueProxy> applied -> {
                publish(applied);
                relay.done(home.loop, null);
            }
            case Outcome.Unchanged<QueueProxy> unchanged -> relay.done(home.loop, null);
            case Outcome.Refused<QueueProxy> refused -> relay.failed(home.loop, error(refused.reason(), kind, name));
        }
    }

    private void publish(Outcome.Applied<QueueProxy> applied) {
        home.tally.exchanges -= applied.deletedExchanges().size();
        home.tally.bindings -= applied.removedBindings().size();
        published.publish(applied.table());
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

    void declareQueue(ConnectedClient client, QueueSpec spec, QueueOptions options, Relay<QueueStatus> relay) {
        String name = spec.name();
        if (name.isEmpty()) {
            do {
                name = "amq.gen-" + names.get();
            } while (published.get().queue(name) != null);
        }
        QueueProxy existing = published.get().queue(name);
        if (existing == null) {
            QueueSpec named = new QueueSpec(
                    name, spec.durable(), spec.exclusive(), spec.autoDelete(), spec.arguments());
            create(client, named, options, relay);
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
        existing.run(home, () -> {
            if (queue.isRemoved()) {
                // The news of its end is on its way here, ahead of this: the name is free then.
                queue.loop().send(home.loop, () -> declareQueue(client, spec, options, relay));
            } else {
                queue.used();
                relay.done(queue.loop(), queue.status());
            }
        });
    }

    private void create(ConnectedClient client, QueueSpec spec, QueueOptions options, Relay<QueueStatus> relay) {
        boolean owned = options.exclusive() || options.deletedWithConnection();
        LoopContext context = owned ? client.context() : contexts[nextLoop];
        if (!owned) {
            nextLoop = (nextLoop + 1) % contexts.length;
        }
        Queue queue = new Queue(
                spec, options, host.name(), owned ? client : null, context.loop, host.effects(context.loop.index()));
        QueueProxy proxy = new QueueProxy(queue, context);
        switch (published.get().addQueue(spec.name(), proxy)) {
            case Outcome.Applied<QueueProxy> applied -> publish(applied);
            case Outcome.Unchanged<QueueProxy> unchanged ->
                throw new IllegalStateException(queue + " was there before it was made");
            case Outcome.Refused<QueueProxy> refused ->
                throw new IllegalStateException(queue + " was refused: " + refused.reason());
        }
        home.tally.queues++;
        proxy.run(home, () -> {
            context.queues.add(queue);
            queue.start();
        });
        if (owned) {
            home.loop.send(client.loop(), () -> client.owns(proxy));
        }
        relay.done(home.loop, new QueueStatus(spec.name(), 0, 0));
    }

    /** A queue has ended: it leaves the table, unless another has taken its name by now. */
    void queueRemoved(Queue queue) {
        QueueProxy listed = published.get().queue(queue.name());
        if (listed != null && listed.queue() == queue) {
            if (published.get().removeQueue(queue.name()) instanceof Outcome.Applied<QueueProxy> applied) {
                publish(applied);
            }
            if (queue.owner() instanceof ConnectedClient owner) {
                home.loop.send(owner.loop(), () -> owner.ownsNoMore(listed));
            }
        }
    }
}
