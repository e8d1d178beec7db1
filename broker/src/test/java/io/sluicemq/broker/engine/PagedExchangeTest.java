package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.TestBroker.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Message;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.AddressSettings.Rule;
import io.sluicemq.broker.flow.AddressState;
import io.sluicemq.broker.flow.FullPolicy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What messages count for in the account of their exchange, wherever their bodies are. */
class PagedExchangeTest {

    private static final int MESSAGES = 100;
    private static final String EXCHANGE = "amq.fanout";

    private final StoredTestBroker broker = StoredTestBroker.open(new StoredTestBroker.Setup(2));
    private final TestClient client = broker.connect(0);

    @BeforeEach
    void limits() {
        broker.engine.addressSettings(new AddressSettings(List.of(
                new Rule(EXCHANGE, 1L << 20, null, FullPolicy.BLOCK, null, null, null, null),
                new Rule("one", null, 5L, FullPolicy.PAGE, null, null, null, null),
                new Rule("two", null, 5L, FullPolicy.PAGE, null, null, null, null))));
        broker.settle();
    }

    private AddressState exchange() {
        CompletableFuture<List<AddressState>> states = broker.engine.addressStates("/", EXCHANGE, false);
        broker.settle();
        broker.loops.advance(TimeUnit.SECONDS.toNanos(1));
        broker.settle();
        return states.join().getFirst();
    }

    private void declare(Map<String, Object> arguments) {
        client.declaresDurable("one", arguments);
        client.declaresDurable("two", arguments);
        client.binds(EXCHANGE, "one");
        client.binds(EXCHANGE, "two");
    }

    private void publish(boolean durable) {
        for (int i = 0; i < MESSAGES; i++) {
            client.publishes(message(EXCHANGE, "", "m" + i, durable, 0, Message.NO_TTL));
        }
        assertThat(exchange().usedMessages()).isEqualTo(MESSAGES);
    }

    private void drain(String queue) {
        TestConsumer consumer = new TestConsumer(client);
        consumer.onDelivery = (to, delivery) -> {
            to.port.written(delivery.windowBytes());
            delivery.settle(Outcome.ACCEPTED);
        };
        client.subscribes(
                new io.sluicemq.api.ConsumerSpec(queue, "t", false, false, false, 10, false, 0, Map.of()), consumer);
        assertThat(consumer.texts()).containsExactlyElementsOf(
                IntStream.range(0, MESSAGES).mapToObj(i -> "m" + i).toList());
    }

    private void assertNothingIsUsed() {
        AddressState state = exchange();
        assertThat(state.usedMessages()).isZero();
        assertThat(state.usedBytes()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldCountUntilTheLastQueueHasLetGo(boolean durable) {
        declare(Map.of());
        publish(durable);
        long all = exchange().usedBytes();
        drain("one");
        assertThat(exchange().usedMessages()).isEqualTo(MESSAGES);
        assertThat(exchange().usedBytes()).isEqualTo(all - (long) MESSAGES * Message.ENTRY_BYTES);
        drain("two");
        assertNothingIsUsed();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldCountNoMoreWhatIsPurgedOrDeleted(boolean durable) {
        declare(Map.of());
        publish(durable);
        client.<Long>asks(reply -> client.client.purgeQueue("one", reply)).result();
        client.<Long>asks(reply -> client.client.deleteQueue("two", false, false, reply)).result();
        assertNothingIsUsed();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldCountNoMoreWhatHasExpired(boolean deadLetters) {
        client.declares("dead", Map.of());
        declare(deadLetters
                ? Map.of("x-message-ttl", 30_000, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead")
                : Map.of("x-message-ttl", 30_000));
        publish(true);
        for (int i = 0; i < 60; i++) {
            broker.loops.advance(TimeUnit.SECONDS.toNanos(1));
            broker.settle();
        }
        assertThat(broker.counters().readyMessages()).isEqualTo(deadLetters ? 2 * MESSAGES : 0);
        assertNothingIsUsed();
    }

    @Test
    void shouldCountNoMoreWhatIsDroppedByLength() {
        declare(Map.of("x-max-length", 20));
        for (int i = 0; i < MESSAGES; i++) {
            client.publishes(message(EXCHANGE, "", "m" + i, true, 0, Message.NO_TTL));
        }
        assertThat(exchange().usedMessages()).isEqualTo(20);
    }
}
