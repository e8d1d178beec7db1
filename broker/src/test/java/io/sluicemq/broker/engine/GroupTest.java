package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.TestBroker.grouped;
import static io.sluicemq.broker.engine.TestBroker.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Consumer;
import io.sluicemq.api.ConsumerSpec;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Messages of a group go to one consumer, in their order. */
class GroupTest {

    private final TestBroker broker = new TestBroker(2);
    private final TestClient client = broker.connect(0);

    private void declares() {
        client.declares("q", Map.of());
    }

    /** Publishes messages, the first letter of each being its group. */
    private void publishes(String... texts) {
        for (String text : texts) {
            client.publishes(grouped("q", text.substring(0, 1), text, false));
        }
    }

    private void cancels(TestConsumer consumer) {
        client.<Void>asks(reply -> consumer.port.cancel(reply)).result();
    }

    @Test
    void shouldGiveAllOfAGroupToOneConsumer() {
        declares();
        TestConsumer first = client.consumes("q", 0);
        TestConsumer second = client.consumes("q", 0);
        publishes("a1", "a2", "b1", "a3", "b2", "b3", "a4");
        assertThat(first.texts()).containsExactly("a1", "a2", "a3", "a4");
        assertThat(second.texts()).containsExactly("b1", "b2", "b3");
    }

    @Test
    void shouldShareGroupsThatWaitAmongConsumersInTurn() {
        declares();
        TestConsumer first = client.consumes("q", 1);
        TestConsumer second = client.consumes("q", 1);
        publishes("a1", "b1", "c1", "d1", "a2", "b2", "c2", "d2");
        for (int i = 0; i < 4; i++) {
            first.settles(i, Outcome.ACCEPTED);
            second.settles(i, Outcome.ACCEPTED);
        }
        assertThat(first.texts()).containsExactly("a1", "c1", "a2", "c2");
        assertThat(second.texts()).containsExactly("b1", "d1", "b2", "d2");
    }

    @Test
    void shouldShareMessagesWithoutAGroupAmongThoseWhoHaveRoom() {
        declares();
        TestConsumer busy = client.consumes("q", 1);
        TestConsumer second = client.consumes("q", 0);
        TestConsumer third = client.consumes("q", 0);
        publishes("a1", "a2"); // of which one waits for its consumer
        for (int i = 0; i < 6; i++) {
            client.publishes(message("", "q", "none"));
        }
        assertThat(busy.deliveries).hasSize(1);
        assertThat(second.deliveries).hasSize(3);
        assertThat(third.deliveries).hasSize(3);
    }

    @Test
    void shouldNotGiveAGroupToWhoOnlyLooks() {
        declares();
        TestConsumer browser = client.consumes(
                new ConsumerSpec(
                        "q", "tag", false, false, false, 0, ConsumerSpec.Credit.NONE, 0, true, null, Map.of()));
        TestConsumer consumer = client.consumes("q", 0);
        publishes("a1", "b1", "c1");
        assertThat(consumer.texts()).containsExactly("a1", "b1", "c1");
        assertThat(browser.texts()).doesNotHaveDuplicates();
        assertThat(broker.counters().unsettledMessages()).isEqualTo(3);
    }

    @Test
    void shouldGoOnWithOtherGroupsWhenAConsumerHasNoRoom() {
        declares();
        TestConsumer first = client.consumes("q", 1);
        TestConsumer second = client.consumes("q", 0);
        publishes("a1", "a2", "a3", "b1", "a4", "b2", "c1");
        client.publishes(message("", "q", "none"));
        assertThat(first.texts()).containsExactly("a1");
        assertThat(second.texts()).containsExactly("b1", "b2", "c1", "none");
        first.settles(0, Outcome.ACCEPTED);
        assertThat(first.texts()).containsExactly("a1", "a2");
    }

    @Test
    void shouldGiveAGroupToAnotherWhenAllIsBack() {
        declares();
        TestConsumer first = client.consumes("q", 2);
        TestConsumer second = client.consumes("q", 0);
        publishes("a1", "a2", "a3");
        cancels(first);
        assertThat(second.deliveries).isEmpty();
        first.settles(1, Outcome.REQUEUED);
        assertThat(second.deliveries).isEmpty();
        first.settles(0, Outcome.REQUEUED);
        assertThat(second.texts()).containsExactly("a1", "a2", "a3");
    }

    @Test
    void shouldGiveAGroupOfWhichNothingIsUnsettledToAnotherAtOnce() {
        declares();
        TestConsumer first = client.consumes("q", 1);
        TestConsumer second = client.consumes("q", 0);
        publishes("a1", "a2");
        first.settles(0, Outcome.ACCEPTED);
        client.does(() -> first.port.pause(Consumer.Pause.WISHED));
        publishes("a3");
        first.settles(1, Outcome.ACCEPTED);
        assertThat(second.deliveries).isEmpty();
        cancels(first);
        assertThat(second.texts()).containsExactly("a3");
    }

    @Test
    void shouldGiveOthersWhatTheConsumerOfTheGroupDoesNotWant() {
        declares();
        TestConsumer first = client.consumes("q", 1);
        TestConsumer second = client.consumes("q", 0);
        publishes("a1", "a2");
        first.settles(0, Outcome.RELEASED_ELSEWHERE);
        assertThat(second.texts()).containsExactly("a1");
        assertThat(first.texts()).containsExactly("a1", "a2");
    }

    @Test
    void shouldKeepAGroupDespiteAConsumerOfHigherPriority() {
        declares();
        TestConsumer first = client.consumes("q", 0);
        publishes("a1");
        TestConsumer second = client.consumes(new ConsumerSpec("q", "", false, false, false, 0, false, 5, Map.of()));
        publishes("a2", "b1");
        assertThat(first.texts()).containsExactly("a1", "a2");
        assertThat(second.texts()).containsExactly("b1");
    }

    @Test
    void shouldServeAllAgainWhenNoGroupIsLeft() {
        declares();
        TestConsumer first = client.consumes("q", 1);
        TestConsumer second = client.consumes("q", 0);
        publishes("a1", "a2");
        Delivery got = client.gets("q");
        assertThat(TestBroker.text(got)).isEqualTo("a2");
        client.publishes(message("", "q", "none"));
        assertThat(second.texts()).containsExactly("none");
        assertThat(first.deliveries).hasSize(1);
    }

    @Test
    void shouldKnowTheGroupOfAMessageThatWasInTheLog() {
        StoredTestBroker stored = StoredTestBroker.fresh(1);
        stored.connect(0).declaresDurable("q", Map.of());
        TestClient before = stored.connect(0);
        for (String text : new String[] {"a1", "a2", "b1", "a3", "b2"}) {
            before.publishesConfirmed(grouped("q", text.substring(0, 1), text, true)).result();
        }
        StoredTestBroker again = stored.crashesAndReopens();
        TestClient after = again.connect(0);
        TestConsumer first = after.consumes("q", 1);
        TestConsumer second = after.consumes("q", 0);
        assertThat(first.texts()).containsExactly("a1");
        assertThat(second.texts()).containsExactly("b1", "b2");
    }
}
