package io.sluicemq.broker.engine;

import io.sluicemq.api.operate.QueueFacts;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.broker.routing.RoutingTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * One look at many queues, each on its loop, for people: a part of them after the other, so that neither asking nor putting together what was
 * answered takes more of a loop's turn for many than for some. It runs on whichever loop has answered last, one at a time.
 *
 * @param <T> what is answered of a queue
 */
final class Inspection<T> {

    /** So many queues are asked before what they said is put together. */
    static final int PART = 4 * Slices.QUEUES;

    private record Asked(int place, QueueFacts facts, Queue queue) {}

    private record Answered<T>(int place, T answer) {}

    private final List<QueueFacts> which;
    private final Function<String, RoutingTable<QueueProxy>> tables;
    private final BiFunction<QueueFacts, Queue, T> question;
    private final Consumer<List<T>> taker;
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private int next;

    private Inspection(
            List<QueueFacts> which, Function<String, RoutingTable<QueueProxy>> tables,
            BiFunction<QueueFacts, Queue, T> question, Consumer<List<T>> taker) {
        this.which = which;
        this.tables = tables;
        this.question = question;
        this.taker = taker;
    }

    /**
     * Asks each queue that is still there.
     *
     * @param tables the routing table of a virtual host
     * @param taker takes what a part of them has answered, in the order of {@code which}
     * @return done when all have been taken
     */
    static <T> CompletableFuture<Void> of(
            List<QueueFacts> which, Function<String, RoutingTable<QueueProxy>> tables,
            BiFunction<QueueFacts, Queue, T> question, Consumer<List<T>> taker) {
        Inspection<T> inspection = new Inspection<>(which, tables, question, taker);
        inspection.goOn();
        return inspection.end;
    }

    private void goOn() {
        if (next == which.size()) {
            end.complete(null);
            return;
        }
        List<QueueFacts> part = which.subList(next, Math.min(which.size(), next + PART));
        next += part.size();
        asked(part).whenComplete((answers, failure) -> {
            if (failure != null) {
                end.completeExceptionally(failure);
            } else {
                taker.accept(answers);
                goOn();
            }
        });
    }

    private CompletableFuture<List<T>> asked(List<QueueFacts> part) {
        Map<LoopContext, List<Asked>> byLoop = new HashMap<>();
        int place = 0;
        for (QueueFacts facts : part) {
            QueueProxy proxy = tables.apply(facts.virtualHost()).queue(facts.name());
            if (proxy != null) {
                byLoop.computeIfAbsent(proxy.home(), home -> new ArrayList<>())
                        .add(new Asked(place, facts, proxy.queue()));
            }
            place++;
        }
        List<CompletableFuture<List<Answered<T>>>> parts = new ArrayList<>();
        byLoop.forEach((context, asked) -> parts.add(Slices.ask(
                context.loop, asked, Slices.QUEUES,
                each -> each.queue().isRemoved()
                        ? null
                        : new Answered<>(each.place(), question.apply(each.facts(), each.queue())))));
        return Slices.joined(parts).thenApply(all -> all.stream()
                .sorted(Comparator.comparingInt(Answered::place))
                .map(Answered::answer)
                .toList());
    }
}
