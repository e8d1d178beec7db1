package io.sluicemq.protocol.amqp10.terminus;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.Client.ExchangeSpec;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp10.terminus.SourceNode.Tenure;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnknownDescribedType;
import org.apache.qpid.protonj2.types.UnsignedInteger;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.TerminusDurability;
import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;
import org.apache.qpid.protonj2.types.transport.AmqpError;

/**
 * Sources that are subscriptions: each has a queue that is bound to what it subscribes to. Owned by the client's loop. What outlives
 * the connection is known by its queue's name and arguments alone; what doesn't is in {@code own}, by its link's name.
 */
@LoopOwned
final class Subscriptions {

    static final Symbol SHARED = Symbol.valueOf("shared");
    static final Symbol GLOBAL = Symbol.valueOf("global");
    static final Symbol COPY = Symbol.valueOf("copy");

    private static final Symbol SELECTOR_KEY = Symbol.valueOf("jms-selector");
    private static final Symbol NO_LOCAL_KEY = Symbol.valueOf("no-local");

    private static final String EXPIRES = "x-expires";

    /** What a queue can count, some hundred years. */
    private static final long LONGEST_SECONDS = 3_155_760_000L;

    private final Client client;
    private final String container;
    private final Destinations destinations;
    private final NewQueues newQueues;
    private final Map<String, Own> own = new HashMap<>();

    /**
     * A subscription that this connection alone knows.
     *
     * @param holder the answer to the attach of the link that has it, by which that one is told from those before it
     */
    private record Own(QueueSpec queue, Terms terms, Source holder) {}

    /** What a subscription is bound to. */
    private record Bound(String exchange, String key) {}

    /** What is asked for. */
    private record Request(
            String linkName, Source wanted, NodeKind kind, Terms terms, Filters filters, boolean keyHonoured,
            Bound bound,
            boolean global) {}

    Subscriptions(Client client, String container, Destinations destinations, NewQueues newQueues) {
        this.client = client;
        this.container = container;
        this.destinations = destinations;
        this.newQueues = newQueues;
    }

    /** Opens one to a topic: the exchange of that name or else a key of {@code amq.topic}. */
    void toTopic(
            String linkName, Source wanted, NodeKind kind, Address.Topic topic, Filters filters,
            Answer<SourceNode> answer) {
        if (topic.exchangeOnly() || destinations.exists(topic.name())) {
            toExchange(linkName, wanted, kind, new Address.Exchange(topic.name(), null, false), filters, answer);
        } else {
            open(request(linkName, wanted, kind, topic.name(), null, filters, false,
                    new Bound(Address.DEFAULT_TOPICS, topic.name())), answer);
        }
    }

    /** Opens one to what an exchange routes with a key, or to all that it routes by a key that matches everything. */
    void toExchange(
            String linkName, Source wanted, NodeKind kind, Address.Exchange address, Filters filters,
            Answer<SourceNode> answer) {
        client.describeExchange(address.name(), On.success(answer, exchange -> {
            boolean byKey = exchange.type().equals("topic") || exchange.type().equals("direct");
            boolean keyHonoured = byKey && address.key() == null && filters.bindingKey() != null;
            String key = keyHonoured ? filters.bindingKey() : address.key();
            if (key != null && !Destination.fits(key)) {
                answer.refused(TerminusError.invalid(
                        "the binding key is longer than " + Destination.MAX_KEY_BYTES + " bytes"));
                return;
            }
            Bound bound = new Bound(exchange.name(), key == null ? keyForAll(exchange) : key);
            open(request(linkName, wanted, kind, exchange.name(), key, filters, keyHonoured, bound), answer);
        }));
    }

    private static String keyForAll(ExchangeSpec exchange) {
        return exchange.type().equals("topic") ? "#" : "";
    }

    private Request request(
            String linkName, Source wanted, NodeKind kind, String topic, String key, Filters filters,
            boolean keyHonoured,
            Bound bound) {
        boolean shared = has(wanted, SHARED);
        Terms terms = new Terms(
                topic, key, filters.selector() == null ? null : filters.selector().text(),
                filters.noLocal() ? container : null, shared);
        return new Request(
                linkName, wanted, kind, terms, filters, keyHonoured, bound, shared && has(wanted, GLOBAL));
    }

    static boolean has(Source source, Symbol capability) {
        return source.getCapabilities() != null && Arrays.asList(source.getCapabilities()).contains(capability);
    }

    private void open(Request request, Answer<SourceNode> answer) {
        boolean durable = request.wanted.getDurable() != null
                && request.wanted.getDurable() != TerminusDurability.NONE
                && request.wanted.getExpiryPolicy() == TerminusExpiryPolicy.NEVER;
        String scope = request.global ? null : container;
        if (request.terms.shared()) {
            String name = SubscriptionName.ofShared(request.linkName);
            QueueSpec queue = durable
                    ? new QueueSpec(SubscriptionName.durable(scope, name), true, false, false,
                            request.terms.arguments())
                    : new QueueSpec(
                            SubscriptionName.sharedVolatile(scope, name), false, false, true,
                            request.terms.arguments());
            named(request, queue, durable ? Tenure.SHARED : Tenure.SHARED_VOLATILE, answer);
        } else if (durable) {
            String name = SubscriptionName.durable(container, request.linkName);
            named(request, new QueueSpec(name, true, false, false, request.terms.arguments()), Tenure.DURABLE, answer);
        } else
            if (request.wanted.getExpiryPolicy() == TerminusExpiryPolicy.NEVER || timeoutSeconds(request.wanted) > 0) {
                Map<String, Object> arguments = request.terms.arguments();
                if (request.wanted.getExpiryPolicy() != TerminusExpiryPolicy.NEVER) {
                    arguments.put(EXPIRES, timeoutSeconds(request.wanted) * 1_000);
                }
                String name = SubscriptionName.resumable(container, request.linkName);
                named(request, new QueueSpec(name, false, false, false, arguments), Tenure.NAMED, answer);
            } else {
                own(request, answer);
            }
    }

    private static long timeoutSeconds(Source wanted) {
        UnsignedInteger timeout = wanted.getTimeout();
        return timeout == null ? 0 : Math.min(timeout.longValue(), LONGEST_SECONDS);
    }

    // ---- known to this connection alone

    private void own(Request request, Answer<SourceNode> answer) {
        Own existing = own.get(request.linkName);
        boolean resumed = existing != null && existing.terms.equals(request.terms);
        if (existing != null && !resumed) {
            own.remove(request.linkName);
            client.deleteQueue(existing.queue.name(), false, false, On.nobody());
        }
        if (resumed) {
            declareOwn(request, existing.queue, answer);
        } else {
            begin(request, new QueueSpec("", false, true, false, request.terms.arguments()), answer,
                    queue -> declareOwn(request, queue, answer));
        }
    }

    private void declareOwn(Request request, QueueSpec queue, Answer<SourceNode> answer) {
        declare(request, queue, answer, name -> {
            SourceNode node = node(request, name, Tenure.OWN, 0);
            QueueSpec declared = new QueueSpec(name, false, true, false, queue.arguments());
            own.put(request.linkName, new Own(declared, request.terms, node.answer()));
            answer.done(node);
        });
    }

    // ---- found by name

    /** Continues the subscription of a queue's name, if its terms are the same; else that one ends and this one begins, empty. */
    private void named(Request request, QueueSpec wanted, Tenure tenure, Answer<SourceNode> answer) {
        client.describeQueue(wanted.name(), new On<>(
                found -> {
                    Terms terms = Terms.of(found.arguments());
                    if (terms.topic() == null) {
                        answer.refused(new TerminusError(
                                AmqpError.PRECONDITION_FAILED, "queue '" + found.name() + "' is no subscription's"));
                    } else if (terms.shared() != request.terms.shared()) {
                        answer.refused(new TerminusError(
                                AmqpError.NOT_ALLOWED,
                                "there is a subscription of this name that is " + (terms.shared() ? "" : "not ")
                                        + "shared"));
                    } else if (terms.equals(request.terms)) {
                        declareNamed(request, found, tenure, answer);
                    } else {
                        replace(request, wanted, tenure, answer);
                    }
                },
                missing -> beginNamed(request, wanted, tenure, answer)));
    }

    private void replace(Request request, QueueSpec wanted, Tenure tenure, Answer<SourceNode> answer) {
        client.deleteQueue(wanted.name(), true, false, new On<>(
                count -> beginNamed(request, wanted, tenure, answer),
                error -> {
                    if (error instanceof BrokerError.NotFound) {
                        beginNamed(request, wanted, tenure, answer);
                    } else if (error instanceof BrokerError.InUse) {
                        answer.refused(new TerminusError(
                                AmqpError.RESOURCE_LOCKED,
                                "the subscription is in use with another topic, selector or no-local"));
                    } else {
                        answer.refused(TerminusError.of(error));
                    }
                }));
    }

    private void beginNamed(Request request, QueueSpec queue, Tenure tenure, Answer<SourceNode> answer) {
        begin(request, queue, answer, configured -> declareNamed(request, configured, tenure, answer));
    }

    /** A queue that is not there yet gets what is configured for its topic. */
    private void begin(Request request, QueueSpec queue, Answer<?> answer, Consumer<QueueSpec> then) {
        newQueues.arguments(
                request.terms.topic(), queue.arguments(),
                Answer.passing(answer, arguments -> then.accept(new QueueSpec(
                        queue.name(), queue.durable(), queue.exclusive(), queue.autoDelete(), arguments))));
    }

    private void declareNamed(Request request, QueueSpec queue, Tenure tenure, Answer<SourceNode> answer) {
        declare(request, queue, answer, name -> answer.done(node(request, name, tenure, expirySeconds(queue))));
    }

    /**
     * Declares a queue and binds it. One that is there already is declared as it is: it may be about to go, and then is made again.
     * It is bound again, too, since its topic's exchange may be another than when it was made.
     */
    private void declare(Request request, QueueSpec queue, Answer<?> answer, Consumer<String> then) {
        client.declareBoundQueue(
                queue, request.bound.exchange, request.bound.key,
                On.success(answer, status -> then.accept(status.name())));
    }

    private static long expirySeconds(QueueSpec queue) {
        return queue.arguments().get(EXPIRES) instanceof Number millis ? millis.longValue() / 1_000 : 0;
    }

    // ---- answers

    private SourceNode node(Request request, String queue, Tenure tenure, long timeoutSeconds) {
        Source wanted = request.wanted;
        Source answer = new Source();
        answer.setAddress(wanted.getAddress());
        answer.setDistributionMode(COPY);
        answer.setFilter(request.filters.honoured(request.keyHonoured));
        boolean durable = tenure == Tenure.DURABLE || tenure == Tenure.SHARED;
        answer.setDurable(durable ? TerminusDurability.CONFIGURATION : TerminusDurability.NONE);
        answer.setExpiryPolicy(switch (tenure) {
            case DURABLE, SHARED, LOOKED_UP -> TerminusExpiryPolicy.NEVER;
            case NAMED -> timeoutSeconds > 0 ? TerminusExpiryPolicy.LINK_DETACH : TerminusExpiryPolicy.NEVER;
            case SHARED_VOLATILE -> TerminusExpiryPolicy.LINK_DETACH;
            case OWN, STANDING -> Termini.expiry(wanted);
        });
        answer.setTimeout(UnsignedInteger.valueOf(timeoutSeconds));
        answer.setCapabilities(capabilities(request));
        Outcomes.answer(wanted, answer);
        boolean alone = tenure == Tenure.DURABLE || tenure == Tenure.NAMED;
        return new SourceNode(request.linkName, queue, answer, false, false, alone, null, tenure, null);
    }

    private static Symbol[] capabilities(Request request) {
        List<Symbol> capabilities = new ArrayList<>();
        if (request.kind.isTopic()) {
            capabilities.add(request.kind.capability());
        }
        if (request.terms.shared()) {
            capabilities.add(SHARED);
        }
        if (request.global) {
            capabilities.add(GLOBAL);
        }
        return capabilities.isEmpty() ? null : capabilities.toArray(Symbol[]::new);
    }

    // ---- looking up

    /** The durable subscription that a link's name belongs to; refused with {@code amqp:not-found} if there is none. */
    void lookup(String linkName, Answer<SourceNode> answer) {
        lookup(linkName, container, linkName, answer, () -> {
            String name = SubscriptionName.ofShared(linkName);
            boolean global = SubscriptionName.saysGlobal(linkName);
            lookup(linkName, global ? null : container, name, answer,
                    () -> answer.refused(TerminusError.notFound("subscription", linkName)));
        });
    }

    private void lookup(String linkName, String scope, String name, Answer<SourceNode> answer, Runnable otherwise) {
        client.describeQueue(SubscriptionName.durable(scope, name), new On<>(
                found -> {
                    if (Terms.of(found.arguments()).topic() == null) {
                        otherwise.run();
                    } else {
                        answer.done(lookedUp(linkName, found, scope == null));
                    }
                },
                missing -> otherwise.run()));
    }

    private static SourceNode lookedUp(String linkName, QueueSpec queue, boolean global) {
        Terms terms = Terms.of(queue.arguments());
        Source answer = new Source();
        answer.setAddress(terms.topic());
        answer.setDistributionMode(COPY);
        answer.setDurable(TerminusDurability.CONFIGURATION);
        answer.setExpiryPolicy(TerminusExpiryPolicy.NEVER);
        Map<Symbol, Object> filter = new HashMap<>();
        if (terms.selector() != null) {
            filter.put(SELECTOR_KEY, new UnknownDescribedType(Filters.Kind.SELECTOR.code(), terms.selector()));
        }
        if (terms.noLocal() != null) {
            filter.put(NO_LOCAL_KEY, new UnknownDescribedType(Filters.Kind.NO_LOCAL.code(), List.of()));
        }
        answer.setFilter(filter.isEmpty() ? null : filter);
        List<Symbol> capabilities = new ArrayList<>(List.of(NodeKind.TOPIC.capability()));
        if (terms.shared()) {
            capabilities.add(SHARED);
        }
        if (global) {
            capabilities.add(GLOBAL);
        }
        answer.setCapabilities(capabilities.toArray(Symbol[]::new));
        return new SourceNode(
                linkName, queue.name(), answer, false, false, !terms.shared(), null, Tenure.LOOKED_UP, null);
    }

    // ---- the end

    /** A link has ended, its consumer before it; answers when what goes with it has gone. */
    void ended(SourceNode source, LinkEnd how, Answer<Void> answer) {
        boolean goes = switch (source.tenure()) {
            case STANDING -> false;
            case OWN -> isOwn(source) && how.ends(source.answer().getExpiryPolicy());
            case NAMED, DURABLE, SHARED, LOOKED_UP -> how == LinkEnd.CLOSED;
            case SHARED_VOLATILE -> true;
        };
        if (!goes) {
            answer.done(null);
            return;
        }
        if (source.tenure() == Tenure.OWN) {
            own.remove(source.linkName());
        }
        client.deleteQueue(source.queue(), true, false, new On<>(count -> answer.done(null), error -> {
            boolean othersMayUseIt = error instanceof BrokerError.InUse && source.tenure() != Tenure.LOOKED_UP;
            if (othersMayUseIt || error instanceof BrokerError.NotFound) {
                answer.done(null);
            } else {
                answer.refused(TerminusError.of(error));
            }
        }));
    }

    /** The queue of a subscription has gone before anything was consumed from it. */
    void lost(SourceNode source) {
        if (source.tenure() == Tenure.OWN && isOwn(source)) {
            own.remove(source.linkName());
        }
    }

    /** Whether the subscription is still that link's: another of its name may have resumed it, or begun anew. */
    private boolean isOwn(SourceNode source) {
        Own current = own.get(source.linkName());
        return current != null && current.holder == source.answer();
    }

    /** The connection ends: what is exclusive goes with the client. */
    void clear() {
        own.clear();
    }
}
