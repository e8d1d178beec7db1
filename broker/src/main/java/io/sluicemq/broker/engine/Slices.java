package io.sluicemq.broker.engine;

import io.sluicemq.base.Loop;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Asks loops about what lives on them, for people: of many things a few in each turn, so that nobody's messages wait for the answer.
 * Stateless; from any thread.
 */
final class Slices {

    /** So many queues are looked at in one turn: some hundred microseconds. */
    static final int QUEUES = 256;

    /** So many connections are, each with its channels. */
    static final int CONNECTIONS = 16;

    /** So many consumers are, each by the name of its queue. */
    static final int CONSUMERS = 256;

    private Slices() {}

    /** Asks one thing. */
    static <T> CompletableFuture<T> ask(Loop loop, Supplier<T> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        loop.execute(() -> {
            try {
                answer.complete(question.get());
            } catch (RuntimeException | Error e) {
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    /**
     * Asks about each of {@code things}, all of which live on {@code loop}.
     *
     * @param slice how many in one turn
     * @param question a null answer is left out
     * @return the answers, in the order of the things
     */
    static <S, T> CompletableFuture<List<T>> ask(Loop loop, List<S> things, int slice, Function<S, T> question) {
        if (things.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        Walk<S, T> walk = new Walk<>(loop, things, slice, question);
        loop.execute(walk);
        return walk.answers;
    }

    /** A question that must not keep others from being asked: where it fails there is no answer, and the loop hears of it. */
    static <T> T guarded(Loop loop, Supplier<T> question) {
        try {
            return question.get();
        } catch (RuntimeException e) {
            loop.execute(() -> {
                throw e;
            });
        } catch (Error e) {
            loop.execute(() -> {
                throw e;
            });
        }
        return null;
    }

    /** All answers together, in the order of {@code parts}. */
    static <T> CompletableFuture<List<T>> joined(Collection<CompletableFuture<List<T>>> parts) {
        return CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new)).thenApply(all -> {
            List<T> sum = new ArrayList<>();
            parts.forEach(part -> sum.addAll(part.resultNow()));
            return sum;
        });
    }

    /** One loop's part of the work; used on that loop. */
    private static final class Walk<S, T> implements Runnable {

        private final Loop loop;
        private final List<S> things;
        private final int slice;
        private final Function<S, T> question;
        private final List<T> found = new ArrayList<>();
        private final CompletableFuture<List<T>> answers = new CompletableFuture<>();
        private int next;

        Walk(Loop loop, List<S> things, int slice, Function<S, T> question) {
            this.loop = loop;
            this.things = things;
            this.slice = slice;
            this.question = question;
        }

        @Override
        public void run() {
            try {
                int end = Math.min(things.size(), next + slice);
                for (; next < end; next++) {
                    T answer = question.apply(things.get(next));
                    if (answer != null) {
                        found.add(answer);
                    }
                }
            } catch (RuntimeException | Error e) {
                answers.completeExceptionally(e);
                return;
            }
            if (next < things.size()) {
                loop.execute(this);
            } else {
                answers.complete(found);
            }
        }
    }
}
