package io.sluicemq.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.api.Access;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.Message;
import io.sluicemq.api.Principal;
import io.sluicemq.api.operate.Actor;
import io.sluicemq.api.operate.MessageView;
import io.sluicemq.api.operate.MoveTarget;
import io.sluicemq.api.operate.Moved;
import io.sluicemq.api.operate.Operations;
import io.sluicemq.api.operate.Operations.GetMode;
import io.sluicemq.api.operate.Publication;
import io.sluicemq.api.operate.QueueView;
import io.sluicemq.api.operate.Refused;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** What operators see and do, on loops driven by hand. */
class OperationsTest {

    private static final Actor ANN = new Actor(Principal.named("ann", Access.ALL), "10.0.0.1:5");

    private final TestBroker broker = new TestBroker(3);
    private final Operations operations = broker.engine.operations(OperationsTest::message);
    private final TestClient client = broker.connect(1);

    private static Message message(Publication publication) {
        return TestBroker.message(
                publication.exchange(), publication.routingKey(),
                new String(publication.body(), StandardCharsets.UTF_8));
    }

    private static Publication to(String queue, String text) {
        return new Publication(
                "", queue, false, null, null, null, Map.of(), Map.of(), text.getBytes(StandardCharsets.UTF_8));
    }

    private <T> T settled(CompletableFuture<T> future) {
        broker.settle();
        assertThat(future).as("an answer").isDone();
        return future.join();
    }

    private void declare(String queue, Map<String, Object> arguments) {
        settled(operations.declareQueue(ANN, "/", new QueueSpec(queue, false, false, false, arguments)));
    }

    /** One turn of one loop, if it has something to do. */
    private void turn(int loop) {
        if (broker.loops.get(loop).isReady()) {
            broker.loops.get(loop).runTurn();
        }
    }

    private QueueView look(String queue) {
        return settled(operations.look(List.of(operations.queue("/", queue).orElseThrow()))).getFirst();
    }

    private List<String> bodies(CompletableFuture<List<MessageView>> messages) {
        return settled(messages).stream().map(each -> new String(each.body(), StandardCharsets.UTF_8)).toList();
    }

    private List<String> browsed(String queue) {
        return bodies(operations.browse(ANN, "/", queue, 100, 1000));
    }

    @Test
    void shouldCountNoConnectionForAnAct() {
        declare("q", Map.of());
        assertThat(settled(operations.publish(ANN, "/", to("q", "a")))).isEqualTo(1);

        assertThat(broker.counters().connections()).as("the test's own").isEqualTo(1);
        assertThat(settled(operations.connections())).hasSize(1);
        assertThat(look("q").readyMessages()).isEqualTo(1);
        assertThat(look("q").rates().in()).isEqualTo(1);
    }

    @Test
    void shouldTellWhyItRefuses() {
        CompletableFuture<Long> purge = operations.purge(ANN, "/", "none");
        broker.settle();
        assertThatThrownBy(purge::join).isInstanceOf(CompletionException.class).cause()
                .isInstanceOfSatisfying(Refused.class, refused -> assertThat(refused.error())
                        .isEqualTo(new BrokerError.NotFound(BrokerError.Kind.QUEUE, "none", "/")));
        assertThatThrownBy(() -> operations.queues("nowhere")).isInstanceOf(Refused.class);
    }

    @Test
    void shouldTakeRatesOverTheTimeSinceTheLastLook() {
        declare("q", Map.of());
        look("q");
        broker.loops.advance(10_000_000_000L);
        for (int i = 0; i < 20; i++) {
            settled(operations.publish(ANN, "/", to("q", "a")));
        }
        assertThat(look("q").rates().inRate()).isEqualTo(2.0);
        broker.loops.advance(5_000_000_000L);
        assertThat(look("q").rates().inRate()).as("what is over counts no more").isEqualTo(0.0);
    }

    @Test
    void shouldStopDeliveriesOfAPausedQueueAndNothingElse() {
        declare("q", Map.of());
        TestBroker.TestConsumer consumer = client.consumes("q", 10);
        settled(operations.pause(ANN, "/", "q", true));
        settled(operations.publish(ANN, "/", to("q", "a")));
        TestBroker.TestConsumer later = client.consumes("q", 10);

        assertThat(consumer.texts()).isEmpty();
        assertThat(later.texts()).isEmpty();
        assertThat(look("q").state()).isEqualTo("paused");
        assertThat(browsed("q")).containsExactly("a");
        assertThat(bodies(operations.get(ANN, "/", "q", 1, GetMode.REQUEUE, 10))).containsExactly("a");

        settled(operations.pause(ANN, "/", "q", false));
        assertThat(consumer.texts().size() + later.texts().size()).isEqualTo(1);
        assertThat(look("q").state()).isEqualTo("running");
    }

    @Test
    void shouldLookAtMoreQueuesThanAreLookedAtInOneTurn() {
        int count = 3 * Slices.QUEUES + 7;
        for (int i = 0; i < count; i++) {
            declare("q" + i, Map.of());
        }
        assertThat(settled(operations.look(operations.queues("/")))).hasSize(count)
                .extracting(QueueView::name)
                .containsExactlyElementsOf(operations.queues("/").stream().map(each -> each.name()).toList());
    }

    @Test
    void shouldLeaveOutAQueueThatHasGone() {
        declare("a", Map.of());
        declare("b", Map.of());
        var facts = operations.queues("/");
        settled(operations.deleteQueue(ANN, "/", "a", false, false));
        assertThat(settled(operations.look(facts))).extracting(QueueView::name).containsExactly("b");
    }

    @Test
    void shouldGiveBackWhatNobodyWaitsForAnyMore() {
        declare("q", Map.of());
        for (int i = 0; i < 5; i++) {
            settled(operations.publish(ANN, "/", to("q", "m" + i)));
        }
        CompletableFuture<List<MessageView>> got = operations.get(ANN, "/", "q", 100, GetMode.ACCEPT, 10);
        for (int i = 0; i < 6; i++) {
            turn(i % 3);
        }
        got.cancel(false);
        broker.settle();

        assertThat(look("q").readyMessages()).isEqualTo(5);
        assertThat(look("q").unsettledMessages()).isZero();
        assertThat(broker.counters().connections()).isEqualTo(1);
    }

    /** Whatever the loops' schedule, and whoever takes messages meanwhile: each is somewhere, once. */
    @Property(tries = 100)
    void shouldLoseAndDoubleNothingByMoves(@ForAll long seed, @ForAll boolean cancels) {
        Random random = new Random(seed);
        OperationsTest test = new OperationsTest();
        test.declare("from", Map.of());
        test.declare("to", Map.of());
        int count = random.nextInt(1, 400);
        for (int i = 0; i < count; i++) {
            test.settled(test.operations.publish(ANN, "/", to("from", Integer.toString(i))));
        }
        test.broker.schedule = random;
        CompletableFuture<Moved> moved = test.operations.move(
                ANN, "/", "from", random.nextLong(1, 500), new MoveTarget.To("", "to"));
        CompletableFuture<List<MessageView>> taken =
                test.operations.get(ANN, "/", "from", 50, GetMode.ACCEPT, 10);
        for (int i = random.nextInt(200); cancels && i > 0; i--) {
            test.turn(random.nextInt(3));
        }
        if (cancels) {
            moved.cancel(false);
        }
        test.broker.settle();
        int gone = test.settled(taken).size();

        List<String> left = test.bodies(test.operations.browse(ANN, "/", "from", 1000, 10));
        List<String> there = test.bodies(test.operations.browse(ANN, "/", "to", 1000, 10));
        assertThat(left).doesNotHaveDuplicates();
        assertThat(Collections.disjoint(left, there)).isTrue();
        assertThat(there).doesNotHaveDuplicates();
        assertThat(left.size() + there.size() + gone).isEqualTo(count);
        if (!cancels) {
            assertThat(moved.join().messages()).isEqualTo(there.size());
        }
        assertThat(test.broker.counters().unsettledMessages()).isZero();
    }
}
