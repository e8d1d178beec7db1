package io.sluicemq.protocol.amqp10.terminus;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Client;
import io.sluicemq.protocol.amqp10.terminus.Peer.Lab;
import java.util.Map;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.DeleteOnClose;
import org.apache.qpid.protonj2.types.messaging.DeleteOnNoLinks;
import org.apache.qpid.protonj2.types.messaging.DeleteOnNoLinksOrMessages;
import org.apache.qpid.protonj2.types.messaging.DeleteOnNoMessages;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.junit.jupiter.api.Test;

/** Queues and topics that are made for links (AMQP 1.0 part 3, §3.5.9 to §3.5.13). */
class DynamicNodeTest {

    private static final Symbol LIFETIME = Symbol.valueOf("lifetime-policy");

    private final Lab lab = new Lab();
    private final Peer owner = lab.connect(0, "owner");
    private final Peer other = lab.connect(1, "other");

    private static Target wanted(Object lifetime, String... capabilities) {
        Target target = new Target()
                .setDynamic(true)
                .setExpiryPolicy(TerminusExpiryPolicy.LINK_DETACH)
                .setCapabilities(Peer.symbols(capabilities));
        return lifetime == null ? target : target.setDynamicNodeProperties(Map.of(LIFETIME, lifetime));
    }

    private TargetNode temporary(String capability) {
        return owner.target(wanted(DeleteOnClose.getInstance(), capability)).ok();
    }

    private boolean exchangeExists(String name) {
        return other.loop.call(() -> other.client.checkExchange(name) != Client.NO_EXCHANGE);
    }

    /** C067: all may send to a temporary queue, only its connection may receive, and it goes with its link. */
    @Test
    void shouldMakeATemporaryQueueThatOnlyItsConnectionReceivesFrom() {
        TargetNode creating = temporary("temporary-queue");
        Target answer = creating.answer();
        String name = answer.getAddress();
        assertThat(answer.isDynamic()).isTrue();
        assertThat(answer.getDynamicNodeProperties()).isEqualTo(Map.of(LIFETIME, DeleteOnClose.getInstance()));
        assertThat(answer.getCapabilities()).isEqualTo(Peer.symbols("temporary-queue"));
        assertThat(answer.getExpiryPolicy()).isEqualTo(TerminusExpiryPolicy.LINK_DETACH);

        Destination fromOther = other.destination(name, "temporary-queue");
        assertThat(other.publish(fromOther, null)).isEqualTo(1);
        assertThat(other.source(name, "temporary-queue").refusal()).isEqualTo(AmqpError.RESOURCE_LOCKED);
        assertThat(other.source(name).refusal()).isEqualTo(AmqpError.RESOURCE_LOCKED);
        SourceNode source = owner.source(name, "temporary-queue").ok();
        assertThat(owner.consume(source).received).isEqualTo(1);

        owner.end(creating, LinkEnd.CLOSED).ok();
        assertThat(other.publish(fromOther, null)).isZero();
        assertThat(fromOther.unreached()).isEqualTo(Destination.Unreached.NOT_FOUND);
        assertThat(other.target(name, "temporary-queue").refusal()).isEqualTo(AmqpError.NOT_FOUND);
        assertThat(other.target(name).refusal()).isEqualTo(AmqpError.NOT_FOUND);
        assertThat(owner.queueExists(name)).isFalse();
    }

    @Test
    void shouldLoseItsTemporaryNodesWithTheConnection() {
        String queue = temporary("temporary-queue").answer().getAddress();
        String topic = temporary("temporary-topic").answer().getAddress();
        assertThat(exchangeExists(topic)).isTrue();
        owner.close();
        assertThat(other.queueExists(queue)).isFalse();
        assertThat(exchangeExists(topic)).isFalse();
        assertThat(other.target(queue).refusal()).isEqualTo(AmqpError.NOT_FOUND);
        assertThat(other.target(topic, "temporary-topic").refusal()).isEqualTo(AmqpError.NOT_FOUND);
    }

    @Test
    void shouldMakeATemporaryTopicThatEachSubscriberGetsAllOf() {
        TargetNode creating = temporary("temporary-topic");
        String name = creating.answer().getAddress();
        Peer.Receiver first = owner.consume(owner.source("one", Peer.volatileOne(name, "temporary-topic")).ok());
        Peer.Receiver second = owner.consume(owner.source("two", Peer.volatileOne(name, "temporary-topic")).ok());
        assertThat(other.publish(other.destination(name, "temporary-topic"), "any")).isEqualTo(2);
        assertThat(other.publish(other.destination(name), null)).isEqualTo(2);
        assertThat(first.received).isEqualTo(2);
        assertThat(second.received).isEqualTo(2);
        owner.end(creating, LinkEnd.CLOSED).ok();
        assertThat(exchangeExists(name)).isFalse();
        assertThat(other.target(name, "temporary-topic").refusal()).isEqualTo(AmqpError.NOT_FOUND);
    }

    @Test
    void shouldMakeANodeForAReceivingLink() {
        SourceNode queue = owner.source("link", new Source().setDynamic(true)).ok();
        assertThat(queue.answer().isDynamic()).isTrue();
        assertThat(queue.answer().getDynamicNodeProperties()).containsEntry(LIFETIME, DeleteOnClose.getInstance());
        assertThat(queue.queue()).isEqualTo(queue.answer().getAddress());
        Peer.Receiver receiver = owner.consume(queue);
        other.publish(other.destination(queue.answer().getAddress()), null);
        assertThat(receiver.received).isEqualTo(1);
        owner.cancel(receiver);
        owner.end(queue, LinkEnd.CLOSED).ok();
        assertThat(owner.queueExists(queue.queue())).isFalse();
    }

    @Test
    void shouldMakeATopicForAReceivingLink() {
        SourceNode topic = owner.source(
                "link", new Source().setDynamic(true).setCapabilities(Peer.symbols("temporary-topic"))).ok();
        String name = topic.answer().getAddress();
        assertThat(topic.answer().isDynamic()).isTrue();
        assertThat(topic.answer().getCapabilities()).isEqualTo(Peer.symbols("temporary-topic"));
        Peer.Receiver receiver = owner.consume(topic);
        other.publish(other.destination(name, "topic"), null);
        assertThat(receiver.received).isEqualTo(1);
        owner.cancel(receiver);
        owner.end(topic, LinkEnd.CLOSED).ok();
        assertThat(exchangeExists(name)).isFalse();
        assertThat(owner.queueExists(topic.queue())).isFalse();
    }

    /** The link that makes a node ends with its session if its terminus' expiry policy says so. */
    @Test
    void shouldKeepANodeAsLongAsItsTerminusLives() {
        TargetNode node = owner.target(wanted(null).setExpiryPolicy(TerminusExpiryPolicy.SESSION_END)).ok();
        String name = node.answer().getAddress();
        owner.end(node, LinkEnd.DETACHED).ok();
        assertThat(owner.queueExists(name)).isTrue();
        owner.end(node, LinkEnd.SESSION_ENDED).ok();
        assertThat(owner.queueExists(name)).isFalse();
        owner.end(node, LinkEnd.SESSION_ENDED).ok();

        TargetNode never = owner.target(wanted(null).setExpiryPolicy(TerminusExpiryPolicy.NEVER)).ok();
        assertThat(never.answer().getExpiryPolicy()).isEqualTo(TerminusExpiryPolicy.CONNECTION_CLOSE);
        owner.end(never, LinkEnd.SESSION_ENDED).ok();
        assertThat(owner.queueExists(never.answer().getAddress())).isTrue();
        owner.close();
        assertThat(other.queueExists(never.answer().getAddress())).isFalse();
    }

    @Test
    void shouldKeepANodeAsLongAsLinksOfItsConnectionUseIt() {
        TargetNode creating = owner.target(wanted(DeleteOnNoLinks.getInstance())).ok();
        String name = creating.answer().getAddress();
        assertThat(creating.answer().getDynamicNodeProperties()).containsEntry(LIFETIME, DeleteOnNoLinks.getInstance());
        SourceNode source = owner.source(name).ok();
        TargetNode sender = owner.target(name).ok();
        owner.end(creating, LinkEnd.CLOSED).ok();
        assertThat(owner.publish(Destination.queue(name), null)).isEqualTo(1);
        owner.end(sender, LinkEnd.CLOSED).ok();
        assertThat(owner.queueExists(name)).isTrue();
        owner.end(source, LinkEnd.CLOSED).ok();
        assertThat(owner.queueExists(name)).isFalse();
    }

    @Test
    void shouldRefuseLifetimePoliciesThatItDoesNotOffer() {
        assertThat(owner.target(wanted(DeleteOnNoMessages.getInstance())).refusal())
                .isEqualTo(AmqpError.NOT_IMPLEMENTED);
        assertThat(owner.target(wanted(DeleteOnNoLinksOrMessages.getInstance())).refusal())
                .isEqualTo(AmqpError.NOT_IMPLEMENTED);
        assertThat(owner.target(wanted("for ever")).refusal()).isEqualTo(AmqpError.INVALID_FIELD);
    }

    @Test
    void shouldNotMindThatItsNodeIsGoneAlready() {
        TargetNode queue = temporary("temporary-queue");
        owner.<Long>reply(reply -> owner.client.deleteQueue(queue.answer().getAddress(), false, false, reply));
        assertThat(owner.end(queue, LinkEnd.CLOSED).error()).isNull();
        TargetNode topic = temporary("temporary-topic");
        owner.<Void>reply(reply -> owner.client.deleteExchange(topic.answer().getAddress(), false, reply));
        assertThat(owner.end(topic, LinkEnd.CLOSED).error()).isNull();
    }
}
