package io.sluicemq.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Access;
import io.sluicemq.api.Broker.ClientSpec;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.Principal;
import io.sluicemq.broker.engine.TestBroker.Answer;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.testkit.ManualLoops;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Identities of clients: AMQP 1.0 {@code sole-connection-for-container}, JMS client ids. */
class IdentityTest {

    private static final BrokerError IN_USE = new BrokerError.IdentityInUse("app", "/");

    private final TestBroker broker = new TestBroker(
            new ManualLoops(3), new BrokerConfig(List.of("/", "other"), 1L << 40, () -> "name"), null, state -> {});

    private static Answer<Client> asksLater(
            TestBroker broker, int loop, String virtualHost, String identity, boolean sole) {
        TestClient client = new TestClient(broker, broker.loops.get(loop));
        return client.asksLater(reply -> broker.engine.connect(
                new ClientSpec(
                        virtualHost, Principal.named("guest", Access.ALL), "test", "test", "test", identity, sole,
                        client),
                client.loop,
                reply));
    }

    private Answer<Client> connects(int loop, String virtualHost, String identity, boolean sole) {
        Answer<Client> answer = asksLater(broker, loop, virtualHost, identity, sole);
        broker.settle();
        return answer;
    }

    private static Answer<Void> closesLater(Client client) {
        Answer<Void> closed = new Answer<>();
        client.loop().execute(() -> client.close(closed));
        return closed;
    }

    private void close(Answer<Client> connected) {
        Answer<Void> closed = closesLater(connected.result());
        broker.settle();
        closed.result();
    }

    @Test
    void shouldRefuseWhoWantsAnIdentityForItselfThatAnotherHas() {
        Answer<Client> first = connects(1, "/", "app", false);
        assertThat(connects(2, "/", "app", true).error()).isEqualTo(IN_USE);
        Answer<Client> second = connects(0, "/", "app", false);
        close(first);
        assertThat(connects(2, "/", "app", true).error()).isEqualTo(IN_USE);
        close(second);
        close(connects(2, "/", "app", true));
        assertThat(broker.counters().connections()).isZero();
    }

    @Test
    void shouldRefuseOthersWhileOneHasAnIdentityForItself() {
        Answer<Client> sole = connects(1, "/", "app", true);
        assertThat(connects(0, "/", "app", false).error()).isEqualTo(IN_USE);
        assertThat(connects(1, "/", "app", true).error()).isEqualTo(IN_USE);
        connects(2, "/", "another", true).result();
        connects(2, "other", "app", true).result();
        close(sole);
        connects(0, "/", "app", false).result();
        assertThat(broker.counters().connections()).isEqualTo(3);
    }

    @Test
    void shouldLetAllBeWithoutOne() {
        connects(0, "/", "", true).result();
        connects(1, "/", "", true).result();
    }

    @Test
    void shouldHaveLetGoOfAnIdentityWhenTheCloseIsAnswered() {
        Client first = connects(2, "/", "app", true).result();
        Answer<Client> second = new Answer<>();
        TestClient next = new TestClient(broker, broker.loops.get(2));
        Answer<Void> closed = new Answer<>() {
            @Override
            public void done(Void value) {
                super.done(value);
                broker.engine.connect(
                        new ClientSpec(
                                "/", Principal.named("guest", Access.ALL), "test", "test", "test", "app", true, next),
                        next.loop,
                        second);
            }
        };
        first.loop().execute(() -> first.close(closed));
        broker.settle();
        second.result();
    }

    /** Connects and closes of several loops, in an order that the schedule makes: never two, and never none for long. */
    @Property(tries = 200)
    void shouldHaveOneAtATimeWhateverTheOrder(@ForAll long seed) {
        var random = new Random(seed);
        TestBroker own = new TestBroker(3);
        own.schedule = random;
        List<Answer<Client>> connects = new ArrayList<>();
        List<Answer<Client>> open = new ArrayList<>();
        int admitted = 0;
        for (int round = 0; round < 30; round++) {
            List<Answer<Void>> closes = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                if (random.nextInt(3) == 0 && !open.isEmpty()) {
                    closes.add(closesLater(open.removeFirst().result()));
                }
                connects.add(asksLater(own, random.nextInt(3), "/", "app", true));
            }
            own.settle();
            closes.forEach(Answer::result);
            for (Answer<Client> answer : connects) {
                if (answer.error == null) {
                    answer.result();
                    open.add(answer);
                    admitted++;
                } else {
                    assertThat(answer.error()).isEqualTo(IN_USE);
                }
            }
            connects.clear();
            assertThat(open).hasSizeLessThanOrEqualTo(1);
            if (closes.isEmpty()) {
                assertThat(open).hasSize(1);
            }
        }
        assertThat(admitted).isPositive();
        assertThat(own.counters().connections()).isEqualTo(open.size());
    }
}
