package io.sluicemq.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Access;
import io.sluicemq.api.Broker.ClientSpec;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.Client.BindingSpec;
import io.sluicemq.api.Client.ExchangeSpec;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.Client.QueueStatus;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Message;
import io.sluicemq.api.Permission;
import io.sluicemq.api.Permissions;
import io.sluicemq.api.Principal;
import io.sluicemq.base.Published;
import io.sluicemq.broker.engine.TestBroker.Answer;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What users may do, as RabbitMQ's access control has it; what differs says so. */
class AccessTest {

    private final TestBroker broker = new TestBroker(2);
    private final Published<Access> access = new Published<>(Access.ALL);
    private TestClient admin;
    private TestClient client;

    /** Whole names, by permission. */
    private record Names(Set<String> configure, Set<String> write, Set<String> read) implements Permissions {
        @Override
        public boolean allow(Permission permission, String name) {
            return switch (permission) {
                case CONFIGURE -> configure.contains(name);
                case WRITE -> write.contains(name);
                case READ -> read.contains(name);
            };
        }

        @Override
        public boolean allowAllOf(Permission permission, String bindingKey) {
            return allow(permission, bindingKey);
        }
    }

    @BeforeEach
    void connect() {
        admin = broker.connect(0, "/");
        admin.declares("q", Map.of());
        admin.declares("other", Map.of());
        client = broker.connect(1, new Principal("ann", false, access));
        may(Set.of(), Set.of(), Set.of());
    }

    private void may(Set<String> configure, Set<String> write, Set<String> read) {
        access.publish(new Access(Map.of("/", new Names(configure, write, read)), null));
    }

    private static void assertRefused(Answer<?> answer, Permission permission, String name) {
        assertThat(answer.error()).isInstanceOfSatisfying(BrokerError.AccessRefused.class, refusal -> {
            assertThat(refusal.user()).isEqualTo("ann");
            assertThat(refusal.name()).isEqualTo(name);
            assertThat(refusal.reason()).startsWith(permission.word() + " access to ")
                    .endsWith("'" + name + "' in vhost '/' refused for user 'ann'");
        });
    }

    private Answer<QueueStatus> declare(String name, Map<String, Object> arguments) {
        return client.asks(reply -> client.client.declareQueue(
                new QueueSpec(name, false, false, false, arguments), reply));
    }

    private Answer<Void> declareExchange(String name, Map<String, Object> arguments) {
        return client.asks(reply -> client.client.declareExchange(
                new ExchangeSpec(name, "fanout", false, false, false, arguments), reply));
    }

    private Answer<Void> bind(String exchange, String queue, String key) {
        return client.asks(reply -> client.client.bind(
                new BindingSpec(exchange, queue, false, key, Map.of()), reply));
    }

    // ---- configure

    @Test
    void shouldNeedConfigureToDeclareAndDelete() {
        assertRefused(declare("new", Map.of()), Permission.CONFIGURE, "new");
        assertRefused(declare("q", Map.of()), Permission.CONFIGURE, "q");
        assertRefused(declareExchange("x", Map.of()), Permission.CONFIGURE, "x");
        assertRefused(client.<Void>asks(reply -> client.client.deleteExchange("x", false, reply)), Permission.CONFIGURE,
                "x");
        assertRefused(client.<Long>asks(reply -> client.client.deleteQueue("q", false, false, reply)),
                Permission.CONFIGURE, "q");
        may(Set.of("new", "x", "q"), Set.of(), Set.of());
        declare("new", Map.of()).result();
        declareExchange("x", Map.of()).result();
        client.<Void>asks(reply -> client.client.deleteExchange("x", false, reply)).result();
        client.<Long>asks(reply -> client.client.deleteQueue("q", false, false, reply)).result();
        assertThat(broker.counters().refusedAccesses()).isEqualTo(5);
    }

    @Test
    void shouldNeedNothingToLookWhetherSomethingIsThere() {
        client.<QueueStatus>asks(reply -> client.client.findQueue("q", reply)).result();
        client.<Void>asks(reply -> client.client.findExchange("amq.topic", reply)).result();
    }

    @Test
    void shouldNeedReadAndWriteForDeadLetters() {
        Map<String, Object> dead = Map.of("x-dead-letter-exchange", "amq.fanout");
        may(Set.of("new"), Set.of("amq.fanout"), Set.of());
        assertRefused(declare("new", dead), Permission.READ, "new");
        may(Set.of("new"), Set.of(), Set.of("new"));
        assertRefused(declare("new", dead), Permission.WRITE, "amq.fanout");
        may(Set.of("new"), Set.of("amq.fanout"), Set.of("new"));
        declare("new", dead).result();
    }

    /** By the default exchange a dead letter goes to the address of its key; without one, anywhere. */
    @Test
    void shouldNeedWriteOnTheAddressOfDeadLetters() {
        Map<String, Object> keyed = Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "q");
        may(Set.of("new"), Set.of(), Set.of("new"));
        assertRefused(declare("new", keyed), Permission.WRITE, "q");
        assertRefused(declare("new", Map.of("x-dead-letter-exchange", "")), Permission.WRITE, "");
        assertRefused(declare("new", Map.of("x-expiry-address", "q")), Permission.WRITE, "q");
        may(Set.of("new"), Set.of("q"), Set.of("new"));
        declare("new", keyed).result();
        assertRefused(declare("new", Map.of("x-dead-letter-exchange", "")), Permission.WRITE, "");
    }

    @Test
    void shouldNeedReadAndWriteForAnAlternateExchange() {
        Map<String, Object> alternate = Map.of("alternate-exchange", "amq.fanout");
        may(Set.of("x"), Set.of("amq.fanout"), Set.of());
        assertRefused(declareExchange("x", alternate), Permission.READ, "x");
        may(Set.of("x"), Set.of(), Set.of("x"));
        assertRefused(declareExchange("x", alternate), Permission.WRITE, "amq.fanout");
        may(Set.of("x"), Set.of("amq.fanout"), Set.of("x"));
        declareExchange("x", alternate).result();
    }

    // ---- bind

    @Test
    void shouldNeedWriteOnTheQueueAndReadOnTheExchangeToBind() {
        may(Set.of(), Set.of(), Set.of("amq.fanout"));
        assertRefused(bind("amq.fanout", "q", ""), Permission.WRITE, "q");
        may(Set.of(), Set.of("q"), Set.of());
        assertRefused(bind("amq.fanout", "q", ""), Permission.READ, "amq.fanout");
        may(Set.of(), Set.of("q"), Set.of("amq.fanout"));
        bind("amq.fanout", "q", "").result();
        may(Set.of(), Set.of("q"), Set.of());
        assertRefused(client.<Void>asks(reply -> client.client.unbind(
                new BindingSpec("amq.fanout", "q", false, "", Map.of()), reply)), Permission.READ, "amq.fanout");
    }

    /** What amq.topic carries has addresses: its keys. */
    @Test
    void shouldAllowTopicsByTheirNames() {
        may(Set.of(), Set.of("q", "stocks"), Set.of("stocks"));
        bind("amq.topic", "q", "stocks").result();
        assertRefused(bind("amq.topic", "q", "bonds"), Permission.READ, "amq.topic");
        assertThat(publish("amq.topic", "stocks")).isOne();
        assertThat(publish("amq.topic", "bonds")).isEqualTo(Client.NO_ACCESS);
        may(Set.of(), Set.of("q", "amq.topic"), Set.of("amq.topic"));
        bind("amq.topic", "q", "bonds").result();
        assertThat(publish("amq.topic", "bonds")).isOne();
    }

    // ---- publish

    private int publish(String exchange, String key) {
        return client.publishes(TestBroker.message(exchange, key, "text"));
    }

    @Test
    void shouldNeedWriteOnTheExchange() {
        admin.binds("amq.fanout", "q");
        assertThat(publish("amq.fanout", "")).isEqualTo(Client.NO_ACCESS);
        may(Set.of(), Set.of("amq.fanout"), Set.of());
        assertThat(publish("amq.fanout", "")).isOne();
        may(Set.of(), Set.of("q"), Set.of());
        assertThat(publish("amq.fanout", "")).isEqualTo(Client.NO_ACCESS);
    }

    @Test
    void shouldNeedWriteOnTheAddressInTheDefaultExchange() {
        may(Set.of(), Set.of("q"), Set.of());
        assertThat(publish("", "q")).isOne();
        assertThat(publish("", "other")).isEqualTo(Client.NO_ACCESS);
        assertThat(publish("", "q")).isOne();
        may(Set.of(), Set.of(), Set.of());
        assertThat(publish("", "q")).isEqualTo(Client.NO_ACCESS);
        client.does(() -> assertThat(client.client.publishRefusal("", "q"))
                .isInstanceOf(BrokerError.AccessRefused.class));
        assertThat(admin.depth("q")).isEqualTo(2);
    }

    @Test
    void shouldAskForEachKeyOfAMessage() {
        may(Set.of(), Set.of("q"), Set.of());
        Message copied = new Message(
                TestBroker.TestFormat.INSTANCE, "", "q", List.of("other"), new byte[0], new byte[0], false, 0,
                Message.NO_TTL, null);
        assertThat(client.publishes(copied)).isEqualTo(Client.NO_ACCESS);
        Message hidden = TestBroker.message("", "q", "text");
        hidden.hiddenKeys(List.of("other"));
        assertThat(client.publishes(hidden)).isEqualTo(Client.NO_ACCESS);
        assertThat(admin.depth("q")).isZero();
    }

    @Test
    void shouldAskInTransactionsAsWell() {
        int[] reached = new int[1];
        client.does(() -> {
            Client.Transaction transaction = client.client.begin();
            reached[0] = transaction.publish(TestBroker.message("", "q", "text"));
            transaction.discard();
        });
        assertThat(reached[0]).isEqualTo(Client.NO_ACCESS);
    }

    // ---- read

    @Test
    void shouldNeedReadToConsumeGetAndPurge() {
        assertRefused(client.<Delivery>asks(reply -> client.client.get("q", true, reply)), Permission.READ, "q");
        assertRefused(client.<Long>asks(reply -> client.client.purgeQueue("q", reply)), Permission.READ, "q");
        var consumer = new TestConsumer(client);
        var spec = new io.sluicemq.api.ConsumerSpec("q", "tag", true, false, false, 0, false, 0, Map.of());
        assertRefused(client.<io.sluicemq.api.Consumer>asks(reply -> client.client.subscribe(spec, consumer, reply)),
                Permission.READ, "q");
        may(Set.of(), Set.of(), Set.of("q"));
        assertThat(client.gets("q")).isNull();
        client.<Long>asks(reply -> client.client.purgeQueue("q", reply)).result();
        client.consumes("q", 1);
    }

    /** Others than RabbitMQ: a queue that the broker names for one connection is that one's. */
    @Test
    void shouldLetAConnectionUseTheQueueThatWasNamedForIt() {
        Answer<QueueStatus> answer = client.asks(reply -> client.client.declareQueue(
                new QueueSpec("", false, true, false, Map.of()), reply));
        String name = answer.result().name();
        assertThat(publish("", name)).as("nobody can guess its name").isOne();
        client.consumes(name, 1);
        may(Set.of(), Set.of(), Set.of("amq.fanout"));
        bind("amq.fanout", name, "").result();
        client.<Long>asks(reply -> client.client.deleteQueue(name, false, false, reply)).result();
        assertRefused(declare("", Map.of()), Permission.CONFIGURE, "amq.gen-");
    }

    @Test
    void shouldNeedNoMoreThanReadForASubscription() {
        QueueSpec subscription = new QueueSpec(
                "subscription", false, false, false, Map.of(QueueSpec.SUBSCRIBES_TO, "stocks"));
        assertRefused(client.<QueueStatus>asks(reply -> client.client.declareBoundQueue(
                subscription, "amq.topic", "stocks", reply)), Permission.READ, "amq.topic");
        may(Set.of(), Set.of(), Set.of("stocks"));
        client.<QueueStatus>asks(reply -> client.client.declareBoundQueue(
                subscription, "amq.topic", "stocks", reply)).result();
        client.consumes("subscription", 1);
        client.<Long>asks(reply -> client.client.deleteQueue("subscription", false, false, reply)).result();
    }

    // ---- changes

    @Test
    void shouldEndWhatIsNotAllowedAnyMore() {
        may(Set.of(), Set.of(), Set.of("q", "other"));
        TestConsumer ending = client.consumes("q", 1);
        TestConsumer staying = client.consumes("other", 1);
        may(Set.of(), Set.of("q"), Set.of("other"));
        broker.engine.accessChanged();
        broker.settle();
        assertThat(ending.cancelledFor).isEqualTo("read access to queue 'q' in vhost '/' refused for user 'ann'");
        assertThat(staying.cancelledFor).isNull();
        assertThat(publish("", "q")).isOne();
        assertThat(ending.deliveries).isEmpty();
        assertThat(broker.counters().consumers()).isOne();
    }

    @Test
    void shouldCloseWhoMayNotBeThereAnyMore() {
        client.mayBeClosed = true;
        access.publish(Access.NONE);
        assertThat(publish("", "q")).isEqualTo(Client.NO_ACCESS);
        broker.engine.accessChanged();
        broker.settle();
        assertThat(client.closedFor).isEqualTo("access to vhost '/' refused for user 'ann'");
        var late = new TestClient(broker, broker.loops.get(0));
        assertThat(broker.connecting(late, "/", "", new Principal("ann", false, access)).error())
                .isInstanceOf(BrokerError.AccessRefused.class);
    }

    /** What goes on in one turn of both loops after the other, until all have been told; the most that {@code count} grows by in one of them. */
    private long mostInOneTurn(CompletableFuture<Void> told, LongSupplier count) {
        long most = 0;
        for (int turns = 0; !told.isDone(); turns++) {
            assertThat(turns).isLessThan(1_000);
            long before = count.getAsLong();
            broker.loops.get(0).runTurn();
            broker.loops.get(1).runTurn();
            most = Math.max(most, count.getAsLong() - before);
        }
        return most;
    }

    /** Also where one of them fails; that is the loop's to tell. */
    @Test
    void shouldLookAtAFewClientsInATurnAndAtAllInTheEnd() {
        client.mayBeClosed = true;
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            TestClient each = broker.connect(0, new Principal("ann", false, access));
            each.mayBeClosed = i != 3;
            clients.add(each);
        }
        access.publish(Access.NONE);
        broker.loops.expectFailures(1);
        LongSupplier closed = () -> clients.stream().filter(each -> each.closedFor != null).count();
        assertThat(mostInOneTurn(broker.engine.accessChanged(), closed)).isBetween(1L, 16L);
        assertThat(closed.getAsLong()).isEqualTo(99);
        assertThat(client.closedFor).isNotNull();
        broker.settle();
    }

    @Test
    void shouldLookAtAFewConsumersInATurnAndAtAllInTheEnd() {
        may(Set.of(), Set.of(), Set.of("q", "other"));
        List<TestConsumer> ending = new ArrayList<>();
        List<TestConsumer> staying = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            ending.add(client.consumes("q", 1));
            staying.add(client.consumes("other", 1));
        }
        may(Set.of(), Set.of(), Set.of("other"));
        CompletableFuture<Void> told = broker.engine.accessChanged();
        LongSupplier ended = () -> ending.stream().filter(each -> each.cancelledFor != null).count();
        assertThat(mostInOneTurn(told, ended)).isBetween(1L, 256L);
        broker.settle();
        assertThat(ending).allMatch(each -> each.cancelledFor != null);
        assertThat(staying).allMatch(each -> each.cancelledFor == null);
    }

    /** Its identity is asked for on another loop, and meanwhile what its user may do changes. */
    @Test
    void shouldCloseWhoWasLetInWhileTheirAccessWasTaken() {
        access.publish(Access.ALL);
        var late = new TestClient(broker, broker.loops.get(1));
        late.mayBeClosed = true;
        Answer<Client> answer = late.asksLater(reply -> broker.engine.connect(
                new ClientSpec("/", new Principal("ann", false, access), "test", "test", "test", "me", false, late),
                late.loop, reply));
        broker.loops.get(1).runTurn();
        access.publish(Access.NONE);
        client.mayBeClosed = true;
        CompletableFuture<Void> told = broker.engine.accessChanged();
        broker.settle();
        assertThat(told).isDone();
        assertThat(answer.result()).isNotNull();
        assertThat(late.closedFor).isEqualTo("access to vhost '/' refused for user 'ann'");
    }
}
