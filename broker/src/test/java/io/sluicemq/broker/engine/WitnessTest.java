package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.StoredTestBroker.persistent;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Client;
import io.sluicemq.api.Completion;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Reply;
import io.sluicemq.broker.engine.TestBroker.Answer;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A witness that answers later, and from a thread of its own, holds back the answers to all commands. */
class WitnessTest {

    private final List<Completion> held = new ArrayList<>();
    private final List<Witness.Command> seen = new ArrayList<>();
    private boolean holding;

    private final Witness witness = (command, completion) -> {
        assertThat(completion.loop().isCurrent()).isTrue();
        if (holding) {
            seen.add(command);
            completion.hold();
            held.add(completion);
        }
    };

    private static Answer<?> asks(TestClient client, Delivery delivery, Witness.Command command, boolean durable) {
        Client.BindingSpec bound = new Client.BindingSpec("amq.direct", "q", false, "bound", Map.of());
        return switch (command) {
            case PUBLISH -> client.publishesConfirmed(
                    durable ? persistent("q", "m") : TestBroker.message("", "q", "m"));
            case SETTLE -> client.settles(delivery, Outcome.ACCEPTED);
            case COMMIT -> client.<Void>asks(reply -> {
                Client.Transaction transaction = client.client.begin();
                transaction.publish(persistent("q", "m"));
                transaction.commit(reply);
            });
            case DECLARE -> client.<Client.QueueStatus>asks(reply -> declare(client, "new", durable, reply));
            case BIND -> client.<Void>asks(reply -> client.client.bind(
                    new Client.BindingSpec("amq.direct", "q", false, "other", Map.of()), reply));
            case UNBIND -> client.<Void>asks(reply -> client.client.unbind(bound, reply));
            case DELETE -> client.<Long>asks(reply -> client.client.deleteQueue("q", false, false, reply));
            case PURGE -> client.<Long>asks(reply -> client.client.purgeQueue("q", reply));
        };
    }

    private static void declare(TestClient client, String name, boolean durable, Reply<Client.QueueStatus> reply) {
        client.client.declareQueue(new Client.QueueSpec(name, durable, false, false, Map.of()), reply);
    }

    private static Delivery prepare(TestClient client, boolean durable) {
        client.<Client.QueueStatus>asks(reply -> declare(client, "q", durable, reply)).result();
        client.<Void>asks(reply -> client.client.bind(
                new Client.BindingSpec("amq.direct", "q", false, "bound", Map.of()), reply)).result();
        for (int i = 0; i < 2; i++) {
            client.publishes(durable ? persistent("q", "m") : TestBroker.message("", "q", "m"));
        }
        return client.gets("q");
    }

    private void letGoFromOutside() {
        Thread other = new Thread(() -> held.forEach(Completion::metFromOutside));
        other.start();
        try {
            other.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @EnumSource(Witness.Command.class)
    void shouldHoldBackTheAnswerOfADurableCommandWhenTheLogHasItLongSince(Witness.Command command) {
        StoredTestBroker broker = StoredTestBroker.open(new StoredTestBroker.Setup(3).withWitness(witness));
        TestClient client = broker.connect(1);
        Delivery delivery = prepare(client, true);
        holding = true;
        Answer<?> answer = asks(client, delivery, command, true);
        assertThat(seen).containsExactly(command);
        assertThat(answer.done).isFalse();
        letGoFromOutside();
        assertThat(answer.done).isFalse();
        broker.settle();
        assertThat(answer.done).isTrue();
        assertThat(answer.error).isNull();
    }

    @ParameterizedTest
    @EnumSource(Witness.Command.class)
    void shouldStillWaitForTheLogWhenTheWitnessIsFaster(Witness.Command command) {
        StoredTestBroker broker = StoredTestBroker.open(new StoredTestBroker.Setup(3).withWitness(witness));
        TestClient client = broker.connect(1);
        Delivery delivery = prepare(client, true);
        holding = true;
        broker.holdDisk();
        Answer<?> answer = asks(client, delivery, command, true);
        letGoFromOutside();
        broker.settle();
        assertThat(answer.done).isFalse();
        broker.letDiskGo();
        assertThat(answer.done).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Witness.Command.class)
    void shouldHoldBackTheAnswerOfABrokerInMemory(Witness.Command command) {
        TestBroker broker = new TestBroker(
                new io.sluicemq.testkit.ManualLoops(3),
                new BrokerConfig(List.of("/"), 1L << 40).withWitness(witness), null, state -> {});
        TestClient client = broker.connect(1);
        Delivery delivery = prepare(client, false);
        holding = true;
        Answer<?> answer = asks(client, delivery, command, false);
        assertThat(seen).containsExactly(command);
        assertThat(answer.done).isFalse();
        letGoFromOutside();
        broker.settle();
        assertThat(answer.done).isTrue();
    }

    @Test
    void shouldHoldBackExchangesAndTheDeclarationOfWhatIsThere() {
        StoredTestBroker broker = StoredTestBroker.open(new StoredTestBroker.Setup(2).withWitness(witness));
        TestClient client = broker.connect(1);
        prepare(client, true);
        holding = true;
        List<Answer<?>> answers = new ArrayList<>();
        answers.add(client.<Client.QueueStatus>asks(reply -> declare(client, "q", true, reply)));
        answers.add(client.<Void>asks(reply -> client.client.declareExchange(
                new Client.ExchangeSpec("e", "direct", true, false, false, Map.of()), reply)));
        answers.add(client.<Void>asks(reply -> client.client.deleteExchange("e", false, reply)));
        assertThat(seen).containsExactly(
                Witness.Command.DECLARE, Witness.Command.DECLARE, Witness.Command.DELETE);
        assertThat(answers).noneMatch(answer -> answer.done);
        letGoFromOutside();
        broker.settle();
        assertThat(answers).allMatch(answer -> answer.done && answer.error == null);
    }
}
