package io.sluicemq.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Access;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client.Bound;
import io.sluicemq.api.Client.ExchangeSpec;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.Client.QueueStatus;
import io.sluicemq.api.Principal;
import io.sluicemq.broker.engine.TestBroker.Answer;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Declaring a queue together with its binding, and what was declared. */
class DeclaringTest {

    private static final QueueSpec QUEUE = new QueueSpec("q", true, false, false, Map.of("x-topic", "t"));

    private StoredTestBroker broker = StoredTestBroker.fresh(2);
    private TestClient client = broker.connect(0);

    private Answer<QueueStatus> declare(QueueSpec queue, String exchange, String key) {
        return client.asks(reply -> client.client.declareBoundQueue(queue, exchange, key, reply));
    }

    private Bound bound(String key) {
        return client.<Bound>asks(reply -> client.client.isBound("amq.topic", "q", key, reply)).result();
    }

    @Test
    void shouldBindAQueueInTheChangeThatDeclaresIt() {
        assertThat(declare(QUEUE, "amq.topic", "a.#").result()).isEqualTo(new QueueStatus("q", 0, 0));
        assertThat(bound("a.#")).isEqualTo(Bound.YES);
        // One that is there is bound, too; what it is bound to already stays.
        assertThat(declare(QUEUE, "amq.topic", "b").result()).isEqualTo(new QueueStatus("q", 0, 0));
        assertThat(declare(QUEUE, "amq.topic", "b").result()).isEqualTo(new QueueStatus("q", 0, 0));
        assertThat(bound("a.#")).isEqualTo(Bound.YES);
        assertThat(bound("b")).isEqualTo(Bound.YES);
        assertThat(broker.counters().bindings()).isEqualTo(2);
    }

    @Test
    void shouldKeepTheBindingAsLongAsTheQueue() {
        declare(QUEUE, "amq.topic", "a");
        declare(QUEUE, "amq.topic", "b");
        broker = broker.crashesAndReopens();
        client = broker.connect(1);
        assertThat(bound("a")).isEqualTo(Bound.YES);
        assertThat(bound("b")).isEqualTo(Bound.YES);
    }

    @Test
    void shouldDeclareAndBindNothingIfItCannotDoBoth() {
        assertThat(declare(QUEUE, "none", "a").error).isEqualTo(
                new BrokerError.NotFound(BrokerError.Kind.EXCHANGE, "none", "/"));
        Answer<QueueSpec> none = client.asks(reply -> client.client.describeQueue("q", reply));
        assertThat(none.error).isEqualTo(new BrokerError.NotFound(BrokerError.Kind.QUEUE, "q", "/"));
        declare(QUEUE, "amq.topic", "a");
        QueueSpec other = new QueueSpec("q", true, false, false, Map.of("x-topic", "u"));
        assertThat(declare(other, "amq.topic", "b").error).isInstanceOf(BrokerError.Inequivalent.class);
        assertThat(bound("b")).isEqualTo(Bound.QUEUE_NOT_BOUND_WITH_KEY);
    }

    // ---- how many queues users may have

    private static Principal user(String name, long mostQueues) {
        Principal user = Principal.named(name, Access.ALL);
        user.usage().queues().limit(mostQueues);
        return user;
    }

    private static Answer<QueueStatus> declare(TestClient by, String name) {
        QueueSpec spec = new QueueSpec(name, true, false, false, Map.of());
        return by.asks(reply -> by.client.declareQueue(spec, reply));
    }

    /** Whoever declares a queue again that is there makes none. */
    @Test
    void shouldCountTheQueuesThatAUserHasMadeAlsoOverRestarts() {
        TestClient anns = broker.connect(1, user("ann", 2));
        declare(anns, "a").result();
        declare(anns, "b").result();
        declare(client, "others").result();
        BrokerError refusal = new BrokerError.LimitReached("queues", "ann", "/", 2);
        assertThat(declare(anns, "c").error).isEqualTo(refusal);
        declare(anns, "a").result();
        declare(anns, "others").result();

        broker = broker.crashesAndReopens();
        anns = broker.connect(1, user("ann", 2));
        client = broker.connect(0);
        assertThat(declare(anns, "c").error).as("read from the log").isEqualTo(refusal);
        client.<Long>asks(reply -> client.client.deleteQueue("a", false, false, reply)).result();
        declare(anns, "c").result();

        broker = broker.stopsAndReopens();
        anns = broker.connect(1, user("ann", 2));
        assertThat(declare(anns, "d").error).as("read from a checkpoint").isEqualTo(refusal);
        assertThat(broker.counters().refusedByUserLimit()).isEqualTo(1);
        assertThat(broker.counters().queues()).isEqualTo(3);
        declare(broker.connect(1, user("ann", 3)), "d").result();
        declare(broker.connect(1, user("bob", 1)), "bobs").result();
    }

    @Test
    void shouldDescribeWhatWasDeclared() {
        declare(QUEUE, "amq.topic", "a");
        QueueSpec exclusive = new QueueSpec("mine", false, true, false, Map.of());
        client.<QueueStatus>asks(reply -> client.client.declareQueue(exclusive, reply));
        ExchangeSpec exchange = new ExchangeSpec("ex", "headers", false, true, true, Map.of("k", "v"));
        client.<Void>asks(reply -> client.client.declareExchange(exchange, reply));
        assertThat(client.<QueueSpec>asks(reply -> client.client.describeQueue("q", reply)).result()).isEqualTo(QUEUE);
        TestClient second = broker.connect(1);
        assertThat(second.<QueueSpec>asks(reply -> second.client.describeQueue("mine", reply)).result())
                .isEqualTo(exclusive);
        assertThat(second.<ExchangeSpec>asks(reply -> second.client.describeExchange("ex", reply)).result())
                .isEqualTo(exchange);
        Answer<ExchangeSpec> none = second.asks(reply -> second.client.describeExchange("none", reply));
        assertThat(none.error).isEqualTo(new BrokerError.NotFound(BrokerError.Kind.EXCHANGE, "none", "/"));
    }

    private Answer<QueueStatus> declares(boolean durable, Map<String, Object> arguments) {
        return client.asks(
                reply -> client.client.declareQueue(new QueueSpec("q", durable, false, false, arguments), reply));
    }

    /** What a protocol gave it that had to make it says nothing about what anybody wants. */
    @Test
    void shouldFindAQueueThatWasMadeByUseWhateverItWasMadeLike() {
        declares(true, Map.of("x-max-priority", 9, QueueSpec.MADE_BY_USE, true)).result();
        declares(true, Map.of()).result();
        declares(true, Map.of("x-max-priority", 9L)).result();
        assertThat(declares(true, Map.of("x-max-priority", 5)).error()).isInstanceOf(BrokerError.Inequivalent.class);
        assertThat(declares(true, Map.of("x-message-ttl", 5)).error()).isInstanceOf(BrokerError.Inequivalent.class);
        assertThat(declares(false, Map.of()).error()).isInstanceOf(BrokerError.Inequivalent.class);
    }

    @Test
    void shouldUseAQueueThatWasDeclaredBeforeItCouldBeMadeByUse() {
        declares(true, Map.of("x-message-ttl", 5000)).result();
        declares(true, Map.of("x-max-priority", 9, QueueSpec.MADE_BY_USE, true)).result();
        assertThat(declares(true, Map.of()).error()).isInstanceOf(BrokerError.Inequivalent.class);
    }
}
