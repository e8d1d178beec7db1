package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.TestBroker.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages that a consumer is not to have again (AMQP 1.0 §3.4.5, undeliverable-here). */
class RefusalTest {

    private final TestBroker broker = new TestBroker(2);
    private final TestClient client = broker.connect(0);

    private void publishes(String... texts) {
        for (String text : texts) {
            client.publishes(message("", "q", text));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"REQUEUED_ELSEWHERE", "RELEASED_ELSEWHERE"})
    void shouldGiveItToAnother(Outcome outcome) {
        client.declares("q", Map.of());
        TestConsumer first = client.consumes("q", 1);
        publishes("a", "b");
        first.settles(0, outcome);
        assertThat(first.texts()).containsExactly("a", "b");
        first.settles(1, Outcome.ACCEPTED);
        assertThat(first.deliveries).hasSize(2);
        assertThat(client.depth("q")).isEqualTo(1);
        TestConsumer second = client.consumes("q", 0);
        assertThat(second.texts()).containsExactly("a");
        assertThat(second.deliveries.get(0).deliveryCount()).isEqualTo(outcome == Outcome.REQUEUED_ELSEWHERE ? 1 : 0);
        second.settles(0, Outcome.REQUEUED);
        assertThat(first.deliveries).hasSize(2);
        assertThat(second.texts()).containsExactly("a", "a");
    }

    @Test
    void shouldGoOnWithAllElse() {
        client.declares("q", Map.of());
        TestConsumer only = client.consumes("q", 1);
        for (int i = 0; i < 10; i++) {
            publishes("refused" + i, "taken" + i);
            only.settles(2 * i, Outcome.RELEASED_ELSEWHERE);
            only.settles(2 * i + 1, Outcome.ACCEPTED);
        }
        assertThat(only.deliveries).hasSize(20);
        assertThat(client.depth("q")).isEqualTo(10);
        client.<Long>asks(reply -> client.client.purgeQueue("q", reply)).result();
        publishes("more");
        assertThat(only.deliveries).hasSize(21);
    }

    @Test
    void shouldForgetWhenTheConsumerEnds() {
        client.declares("q", Map.of());
        TestConsumer first = client.consumes("q", 0);
        TestConsumer second = client.consumes("q", 1);
        publishes("a", "b");
        Delivery held = first.deliveries.get(0);
        client.does(() -> held.settle(Outcome.RELEASED_ELSEWHERE));
        assertThat(client.depth("q")).isEqualTo(1);
        client.<Void>asks(reply -> first.port.cancel(reply)).result();
        second.settles(0, Outcome.ACCEPTED);
        assertThat(second.texts()).containsExactly("b", "a");
        second.settles(1, Outcome.RELEASED_ELSEWHERE);
        assertThat(client.depth("q")).isEqualTo(1);
        client.<Void>asks(reply -> second.port.cancel(reply)).result();
        assertThat(client.consumes("q", 0).texts()).containsExactly("a");
    }

    /** Its delivery has come from a consumer before, whose place this one has taken. */
    @Test
    void shouldNotGiveToTheConsumerWhatItSaysOfAnothersDelivery() {
        client.declares("q", Map.of());
        TestConsumer before = client.consumes("q", 0);
        publishes("a", "b");
        client.<Void>asks(reply -> before.port.cancel(reply)).result();
        TestConsumer after = client.consumes("q", 0);
        client.<Void>asks(reply -> after.port.refuse(before.deliveries.get(0), reply)).result();
        before.settles(0, Outcome.RETURNED);
        before.settles(1, Outcome.RETURNED);
        assertThat(after.texts()).containsExactly("b");
        assertThat(client.depth("q")).isEqualTo(1);
        client.<Void>asks(reply -> after.port.cancel(reply)).result();
        assertThat(client.consumes("q", 0).texts()).contains("a");
    }

    @Test
    void shouldNotMindWhatIsSaidOfAnotherQueuesDelivery() {
        client.declares("q", Map.of());
        client.declares("other", Map.of());
        TestConsumer other = client.consumes("other", 0);
        client.publishes(message("", "other", "o"));
        TestConsumer consumer = client.consumes("q", 0);
        client.<Void>asks(reply -> consumer.port.refuse(other.deliveries.get(0), reply)).result();
        other.settles(0, Outcome.RETURNED);
        assertThat(other.texts()).containsExactly("o", "o");
        publishes("a");
        assertThat(consumer.texts()).containsExactly("a");
    }

    @Test
    void shouldGiveAllToAConsumerOfWhichNothingIsRefusedAnyMore() {
        client.declares("q", Map.of());
        TestConsumer first = client.consumes("q", 1);
        publishes("a");
        first.settles(0, Outcome.RELEASED_ELSEWHERE);
        Delivery got = client.gets("q");
        client.does(() -> got.settle(Outcome.ACCEPTED));
        publishes("b");
        assertThat(first.texts()).containsExactly("a", "b");
    }

    @Test
    void shouldRememberWhileItWaitsInTheLog() {
        StoredTestBroker stored = StoredTestBroker.fresh(1);
        TestClient stays = stored.connect(0);
        stays.declares("q", Map.of());
        TestConsumer first = stays.consumes("q", 1);
        stays.publishes(message("", "q", "taken"));
        for (int i = 0; i < 5; i++) {
            stays.publishes(message("", "q", "m" + i));
        }
        first.settles(0, Outcome.ACCEPTED);
        first.settles(1, Outcome.RELEASED_ELSEWHERE);
        first.settles(2, Outcome.RELEASED_ELSEWHERE);
        first.settles(3, Outcome.RELEASED_ELSEWHERE);
        first.settles(4, Outcome.RELEASED_ELSEWHERE);
        assertThat(first.texts()).containsExactly("taken", "m0", "m1", "m2", "m3", "m4");
        first.settles(5, Outcome.RELEASED_ELSEWHERE);
        stays.does(() -> stored.queue("q").pageLimits(-1, 1));
        assertThat(stored.queue("q").residentMessages()).isEqualTo(1);
        stays.does(() -> stored.queue("q").pageLimits(-1, -1));
        stays.publishes(message("", "q", "more"));
        // Nobody takes what was refused, so it is not read back.
        assertThat(stored.queue("q").residentMessages()).isEqualTo(1);
        assertThat(first.deliveries).hasSize(7);
        first.settles(6, Outcome.ACCEPTED);
        assertThat(first.deliveries).hasSize(7);
        assertThat(stays.consumes("q", 0).texts()).containsExactly("m0", "m1", "m2", "m3", "m4");
    }
}
