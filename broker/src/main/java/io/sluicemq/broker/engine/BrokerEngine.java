package io.sluicemq.broker.engine;

import io.sluicemq.api.Broker;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.Reply;
import io.sluicemq.api.operate.Operations;
import io.sluicemq.base.Loop;
import io.sluicemq.base.NamedCounts;
import io.sluicemq.base.Quota;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.AddressState;
import io.sluicemq.broker.journal.Journal;
import io.sluicemq.store.LogState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The broker: virtual hosts on a set of loops. Any loop may call it; it holds nothing that changes but what loops own.
 */
public final class BrokerEngine implements Broker {

    private final BrokerConfig config;
    private final LoopContext[] contexts;
    private final MemoryBudget memory;
    private final Map<String, VirtualHost> hosts = new LinkedHashMap<>();

    private Checkpoints checkpoints;

    /**
     * A broker that keeps everything in memory.
     *
     * @param loops the loops to spread over, each at its own {@link Loop#index}
     */
    public BrokerEngine(BrokerConfig config, List<? extends Loop> loops) {
        this(config, loops, null, state -> {});
    }

    /**
     * @param store what to begin with and where durable queues are kept; null to keep everything in memory. Its virtual hosts
     *     must be in the configuration.
     * @param storeWatch told on some loop when what the log takes has changed
     */
    public BrokerEngine(
            BrokerConfig config, List<? extends Loop> loops, BrokerStore store, Consumer<LogState> storeWatch) {
        this.config = config;
        this.memory = new MemoryBudget(config.memoryBudgetBytes(), loops.get(0));
        this.contexts = new LoopContext[loops.size()];
        for (int i = 0; i < contexts.length; i++) {
            if (loops.get(i).index() != i) {
                throw new IllegalArgumentException("the loop at " + i + " has index " + loops.get(i).index());
            }
            contexts[i] = new LoopContext(loops.get(i), contexts.length, memory, config.witness());
        }
        memory.contexts(contexts);
        long firstQueueId = 1 + (store == null ? 0 : store.recovery().highestQueueId());
        NamedCounts queuesByUser = new NamedCounts();
        int home = 0;
        for (String name : config.virtualHosts()) {
            hosts.put(name, new VirtualHost(
                    name, contexts[home % contexts.length], contexts, config, firstQueueId + home,
                    config.virtualHosts().size(), queuesByUser));
            home++;
        }
        if (store != null) {
            begin(store, storeWatch);
        }
    }

    /** Puts back what the store has, and sets its log going. */
    private void begin(BrokerStore store, Consumer<LogState> watch) {
        for (String name : store.virtualHosts()) {
            if (!hosts.containsKey(name)) {
                throw new IllegalArgumentException("the store has queues of the virtual host '" + name + "'");
            }
        }
        for (LoopContext context : contexts) {
            context.journal(new Journal(store.log(), context.loop, new Journal.Owner() {
                @Override
                public void room() {
                    context.room();
                }

                @Override
                public void stateChanged(LogState state) {
                    context.logState(state);
                    if (context == contexts[0]) {
                        checkpoints.segmentEmptied(); // there may be some since long
                        watch.accept(state);
                    }
                }

                @Override
                public void segmentEmptied() {
                    context.loop.send(contexts[0].loop, checkpoints::segmentEmptied);
                }
            }));
        }
        List<QueueProxy> queues = new ArrayList<>();
        hosts.forEach((name, host) -> queues.addAll(host.topology().restore(store.recovery().of(name))));
        Moving moving = new Moving(contexts);
        checkpoints = new Checkpoints(contexts, hosts.values(), store.log(), moving);
        store.log().start(moving);
        // Messages that have expired meanwhile are read and become dead letters at once: for that the log must run, and all
        // queues must be there.
        for (QueueProxy queue : queues) {
            queue.home().loop.execute(queue::begin);
        }
        contexts[0].loop.execute(checkpoints::start);
    }

    /**
     * Ends the engine's use of its log by a checkpoint, so that the next start reads little; publishes that wait for room in the
     * log come before it. Clients must be gone; the loops may end when it is done.
     */
    public CompletableFuture<Void> rest() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        if (checkpoints == null) {
            done.complete(null);
        } else {
            contexts[0].loop.execute(() -> afterParked(0, () -> checkpoints.now(() -> done.complete(null))));
        }
        return done;
    }

    @Override
    public Loop home() {
        return contexts[0].loop;
    }

    @Override
    public void kept(int links, int deliveries) {
        contexts[0].loop.assertCurrent();
        contexts[0].tally.keptLinks += links;
        contexts[0].tally.keptDeliveries += deliveries;
    }

    @Override
    public void connect(ClientSpec spec, Loop loop, Reply<Client> reply) {
        loop.assertCurrent();
        VirtualHost host = hosts.get(spec.virtualHost());
        if (host == null) {
            reply.failed(
                    new BrokerError.NotFound(BrokerError.Kind.VIRTUAL_HOST, spec.virtualHost(), spec.virtualHost()));
            return;
        }
        if (!spec.user().mayUse(spec.virtualHost())) {
            LoopContext context = contexts[loop.index()];
            context.tally.refusedAccesses++;
            context.refusals.refused("access of user '" + spec.user().name() + "' to vhost '" + spec.virtualHost()
                    + "' by " + spec.name(), loop.nanoTime());
            reply.failed(new BrokerError.AccessRefused(
                    spec.user().name(),
                    BrokerError.Kind.VIRTUAL_HOST,
                    spec.virtualHost(),
                    spec.virtualHost(),
                    "access to vhost '" + spec.virtualHost() + "' refused for user '" + spec.user().name() + "'"));
            return;
        }
        Quota ofUser = spec.user().usage().connections();
        Quota ofHost = host.usage().connections();
        if (!ofHost.tryTake()) {
            reply.failed(limitReached(contexts[loop.index()], "connections", host.name(), host.name(), ofHost.limit(),
                    spec.name()));
            return;
        }
        if (!ofUser.tryTake()) {
            ofHost.give(1);
            reply.failed(limitReached(contexts[loop.index()], "connections", spec.user().name(), host.name(),
                    ofUser.limit(), spec.name()));
            return;
        }
        if (spec.identity().isEmpty()) {
            admit(spec, host, contexts[loop.index()], reply);
            return;
        }
        Reply<Void> admission = new Reply<>() {
            @Override
            public void done(Void result) {
                admit(spec, host, contexts[loop.index()], reply);
            }

            @Override
            public void failed(BrokerError error) {
                ofUser.give(1);
                ofHost.give(1);
                reply.failed(error);
            }
        };
        host.takeIdentity(loop, spec.identity(), spec.sole(), new Relay<>(loop, admission));
    }

    /** Tells that somebody has as many of something as they may. */
    BrokerError limitReached(
            LoopContext context, String what, String whose, String virtualHost, long limit, Object client) {
        context.tally.refusedByUserLimit++;
        context.limits.refused(
                "one more of " + what + ", of which '" + whose + "' may have " + limit + ", to " + client,
                context.loop.nanoTime());
        return new BrokerError.LimitReached(what, whose, virtualHost, limit);
    }

    private void admit(ClientSpec spec, VirtualHost host, LoopContext context, Reply<Client> reply) {
        ConnectedClient client = new ConnectedClient(spec, host, context, this);
        context.clients.add(client);
        client.came();
        reply.done(client);
        client.resources(context.shortage());
        client.accessChanged(); // since it was let in, which may have taken a while
    }

    /** The broker as its operators see it. */
    public Operations operations(Publishable publishable) {
        return new EngineOperations(this, hosts, contexts, publishable);
    }

    /**
     * What users may do has changed: who may not be where they are, or not read what they read, ends. A few clients in each turn of a loop
     * are looked at, and then their consumers. Done when all have been told; one that fails stops none. Any thread.
     */
    public CompletableFuture<Void> accessChanged() {
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (LoopContext context : contexts) {
            Loop loop = context.loop;
            all.add(Slices.ask(loop, () -> List.copyOf(context.clients))
                    .thenCompose(clients -> Slices.ask(
                            loop, clients, Slices.CONNECTIONS,
                            client -> Slices.guarded(loop, client::accessChanged)))
                    .thenCompose(ports -> Slices.ask(
                            loop, ports.stream().flatMap(List::stream).toList(), Slices.CONSUMERS,
                            port -> Slices.guarded(loop, port::accessChanged))));
        }
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
    }

    /** The broker's numbers, gathered from all loops; they are of slightly different moments while there is traffic. */
    public CompletableFuture<BrokerCounters> counters() {
        CompletableFuture<Tally> sum = CompletableFuture.completedFuture(new Tally());
        for (LoopContext context : contexts) {
            CompletableFuture<Tally> part = new CompletableFuture<>();
            context.loop.execute(() -> {
                Tally copy = new Tally();
                copy.add(context.tally);
                part.complete(copy);
            });
            sum = sum.thenCombine(part, (all, one) -> {
                all.add(one);
                return all;
            });
        }
        return sum.thenApply(Tally::toCounters);
    }

    /** What every publish waits for; empty if that is nothing. Any thread. */
    public CompletableFuture<Optional<Shortage>> shortage() {
        CompletableFuture<Optional<Shortage>> found = new CompletableFuture<>();
        LoopContext first = contexts[0]; // all are told the same
        first.loop.execute(() -> found.complete(Optional.ofNullable(first.shortageNow())));
        return found;
    }

    /** Has these limits hold for all addresses, those there are and those to come; done when they do. Any thread. */
    public CompletableFuture<Void> addressSettings(AddressSettings settings) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (VirtualHost host : hosts.values()) {
            List<CompletableFuture<Void>> ofHost = new ArrayList<>();
            for (int i = 0; i < contexts.length; i++) {
                ofHost.add(new CompletableFuture<>());
            }
            all.addAll(ofHost);
            host.home().loop.execute(() -> host.addressSettings(settings, contexts, ofHost));
        }
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
    }

    /**
     * Has these limits hold for virtual hosts, by name; one that is not in it has none. Any thread.
     *
     * @return virtual hosts that are to have limits and had none at the start: for these the broker must be started again
     */
    public List<String> virtualHostLimits(Map<String, AddressLimits> limits) {
        List<String> needRestart = new ArrayList<>();
        hosts.forEach((name, host) -> {
            if (host.account() != null) {
                AddressLimits next = limits.getOrDefault(name, AddressLimits.UNLIMITED);
                host.home().loop.execute(() -> host.account().limits(next));
            } else if (limits.containsKey(name)) {
                needRestart.add(name);
            }
        });
        return needRestart;
    }

    /**
     * How many connections and queues virtual hosts may have, and how large messages may be, by name; one that is not in it has no limits.
     * Takes nothing away that is there. Any thread.
     */
    public void hostLimits(Map<String, HostLimits> limits) {
        hosts.forEach((name, host) -> {
            HostLimits next = limits.getOrDefault(name, HostLimits.NONE);
            host.usage().connections().limit(next.maxConnections());
            host.usage().queues().limit(next.maxQueues());
            host.usage().messageBytes().set(next.maxMessageBytes());
        });
    }

    /**
     * What addresses hold, and who waits for them. Any thread.
     *
     * @param virtualHost of this virtual host only; null for all
     * @param name of this name only; null for all
     * @param waitingOnly those only that a producer waits for
     */
    public CompletableFuture<List<AddressState>> addressStates(String virtualHost, String name, boolean waitingOnly) {
        return AddressStates.collect(hosts.values(), contexts,
                new AddressStates.Wanted(virtualHost, name, waitingOnly), Function.identity());
    }

    /** On the first loop: runs {@code task} there when no loop has publishes that wait for room in the log. */
    private void afterParked(int next, Runnable task) {
        if (next == contexts.length) {
            task.run();
            return;
        }
        LoopContext context = contexts[next];
        Loop home = contexts[0].loop;
        home.send(context.loop, () -> context.afterParked(
                () -> context.loop.send(home, () -> afterParked(next + 1, task))));
    }

    LoopContext context(int index) {
        return contexts[index];
    }

    int loops() {
        return contexts.length;
    }

    MemoryBudget memory() {
        return memory;
    }

    String newName() {
        return config.names().get();
    }
}
