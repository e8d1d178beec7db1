package io.sluicemq.broker.engine;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Completion;
import io.sluicemq.api.MessageFilter;
import io.sluicemq.api.MessageFormat;
import io.sluicemq.api.Undeliverable;
import io.sluicemq.api.Usage;
import io.sluicemq.api.operate.Event;
import io.sluicemq.base.Count;
import io.sluicemq.base.Loop;
import io.sluicemq.base.NamedCounts;
import io.sluicemq.base.Published;
import io.sluicemq.broker.flow.Account;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.broker.routing.Binding;
import io.sluicemq.broker.routing.Exchange;
import io.sluicemq.broker.routing.RoutingTable;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A tenant: its own exchanges, queues and bindings. Any loop reads its published {@link RoutingTable}; its {@link Topology},
 * on one loop, is the only writer.
 */
final class VirtualHost {

    private final String name;
    private final Published<RoutingTable<QueueProxy>> table = new Published<>(RoutingTable.withDefaults());
    private final Topology topology;
    private final Usage usage = new Usage();
    private final NamedCounts queuesByUser;
    private final Identities identities = new Identities();
    private final LoopContext home;
    private final HostEffects[] effects;
    private final LoopContext[] contexts;
    private final Count creditLines = new Count();
    private boolean routesToldPlanned;
    private final BrokerConfig config;
    /** Changes that wait for room in the log, in their order. */
    private final ArrayDeque<Runnable> postponed = new ArrayDeque<>(0);
    private boolean stillNoRoom;
    private final int queueIdStep;
    private long nextQueueId;
    /** What all its queues' messages are counted in together; null if it has no limits. */
    private final Account account;

    private final Published<AddressSettings> settings;
    private final ConsumerRules consumerRules;
    /** By exchange: what the messages that come by it are counted in, if it has limits. */
    private final Published<Map<String, Account>> exchangeAccounts = new Published<>(Map.of());

    /**
     * @param firstQueueId the number of its first new queue in the log
     * @param queueIdStep how far the next one is from that, so that no other virtual host has the same
     * @param queuesByUser how many queues users have, in all virtual hosts
     */
    VirtualHost(
            String name, LoopContext home, LoopContext[] contexts, BrokerConfig config, long firstQueueId,
            int queueIdStep, NamedCounts queuesByUser) {
        this.queuesByUser = queuesByUser;
        this.name = name;
        this.home = home;
        this.config = config;
        this.nextQueueId = firstQueueId;
        this.queueIdStep = queueIdStep;
        this.contexts = contexts;
        this.effects = new HostEffects[contexts.length];
        for (int i = 0; i < contexts.length; i++) {
            effects[i] = new HostEffects(this, contexts[i]);
        }
        AddressLimits ownLimits = config.virtualHostLimits().get(name);
        this.account = ownLimits == null
                ? null
                : newAccount(Account.Kind.VIRTUAL_HOST, name, null, home.loop, ownLimits);
        this.settings = new Published<>(config.addressSettings());
        this.consumerRules = new ConsumerRules(home, config.addressSettings(), table.get());
        home.firstInRoom(this::room);
        this.topology = new Topology(this, home, contexts, table, config.names());
        table.get().exchanges().forEach(exchange -> limitExchange(exchange.name()));
    }

    String name() {
        return name;
    }

    LoopContext home() {
        return home;
    }

    /** What its clients have open and declared, and may have. */
    Usage usage() {
        return usage;
    }

    /** How many queues users have, in all virtual hosts, by their names. */
    NamedCounts queuesByUser() {
        return queuesByUser;
    }

    // ---- clients

    /** Takes an identity, and answers; fails with {@link BrokerError.IdentityInUse}. */
    void takeIdentity(Loop here, String identity, boolean sole, Relay<Void> relay) {
        here.send(home.loop, () -> relay.answer(
                home.loop,
                identities.take(identity, sole) ? null : new BrokerError.IdentityInUse(identity, name),
                null));
    }

    /** Lets others have an identity, and then answers. */
    void releaseIdentity(Loop here, String identity, Relay<Void> relay) {
        here.send(home.loop, () -> {
            identities.release(identity);
            relay.done(home.loop, null);
        });
    }

    // ---- accounts

    /** What all its queues' messages are counted in together; null if it has no limits. */
    Account account() {
        return account;
    }

    /** The account of a new queue. */
    Account newAccount(String queue, Loop loop) {
        return newAccount(Account.Kind.QUEUE, queue, account, loop, settings.get().limitsOf(queue));
    }

    private Account newAccount(Account.Kind kind, String address, Account parent, Loop loop, AddressLimits limits) {
        Account made = new Account(kind, address, name, parent, loop, limits);
        made.gate().recallsBy(() -> {
            for (LoopContext context : contexts) {
                loop.send(context.loop, context.credits.recalling(made));
            }
        });
        made.gate().tellsBy(ticket -> contexts[loop.index()].events.add(
                Event.Kind.LIMIT_REACHED, name, address,
                ticket.holder().connection() + ", " + ticket.holder().producer() + " waits for room in "
                        + kind.word() + " '" + address + "': " + made.waitsFor()));
        return made;
    }

    /** Which rules about slow consumers hold; on the topology's loop. */
    ConsumerRules consumerRules() {
        return consumerRules;
    }

    // ---- credit

    /** A credit line to here was opened (1) or closed (-1); from any loop, and before it looks where its messages go. */
    void creditLines(int difference) {
        creditLines.add(difference);
    }

    /** On the topology's loop: there is another table. Credit follows its messages. */
    void routesChanged() {
        if (creditLines.sum() > 0 && !routesToldPlanned) {
            routesToldPlanned = true;
            home.loop.atTurnEnd(() -> {
                routesToldPlanned = false;
                for (LoopContext context : contexts) {
                    home.loop.send(context.loop, () -> context.credits.routesChanged(this));
                }
            });
        }
    }

    /** What messages published to an exchange are counted in together; null if it has no limit for that. */
    Account exchangeAccount(String exchange) {
        Map<String, Account> accounts = exchangeAccounts.get();
        Account found = accounts.isEmpty() ? null : accounts.get(exchange);
        return found == null || !found.isLimited() ? null : found;
    }

    /** The accounts of exchanges. */
    Map<String, Account> exchangeAccounts() {
        return exchangeAccounts.get();
    }

    /** The names of queues that are bound to an exchange directly. */
    Set<String> boundQueues(String exchange) {
        Exchange<QueueProxy> found = table.get().exchange(exchange);
        Set<String> names = new HashSet<>();
        if (found != null) {
            for (Binding binding : found.bindings()) {
                if (binding.kind() == Binding.Kind.QUEUE) {
                    names.add(binding.destination());
                }
            }
        }
        return names;
    }

    /** On the topology's loop: gives an exchange an account if it has limits, and its account the limits that it has now. */
    void limitExchange(String exchange) {
        if (exchange.isEmpty()) {
            return; // its addresses are the queues
        }
        AddressLimits limits = settings.get().limitsOf(exchange);
        Account existing = exchangeAccounts.get().get(exchange);
        if (existing != null) {
            existing.limits(limits.limitsExchanges() ? limits : AddressLimits.UNLIMITED);
        } else if (limits.limitsExchanges()) {
            Map<String, Account> more = new HashMap<>(exchangeAccounts.get());
            more.put(exchange, newAccount(Account.Kind.EXCHANGE, exchange, null, home.loop, limits));
            exchangeAccounts.publish(Map.copyOf(more));
        }
    }

    /** On the topology's loop: exchanges were deleted; their accounts go, if not now, then after the next deletion. */
    void forgetExchanges() {
        Map<String, Account> left = new HashMap<>(exchangeAccounts.get());
        boolean any = left.values().removeIf(account -> table.get().exchange(account.name()) == null
                && account.usedMessages() == 0
                && !account.isWaited());
        if (any) {
            exchangeAccounts.publish(Map.copyOf(left));
        }
    }

    /** What is configured for messages of an address that nobody takes. Called on any loop. */
    Undeliverable undeliverable(String address) {
        return settings.get().undeliverableOf(address);
    }

    /** Whether the configuration names that address for messages that nobody takes. Called on any loop. */
    boolean isForUndeliverable(String address) {
        return settings.get().isForUndeliverable(address);
    }

    /**
     * On the topology's loop: addresses have other limits from now on, with effect on what is there and on whoever waits.
     *
     * @param applied one for each context, completed when they hold for the queues there
     */
    void addressSettings(AddressSettings next, LoopContext[] contexts, List<CompletableFuture<Void>> applied) {
        settings.publish(next);
        table.get().exchanges().forEach(exchange -> limitExchange(exchange.name()));
        exchangeAccounts.get().keySet().forEach(this::limitExchange); // deleted ones, too, that messages or waiters hold
        consumerRules.settings(next, table.get());
        for (int i = 0; i < contexts.length; i++) {
            LoopContext context = contexts[i];
            CompletableFuture<Void> done = applied.get(i);
            home.loop.send(context.loop, () -> {
                for (Queue queue : context.queues.toArray(Queue[]::new)) {
                    if (queue.account().virtualHost().equals(name)) {
                        queue.limits(next.limitsOf(queue.name()));
                    }
                }
                done.complete(null);
            });
        }
    }

    /** A number that no queue ever had; on the topology's loop. */
    long newQueueId() {
        long id = nextQueueId;
        nextQueueId += queueIdStep;
        return id;
    }

    /** No queue has a higher number yet; on the topology's loop. */
    long highestQueueId() {
        return nextQueueId;
    }

    Function<String, MessageFormat> formats() {
        return config::format;
    }

    /** Reads the text of a filter; null if there are none. */
    Function<String, MessageFilter> filters() {
        return config.filters();
    }

    boolean hasWitness() {
        return home.hasWitness();
    }

    /** Has the witness, if there is one, look at a command. */
    void witness(Witness.Command command, Completion completion) {
        home.witness(command, completion);
    }

    /** Its topology, for what the loop of that has to do. */
    Topology topology() {
        return topology;
    }

    /** The topology as it is now. */
    RoutingTable<QueueProxy> table() {
        return table.get();
    }

    /** The effects of this host's queues on the loop of that index. */
    HostEffects effects(int loopIndex) {
        return effects[loopIndex];
    }

    /** Does {@code task} with the topology, on its loop. */
    void change(Loop here, Consumer<Topology> task) {
        here.send(home.loop, () -> {
            if (postponed.isEmpty()) {
                task.accept(topology);
            } else {
                postponed.addLast(() -> task.accept(topology));
            }
        });
    }

    /** On the topology's loop: what comes after {@code task} waits with it, until there may be room in the log. */
    void postpone(Runnable task) {
        postponed.addFirst(task);
        stillNoRoom = true;
    }

    private void room() {
        stillNoRoom = false;
        while (!postponed.isEmpty() && !stillNoRoom) {
            postponed.pollFirst().run();
        }
    }

    /** From {@code here}, the queue's loop: a queue has ended. */
    void queueRemoved(Loop here, Queue queue) {
        here.send(home.loop, () -> topology.queueRemoved(queue));
    }

    /** Answers by way of the topology's loop, so that what was sent there before is in the table when the answer arrives. */
    <T> void answerAfterRemoval(Loop here, Relay<T> relay, T result) {
        here.send(home.loop, () -> relay.done(home.loop, result));
    }

    BrokerError noQueue(String queue) {
        return new BrokerError.NotFound(BrokerError.Kind.QUEUE, queue, name);
    }

    BrokerError noExchange(String exchange) {
        return new BrokerError.NotFound(BrokerError.Kind.EXCHANGE, exchange, name);
    }
}
