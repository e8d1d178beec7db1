package io.sluicemq.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.operate.Measures;
import io.sluicemq.api.operate.Measures.OfAddress;
import io.sluicemq.api.operate.Operations;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.AddressSettings.Rule;
import io.sluicemq.broker.flow.FullPolicy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What is gathered for those who draw curves, on loops driven by hand. */
class MeasuringTest {

    private static final int SIZE = TestBroker.message("", "q", "x").sizeBytes();

    private TestBroker broker = new TestBroker(2);

    private Measures measures(Operations operations) {
        CompletableFuture<Measures> measures = operations.measures();
        broker.settle();
        assertThat(measures).isDone();
        return measures.join();
    }

    private Measures measures() {
        return measures(broker.engine.operations(publication -> null));
    }

    private void limit(String queue, long bytes) {
        broker.engine.addressSettings(new AddressSettings(
                List.of(new Rule(queue, bytes, null, FullPolicy.BLOCK, null, null, null, null))));
        broker.settle();
    }

    @Test
    void shouldLookAtSoManyQueuesInATurnAndNoMore() {
        broker = new TestBroker(1);
        TestClient client = broker.connect(0);
        int queues = 4 * Slices.QUEUES + 1;
        for (int i = 0; i < queues; i++) {
            client.declares("q" + i, Map.of());
        }
        CompletableFuture<Measures> measures = broker.engine.operations(publication -> null).measures();
        int turns = 0;
        while (broker.loops.get(0).isReady()) {
            broker.loops.get(0).runTurn();
            turns++;
        }

        assertThat(turns).isGreaterThanOrEqualTo(5);
        assertThat(measures.join().queues()).hasSize(queues);
        assertThat(measures.join().addresses()).as("none has a limit").isEmpty();
    }

    @Test
    void shouldTellWhatAnAddressHoldsAndLendsAndForHowLongSomebodyWaits() {
        TestClient first = broker.connect(0);
        TestClient second = broker.connect(1);
        first.declares("q", Map.of());
        limit("q", 10L * SIZE);
        TestCredit link = new TestCredit(second, "", "q");
        assertThat(link.asks(4, SIZE)).isEqualTo(4);
        for (int i = 0; i < 6; i++) {
            first.publishes(TestBroker.message("", "q", "x"));
        }

        assertThat(measures().holdsNow()).isZero();
        OfAddress before = measures().addresses().getFirst();
        assertThat(before.creditBytes()).isEqualTo(4L * SIZE);
        assertThat(before.creditMessages()).isEqualTo(4);
        assertThat(before.usedBytes()).isEqualTo(10L * SIZE);
        assertThat(before.waiting()).isZero();

        for (int i = 0; i < 4; i++) {
            link.sends(TestBroker.message("", "q", "x"));
        }
        var waiting = first.publishesConfirmed(TestBroker.message("", "q", "x"));
        broker.loops.advance(TimeUnit.SECONDS.toNanos(7));
        Measures held = measures();
        assertThat(held.holdsNow()).isEqualTo(1);
        assertThat(held.holdsBegun()).isEqualTo(1);
        assertThat(held.answersOutstanding()).isEqualTo(1);
        assertThat(held.addresses().getFirst().waiting()).isEqualTo(1);
        assertThat(held.addresses().getFirst().waitingMillis()).isEqualTo(7_000);
        assertThat(held.creditLines()).isEqualTo(1);

        first.closes();
        broker.settle();
        Measures after = measures();
        assertThat(waiting).isNotNull();
        assertThat(after.holdsNow()).isZero();
        assertThat(after.holdNanos().count()).isEqualTo(1);
        assertThat(after.holdNanos().sum()).isEqualTo(TimeUnit.SECONDS.toNanos(7));
        assertThat(after.answersOutstanding()).isZero();
        assertThat(after.answersRefused()).isEqualTo(1);
    }

    @Test
    void shouldAnswerWhenEveryLoopHas() {
        CompletableFuture<Void> answering = broker.engine.operations(publication -> null).answering();
        broker.loops.get(0).runTurn();
        assertThat(answering).isNotDone();
        broker.loops.get(1).runTurn();
        assertThat(answering).isCompleted();
    }
}
