package io.sluicemq.broker.engine;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client.BindingSpec;
import io.sluicemq.api.Client.ExchangeSpec;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.Client.QueueStatus;
import io.sluicemq.api.operate.Actor;
import io.sluicemq.api.operate.AddressView;
import io.sluicemq.api.operate.ConnectionView;
import io.sluicemq.api.operate.ConsumerView;
import io.sluicemq.api.operate.Event;
import io.sluicemq.api.operate.ExchangeView;
import io.sluicemq.api.operate.LimitsView;
import io.sluicemq.api.operate.Measures;
import io.sluicemq.api.operate.MessageView;
import io.sluicemq.api.operate.MoveTarget;
import io.sluicemq.api.operate.Moved;
import io.sluicemq.api.operate.Operations;
import io.sluicemq.api.operate.Overview;
import io.sluicemq.api.operate.Overview.LoopView;
import io.sluicemq.api.operate.Pressure;
import io.sluicemq.api.operate.Publication;
import io.sluicemq.api.operate.QueueFacts;
import io.sluicemq.api.operate.QueueView;
import io.sluicemq.api.operate.Rates;
import io.sluicemq.api.operate.Refused;
import io.sluicemq.api.operate.ShortageView;
import io.sluicemq.api.operate.VirtualHostView;
import io.sluicemq.base.Audit;
import io.sluicemq.base.LogEvent;
import io.sluicemq.broker.flow.Account;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.broker.routing.RoutingTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;

/**
 * The engine as its operators see it. Called from any thread: facts that loops publish are read at once; the rest is asked on the loops that
 * own it, in {@link Slices}. Holds nothing that changes.
 */
final class EngineOperations implements Operations {

    private final BrokerEngine engine;
    private final Map<String, VirtualHost> hosts;
    private final LoopContext[] contexts;
    private final Acts acts;

    EngineOperations(
            BrokerEngine engine, Map<String, VirtualHost> hosts, LoopContext[] contexts, Publishable publishable) {
        this.engine = engine;
        this.hosts = hosts;
        this.contexts = contexts;
        this.acts = new Acts(engine, contexts, publishable);
    }

    private VirtualHost host(String name) {
        VirtualHost host = hosts.get(name);
        if (host == null) {
            throw new Refused(new BrokerError.NotFound(BrokerError.Kind.VIRTUAL_HOST, name, name));
        }
        return host;
    }

    // ---- what there is

    @Override
    public CompletableFuture<Overview> overview() {
        long askedNanos = contexts[0].loop.nanoTime();
        List<CompletableFuture<List<LoopPart>>> parts = new ArrayList<>();
        for (LoopContext context : contexts) {
            parts.add(Slices.ask(context.loop, () -> List.of(LoopPart.of(context, askedNanos))));
        }
        return Slices.joined(parts).thenCombine(engine.shortage(), (all, shortage) -> {
            Tally sum = new Tally();
            Rates rates = Rates.NONE;
            List<LoopView> loops = new ArrayList<>();
            for (LoopPart part : all) {
                sum.add(part.tally());
                rates = rates.plus(part.rates());
                loops.add(part.view());
            }
            BrokerCounters counters = sum.toCounters();
            return new Overview(
                    CounterNames.of(counters), rates, counters.messageBytes(), engine.memory().budgetBytes(),
                    shortage.map(OperatorViews::shortage), loops);
        });
    }

    @Override
    public CompletableFuture<Measures> measures() {
        List<QueueFacts> all = new ArrayList<>();
        hosts.keySet().forEach(name -> all.addAll(queues(name)));
        return new Measuring(engine, hosts.values(), contexts).measures(all, this::onQueues);
    }

    @Override
    public CompletableFuture<Void> answering() {
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (LoopContext context : contexts) {
            all.add(Slices.ask(context.loop, () -> true));
        }
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
    }

    /** All that is counted, by its name. */
    static Map<String, Long> named(Tally tally) {
        Map<String, Long> named = CounterNames.of(tally.toCounters());
        named.put("acknowledged", tally.acknowledged);
        named.put("redelivered", tally.redelivered);
        named.put("cycled", tally.cycled);
        named.put("pagedOut", tally.pagedOut);
        named.put("pagedOutBytes", tally.pagedOutBytes);
        named.put("readBack", tally.readBack);
        named.put("readBackBytes", tally.readBackBytes);
        return named;
    }

    private record LoopPart(Tally tally, Rates rates, LoopView view) {

        static LoopPart of(LoopContext context, long askedNanos) {
            Tally copy = new Tally();
            copy.add(context.tally);
            return new LoopPart(
                    copy, context.rates(),
                    new LoopView(
                            context.loop.index(), context.queues.size(), context.clients.size(),
                            Math.max(0, context.loop.nanoTime() - askedNanos)));
        }
    }

    @Override
    public List<String> virtualHosts() {
        return List.copyOf(hosts.keySet());
    }

    @Override
    public CompletableFuture<Optional<VirtualHostView>> virtualHost(String name) {
        VirtualHost host = hosts.get(name);
        if (host == null) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        RoutingTable<QueueProxy> table = host.table();
        Sums sums = new Sums();
        return Inspection.of(queues(name), this::table, OperatorViews::view, views -> views.forEach(sums::add))
                .thenApply(all -> {
                    Account account = host.account();
                    LimitsView limits =
                            OperatorViews.limits(account == null ? AddressLimits.UNLIMITED : account.limits());
                    return Optional.of(new VirtualHostView(
                            name, table.queueCount(), table.exchangeCount(), sums.ready, sums.unsettled,
                            sums.consumers, sums.rates, limits, account == null ? 0 : account.usedBytes(),
                            account == null ? 0 : account.usedMessages()));
                });
    }

    /** Of the queues of a virtual host. */
    private static final class Sums {

        private Rates rates = Rates.NONE;
        private long ready;
        private long unsettled;
        private long consumers;

        void add(QueueView queue) {
            rates = rates.plus(queue.rates());
            ready += queue.readyMessages();
            unsettled += queue.unsettledMessages();
            consumers += queue.consumers();
        }
    }

    @Override
    public List<ExchangeView> exchanges(String virtualHost) {
        return host(virtualHost).table().exchanges().stream()
                .map(exchange -> OperatorViews.exchange(virtualHost, exchange))
                .toList();
    }

    @Override
    public Optional<ExchangeView> exchange(String virtualHost, String name) {
        return Optional.ofNullable(host(virtualHost).table().exchange(name))
                .map(exchange -> OperatorViews.exchange(virtualHost, exchange));
    }

    @Override
    public List<BindingSpec> bindings(String virtualHost) {
        return host(virtualHost).table().exchanges().stream()
                .flatMap(exchange -> exchange.bindings().stream())
                .map(OperatorViews::binding)
                .toList();
    }

    @Override
    public List<BindingSpec> bindingsTo(String virtualHost, String destination, boolean toExchange) {
        RoutingTable<QueueProxy> table = host(virtualHost).table();
        return (toExchange ? table.bindingsToExchange(destination) : table.bindingsToQueue(destination)).stream()
                .map(OperatorViews::binding)
                .toList();
    }

    @Override
    public int queueCount(String virtualHost) {
        return host(virtualHost).table().queueCount();
    }

    @Override
    public int exchangeCount(String virtualHost) {
        return host(virtualHost).table().exchangeCount();
    }

    @Override
    public List<QueueFacts> queues(String virtualHost) {
        return host(virtualHost).table().queues().stream()
                .map(proxy -> OperatorViews.facts(virtualHost, proxy))
                .toList();
    }

    @Override
    public Optional<QueueFacts> queue(String virtualHost, String name) {
        return Optional.ofNullable(host(virtualHost).table().queue(name))
                .map(proxy -> OperatorViews.facts(virtualHost, proxy));
    }

    @Override
    public CompletableFuture<List<QueueView>> look(Collection<QueueFacts> which) {
        return onQueues(which, OperatorViews::view);
    }

    @Override
    public CompletableFuture<List<ConsumerView>> consumers(Collection<QueueFacts> which) {
        return onQueues(which, (facts, queue) -> queue.consumers().stream()
                .map(sample -> OperatorViews.consumer(facts, sample))
                .toList())
                .thenApply(lists -> lists.stream().flatMap(List::stream).toList());
    }

    /** Asks each queue that is still there, on its loop. */
    private <T> CompletableFuture<List<T>> onQueues(
            Collection<QueueFacts> which, BiFunction<QueueFacts, Queue, T> question) {
        List<T> found = new ArrayList<>(which.size());
        return Inspection.of(List.copyOf(which), this::table, question, found::addAll)
                .thenApply(all -> Collections.unmodifiableList(found));
    }

    RoutingTable<QueueProxy> table(String virtualHost) {
        return host(virtualHost).table();
    }

    @Override
    public CompletableFuture<List<ConnectionView>> connections() {
        List<CompletableFuture<List<ConnectionView>>> parts = new ArrayList<>();
        for (LoopContext context : contexts) {
            parts.add(Slices.ask(context.loop, () -> List.copyOf(context.clients))
                    .thenCompose(clients -> Slices.ask(
                            context.loop, clients, Slices.CONNECTIONS,
                            client -> context.clients.contains(client) ? client.view() : null)));
        }
        return Slices.joined(parts);
    }

    @Override
    public CompletableFuture<List<AddressView>> addresses(String virtualHost, String name, boolean waitingOnly) {
        return AddressStates.collect(
                hosts.values(), contexts, new AddressStates.Wanted(virtualHost, name, waitingOnly),
                OperatorViews::address);
    }

    @Override
    public CompletableFuture<Pressure> pressure(int most) {
        return AddressStates.pressure(hosts.values(), contexts, most);
    }

    @Override
    public CompletableFuture<Optional<ShortageView>> shortage() {
        return engine.shortage().thenApply(found -> found.map(OperatorViews::shortage));
    }

    @Override
    public CompletableFuture<List<Event>> events() {
        List<CompletableFuture<List<Event>>> parts = new ArrayList<>();
        for (LoopContext context : contexts) {
            parts.add(Slices.ask(context.loop, context.events::all));
        }
        return Slices.joined(parts).thenApply(all -> all.stream()
                .sorted(Comparator.comparingLong(Event::atMillis).reversed())
                .toList());
    }

    @Override
    public void note(Event.Kind kind, String virtualHost, String subject, String text) {
        contexts[0].loop.execute(() -> contexts[0].events.add(kind, virtualHost, subject, text));
    }

    // ---- what is to be done

    @Override
    public CompletableFuture<QueueStatus> declareQueue(Actor actor, String virtualHost, QueueSpec spec) {
        return noted(actor, virtualHost, spec.name(), "declared the queue",
                acts.as(actor, virtualHost, (client, reply) -> client.declareQueue(spec, reply)));
    }

    @Override
    public CompletableFuture<Long> deleteQueue(
            Actor actor, String virtualHost, String name, boolean ifUnused, boolean ifEmpty) {
        return noted(actor, virtualHost, name, "deleted the queue",
                acts.as(actor, virtualHost, (client, reply) -> client.deleteQueue(name, ifUnused, ifEmpty, reply)));
    }

    @Override
    public CompletableFuture<Long> purge(Actor actor, String virtualHost, String queue) {
        return noted(actor, virtualHost, queue, "purged the queue",
                acts.as(actor, virtualHost, (client, reply) -> client.purgeQueue(queue, reply)));
    }

    @Override
    public CompletableFuture<Void> declareExchange(Actor actor, String virtualHost, ExchangeSpec spec) {
        return noted(actor, virtualHost, spec.name(), "declared the exchange",
                acts.as(actor, virtualHost, (client, reply) -> client.declareExchange(spec, reply)));
    }

    @Override
    public CompletableFuture<Void> deleteExchange(Actor actor, String virtualHost, String name, boolean ifUnused) {
        return noted(actor, virtualHost, name, "deleted the exchange",
                acts.as(actor, virtualHost, (client, reply) -> client.deleteExchange(name, ifUnused, reply)));
    }

    @Override
    public CompletableFuture<Void> bind(Actor actor, String virtualHost, BindingSpec binding) {
        return noted(actor, virtualHost, binding.destination(), "bound to exchange '" + binding.source() + "'",
                acts.as(actor, virtualHost, (client, reply) -> client.bind(binding, reply)));
    }

    @Override
    public CompletableFuture<Void> unbind(Actor actor, String virtualHost, BindingSpec binding) {
        return noted(actor, virtualHost, binding.destination(), "unbound from exchange '" + binding.source() + "'",
                acts.as(actor, virtualHost, (client, reply) -> client.unbind(binding, reply)));
    }

    @Override
    public CompletableFuture<Integer> publish(Actor actor, String virtualHost, Publication publication) {
        return acts.publish(actor, virtualHost, publication);
    }

    @Override
    public CompletableFuture<List<MessageView>> get(
            Actor actor, String virtualHost, String queue, int most, GetMode mode, int mostBodyBytes) {
        CompletableFuture<List<MessageView>> got = acts.get(actor, virtualHost, queue, most, mode, mostBodyBytes);
        return switch (mode) {
            case REQUEUE -> got;
            case ACCEPT -> noted(actor, virtualHost, queue, "took messages of the queue", got);
            case REJECT -> noted(actor, virtualHost, queue, "rejected messages of the queue", got);
        };
    }

    @Override
    public CompletableFuture<List<MessageView>> browse(
            Actor actor, String virtualHost, String queue, int most, int mostBodyBytes) {
        return acts.browse(actor, virtualHost, queue, most, mostBodyBytes);
    }

    @Override
    public CompletableFuture<Moved> move(
            Actor actor, String virtualHost, String queue, long most, MoveTarget to) {
        return noted(actor, virtualHost, queue, "moved messages of the queue",
                acts.move(actor, virtualHost, queue, most, to));
    }

    @Override
    public CompletableFuture<Void> pause(Actor actor, String virtualHost, String queue, boolean paused) {
        return noted(actor, virtualHost, queue, paused ? "paused the queue" : "resumed the queue",
                acts.pause(actor, virtualHost, queue, paused));
    }

    @Override
    public CompletableFuture<Boolean> closeConnection(Actor actor, String name, String reason) {
        List<CompletableFuture<List<Boolean>>> parts = new ArrayList<>();
        for (LoopContext context : contexts) {
            parts.add(Slices.ask(context.loop, () -> List.of(context.forceClose(name, actor, reason))));
        }
        return Slices.joined(parts).thenApply(found -> {
            boolean closed = found.contains(true);
            if (closed) {
                Audit.changed(LogEvent.CONNECTION_CLOSED_BY_OPERATOR, actor.toString(),
                        "closed connection '" + name + "': " + reason);
            }
            return closed;
        });
    }

    /** Remembers what an operator has done, when it is done, and tells the audit log. */
    private <T> CompletableFuture<T> noted(
            Actor actor, String virtualHost, String subject, String what, CompletableFuture<T> act) {
        act.thenRun(() -> {
            note(Event.Kind.ACT, virtualHost, subject, actor + " " + what);
            Audit.changed(LogEvent.OPERATOR_ACTED, actor.toString(),
                    what + " '" + subject + "' in vhost '" + virtualHost + "'");
        });
        return act;
    }

    /** The counters by their names. */
    private static final class CounterNames {

        static Map<String, Long> of(BrokerCounters counters) {
            Map<String, Long> named = new LinkedHashMap<>();
            for (var component : BrokerCounters.class.getRecordComponents()) {
                try {
                    named.put(component.getName(), (Long) component.getAccessor().invoke(counters));
                } catch (ReflectiveOperationException e) {
                    throw new IllegalStateException("a counter can't be read: " + component.getName(), e);
                }
            }
            return named;
        }
    }
}
