package io.sluicemq.broker.engine;

import io.sluicemq.api.operate.Measures;
import io.sluicemq.api.operate.Measures.OfAddress;
import io.sluicemq.api.operate.Measures.OfProtocol;
import io.sluicemq.api.operate.Overview.LoopView;
import io.sluicemq.api.operate.QueueFacts;
import io.sluicemq.api.operate.QueueView;
import io.sluicemq.base.Distribution;
import io.sluicemq.broker.flow.Account;
import io.sluicemq.broker.flow.Ticket;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.broker.queue.SlowConsumer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/**
 * Gathers what is measured: each number on the loop that owns it, in {@link Slices}. Called from any thread; holds nothing that changes.
 */
final class Measuring {

    /** Asks each of these queues on its loop. */
    interface Walk {
        CompletableFuture<List<QueueSample>> over(
                Collection<QueueFacts> which, BiFunction<QueueFacts, Queue, QueueSample> question);
    }

    /** A queue, and its account if there is something to tell of that. */
    record QueueSample(QueueView view, Optional<AccountSample> account) {

        static QueueSample of(QueueFacts facts, Queue queue) {
            return new QueueSample(
                    OperatorViews.view(facts, queue),
                    AccountSample.of(queue.account(), queue.loop().nanoTime()));
        }
    }

    /** An account at a moment, seen on its home. */
    record AccountSample(Account account, int waiting, long waitingMillis) {

        static Optional<AccountSample> of(Account account, long nowNanos) {
            List<Ticket> tickets = account.isWaited() ? account.gate().tickets() : List.of();
            boolean says = !OperatorViews.isUnlimited(account.limits()) || !tickets.isEmpty()
                    || account.droppedMessages() > 0 || account.refusedMessages() > 0;
            return says
                    ? Optional.of(new AccountSample(
                            account, tickets.size(),
                            tickets.stream()
                                    .mapToLong(each -> nowNanos - each.sinceNanos())
                                    .map(TimeUnit.NANOSECONDS::toMillis)
                                    .max()
                                    .orElse(0)))
                    : Optional.empty();
        }

        OfAddress with(long[] credit) {
            return new OfAddress(
                    account.virtualHost(), account.name(), account.kind().word(),
                    OperatorViews.limits(account.limits()), account.usedBytes(), account.usedMessages(), credit[0],
                    credit[1], account.droppedMessages(), account.refusedMessages(), waiting, waitingMillis);
        }
    }

    /** What lines of a loop hold in an account. */
    private record Lent(Account account, long[] held) {}

    private record LoopSample(
            Tally tally, LoopView view, Map<String, OfProtocol> protocols, Map<String, Long> slow, long shortNanos,
            long outstanding, long given, long refused, Distribution answerNanos, long holdsNow, long holdsBegun,
            Distribution holdNanos, long creditLines) {

        static LoopSample of(LoopContext context, long askedNanos) {
            Tally copy = new Tally();
            copy.add(context.tally);
            Map<String, OfProtocol> protocols = new TreeMap<>();
            context.protocols.forEach((name, has) -> protocols.put(
                    name, new OfProtocol(has.connections, has.channels, has.consumers)));
            Map<String, Long> slow = new LinkedHashMap<>();
            for (SlowConsumer.Action action : SlowConsumer.Action.values()) {
                slow.put(
                        action.name().toLowerCase(Locale.ROOT).replace('_', '-'),
                        context.slowConsumers().found(action));
            }
            return new LoopSample(
                    copy,
                    new LoopView(
                            context.loop.index(), context.queues.size(), context.clients.size(),
                            Math.max(0, context.loop.nanoTime() - askedNanos)),
                    protocols, slow, context.shortNanos(), context.answers.outstanding(), context.answers.given(),
                    context.answers.refused(), context.answers.latencyNanos(), context.holds.now(),
                    context.holds.begun(), context.holds.nanos(), context.credits.size());
        }
    }

    private final BrokerEngine engine;
    private final Collection<VirtualHost> hosts;
    private final LoopContext[] contexts;

    Measuring(BrokerEngine engine, Collection<VirtualHost> hosts, LoopContext[] contexts) {
        this.engine = engine;
        this.hosts = hosts;
        this.contexts = contexts;
    }

    CompletableFuture<Measures> measures(Collection<QueueFacts> facts, Walk walk) {
        CompletableFuture<List<QueueSample>> queues = walk.over(facts, QueueSample::of);
        CompletableFuture<List<AccountSample>> others = Slices.joined(
                hosts.stream().map(this::otherAccounts).toList());
        CompletableFuture<List<Lent>> lent = Slices.joined(List.of(contexts).stream()
                .map(context -> Slices.ask(context.loop, context.credits::accounts)
                        .thenCompose(accounts -> Slices.ask(
                                context.loop, accounts, Slices.QUEUES,
                                account -> new Lent(account, context.credits.heldIn(account)))))
                .toList());
        CompletableFuture<List<LoopSample>> loops = loops();
        return CompletableFuture.allOf(queues, others, lent, loops)
                .thenCombine(engine.shortage(), (nothing, shortage) -> {
                    Map<Account, long[]> credit = new IdentityHashMap<>();
                    for (Lent each : lent.join()) {
                        credit.merge(each.account(), each.held(), (a, b) -> new long[] {a[0] + b[0], a[1] + b[1]});
                    }
                    List<OfAddress> addresses = new ArrayList<>();
                    queues.join().forEach(queue -> queue.account()
                            .ifPresent(sample -> addresses.add(with(sample, credit))));
                    others.join().forEach(sample -> addresses.add(with(sample, credit)));
                    return sum(
                            loops.join(), shortage,
                            queues.join().stream().map(QueueSample::view).toList(), addresses);
                });
    }

    private static OfAddress with(AccountSample sample, Map<Account, long[]> credit) {
        return sample.with(credit.getOrDefault(sample.account(), new long[2]));
    }

    /** Asked on its own, after nothing else: so that what it takes to be answered is what anybody's message would wait. */
    private CompletableFuture<List<LoopSample>> loops() {
        List<CompletableFuture<List<LoopSample>>> parts = new ArrayList<>();
        for (LoopContext context : contexts) {
            long askedNanos = context.loop.nanoTime();
            parts.add(Slices.ask(context.loop, () -> List.of(LoopSample.of(context, askedNanos))));
        }
        return Slices.joined(parts);
    }

    /** The accounts of exchanges and of the virtual host itself. */
    private CompletableFuture<List<AccountSample>> otherAccounts(VirtualHost host) {
        List<Account> accounts = new ArrayList<>(host.exchangeAccounts().values());
        if (host.account() != null) {
            accounts.add(host.account());
        }
        return Slices.ask(
                host.home().loop, accounts, Slices.QUEUES,
                account -> AccountSample.of(account, host.home().loop.nanoTime()).orElse(null));
    }

    private Measures sum(
            List<LoopSample> loops, Optional<Shortage> shortage, List<QueueView> queues, List<OfAddress> addresses) {
        Tally tally = new Tally();
        Map<String, OfProtocol> protocols = new TreeMap<>();
        Map<String, Long> slow = new LinkedHashMap<>();
        Distribution answerNanos = null;
        Distribution holdNanos = null;
        for (LoopSample each : loops) {
            tally.add(each.tally());
            each.protocols().forEach((name, has) -> protocols.merge(name, has, OfProtocol::plus));
            each.slow().forEach((action, times) -> slow.merge(action, times, Long::sum));
            answerNanos = answerNanos == null ? each.answerNanos() : answerNanos.plus(each.answerNanos());
            holdNanos = holdNanos == null ? each.holdNanos() : holdNanos.plus(each.holdNanos());
        }
        return new Measures(
                EngineOperations.named(tally), engine.memory().budgetBytes(), shortage.map(OperatorViews::shortage),
                loops.getFirst().shortNanos(), // all are told the same
                loops.stream().map(LoopSample::view).toList(), protocols, slow,
                loops.stream().mapToLong(LoopSample::outstanding).sum(),
                loops.stream().mapToLong(LoopSample::given).sum(),
                loops.stream().mapToLong(LoopSample::refused).sum(), answerNanos,
                loops.stream().mapToLong(LoopSample::holdsNow).sum(),
                loops.stream().mapToLong(LoopSample::holdsBegun).sum(), holdNanos,
                loops.stream().mapToLong(LoopSample::creditLines).sum(), queues, addresses);
    }
}
