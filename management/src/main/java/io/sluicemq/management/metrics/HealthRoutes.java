package io.sluicemq.management.metrics;

import io.sluicemq.api.operate.Obstacle;
import io.sluicemq.api.operate.Operations;
import io.sluicemq.api.operate.ServerOperations;
import io.sluicemq.api.operate.ShortageView;
import io.sluicemq.management.http.Answer;
import io.sluicemq.management.http.Call;
import io.sluicemq.management.http.Json;
import io.sluicemq.management.http.Route;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code /health/live} and {@code /health/ready}, for whoever starts brokers and leads clients to them. They are open to everybody and tell
 * nothing but that. Called by any thread, which may wait.
 */
public final class HealthRoutes {

    private final Operations broker;
    private final ServerOperations server;
    private final Duration patience;

    /** @param patience how long a loop may take to answer; one that takes longer is stuck */
    public HealthRoutes(Operations broker, ServerOperations server, Duration patience) {
        this.broker = broker;
        this.server = server;
        this.patience = patience;
    }

    public List<Route> routes() {
        return List.of(
                Route.open("/health/live", "200 if all loops answer in time, else 503", this::live),
                Route.open(
                        "/health/ready",
                        "200 if the broker takes messages, else 503 and the reasons", this::ready));
    }

    private Answer live(Call call) {
        boolean answers = inTime(() -> broker.answering().thenApply(nothing -> true)).isPresent();
        return answers
                ? Answer.of(Json.object().put("status", "live"))
                : answer("stuck", EnumSet.of(Obstacle.LOOPS_STUCK));
    }

    private Answer ready(Call call) {
        Set<Obstacle> obstacles = EnumSet.noneOf(Obstacle.class);
        obstacles.addAll(server.obstacles());
        if (!obstacles.contains(Obstacle.STOPPING)) {
            Optional<Optional<ShortageView>> shortage =
                    inTime(() -> broker.answering().thenCompose(nothing -> broker.shortage()));
            if (shortage.isEmpty()) {
                obstacles.add(Obstacle.LOOPS_STUCK);
            } else if (shortage.get().isPresent() && obstacles.isEmpty()) {
                obstacles.add(Obstacle.MEMORY_SHORTAGE);
            }
        }
        return obstacles.isEmpty() ? Answer.of(Json.object().put("status", "ready")) : answer("not ready", obstacles);
    }

    private static Answer answer(String status, Set<Obstacle> obstacles) {
        ObjectNode json = Json.object().put("status", status);
        var reasons = json.putArray("reasons");
        for (Obstacle each : obstacles) {
            reasons.addObject()
                    .put("reason", each.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                    .put("text", each.words());
        }
        return Answer.of(503, json);
    }

    /** What it comes to; empty if that takes too long, or fails since the loops have ended. */
    private <T> Optional<T> inTime(Supplier<CompletableFuture<T>> question) {
        try {
            return Optional.of(question.get().get(patience.toNanos(), TimeUnit.NANOSECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (TimeoutException | ExecutionException | RejectedExecutionException e) {
            return Optional.empty();
        }
    }
}
