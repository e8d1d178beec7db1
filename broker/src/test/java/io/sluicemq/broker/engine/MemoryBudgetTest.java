package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.TestBroker.message;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.testkit.LogCapture;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MemoryBudgetTest {

    private static final String LARGE = "x".repeat(300_000);

    private final TestBroker broker = new TestBroker(2, 1 << 20);
    private final TestClient client = broker.connect(1);

    @Test
    void shouldLogWhereTheMemoryWentAndHowLongPublishersWaited() {
        client.declares("small", Map.of());
        client.declares("large", Map.of());
        client.publishes(message("", "small", "x"));
        try (var log = new LogCapture()) {
            fill();
            broker.loops.advance(TimeUnit.MILLISECONDS.toNanos(250));
            purge();
            assertThat(log.messages(Level.INFO)).containsExactly(
                    "messages take more memory than the budget of 1 MiB: publishers wait until there is room;"
                            + " most are ready in queue 'large' in vhost '/' (4 messages, 1 MiB, consumers: 0)",
                    "messages take 0 MiB of memory: publishers go on, after 250 ms");
        }
    }

    @Test
    void shouldLogOnceInTenSecondsHoweverOftenPublishersAreHeld() {
        client.declares("large", Map.of());
        try (var log = new LogCapture()) {
            for (int i = 0; i < 20; i++) {
                fill();
                purge();
            }
            assertThat(log.messages(Level.INFO)).hasSize(2);
            broker.loops.advance(TimeUnit.SECONDS.toNanos(10));
            fill();
            assertThat(log.messages(Level.WARN)).hasSize(2);
            assertThat(log.messages(Level.WARN).getLast())
                    .endsWith("(so it was 19 more times since the last such line)");
        }
    }

    @Test
    void shouldLogAShortageThatLastsHoweverSoonAfterAnother() {
        client.declares("large", Map.of());
        try (var log = new LogCapture()) {
            fill();
            purge();
            fill();
            assertThat(log.messages(Level.WARN)).hasSize(1);

            broker.loops.advance(TimeUnit.SECONDS.toNanos(10));
            assertThat(log.messages(Level.WARN)).hasSize(2);
            broker.loops.advance(TimeUnit.SECONDS.toNanos(60));
            purge();
            assertThat(log.messages(Level.WARN)).hasSize(2);
            assertThat(log.messages(Level.INFO).getLast()).endsWith("publishers go on, after 70000 ms");
        }
    }

    @Test
    void shouldTellWhoAsksHowLongPublishersHaveWaited() {
        client.declares("large", Map.of());
        assertThat(shortage()).isEmpty();

        fill();
        broker.loops.advance(TimeUnit.MILLISECONDS.toNanos(250));
        assertThat(shortage()).contains(new Shortage("messages take more memory than the budget of 1 MiB", 250));

        purge();
        assertThat(shortage()).isEmpty();
        fill();
        assertThat(shortage()).map(Shortage::sinceMillis).contains(0L);
    }

    private Optional<Shortage> shortage() {
        CompletableFuture<Optional<Shortage>> found = broker.engine.shortage();
        broker.loops.runAll();
        return found.join();
    }

    private void fill() {
        for (int i = 0; i < 4; i++) {
            client.publishes(message("", "large", LARGE));
        }
    }

    private void purge() {
        client.<Long>asks(reply -> client.client.purgeQueue("large", reply));
    }
}
