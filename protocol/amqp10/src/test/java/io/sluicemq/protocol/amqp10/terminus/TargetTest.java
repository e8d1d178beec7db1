package io.sluicemq.protocol.amqp10.terminus;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Client.ReplyAddress;
import io.sluicemq.protocol.amqp10.terminus.Destination.Unreached;
import io.sluicemq.protocol.amqp10.terminus.Peer.Attached;
import io.sluicemq.protocol.amqp10.terminus.Peer.Lab;
import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.protonj2.types.UnsignedInteger;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.messaging.TerminusDurability;
import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What targets lead to (AMQP 1.0 part 3, §3.5.4). */
class TargetTest {

    private final Lab lab = new Lab();
    private final Peer peer = lab.connect(0, "c");

    @Test
    void shouldMakeAQueueThatIsNamedAndIsNotThere() {
        assertThat(peer.destination("orders")).isEqualTo(Destination.queue("orders"));
        assertThat(peer.queueExists("orders")).isTrue();
        assertThat(peer.publish(peer.destination("orders"), null)).isEqualTo(1);
        assertThat(peer.ready("orders")).isEqualTo(1);
    }

    @Test
    void shouldPreferAQueueToAnExchangeOfTheSameName() {
        peer.declareExchange("both", "topic");
        assertThat(peer.destination("both").exchange()).isEqualTo("both");
        peer.declareQueue("both");
        assertThat(peer.destination("both")).isEqualTo(Destination.queue("both"));
        assertThat(peer.destination("both", "topic").exchange()).isEqualTo("both");
    }

    @ParameterizedTest
    @CsvSource({"q,queue", "queue://q,", "/queue/q,", "q,temporary-queue"})
    void shouldTakeAQueueByCapabilityOrPrefix(String address, String capability) {
        peer.declareQueue("q");
        peer.declareExchange("q", "fanout");
        String[] capabilities = capability == null ? new String[0] : new String[] {capability};
        assertThat(peer.destination(address, capabilities)).isEqualTo(Destination.queue("q"));
    }

    @ParameterizedTest
    @CsvSource({"stocks.us,topic", "topic://stocks.us,", "/topic/stocks.us,"})
    void shouldPublishATopicByItsNameAsKey(String address, String capability) {
        String[] capabilities = capability == null ? new String[0] : new String[] {capability};
        assertThat(peer.destination(address, capabilities))
                .isEqualTo(new Destination("amq.topic", "stocks.us", Unreached.ACCEPTED));
        assertThat(peer.queueExists("stocks.us")).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"ex,topic", "ex,", "/exchange/ex,"})
    void shouldPublishToAnExchangeWithTheSubjectAsKey(String address, String capability) {
        peer.declareExchange("ex", "direct");
        String[] capabilities = capability == null ? new String[0] : new String[] {capability};
        Destination destination = peer.destination(address, capabilities);
        assertThat(destination).isEqualTo(new Destination("ex", null, Unreached.ACCEPTED));
        assertThat(destination.keyOf("red")).isEqualTo("red");
        assertThat(destination.keyOf(null)).isEmpty();
        assertThat(destination.keyOf("ü".repeat(127))).isNotNull();
        assertThat(destination.keyOf("ü".repeat(128))).isNull();
    }

    @Test
    void shouldUnderstandTheFormsOfRabbit() {
        peer.declareQueue("a/b c");
        peer.declareExchange("e/x", "direct");
        assertThat(peer.destination("/queues/a%2Fb%20c")).isEqualTo(Destination.queue("a/b c"));
        assertThat(peer.destination("/queues/a%2fb c", "queue")).isEqualTo(Destination.queue("a/b c"));
        assertThat(peer.destination("/exchanges/e%2Fx"))
                .isEqualTo(new Destination("e/x", "", Unreached.RELEASED));
        assertThat(peer.destination("/exchanges/e%2Fx/k%C3%BC%2F")).isEqualTo(
                new Destination("e/x", "kü/", Unreached.RELEASED));
        assertThat(peer.destination("/exchanges/amq.topic/")).isEqualTo(
                new Destination("amq.topic", "", Unreached.RELEASED));
        assertThat(peer.destination("/exchange/amq.topic/a/b")).isEqualTo(
                new Destination("amq.topic", "a/b", Unreached.ACCEPTED));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "/queues/", "/queues/a/b", "/queues/%zz", "/queues/%C3", "/queues/%C3%28", "/queues/a%2", "/exchanges/",
        "/exchanges//k", "/exchanges/a/b/c", "/exchanges/a/%", "queue://", "topic://", "/queue/", "/exchange/"
    })
    void shouldRefuseMalformedAddresses(String address) {
        assertThat(peer.target(address).refusal()).isEqualTo(AmqpError.INVALID_FIELD);
    }

    @Test
    void shouldRefuseNamesThatNoProtocolCanCarry() {
        assertThat(peer.target("n".repeat(255)).error()).isNull();
        assertThat(peer.target("n".repeat(256)).refusal()).isEqualTo(AmqpError.INVALID_FIELD);
        assertThat(peer.target("n".repeat(256), "topic").refusal()).isEqualTo(AmqpError.INVALID_FIELD);
    }

    @ParameterizedTest
    @CsvSource({
        "/queues/none,", "/amq/queue/none,", "none,temporary-queue", "none,temporary-topic", "amq.none,",
        "amq.none,queue",
        "/exchanges/none,", "/exchange/none/key,", "amq.rabbitmq.reply-to.none,"
    })
    void shouldNotFindWhatIsNotThereAndNotToBeMade(String address, String capability) {
        String[] capabilities = capability == null ? new String[0] : new String[] {capability};
        assertThat(peer.target(address, capabilities).refusal()).isEqualTo(AmqpError.NOT_FOUND);
    }

    @Test
    void shouldMakeNoQueuesWhereThatIsTurnedOff() {
        Peer strict = lab.connect(1, "s", false);
        assertThat(strict.target("orders").refusal()).isEqualTo(AmqpError.NOT_FOUND);
        strict.declareQueue("orders");
        assertThat(strict.destination("orders")).isEqualTo(Destination.queue("orders"));
    }

    @Test
    void shouldRefuseInternalExchanges() {
        peer.declareExchange("internal-x", "topic");
        assertThat(peer.target("internal-x").refusal()).isEqualTo(AmqpError.NOT_ALLOWED);
    }

    /** §3.5.4: the answer says what is there. */
    @Test
    void shouldAnswerWhatItDoes() {
        Target answer = peer.target(new Target()
                .setAddress("topic://t")
                .setCapabilities(Peer.symbols("queue", "fancy"))
                .setDurable(TerminusDurability.UNSETTLED_STATE)
                .setExpiryPolicy(TerminusExpiryPolicy.CONNECTION_CLOSE)
                .setTimeout(UnsignedInteger.valueOf(9))).ok().answer();
        assertThat(answer.getAddress()).isEqualTo("topic://t");
        assertThat(answer.getCapabilities()).isNull();
        assertThat(answer.getDurable()).isEqualTo(TerminusDurability.NONE);
        assertThat(answer.getExpiryPolicy()).isEqualTo(TerminusExpiryPolicy.CONNECTION_CLOSE);
        assertThat(answer.getTimeout()).isEqualTo(UnsignedInteger.valueOf(9));
        assertThat(peer.target("q", "queue").ok().answer().getCapabilities()).isEqualTo(Peer.symbols("queue"));
        assertThat(peer.target("t", "topic").ok().answer().getCapabilities()).isEqualTo(Peer.symbols("topic"));
    }

    // ---- the anonymous relay

    private Relay relay(String address) {
        return (Relay) peer.target(address).ok();
    }

    private Attached<Destination> resolve(Relay relay, String to, NodeKind kind) {
        return peer.ask(answer -> relay.resolve(to, kind, answer));
    }

    @Test
    void shouldRelayToWhatEachMessageSays() {
        Relay relay = relay(null);
        assertThat(relay.answer().getAddress()).isNull();
        assertThat(resolve(relay, "orders", NodeKind.ANY).ok()).isEqualTo(Destination.queue("orders"));
        assertThat(peer.queueExists("orders")).isTrue();
        assertThat(resolve(relay, "orders", NodeKind.TOPIC).ok().exchange()).isEqualTo("amq.topic");
        assertThat(resolve(relay, "/exchanges/amq.direct/k", NodeKind.ANY).ok().routingKey()).isEqualTo("k");
        assertThat(resolve(relay, "/queues/none", NodeKind.ANY).refusal()).isEqualTo(AmqpError.NOT_FOUND);
        assertThat(resolve(relay, null, NodeKind.ANY).refusal()).isEqualTo(AmqpError.PRECONDITION_FAILED);
        assertThat(resolve(relay, "gone", NodeKind.TEMPORARY_QUEUE).refusal()).isEqualTo(AmqpError.NOT_FOUND);
    }

    @Test
    void shouldRememberWhereAddressesLeadAsLongAsThatIsTrue() {
        Relay relay = relay("");
        assertThat(relay.known("t", NodeKind.ANY)).isNull();
        Destination queue = resolve(relay, "t", NodeKind.ANY).ok();
        assertThat(relay.known("t", NodeKind.ANY)).isEqualTo(queue);
        assertThat(relay.known("t", NodeKind.TOPIC)).isNull();
        Destination topic = resolve(relay, "t", NodeKind.TOPIC).ok();
        assertThat(relay.known("t", NodeKind.TOPIC)).isEqualTo(topic);
        peer.declareExchange("t", "fanout");
        assertThat(relay.known("t", NodeKind.TOPIC)).isNull();
        assertThat(resolve(relay, "t", NodeKind.TOPIC).ok().exchange()).isEqualTo("t");
        relay.missed("t");
        assertThat(relay.known("t", NodeKind.ANY)).isNull();
        for (int i = 0; i < 1_001; i++) {
            resolve(relay, "topic://" + i, NodeKind.ANY).ok();
        }
        assertThat(relay.known("topic://0", NodeKind.ANY)).isNull();
        assertThat(relay.known("topic://1", NodeKind.ANY)).isNotNull();
    }

    /** What was sent first is published first, also while a queue is being made for it. */
    @Test
    void shouldAnswerInOrderWhileAnAddressIsLookedUp() {
        Relay relay = relay(null);
        List<Integer> order = new ArrayList<>();
        peer.loop.run(() -> relay.resolve("orders", NodeKind.ANY, numbered(order, 1)));
        assertThat(order).isEmpty();
        // The queue is there before the first answer is: that waits for the log.
        lab.loops.runAll();
        assertThat(peer.queueExists("orders")).isTrue();
        assertThat(order).isEmpty();
        peer.loop.run(() -> relay.resolve("orders", NodeKind.ANY, numbered(order, 2)));
        assertThat(relay.known("orders", NodeKind.ANY)).isNull();
        lab.settle();
        assertThat(order).containsExactly(1, 2);
        assertThat(relay.known("orders", NodeKind.ANY)).isNotNull();
    }

    private static Answer<Destination> numbered(List<Integer> order, int number) {
        return new Answer<>() {
            @Override
            public void done(Destination result) {
                order.add(number);
            }

            @Override
            public void refused(TerminusError error) {
                order.add(-number);
            }
        };
    }

    /** A requester of AMQP 0-9-1 that waits at a direct reply-to is answered by a responder of AMQP 1.0. */
    @Test
    void shouldRelayToReplyAddresses() {
        Peer requester = lab.connect(1, "r");
        Peer.Receiver replies = new Peer.Receiver();
        ReplyAddress address = requester.loop.call(() -> requester.client.openReplyAddress(replies));
        Relay relay = relay(null);
        Destination destination = resolve(relay, address.name(), NodeKind.ANY).ok();
        assertThat(peer.publish(destination, null)).isEqualTo(1);
        assertThat(replies.received).isEqualTo(1);
        requester.loop.run(address::close);
        assertThat(relay.known(address.name(), NodeKind.ANY)).isNull();
        assertThat(resolve(relay, address.name(), NodeKind.ANY).refusal()).isEqualTo(AmqpError.NOT_FOUND);
    }

    @Test
    void shouldReadTheKindFromAnAnnotation() {
        assertThat(NodeKind.ofAnnotation((byte) 0)).isEqualTo(NodeKind.QUEUE);
        assertThat(NodeKind.ofAnnotation((byte) 3)).isEqualTo(NodeKind.TEMPORARY_TOPIC);
        assertThat(NodeKind.ofAnnotation((byte) 4)).isEqualTo(NodeKind.ANY);
        assertThat(NodeKind.ofAnnotation((byte) -1)).isEqualTo(NodeKind.ANY);
        assertThat(NodeKind.ofAnnotation("queue")).isEqualTo(NodeKind.ANY);
        assertThat(NodeKind.ofAnnotation(null)).isEqualTo(NodeKind.ANY);
    }
}
