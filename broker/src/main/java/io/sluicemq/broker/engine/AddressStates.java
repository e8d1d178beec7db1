package io.sluicemq.broker.engine;

import io.sluicemq.api.operate.Pressure;
import io.sluicemq.base.Loop;
import io.sluicemq.broker.flow.Account;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.AddressState;
import io.sluicemq.broker.flow.AddressState.ConsumerMeasure;
import io.sluicemq.broker.flow.AddressState.ConsumerState;
import io.sluicemq.broker.flow.AddressState.QueueState;
import io.sluicemq.broker.flow.AddressState.Waiting;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.broker.flow.Ticket;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.broker.queue.Queue.ConsumerSample;
import io.sluicemq.broker.queue.SlowConsumer;
import io.sluicemq.broker.routing.RoutingTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Finds out what addresses hold, who waits for room in them, and which consumers could make it: each fact on the loop that
 * owns it. Consumers are looked at twice, a moment apart, to see how fast they are. Stateless.
 */
final class AddressStates {

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    /** How many queues are named of a virtual host, and of an exchange: those that hold most. */
    private static final int MOST_QUEUES = 5;
    private static final int MOST_BOUND = 100;
    /** An address that uses so much of a limit is full for most messages. */
    private static final double FULL = 0.95;

    private AddressStates() {}

    /**
     * Which addresses are asked about.
     *
     * @param virtualHost null for all
     * @param name null for all
     */
    record Wanted(String virtualHost, String name, boolean waitingOnly) {

        boolean includes(Account account) {
            return (virtualHost == null || virtualHost.equals(account.virtualHost()))
                    && (name == null || name.equals(account.name()))
                    && (!waitingOnly || account.isWaited());
        }
    }

    private record QueueSample(Queue queue, int ready, int unsettled, List<ConsumerSample> consumers) {

        static QueueSample of(Queue queue) {
            return new QueueSample(queue, queue.ready(), queue.unsettled(), queue.consumers());
        }
    }

    private record AccountSample(Account account, List<Ticket> tickets, List<QueueSample> queues, long nowNanos) {}

    /** @param telling what is to be told of each */
    static <T> CompletableFuture<List<T>> collect(
            Collection<VirtualHost> hosts, LoopContext[] contexts, Wanted wanted, Function<AddressState, T> telling) {
        List<CompletableFuture<List<AccountSample>>> parts = new ArrayList<>();
        if (wanted.name() != null) {
            parts.add(named(hosts, wanted));
        } else {
            for (LoopContext context : contexts) {
                parts.add(queues(context).thenCompose(queues -> Slices.ask(
                        context.loop, queues, Slices.QUEUES, queue -> queueAccount(context, queue, wanted))));
            }
        }
        for (VirtualHost host : hosts) {
            parts.add(others(host, contexts, wanted::includes));
        }
        return Slices.joined(parts).thenCompose(samples -> told(samples, contexts, telling));
    }

    /**
     * What is to be told of them: a moment later, since consumers are looked at twice. So many at a time, so that no turn has more to do for very
     * many than for some.
     */
    private static <T> CompletableFuture<List<T>> told(
            List<AccountSample> samples, LoopContext[] contexts, Function<AddressState, T> telling) {
        List<T> told = new ArrayList<>(samples.size());
        return later(contexts[0].loop)
                .thenCompose(nothing -> tell(samples, 0, contexts, telling, told))
                .thenApply(nothing -> Collections.unmodifiableList(told));
    }

    private static <T> CompletableFuture<Void> tell(
            List<AccountSample> samples, int from, LoopContext[] contexts, Function<AddressState, T> telling,
            List<T> told) {
        if (from == samples.size()) {
            return CompletableFuture.completedFuture(null);
        }
        List<AccountSample> part = samples.subList(from, Math.min(samples.size(), from + Inspection.PART));
        return compared(part)
                .thenCompose(queues -> Slices.joined(part.stream()
                        .map(sample -> state(sample, queues, contexts).thenApply(List::of))
                        .toList()))
                .thenCompose(states -> {
                    states.forEach(each -> told.add(telling.apply(each)));
                    return tell(samples, from + part.size(), contexts, telling, told);
                });
    }

    // ---- those that need somebody

    /**
     * Addresses that a producer waits for, then those that are full.
     *
     * @param most of each virtual host
     */
    static CompletableFuture<Pressure> pressure(Collection<VirtualHost> hosts, LoopContext[] contexts, int most) {
        List<CompletableFuture<List<Found>>> parts = new ArrayList<>();
        for (LoopContext context : contexts) {
            parts.add(queues(context).thenCompose(queues -> {
                Map<String, Found> found = new HashMap<>();
                return Slices.ask(context.loop, queues, Slices.QUEUES, queue -> {
                    Account account = queue.account();
                    if (!queue.isRemoved() && isPressed(account)) {
                        found.computeIfAbsent(account.virtualHost(), name -> new Found(name, most))
                                .see(account, () -> new AccountSample(
                                        account, account.gate().tickets(), List.of(QueueSample.of(queue)),
                                        context.loop.nanoTime()));
                    }
                    return null;
                }).thenApply(nothing -> List.copyOf(found.values()));
            }));
        }
        for (VirtualHost host : hosts) {
            parts.add(others(host, contexts, AddressStates::isPressed).thenApply(samples -> {
                Found found = new Found(host.name(), most);
                samples.forEach(each -> found.see(each.account(), () -> each));
                return List.of(found);
            }));
        }
        return Slices.joined(parts).thenCompose(all -> {
            Map<String, Found> byHost = new HashMap<>();
            all.forEach(each -> byHost.merge(each.host, each, Found::plus));
            List<AccountSample> samples = new ArrayList<>();
            Map<String, Integer> leftOut = new HashMap<>();
            byHost.forEach((host, found) -> {
                List<AccountSample> kept = found.kept();
                samples.addAll(kept);
                leftOut.put(host, found.seen - kept.size());
            });
            return told(samples, contexts, OperatorViews::address)
                    .thenApply(addresses -> new Pressure(addresses, leftOut));
        });
    }

    private static boolean isPressed(Account account) {
        return account.isWaited() || share(account) >= FULL;
    }

    /** How much of its tightest limit is used. */
    private static double share(Account account) {
        AddressLimits limits = account.lastingLimits();
        return limits.policy() == FullPolicy.PAGE
                ? share(account.usedBytes(), limits.pageLimitBytes())
                : Math.max(
                        share(account.usedBytes(), limits.maxBytes()),
                        share(account.usedMessages(), limits.maxMessages()));
    }

    private static double share(long used, long limit) {
        return limit == AddressLimits.NONE ? 0 : limit == 0 ? 1 : (double) used / limit;
    }

    /** What is found in a virtual host: no more is kept than can be told. For one loop at a time. */
    private static final class Found {

        private final String host;
        private final int most;
        private final List<AccountSample> waited = new ArrayList<>();
        private final List<AccountSample> full = new ArrayList<>();
        private int seen;

        Found(String host, int most) {
            this.host = host;
            this.most = most;
        }

        void see(Account account, Supplier<AccountSample> sample) {
            seen++;
            List<AccountSample> kind = account.isWaited() ? waited : full;
            if (kind.size() < most) {
                kind.add(sample.get());
            }
        }

        Found plus(Found other) {
            waited.addAll(other.waited);
            full.addAll(other.full);
            seen += other.seen;
            return this;
        }

        List<AccountSample> kept() {
            List<AccountSample> kept = new ArrayList<>(waited);
            full.sort(Comparator.comparingDouble(each -> -share(each.account())));
            kept.addAll(full);
            return kept.subList(0, Math.min(most, kept.size()));
        }
    }

    // ---- accounts

    /** Queues of one name, of which there is one in a virtual host. */
    private static CompletableFuture<List<AccountSample>> named(Collection<VirtualHost> hosts, Wanted wanted) {
        return Slices.joined(hosts.stream()
                .map(host -> host.table().queue(wanted.name()))
                .filter(Objects::nonNull)
                .map(proxy -> Slices.ask(
                        proxy.home().loop, List.of(proxy.queue()), Slices.QUEUES,
                        queue -> queueAccount(proxy.home(), queue, wanted)))
                .toList());
    }

    private static CompletableFuture<List<Queue>> queues(LoopContext context) {
        return Slices.ask(context.loop, () -> List.copyOf(context.queues));
    }

    /** Null if it is not asked about, or has gone. */
    private static AccountSample queueAccount(LoopContext context, Queue queue, Wanted wanted) {
        return queue.isRemoved() || !wanted.includes(queue.account())
                ? null
                : new AccountSample(
                        queue.account(), queue.account().gate().tickets(), List.of(QueueSample.of(queue)),
                        context.loop.nanoTime());
    }

    /** An account of an exchange, or of a virtual host. */
    private record Other(Account account, List<Ticket> tickets, long nowNanos, Set<String> bound) {

        AccountSample with(List<QueueSample> queues) {
            return new AccountSample(account, tickets, queues, nowNanos);
        }
    }

    /** The accounts of exchanges and of the virtual host, with the queues that hold most. */
    private static CompletableFuture<List<AccountSample>> others(
            VirtualHost host, LoopContext[] contexts, Predicate<Account> wanted) {
        return Slices.ask(host.home().loop, () -> {
            List<Other> others = new ArrayList<>();
            long now = host.home().loop.nanoTime();
            for (Account account : host.exchangeAccounts().values()) {
                if (wanted.test(account)) {
                    others.add(new Other(account, account.gate().tickets(), now, host.boundQueues(account.name())));
                }
            }
            Account own = host.account();
            if (own != null && wanted.test(own)) {
                others.add(new Other(own, own.gate().tickets(), now, null));
            }
            return others;
        }).thenCompose(others -> Slices.joined(others.stream()
                .map(each -> holders(host, contexts, each).thenApply(queues -> List.of(each.with(queues))))
                .toList()));
    }

    private static CompletableFuture<List<QueueSample>> holders(
            VirtualHost host, LoopContext[] contexts, Other other) {
        int most = other.bound() == null ? MOST_QUEUES : MOST_BOUND;
        Map<LoopContext, List<Queue>> bound = new IdentityHashMap<>();
        if (other.bound() != null) {
            RoutingTable<QueueProxy> table = host.table();
            for (String name : other.bound()) {
                QueueProxy proxy = table.queue(name);
                if (proxy != null) {
                    bound.computeIfAbsent(proxy.home(), home -> new ArrayList<>()).add(proxy.queue());
                }
            }
        }
        List<CompletableFuture<List<QueueSample>>> parts = new ArrayList<>();
        for (LoopContext context : contexts) {
            CompletableFuture<List<Queue>> queues = other.bound() == null
                    ? queues(context)
                    : CompletableFuture.completedFuture(bound.getOrDefault(context, List.of()));
            parts.add(queues.thenCompose(all -> {
                PriorityQueue<Queue> largest =
                        new PriorityQueue<>(Comparator.comparingLong((Queue each) -> each.account().usedBytes()));
                return Slices.ask(context.loop, all, Slices.QUEUES, queue -> {
                    if (!queue.isRemoved() && queue.account().virtualHost().equals(host.name())) {
                        largest.add(queue);
                        if (largest.size() > most) {
                            largest.remove();
                        }
                    }
                    return null;
                }).thenCompose(nothing -> Slices.ask(
                        context.loop, List.copyOf(largest), Slices.QUEUES, QueueSample::of));
            }));
        }
        return Slices.joined(parts).thenApply(all -> all.stream()
                .sorted(Comparator.comparingLong(each -> -each.queue().account().usedBytes()))
                .limit(most)
                .toList());
    }

    private record Compared(QueueSample before, QueueState state) {}

    /** Looks a second time at all queues that were looked at. */
    private static CompletableFuture<Map<QueueSample, QueueState>> compared(List<AccountSample> samples) {
        Map<Loop, Set<QueueSample>> byLoop = new IdentityHashMap<>();
        samples.forEach(sample -> sample.queues().forEach(queue -> byLoop
                .computeIfAbsent(queue.queue().loop(), loop -> Collections.newSetFromMap(new IdentityHashMap<>()))
                .add(queue)));
        List<CompletableFuture<List<Compared>>> parts = new ArrayList<>();
        byLoop.forEach((loop, queues) -> parts.add(Slices.ask(
                loop, List.copyOf(queues), Slices.QUEUES, before -> new Compared(before, compared(before)))));
        return Slices.joined(parts).thenApply(all -> {
            Map<QueueSample, QueueState> states = new IdentityHashMap<>();
            all.forEach(each -> states.put(each.before(), each.state()));
            return states;
        });
    }

    /** Completes, after a moment, what was found before. */
    private static CompletableFuture<AddressState> state(
            AccountSample sample, Map<QueueSample, QueueState> states, LoopContext[] contexts) {
        Account account = sample.account();
        List<QueueState> queues = sample.queues().stream().map(states::get).toList();
        CompletableFuture<List<Waiting>> waiting = Slices.joined(numbered(sample));
        CompletableFuture<List<long[]>> credit = account.creditLines() == 0
                ? CompletableFuture.completedFuture(List.of())
                : Slices.joined(List.of(contexts).stream()
                        .map(context -> Slices.ask(context.loop, () -> List.of(context.credits.heldIn(account))))
                        .toList());
        return waiting.thenCombine(credit, (who, held) -> new AddressState(
                account.virtualHost(), account.name(), account.kind().word(), account.lastingLimits(),
                account.usedBytes(), account.usedMessages(), account.highestBytes(),
                held.stream().mapToLong(each -> each[0]).sum(), held.stream().mapToLong(each -> each[1]).sum(),
                account.droppedMessages(), account.refusedMessages(), who, queues));
    }

    private static List<CompletableFuture<List<Waiting>>> numbered(AccountSample sample) {
        List<CompletableFuture<List<Waiting>>> parts = new ArrayList<>();
        String limit = sample.account().waitsFor();
        for (Ticket ticket : sample.tickets()) {
            int position = parts.size() + 1;
            Ticket.Holder holder = ticket.holder();
            parts.add(Slices.ask(ticket.loop(), () -> !holder.waits(ticket)
                    ? List.<Waiting>of() // it was served since
                    : List.of(new Waiting(
                            holder.connection(), holder.producer(), limit,
                            TimeUnit.NANOSECONDS.toMillis(sample.nowNanos() - ticket.sinceNanos()), position,
                            holder.parkedMessages(), holder.parkedBytes()))));
        }
        return parts;
    }

    private static QueueState compared(QueueSample before) {
        Queue queue = before.queue();
        Map<Object, Long> settledBefore = new HashMap<>();
        before.consumers().forEach(each -> settledBefore.put(each.identity(), each.settledMessages()));
        double seconds = LOOK_NANOS / 1e9;
        List<ConsumerState> consumers = queue.consumers().stream()
                .map(now -> new ConsumerState(
                        now.connection(), now.tag(), now.unsettledMessages(),
                        (now.settledMessages() - settledBefore.getOrDefault(now.identity(), now.settledMessages()))
                                / seconds,
                        measure(now)))
                .collect(Collectors.toList());
        return new QueueState(
                queue.name(), queue.ready(), queue.delayed(), queue.unsettled(), queue.consumerRule(), consumers,
                queue.isPaused());
    }

    private static ConsumerMeasure measure(ConsumerSample sample) {
        SlowConsumer.Measure measure = sample.measure();
        return measure == null
                ? null
                : new ConsumerMeasure(
                        measure.messages(), measure.bytes(), measure.oldestMillis(), measure.perSecond(),
                        sample.slowMillis());
    }

    private static CompletableFuture<Void> later(Loop loop) {
        CompletableFuture<Void> later = new CompletableFuture<>();
        loop.execute(() -> loop.schedule(LOOK_NANOS, () -> later.complete(null)));
        return later;
    }
}
