package io.sluicemq.protocol.amqp10.terminus;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp10.terminus.DynamicNode.LinkKey;
import io.sluicemq.protocol.amqp10.terminus.SourceNode.Tenure;
import java.util.Map;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnsignedInteger;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.messaging.TerminusDurability;
import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;

/**
 * What the sources and targets of one connection's links mean (part 3, §3.5). Owned by the client's loop; answers come on it. What
 * was made for this connection alone ends with it.
 */
@LoopOwned
public final class Termini {

    private static final Symbol MOVE = Symbol.valueOf("move");

    private final Client client;
    private final TerminusOptions options;
    private final Destinations destinations;
    private final DynamicNodes dynamicNodes;
    private final Subscriptions subscriptions;

    /** @param containerId what the client calls itself: its durable subscriptions are found by it */
    public Termini(Client client, String containerId, TerminusOptions options) {
        this.client = client;
        this.options = options;
        NewQueues newQueues = new NewQueues(client);
        this.destinations = new Destinations(client, options.autoCreateQueues(), newQueues);
        this.dynamicNodes = new DynamicNodes(client, options.names());
        this.subscriptions = new Subscriptions(client, containerId, destinations, newQueues);
    }

    // ---- targets

    /** Finds or makes what a sending link of the client leads to. */
    public void target(String linkName, Target wanted, Answer<TargetNode> answer) {
        NodeKind kind = NodeKind.of(wanted.getCapabilities());
        if (wanted.isDynamic()) {
            dynamicTarget(linkName, wanted, kind, answer);
            return;
        }
        String address = wanted.getAddress();
        if (address == null || address.isEmpty()) {
            answer.done(new Relay(linkName, answered(wanted, null), destinations));
            return;
        }
        destinations.resolve(address, kind, new Answer<>() {
            @Override
            public void done(Destination destination) {
                DynamicNode.Link link = dynamicNodes.link(
                        nodeName(destination), new LinkKey(linkName, true), expiry(wanted));
                boolean queue = destination.exchange().isEmpty();
                Symbol echoed = (queue ? kind.isQueue() : kind.isTopic()) ? kind.capability() : null;
                answer.done(new TargetNode.Fixed(linkName, answered(wanted, echoed), destination, link));
            }

            @Override
            public void refused(TerminusError error) {
                answer.refused(error);
            }
        });
    }

    private void dynamicTarget(String linkName, Target wanted, NodeKind kind, Answer<TargetNode> answer) {
        LinkKey creator = new LinkKey(linkName, true);
        dynamicNodes.create(kind, wanted.getDynamicNodeProperties(), creator, new Answer<>() {
            @Override
            public void done(DynamicNode node) {
                TerminusExpiryPolicy expiry = dynamicExpiry(expiry(wanted));
                Target answered = answered(wanted, kind.capability());
                answered.setAddress(node.name());
                answered.setDynamic(true);
                answered.setDynamicNodeProperties(lifetime(node));
                answered.setExpiryPolicy(expiry);
                answered.setTimeout(UnsignedInteger.ZERO);
                Destination destination = node.isTopic()
                        ? new Destination(node.name(), null, Destination.Unreached.ACCEPTED)
                        : Destination.queue(node.name());
                answer.done(new TargetNode.Fixed(linkName, answered, destination, node.link(creator, expiry)));
            }

            @Override
            public void refused(TerminusError error) {
                answer.refused(error);
            }
        });
    }

    /** A target's own state is that of its deliveries, which is kept for a while and not durably. */
    private static Target answered(Target wanted, Symbol capability) {
        Target answer = new Target();
        answer.setAddress(wanted.getAddress());
        answer.setDurable(TerminusDurability.NONE);
        answer.setExpiryPolicy(expiry(wanted));
        answer.setTimeout(Keeping.timeout(wanted.getTimeout()));
        if (capability != null) {
            answer.setCapabilities(capability);
        }
        return answer;
    }

    // ---- sources

    /**
     * Finds or makes what a receiving link of the client is fed from. Whether its queue can be consumed from shows when that is
     * tried: {@link BrokerError.ExclusiveUse} is the answer to the second link of a subscription that is not shared. If it can't be,
     * the source has {@linkplain #ended ended}, {@link LinkEnd#DETACHED detached}; if its queue has gone meanwhile it is
     * {@linkplain #lost lost}, and may be asked for again.
     */
    public void source(String linkName, Source wanted, Answer<SourceNode> answer) {
        NodeKind kind = NodeKind.of(wanted.getCapabilities());
        Filters filters;
        try {
            filters = Filters.read(wanted.getFilter(), options.selectors());
        } catch (Refused e) {
            answer.refused(e.error());
            return;
        }
        if (wanted.isDynamic()) {
            dynamicSource(linkName, wanted, kind, filters, answer);
            return;
        }
        String address = wanted.getAddress();
        if (address == null) {
            answer.refused(TerminusError.invalid("a source needs an address, or to be dynamic"));
            return;
        }
        Answer<SourceNode> linked = new Answer<>() {
            @Override
            public void done(SourceNode node) {
                String name = node.tenure() == Tenure.STANDING ? node.queue() : address;
                DynamicNode.Link link = dynamicNodes.link(
                        name, new LinkKey(linkName, false), node.answer().getExpiryPolicy());
                answer.done(link == null ? node : withLink(node, link));
            }

            @Override
            public void refused(TerminusError error) {
                answer.refused(error);
            }
        };
        switch (Address.parse(address, kind)) {
            case Address.Invalid invalid -> answer.refused(TerminusError.invalid(invalid.reason()));
            case Address.Name name when destinations.exchangeWins(name.name()) -> subscriptions.toExchange(
                    linkName, wanted, kind, new Address.Exchange(name.name(), null, false), filters, linked);
            case Address.Name name -> queue(linkName, wanted, kind, name.name(), true, filters, linked);
            case Address.Queue queue -> queue(linkName, wanted, kind, queue.name(), queue.create(), filters, linked);
            case Address.Topic topic -> subscriptions.toTopic(linkName, wanted, kind, topic, filters, linked);
            case Address.Exchange exchange when exchange.rabbit() -> answer.refused(TerminusError.invalid(
                    "'" + address + "' is no source; use /queues/:queue"));
            case Address.Exchange exchange ->
                subscriptions.toExchange(linkName, wanted, kind, exchange, filters, linked);
        }
    }

    private void queue(
            String linkName, Source wanted, NodeKind kind, String name, boolean create, Filters filters,
            Answer<SourceNode> answer) {
        Runnable found = () -> answer.done(queueNode(linkName, wanted, kind, name, filters));
        client.findQueue(name, new On<>(status -> found.run(), error -> {
            if (!(error instanceof BrokerError.NotFound)) {
                answer.refused(TerminusError.of(error));
                return;
            }
            destinations.create(name, create, error, new Answer<>() {
                @Override
                public void done(Void result) {
                    found.run();
                }

                @Override
                public void refused(TerminusError refusal) {
                    answer.refused(refusal);
                }
            });
        }));
    }

    private static SourceNode queueNode(
            String linkName, Source wanted, NodeKind kind, String queue, Filters filters) {
        boolean browses = Subscriptions.COPY.equals(wanted.getDistributionMode());
        Source answer = new Source();
        answer.setAddress(wanted.getAddress());
        answer.setDurable(TerminusDurability.NONE);
        answer.setExpiryPolicy(expiry(wanted));
        answer.setTimeout(Keeping.timeout(wanted.getTimeout()));
        answer.setDistributionMode(browses ? Subscriptions.COPY : MOVE);
        answer.setFilter(filters.honoured(false));
        if (kind.isQueue()) {
            answer.setCapabilities(kind.capability());
        }
        Outcomes.answer(wanted, answer);
        return new SourceNode(
                linkName, queue, answer, browses, filters.noLocal(), false, filters.selector(), Tenure.STANDING, null);
    }

    private void dynamicSource(
            String linkName, Source wanted, NodeKind kind, Filters filters, Answer<SourceNode> answer) {
        LinkKey creator = new LinkKey(linkName, false);
        dynamicNodes.create(kind, wanted.getDynamicNodeProperties(), creator, new Answer<>() {
            @Override
            public void done(DynamicNode node) {
                Source named = wanted.copy();
                TerminusExpiryPolicy expiry = dynamicExpiry(expiry(wanted));
                named.setAddress(node.name());
                named.setDurable(TerminusDurability.NONE);
                named.setExpiryPolicy(expiry);
                named.setTimeout(UnsignedInteger.ZERO);
                DynamicNode.Link link = node.link(creator, expiry);
                if (!node.isTopic()) {
                    answer.done(dynamic(queueNode(linkName, named, kind, node.name(), filters), link));
                    return;
                }
                subscriptions.toTopic(
                        linkName, named, kind, new Address.Topic(node.name(), true), filters, new Answer<>() {
                            @Override
                            public void done(SourceNode subscription) {
                                answer.done(dynamic(subscription, link));
                            }

                            @Override
                            public void refused(TerminusError error) {
                                dynamicNodes.ended(link, LinkEnd.CLOSED, new Answer<>() {
                                    @Override
                                    public void done(Void result) {
                                        answer.refused(error);
                                    }

                                    @Override
                                    public void refused(TerminusError second) {
                                        answer.refused(error);
                                    }
                                });
                            }
                        });
            }

            @Override
            public void refused(TerminusError error) {
                answer.refused(error);
            }
        });
    }

    private static SourceNode dynamic(SourceNode node, DynamicNode.Link link) {
        node.answer().setDynamic(true);
        node.answer().setDynamicNodeProperties(lifetime(link.node()));
        return withLink(node, link);
    }

    private static SourceNode withLink(SourceNode node, DynamicNode.Link link) {
        return new SourceNode(
                node.linkName(), node.queue(), node.answer(), node.browses(), node.noLocal(), node.exclusive(),
                node.filter(), node.tenure(), link);
    }

    /**
     * Looks up the durable subscription that a link's name belongs to, for an attach without a source. To delete it, its link is
     * {@link LinkEnd#CLOSED closed}; nothing is to be consumed from it. Refused with {@code amqp:not-found} if there is none.
     */
    public void lookup(String linkName, Answer<SourceNode> answer) {
        subscriptions.lookup(linkName, answer);
    }

    /** The queue of a source has gone before anything was consumed from it. */
    public void lost(SourceNode source) {
        subscriptions.lost(source);
        if (source.dynamic() != null) {
            source.dynamic().leave();
        }
    }

    // ---- the end of links

    /**
     * A link has ended; its consumer, if it had one, has been cancelled before. Answers when what goes with it is gone. To be called
     * at a detach, and once more for a link that was detached without being closed when its session ends.
     */
    public void ended(SourceNode source, LinkEnd how, Answer<Void> answer) {
        subscriptions.ended(source, how, new Answer<>() {
            @Override
            public void done(Void result) {
                dynamicNodes.ended(source.dynamic(), how, answer);
            }

            @Override
            public void refused(TerminusError error) {
                answer.refused(error);
            }
        });
    }

    /** A link has ended. Answers when what goes with it is gone. To be called as for a source. */
    public void ended(TargetNode target, LinkEnd how, Answer<Void> answer) {
        switch (target) {
            case TargetNode.Fixed fixed -> dynamicNodes.ended(fixed.dynamic(), how, answer);
            case Relay relay -> answer.done(null);
        }
    }

    /**
     * The connection ends, its consumers before it: what was made for it alone goes, at the latest with the client, which is to be
     * closed after this.
     */
    public void clientGone() {
        dynamicNodes.clear();
        subscriptions.clear();
    }

    // ----

    private static String nodeName(Destination destination) {
        return destination.exchange().isEmpty() ? destination.routingKey() : destination.exchange();
    }

    /** §3.5.3, §3.5.4: session-end is the default. */
    private static TerminusExpiryPolicy expiry(Target target) {
        return target.getExpiryPolicy() == null ? TerminusExpiryPolicy.SESSION_END : target.getExpiryPolicy();
    }

    static TerminusExpiryPolicy expiry(Source source) {
        return source.getExpiryPolicy() == null ? TerminusExpiryPolicy.SESSION_END : source.getExpiryPolicy();
    }

    /** A dynamic node goes with its connection whatever is asked for. */
    private static TerminusExpiryPolicy dynamicExpiry(TerminusExpiryPolicy wanted) {
        return wanted == TerminusExpiryPolicy.NEVER ? TerminusExpiryPolicy.CONNECTION_CLOSE : wanted;
    }

    private static Map<Symbol, Object> lifetime(DynamicNode node) {
        return Map.of(DynamicNodes.LIFETIME_POLICY, node.lifetime().policy());
    }
}
