package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.TestBroker.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Death;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Message;
import io.sluicemq.broker.engine.TestBroker.Answer;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.AddressSettings.Rule;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.broker.queue.Queue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What happens to publishes for which there is no room in their address. */
class FullAddressTest {

    private final TestBroker broker = new TestBroker(2);
    private final TestClient first = broker.connect(0);
    private final TestClient second = broker.connect(1);

    private void limit(String match, FullPolicy policy, Long maxBytes, Long maxMessages) {
        broker.engine.addressSettings(new AddressSettings(
                List.of(new Rule(match, maxBytes, maxMessages, policy, null, null, null, null))));
        broker.settle();
    }

    private List<Answer<Void>> publish(TestClient client, String queue, int count) {
        List<Answer<Void>> answers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            answers.add(client.publishesConfirmed(message("", queue, queue + i)));
        }
        return answers;
    }

    private static long done(List<Answer<Void>> answers) {
        return answers.stream().filter(each -> each.done).count();
    }

    @Test
    void shouldHoldPublishersOfAFullQueueAndNobodyElse() {
        first.declares("full", Map.of());
        first.declares("free", Map.of());
        limit("full", FullPolicy.BLOCK, null, 10L);
        List<Answer<Void>> full = publish(first, "full", 15);
        assertThat(done(full)).isEqualTo(10);
        assertThat(done(publish(first, "free", 15))).isEqualTo(15);
        assertThat(broker.counters().parkedMessages()).isEqualTo(5);
        TestConsumer consumer = second.consumes("full", 100);
        assertThat(consumer.deliveries).hasSize(10);
        for (int i = 0; i < 5; i++) {
            consumer.settles(i, Outcome.ACCEPTED);
        }
        assertThat(done(full)).isEqualTo(15);
        assertThat(consumer.texts().getLast()).isEqualTo("full14");
        assertThat(broker.counters().parkedMessages()).isZero();
        assertThat(broker.counters().parkedBytes()).isZero();
    }

    @Test
    void shouldRefuseOrDropOrRing() {
        first.declares("q", Map.of());
        limit("q", FullPolicy.FAIL, null, 3L);
        List<Answer<Void>> answers = publish(second, "q", 4);
        assertThat(answers.get(3).error()).isInstanceOf(BrokerError.AddressFull.class);
        limit("q", FullPolicy.DROP, null, 3L);
        assertThat(publish(second, "q", 1).getFirst().error).isNull();
        limit("q", FullPolicy.RING, null, 3L);
        publish(second, "q", 1);
        assertThat(first.consumes("q", 0).texts()).containsExactly("q1", "q2", "q0");
        assertThat(broker.counters().droppedByPolicy()).isEqualTo(2);
    }

    @Test
    void shouldMakeRoomAtAStartWithALowerRing() {
        StoredTestBroker before = StoredTestBroker.fresh(2);
        TestClient client = before.connect(0);
        client.declaresDurable("q", Map.of("x-max-priority", 1));
        for (int i = 0; i < 6; i++) {
            int priority = i == 0 ? 1 : 0;
            client.publishesConfirmed(message("", "q", "q" + i, true, priority, Message.NO_TTL)).result();
        }
        AddressSettings ring = new AddressSettings(
                List.of(new Rule("q", null, 3L, FullPolicy.RING, null, null, null, null)));
        StoredTestBroker after = before.stopsAndReopens(before.setup.withAddressSettings(ring));
        assertThat(after.connect(0).depth("q")).isEqualTo(3);
        assertThat(after.counters().droppedByPolicy()).isEqualTo(3);
        assertThat(after.retainedRecords()).isEqualTo(3);
        StoredTestBroker without = after.stopsAndReopens(before.setup);
        assertThat(without.connect(1).consumes("q", 0).texts()).containsExactly("q0", "q4", "q5");
    }

    /** As fast as it can, but other things have their turns. */
    @Test
    void shouldMakeMuchRoomInManyTurnsAndTakeWhatComesMeanwhile() {
        first.declares("q", Map.of());
        second.does(() -> {
            for (int i = 0; i < 20_000; i++) {
                second.client.publish(message("", "q", "m" + i), null);
            }
        });
        assertThat(first.depth("q")).isEqualTo(20_000);
        AddressSettings ring = new AddressSettings(
                List.of(new Rule("q", null, 5L, FullPolicy.RING, null, null, null, null)));
        broker.engine.addressSettings(ring);
        List<Integer> dropped = new ArrayList<>();
        for (int before = 20_000, turns = 0; before > 5; turns++) {
            if (turns == 2) {
                second.loop.execute(() -> second.client.publish(message("", "q", "new"), null));
            }
            for (int i = 0; i < 2; i++) {
                if (broker.loops.get(i).isReady()) {
                    broker.loops.get(i).runTurn();
                }
            }
            int after = queue("q").ready();
            if (after != before) {
                dropped.add(before - after);
            }
            before = after;
        }
        assertThat(dropped).hasSize(5).allSatisfy(each -> assertThat(each).isBetween(1, 4_096));
        assertThat(first.consumes("q", 0).texts()).hasSize(5).contains("new");
    }

    private Queue queue(String name) {
        return IntStream.range(0, 2).boxed()
                .flatMap(i -> broker.engine.context(i).queues.stream())
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Three that a consumer held are ready again beside the three that a queue may have. */
    private static StoredTestBroker withTooMuchAfterACrash(Map<String, Object> arguments) {
        StoredTestBroker before = StoredTestBroker.fresh(2);
        TestClient client = before.connect(0);
        client.declaresDurable("letters", Map.of());
        client.declaresDurable("q", arguments);
        client.consumes("q", 3);
        for (int i = 0; i < 6; i++) {
            client.publishesConfirmed(StoredTestBroker.persistent("q", "q" + i)).result();
        }
        assertThat(before.queue("q").ready()).isEqualTo(3);
        return before.crashesAndReopens();
    }

    @Test
    void shouldDropAtAStartWhatIsTooLongForAQueue() {
        StoredTestBroker after = withTooMuchAfterACrash(Map.of("x-max-length", 3));
        assertThat(after.counters().droppedByLimit()).isEqualTo(3);
        assertThat(after.connect(0).consumes("q", 0).texts()).containsExactly("q3", "q4", "q5");
        StoredTestBroker once = withTooMuchAfterACrash(Map.of("x-max-length-bytes", 6));
        assertThat(once.connect(0).depth("q")).isEqualTo(3);
        assertThat(once.crashesAndReopens().connect(1).consumes("q", 0).texts()).containsExactly("q3", "q4", "q5");
    }

    @Test
    void shouldDeadLetterAtAStartWhatIsTooLongForAQueue() {
        StoredTestBroker after = withTooMuchAfterACrash(Map.of(
                "x-max-length", 3, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", "letters"));
        TestConsumer letters = after.connect(1).consumes("letters", 0);
        assertThat(letters.texts()).containsExactly("q0", "q1", "q2");
        assertThat(letters.deliveries.getFirst().message().deaths().getFirst().reason())
                .isEqualTo(Death.Reason.MAX_LENGTH);
        assertThat(after.connect(0).consumes("q", 0).texts()).containsExactly("q3", "q4", "q5");
    }

    @Test
    void shouldDropNothingAtAStartOfAQueueThatRefuses() {
        StoredTestBroker after = withTooMuchAfterACrash(
                Map.of("x-max-length", 3, "x-overflow", "reject-publish"));
        TestClient client = after.connect(0);
        assertThat(client.depth("q")).isEqualTo(6);
        assertThat(client.publishesConfirmed(StoredTestBroker.persistent("q", "more")).error())
                .isInstanceOf(BrokerError.LimitReached.class);
    }
}
