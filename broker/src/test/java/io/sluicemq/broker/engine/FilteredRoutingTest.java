package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.TestBroker.message;
import static io.sluicemq.broker.engine.TestBroker.persistent;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Message;
import io.sluicemq.api.MessageFilter;
import io.sluicemq.broker.engine.TestBroker.Answer;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Queues to which only some messages are routed, by their content or their publisher. */
class FilteredRoutingTest {

    private static final StoredTestBroker.Setup SETUP = new StoredTestBroker.Setup(2).withFilters(Beginning::of);

    private StoredTestBroker broker = StoredTestBroker.open(SETUP);
    private TestClient client = broker.connect(0);

    /** Takes messages that begin with a text. */
    private record Beginning(String text) implements MessageFilter {

        static MessageFilter of(String text) {
            if (text.startsWith("!")) {
                throw new IllegalArgumentException("at character 1: an exclamation mark");
            }
            return text.isBlank() ? null : new Beginning(text);
        }

        @Override
        public boolean matches(Message message) {
            return new String(message.body(), StandardCharsets.UTF_8).startsWith(text);
        }
    }

    private Answer<Client.QueueStatus> declares(String name, Map<String, Object> arguments) {
        return client
                .asks(reply -> client.client.declareQueue(new QueueSpec(name, true, false, false, arguments), reply));
    }

    private void declaresAndBinds(String name, Map<String, Object> arguments) {
        declares(name, arguments).result();
        client.binds("amq.fanout", name);
    }

    @Test
    void shouldRouteOnlyWhatMatches() {
        declaresAndBinds("a", Map.of("x-filter", "a"));
        declaresAndBinds("b", Map.of("x-filter", "b"));
        declaresAndBinds("all", Map.of("x-filter", "  "));
        assertThat(client.publishes(message("amq.fanout", "", "a1"))).isEqualTo(2);
        assertThat(client.publishes(persistent("amq.fanout", "", "b1"))).isEqualTo(2);
        assertThat(client.publishes(persistent("amq.fanout", "", "c1"))).isEqualTo(1);
        assertThat(client.publishes(message("", "a", "b2"))).as("a route that a filter empties").isZero();
        assertThat(client.publishesConfirmed(persistent("", "a", "b2")).done).isTrue();
        assertThat(client.publishes(message("", "a", "a2"))).isEqualTo(1);
        assertThat(client.depth("a")).isEqualTo(2);
        assertThat(client.depth("b")).isEqualTo(1);
        assertThat(client.depth("all")).isEqualTo(3);
    }

    @Test
    void shouldNotRouteToAQueueWhatClientsOfItsIdentityPublish() {
        declaresAndBinds("q", Map.of("x-no-local", "me"));
        TestClient me = broker.connect(1, "/", "me");
        TestClient other = broker.connect(0, "/", "other");
        assertThat(me.publishes(message("amq.fanout", "", "m"))).isZero();
        assertThat(other.publishes(message("amq.fanout", "", "m"))).isEqualTo(1);
        assertThat(client.publishes(message("amq.fanout", "", "m"))).isEqualTo(1);
    }

    @Test
    void shouldFilterWhatTransactionsPublish() {
        declaresAndBinds("a", Map.of("x-filter", "a"));
        declaresAndBinds("b", Map.of("x-filter", "b"));
        Client.Transaction[] transaction = new Client.Transaction[1];
        client.does(() -> {
            transaction[0] = client.client.begin();
            transaction[0].publish(persistent("amq.fanout", "", "a1"));
            transaction[0].publish(persistent("amq.fanout", "", "c1"));
            transaction[0].publish(message("amq.fanout", "", "b1"));
        });
        client.<Void>asks(reply -> transaction[0].commit(reply)).result();
        assertThat(client.depth("a")).isEqualTo(1);
        assertThat(client.depth("b")).isEqualTo(1);
    }

    @Test
    void shouldFilterDeadLetters() {
        declaresAndBinds("a", Map.of("x-filter", "a"));
        declares("source", Map.of("x-dead-letter-exchange", "amq.fanout")).result();
        client.publishes(persistent("", "source", "a1"));
        client.publishes(persistent("", "source", "b1"));
        for (int i = 0; i < 2; i++) {
            Delivery delivery = client.gets("source");
            client.settles(delivery, Outcome.REJECTED).result();
        }
        assertThat(client.depth("a")).isEqualTo(1);
        assertThat(TestBroker.text(client.gets("a"))).isEqualTo("a1");
    }

    @Test
    void shouldRefuseAFilterThatIsNoneAndOneWithoutAReader() {
        assertThat(declares("q", Map.of("x-filter", "!")).error())
                .isInstanceOf(BrokerError.InvalidArgument.class)
                .asString().contains("at character 1: an exclamation mark");
        assertThat(declares("q", Map.of("x-filter", 7)).error()).isInstanceOf(BrokerError.InvalidArgument.class);
        assertThat(declares("q", Map.of("x-no-local", "")).error()).isInstanceOf(BrokerError.InvalidArgument.class);
        TestBroker without = new TestBroker(1);
        TestClient its = without.connect(0);
        Answer<Client.QueueStatus> answer = its.asks(reply -> its.client.declareQueue(
                new QueueSpec("q", false, false, false, Map.of("x-filter", "a")), reply));
        assertThat(answer.error()).isInstanceOf(BrokerError.InvalidArgument.class);
    }

    @Test
    void shouldFilterAfterARestart() {
        declaresAndBinds("a", Map.of("x-filter", "a", "x-no-local", "me"));
        client.publishes(persistent("amq.fanout", "", "a1"));
        broker = broker.stopsAndReopens();
        client = broker.connect(0);
        assertThat(client.publishes(persistent("amq.fanout", "", "a2"))).isEqualTo(1);
        assertThat(client.publishes(persistent("amq.fanout", "", "b2"))).isZero();
        assertThat(broker.connect(1, "/", "me").publishes(persistent("amq.fanout", "", "a3"))).isZero();
        assertThat(client.depth("a")).isEqualTo(2);
    }
}
