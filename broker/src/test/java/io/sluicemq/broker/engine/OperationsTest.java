package io.sluicemq.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.api.Access;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.Message;
import io.sluicemq.api.Principal;
import io.sluicemq.api.operate.Actor;
import io.sluicemq.api.operate.AddressView;
import io.sluicemq.api.operate.MessageView;
import io.sluicemq.api.operate.MoveTarget;
import io.sluicemq.api.operate.Moved;
import io.sluicemq.api.operate.Operations;
import io.sluicemq.api.operate.Operations.GetMode;
import io.sluicemq.api.operate.Pressure;
import io.sluicemq.api.operate.Publication;
import io.sluicemq.api.operate.QueueFacts;
import io.sluicemq.api.operate.QueueView;
import io.sluicemq.api.operate.Refused;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.FullPolicy;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
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

    /** However many there are: neither asking them nor putting together what they say takes a turn that grows with them. */
    @Test
    void shouldLookAtNoMoreQueuesInATurnThanASlice() {
        int count = 20_000;
        for (int i = 0; i < count; i++) {
            client.declares("q" + i, Map.of());
        }
        List<QueueFacts> all = operations.queues("/");
        int[] thisTurn = new int[1];
        int[] taken = new int[1];
        CompletableFuture<Void> end = Inspection.of(
                all, ((EngineOperations) operations)::table,
                (facts, queue) -> {
                    thisTurn[0]++;
                    return facts;
                },
                part -> {
                    assertThat(part).hasSizeLessThanOrEqualTo(Inspection.PART)
                            .isEqualTo(all.subList(taken[0], taken[0] + part.size()));
                    taken[0] += part.size();
                });
        int most = 0;
        while (!end.isDone()) {
            for (int loop = 0; loop < 3; loop++) {
                thisTurn[0] = 0;
                turn(loop);
                most = Math.max(most, thisTurn[0]);
            }
        }
        assertThat(taken[0]).isEqualTo(count);
        assertThat(most).isEqualTo(Slices.QUEUES);
        assertThat(settled(operations.look(all))).hasSize(count);
        CompletableFuture<List<AddressView>> addresses = operations.addresses("/", null, false);
        broker.settle();
        broker.loops.advance(TimeUnit.SECONDS.toNanos(1));
        assertThat(settled(addresses)).hasSize(count);
    }

    @Test
    void shouldTellWhereSomebodyIsHeldAndWhatIsFullAndHowManyItLeavesOut() {
        broker.engine.addressSettings(new AddressSettings(List.of(new AddressSettings.Rule(
                "full.*", null, 2L, FullPolicy.DROP, null, null, null, null),
                new AddressSettings.Rule("held", null, 1L, FullPolicy.BLOCK, null, null, null, null))));
        for (String name : List.of("full.1", "full.2", "full.3", "held", "free")) {
            declare(name, Map.of());
            for (int i = 0; i < 2; i++) {
                client.publishes(TestBroker.message("", name, "x"));
            }
        }
        Pressure pressure = pressure(10);
        assertThat(pressure.addresses()).extracting(AddressView::address)
                .hasSize(4).startsWith("held").contains("full.1", "full.2", "full.3");
        assertThat(pressure.addresses().getFirst().waiting()).hasSize(1);
        assertThat(pressure.leftOut()).isEqualTo(Map.of("/", 0));

        assertThat(pressure(2).addresses()).extracting(AddressView::address).hasSize(2).startsWith("held");
        assertThat(pressure(2).leftOut()).isEqualTo(Map.of("/", 2));
    }

    private Pressure pressure(int most) {
        CompletableFuture<Pressure> found = operations.pressure(most);
        broker.settle();
        broker.loops.advance(TimeUnit.SECONDS.toNanos(1));
        return settled(found);
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
    void shouldWaitForRoomNoLongerThanItSaysAndTellWhatFor() {
        declare("from", Map.of());
        declare("held", Map.of());
        broker.engine.addressSettings(new AddressSettings(List.of(
                new AddressSettings.Rule("held", null, 1L, FullPolicy.BLOCK, null, null, null, null))));
        settled(operations.publish(ANN, "/", to("held", "first")));
        settled(operations.publish(ANN, "/", to("from", "a")));

        CompletableFuture<Moved> moved = operations.move(ANN, "/", "from", 10, new MoveTarget.To("", "held"));
        CompletableFuture<Integer> published = operations.publish(ANN, "/", to("held", "b"));
        broker.settle();
        assertThat(moved).isNotDone();
        broker.loops.advance(TimeUnit.SECONDS.toNanos(5));
        broker.settle();
        assertNoRoom(moved, 5000);
        assertThat(published).isNotDone();
        broker.loops.advance(TimeUnit.SECONDS.toNanos(5));
        broker.settle();
        assertNoRoom(published, 10_000);

        assertThat(browsed("from")).containsExactly("a");
        assertThat(browsed("held")).containsExactly("first");
        assertThat(broker.counters().droppedUnconfirmed()).as("messages of clients that have gone").isZero();
        assertThat(broker.counters().parkedMessages()).isZero();
    }

    private static void assertNoRoom(CompletableFuture<?> refused, int millis) {
        assertThatThrownBy(refused::join).cause()
                .isInstanceOfSatisfying(Refused.class, why -> assertThat(why.error())
                        .isEqualTo(new BrokerError.AddressFull("held", "/",
                                "queue 'held' holds 1 of 1 messages (max-messages), policy block, and there was no"
                                        + " room within " + millis + " ms")));
    }

    @Test
    void shouldGiveUpWhatWaitsWhenNobodyWantsItAnyMore() {
        declare("from", Map.of());
        declare("held", Map.of());
        broker.engine.addressSettings(new AddressSettings(List.of(
                new AddressSettings.Rule("held", null, 1L, FullPolicy.BLOCK, null, null, null, null))));
        settled(operations.publish(ANN, "/", to("held", "first")));
        settled(operations.publish(ANN, "/", to("from", "a")));
        CompletableFuture<Moved> moved = operations.move(ANN, "/", "from", 10, new MoveTarget.To("", "held"));
        broker.settle();

        moved.cancel(false);
        broker.settle();

        assertThat(browsed("from")).containsExactly("a");
        assertThat(look("from").unsettledMessages()).isZero();
        assertThat(broker.counters().droppedUnconfirmed()).isZero();
        assertThat(broker.counters().connections()).isEqualTo(1);
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
