package io.sluicemq.protocol.amqp10.terminus;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.Client.ExchangeSpec;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp10.terminus.DynamicNode.Lifetime;
import io.sluicemq.protocol.amqp10.terminus.DynamicNode.LinkKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.DeleteOnClose;
import org.apache.qpid.protonj2.types.messaging.DeleteOnNoLinks;
import org.apache.qpid.protonj2.types.messaging.DeleteOnNoLinksOrMessages;
import org.apache.qpid.protonj2.types.messaging.DeleteOnNoMessages;
import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;
import org.apache.qpid.protonj2.types.transport.AmqpError;

/**
 * The queues and topics that were made for this connection's links. A queue is exclusive, so that all may send to it and only this
 * connection can consume; a topic is a fanout exchange. Owned by the client's loop; all that is in it exists.
 */
@LoopOwned
final class DynamicNodes {

    static final Symbol LIFETIME_POLICY = Symbol.valueOf("lifetime-policy");

    private final Client client;
    private final Supplier<String> names;
    private final Map<String, DynamicNode> nodes = new HashMap<>();

    DynamicNodes(Client client, Supplier<String> names) {
        this.client = client;
        this.names = names;
    }

    /** Makes one as a terminus' properties ask for it. */
    void create(NodeKind kind, Map<Symbol, Object> properties, LinkKey creator, Answer<DynamicNode> answer) {
        Lifetime lifetime;
        try {
            lifetime = lifetime(properties == null ? null : properties.get(LIFETIME_POLICY));
        } catch (Refused e) {
            answer.refused(e.error());
            return;
        }
        if (kind.isTopic()) {
            String name = Client.TEMPORARY_TOPIC + names.get();
            client.declareExchange(
                    new ExchangeSpec(name, "fanout", false, false, false, Map.of()),
                    On.success(answer, declared -> answer.done(added(new DynamicNode(name, true, lifetime, creator)))));
        } else {
            client.declareQueue(
                    new QueueSpec("", false, true, false, NewQueues.WITH_PRIORITIES),
                    On.success(answer, status -> answer.done(
                            added(new DynamicNode(status.name(), false, lifetime, creator)))));
        }
    }

    private DynamicNode added(DynamicNode node) {
        nodes.put(node.name(), node);
        return node;
    }

    private static Lifetime lifetime(Object policy) throws Refused {
        return switch (policy) {
            case null -> Lifetime.CREATING_LINK;
            case DeleteOnClose close -> Lifetime.CREATING_LINK;
            case DeleteOnNoLinks links -> Lifetime.ANY_LINK;
            case DeleteOnNoMessages messages -> throw new Refused(notOffered("delete-on-no-messages"));
            case DeleteOnNoLinksOrMessages either -> throw new Refused(notOffered("delete-on-no-links-or-messages"));
            default -> throw new Refused(TerminusError.invalid("the lifetime policy '" + policy + "' is unknown"));
        };
    }

    private static TerminusError notOffered(String policy) {
        return new TerminusError(
                AmqpError.NOT_IMPLEMENTED,
                "the lifetime policy " + policy + " is not offered; use delete-on-close or delete-on-no-links");
    }

    /** A link's use of what it was answered to lead to; null if that is no dynamic node of this connection. */
    DynamicNode.Link link(String name, LinkKey by, TerminusExpiryPolicy expiry) {
        DynamicNode node = nodes.get(name);
        return node == null ? null : node.link(by, expiry);
    }

    /** A link has ended; answers when the node that ends by it, if one does, has gone. */
    void ended(DynamicNode.Link link, LinkEnd how, Answer<Void> answer) {
        if (link == null || !link.ends(how) || !nodes.remove(link.node().name(), link.node())) {
            answer.done(null);
            return;
        }
        delete(link.node(), answer);
    }

    private void delete(DynamicNode node, Answer<Void> answer) {
        if (node.isTopic()) {
            client.deleteExchange(node.name(), false, new On<>(answer::done, error -> gone(error, answer)));
        } else {
            client.deleteQueue(
                    node.name(), false, false, new On<>(count -> answer.done(null), error -> gone(error, answer)));
        }
    }

    private static void gone(BrokerError error, Answer<Void> answer) {
        if (error instanceof BrokerError.NotFound) {
            answer.done(null);
        } else {
            answer.refused(TerminusError.of(error));
        }
    }

    /** The connection ends. Exclusive queues go with the client. */
    void clear() {
        for (DynamicNode node : List.copyOf(nodes.values())) {
            if (node.isTopic()) {
                client.deleteExchange(node.name(), false, On.nobody());
            }
        }
        nodes.clear();
    }
}
