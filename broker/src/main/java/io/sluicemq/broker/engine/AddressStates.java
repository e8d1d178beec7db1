package io.sluicemq.broker.engine;

import io.sluicemq.base.Loop;
import io.sluicemq.broker.flow.Account;
import io.sluicemq.broker.flow.AddressState;
import io.sluicemq.broker.flow.AddressState.ConsumerMeasure;
import io.sluicemq.broker.flow.AddressState.ConsumerState;
import io.sluicemq.broker.flow.AddressState.QueueState;
import io.sluicemq.broker.flow.AddressState.Waiting;
import io.sluicemq.broker.flow.Ticket;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.broker.queue.Queue.ConsumerSample;
import io.sluicemq.broker.queue.SlowConsumer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Finds out what addresses hold, who waits for room in them, and which consumers could make it: each fact on the loop that
 * owns it. Consumers are looked at twice, a moment apart, to see how fast they are. Stateless.
 */
final class AddressStates {

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    /** How many queues are named of a virtual host that is full. */
    private static final int MOST_QUEUES = 5;

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

    static CompletableFuture<List<AddressState>> collect(
            Collection<VirtualHost> hosts, LoopContext[] contexts, Wanted wanted) {
        List<CompletableFuture<List<AccountSample>>> parts = new ArrayList<>();
        for (LoopContext context : contexts) {
            parts.add(queues(context).thenCompose(queues -> Slices.ask(
                    context.loop, queues, Slices.QUEUES, queue -> queueAccount(context, queue, wanted))));
        }
        boolean ofMore = hosts.stream().anyMatch(each -> each.account() != null || !each.exchangeAccounts().isEmpty());
        CompletableFuture<List<QueueSample>> all = Slices.joined(
                List.of(ofMore ? contexts : new LoopContext[0]).stream()
                        .map(context -> queues(context).thenCompose(queues -> Slices.ask(
                                context.loop, queues, Slices.QUEUES, QueueSample::of)))
                        .toList());
        for (VirtualHost host : hosts) {
            parts.add(all.thenCompose(
                    queues -> Slices.ask(host.home().loop, () -> otherAccounts(host, wanted, queues))));
        }
        return Slices.joined(parts)
                .thenCompose(samples -> later(contexts[0].loop).thenCompose(nothing -> compared(samples))
                        .thenCompose(queues -> Slices.joined(samples.stream()
                                .map(sample -> state(sample, queues, contexts).thenApply(List::of))
                                .toList())));
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

    /** The accounts of exchanges and of the virtual host. */
    private static List<AccountSample> otherAccounts(VirtualHost host, Wanted wanted, List<QueueSample> all) {
        List<AccountSample> samples = new ArrayList<>();
        long now = host.home().loop.nanoTime();
        for (Account account : host.exchangeAccounts().values()) {
            if (wanted.includes(account)) {
                Set<String> bound = host.boundQueues(account.name());
                samples.add(new AccountSample(account, account.gate().tickets(), all.stream()
                        .filter(each -> isOf(host, each) && bound.contains(each.queue().name()))
                        .toList(), now));
            }
        }
        Account own = host.account();
        if (own != null && wanted.includes(own)) {
            samples.add(new AccountSample(own, own.gate().tickets(), all.stream()
                    .filter(each -> isOf(host, each))
                    .sorted(Comparator.comparingLong(each -> -each.queue().account().usedBytes()))
                    .limit(MOST_QUEUES)
                    .toList(), now));
        }
        return samples;
    }

    private static boolean isOf(VirtualHost host, QueueSample sample) {
        return sample.queue().account().virtualHost().equals(host.name());
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
