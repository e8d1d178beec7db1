package io.sluicemq.cli.operate;

import io.sluicemq.cli.admin.AddressAnswer;
import io.sluicemq.cli.admin.WhyText;
import io.sluicemq.cli.http.Access;
import io.sluicemq.cli.http.Api;
import io.sluicemq.cli.http.ApiRefused;
import io.sluicemq.cli.http.ApiUnreachable;
import io.sluicemq.cli.text.Printable;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Says once, while messages have to wait, that they do and for what: the broker holds its answer until there is room. The thread of the command
 * line tells when a request begins and ends; a thread of its own looks whether that takes long, and asks the broker why.
 */
final class WaitWatch implements AutoCloseable {

    /** After this time people wonder. */
    static final Duration PATIENCE = Duration.ofMillis(1_500);

    private static final long NOTHING_UNDER_WAY = 0;

    private final Access access;
    private final Map<String, String> subject;
    private final String otherwise;
    private final PrintWriter err;
    private final long patienceNanos;
    private final ScheduledExecutorService looking = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("sluicemq-waiting").factory());
    private volatile long sinceNanos = NOTHING_UNDER_WAY;
    private volatile String known;

    /**
     * @param queue the queue that messages are for; null if an exchange says which
     * @param otherwise what is said if the broker doesn't say what is full; empty for nothing, as such requests take long anyway
     * @param patience so long nobody wonders
     */
    WaitWatch(Access access, String queue, String otherwise, PrintWriter err, Duration patience) {
        this.access = access;
        this.subject = queue == null ? Map.of() : Map.of("subject", queue);
        this.otherwise = otherwise;
        this.err = err;
        this.patienceNanos = patience.toNanos();
        long every = Math.max(1, patienceNanos / 2);
        looking.scheduleWithFixedDelay(this::look, every, every, TimeUnit.NANOSECONDS);
    }

    /** A request is under way. */
    void begin() {
        long now = System.nanoTime();
        sinceNanos = now == NOTHING_UNDER_WAY ? 1 : now;
    }

    /** It has been answered. */
    void end() {
        sinceNanos = NOTHING_UNDER_WAY;
    }

    private void look() {
        long since = sinceNanos;
        if (known != null || since == NOTHING_UNDER_WAY || System.nanoTime() - since < patienceNanos) {
            return;
        }
        String reason = asked();
        if (looking.isShutdown() || reason.isEmpty() && otherwise.isEmpty()) {
            return; // there is nothing to wait for any more and the question was cut short, or it is looked again
        }
        known = reason;
        err.println((Terminal.isThere() ? "\r\u001b[K" : "") + Printable.text(reason.isEmpty()
                ? "waiting: " + otherwise
                : "waiting: " + reason + "; see 'sluicemq why'"));
    }

    /** What it has waited for; empty if the broker doesn't say. */
    String reason() {
        String reason = known;
        return reason == null || reason.isEmpty() ? asked() : reason;
    }

    private String asked() {
        try (Api api = new Api(access)) {
            return WhyText.full(
                    AddressAnswer.overHttp(api.get(Api.path("why"), subject)), api.virtualHost(),
                    subject.get("subject"));
        } catch (ApiRefused | ApiUnreachable e) {
            return ""; // it takes a role to ask, and the message itself tells what comes of it
        }
    }

    @Override
    public void close() {
        looking.shutdownNow();
    }
}
