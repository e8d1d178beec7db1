package io.sluicemq.broker.engine;

import io.sluicemq.api.Broker.ClientSpec;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.Completion;
import io.sluicemq.api.Consumer;
import io.sluicemq.api.ConsumerSink;
import io.sluicemq.api.ConsumerSpec;
import io.sluicemq.api.CreditLine;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Message;
import io.sluicemq.api.Principal;
import io.sluicemq.api.Producer;
import io.sluicemq.api.Reply;
import io.sluicemq.api.Undeliverable;
import io.sluicemq.api.operate.ConnectionView;
import io.sluicemq.api.operate.Event;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.base.Quota;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.broker.queue.QueueConsumer;
import io.sluicemq.broker.queue.QueueOptions;
import io.sluicemq.broker.routing.Exchange;
import io.sluicemq.broker.routing.RoutingTable;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A client in a virtual host; owned by its connection's loop. */
@LoopOwned
final class ConnectedClient implements Client {

    private final ClientSpec spec;
    private final VirtualHost host;
    private final LoopContext context;
    private final BrokerEngine engine;
    private final RouteCache routeCache = new RouteCache();
    private Route found = Route.NOWHERE;
    private final Set<ConsumerPort> consumers = new HashSet<>();
    /** Queues that end with this client. */
    private final Set<QueueProxy> ownedQueues = new LinkedHashSet<>();

    private final Set<Credit> creditLines = new LinkedHashSet<>(0);
    private final Set<ReplyTarget> replyTargets = new HashSet<>();
    private final Entrance entrance;
    private final Publishes publishes;
    private final ProtocolTally protocol;
    private final long connectedMillis;
    /** Whether it is an operator's, who is there to do one thing: it does not count as a connection. */
    private final boolean operates;
    private final AccessChecks access;
    private boolean closed;
    private int openChannels;
    private boolean resourcesLow;
    private long heldBytes;
    private long unwrittenReplyBytes;

    ConnectedClient(ClientSpec spec, VirtualHost host, LoopContext context, BrokerEngine engine) {
        this.spec = spec;
        this.host = host;
        this.context = context;
        this.engine = engine;
        this.operates = spec.events() instanceof Acts.Act<?>;
        this.protocol = context.protocol(spec.protocol());
        this.connectedMillis = context.loop.currentTimeMillis();
        this.entrance = new Entrance(context, spec.name(), false);
        this.publishes = new Publishes(context, entrance);
        this.access = new AccessChecks(spec.user(), host, context, this);
    }

    @Override
    public Loop loop() {
        return context.loop;
    }

    @Override
    public String virtualHost() {
        return host.name();
    }

    LoopContext context() {
        return context;
    }

    /** By which its messages come into queues. */
    Entrance entrance() {
        return entrance;
    }

    VirtualHost host() {
        return host;
    }

    @Override
    public BrokerError openChannel() {
        Quota quota = spec.user().usage().channels();
        if (!quota.tryTake()) {
            return engine.limitReached(context, "channels", spec.user().name(), host.name(), quota.limit(), this);
        }
        openChannels++;
        context.tally.channels++;
        protocol.channels++;
        return null;
    }

    @Override
    public void channelsChanged(int difference) {
        context.tally.channels += difference;
        protocol.channels += difference;
        openChannels += difference;
        spec.user().usage().channels().give(-difference);
    }

    @Override
    public long maxMessageBytes() {
        return Math.min(spec.user().usage().messageBytes().get(), host.usage().messageBytes().get());
    }

    @Override
    public void tooLarge() {
        long ofUser = spec.user().usage().messageBytes().get();
        long ofHost = host.usage().messageBytes().get();
        context.tally.refusedByUserLimit++;
        context.limits.refused(
                "a message of more than the " + Math.min(ofUser, ofHost) + " bytes that '"
                        + (ofUser <= ofHost ? user() : host.name()) + "' may have, by " + this,
                context.loop.nanoTime());
    }

    /** @param shortage why publishers must wait; null if they need not */
    void resources(String shortage) {
        boolean low = shortage != null;
        if (closed || low == resourcesLow) {
            return;
        }
        resourcesLow = low;
        if (low) {
            spec.events().resourcesLow(shortage);
        } else {
            spec.events().resourcesRecovered();
        }
    }

    private <T> Relay<T> relay(Reply<T> reply) {
        context.loop.assertCurrent();
        return new Relay<>(context.loop, reply);
    }

    /** Fails the reply with a refusal, if it is one. */
    private static boolean refuses(BrokerError refusal, Reply<?> reply) {
        if (refusal != null) {
            reply.failed(refusal);
        }
        return refusal != null;
    }

    /**
     * What its user may do has perhaps changed: if they may not be here any more it ends.
     *
     * @return its consumers, which are to be looked at likewise; null if there are none
     */
    List<ConsumerPort> accessChanged() {
        if (closed) {
            return null;
        }
        if (!access.mayStay()) {
            spec.events().closeRequested(
                    "access to vhost '" + host.name() + "' refused for user '" + spec.user().name() + "'");
            return null;
        }
        return consumers.isEmpty() ? null : List.copyOf(consumers);
    }

    /** Why its user may not read from a queue; null if they may, or the client has gone. */
    BrokerError.AccessRefused readRefusal(String queue) {
        return closed ? null : access.read(queue);
    }

    // ---- topology

    @Override
    public void declareExchange(ExchangeSpec exchange, Reply<Void> reply) {
        if (refuses(access.declareExchange(exchange), reply)) {
            return;
        }
        Relay<Void> relay = relay(reply);
        host.change(context.loop, topology -> topology.declareExchange(exchange, relay));
    }

    @Override
    public void findExchange(String name, Reply<Void> reply) {
        context.loop.assertCurrent();
        if (host.table().exchange(name) == null) {
            reply.failed(host.noExchange(name));
        } else {
            reply.done(null);
        }
    }

    @Override
    public void describeExchange(String name, Reply<ExchangeSpec> reply) {
        context.loop.assertCurrent();
        Exchange<QueueProxy> exchange = host.table().exchange(name);
        if (exchange == null) {
            reply.failed(host.noExchange(name));
        } else {
            var spec = exchange.spec();
            reply.done(new ExchangeSpec(
                    name, spec.type().label(), spec.durable(), spec.autoDelete(), spec.internal(),
                    spec.arguments().asMap()));
        }
    }

    @Override
    public void deleteExchange(String name, boolean ifUnused, Reply<Void> reply) {
        if (refuses(access.deleteExchange(name), reply)) {
            return;
        }
        Relay<Void> relay = relay(reply);
        host.change(context.loop, topology -> topology.deleteExchange(name, ifUnused, relay));
    }

    @Override
    public void bind(BindingSpec binding, Reply<Void> reply) {
        if (refuses(access.bind(binding), reply)) {
            return;
        }
        Relay<Void> relay = relay(reply);
        host.change(context.loop, topology -> topology.bind(this, binding, relay));
    }

    @Override
    public void unbind(BindingSpec binding, Reply<Void> reply) {
        if (refuses(access.bind(binding), reply)) {
            return;
        }
        Relay<Void> relay = relay(reply);
        host.change(context.loop, topology -> topology.unbind(this, binding, relay));
    }

    @Override
    public void isBound(String exchange, String queue, String routingKey, Reply<Bound> reply) {
        context.loop.assertCurrent();
        reply.done(bound(host.table(), exchange, queue, routingKey));
    }

    private static Bound bound(
            RoutingTable<QueueProxy> table, String exchange, String queue, String routingKey) {
        if (table.exchange(exchange) == null) {
            return Bound.NO_EXCHANGE;
        }
        if (queue != null && table.queue(queue) == null) {
            return Bound.NO_QUEUE;
        }
        if (table.hasBinding(exchange, queue, routingKey)) {
            return Bound.YES;
        }
        if (queue == null) {
            return routingKey == null ? Bound.NO_BINDINGS : Bound.KEY_NOT_BOUND;
        }
        return routingKey == null ? Bound.QUEUE_NOT_BOUND : Bound.QUEUE_NOT_BOUND_WITH_KEY;
    }

    @Override
    public void declareQueue(QueueSpec queue, Reply<QueueStatus> reply) {
        declareQueue(queue, null, reply);
    }

    @Override
    public void declareBoundQueue(QueueSpec queue, String exchange, String routingKey, Reply<QueueStatus> reply) {
        declareQueue(queue, new Topology.BoundTo(exchange, routingKey), reply);
    }

    private void declareQueue(QueueSpec queue, Topology.BoundTo bound, Reply<QueueStatus> reply) {
        if (refuses(access.declareQueue(queue, bound), reply)) {
            return;
        }
        Relay<QueueStatus> relay = relay(reply);
        QueueOptions options;
        try {
            options = QueueOptions.parse(queue, host.name(), host.filters());
        } catch (QueueOptions.Invalid e) {
            // Of a queue that exists, what differs says more than what would be wrong with a new one.
            QueueProxy existing = host.table().queue(queue.name());
            BrokerError difference = existing == null
                    ? null
                    : QueueEquivalence.difference(existing.queue().spec(), queue, host.name());
            reply.failed(difference == null ? e.error() : difference);
            return;
        }
        host.change(context.loop, topology -> topology.declareQueue(this, queue, options, bound, relay));
    }

    /** A queue was made that ends with this client. */
    void owns(QueueProxy queue) {
        if (closed) {
            queue.run(context, queue.queue()::remove);
        } else {
            ownedQueues.add(queue);
        }
    }

    void ownsNoMore(QueueProxy queue) {
        ownedQueues.remove(queue);
    }

    /** The queue of that name, if it exists and is not locked; else fails the reply and returns null. */
    private QueueProxy usable(String name, Reply<?> reply) {
        context.loop.assertCurrent();
        QueueProxy proxy = host.table().queue(name);
        if (proxy == null) {
            reply.failed(host.noQueue(name));
            return null;
        }
        if (proxy.queue().lockedFor(this)) {
            reply.failed(new BrokerError.Locked(name, host.name()));
            return null;
        }
        return proxy;
    }

    @Override
    public void findQueue(String name, Reply<QueueStatus> reply) {
        QueueProxy proxy = usable(name, reply);
        if (proxy != null) {
            Relay<QueueStatus> relay = relay(reply);
            Runnable look = () -> {
                Queue queue = proxy.queue();
                queue.used();
                relay.answer(queue.loop(), queue.isRemoved() ? host.noQueue(name) : null, queue.status());
            };
            if (proxy.home() == context) {
                // Behind what others have sent to the queue by now: who has heard that they are done counts on finding it.
                context.loop.execute(look);
            } else {
                proxy.run(context, look);
            }
        }
    }

    @Override
    public void describeQueue(String name, Reply<QueueSpec> reply) {
        context.loop.assertCurrent();
        QueueProxy proxy = host.table().queue(name);
        if (proxy == null) {
            reply.failed(host.noQueue(name));
        } else {
            reply.done(proxy.queue().spec());
        }
    }

    @Override
    public Undeliverable undeliverable(String address) {
        return host.undeliverable(address);
    }

    @Override
    public void deleteQueue(String name, boolean ifUnused, boolean ifEmpty, Reply<Long> reply) {
        if (refuses(access.deleteQueue(name), reply)) {
            return;
        }
        QueueProxy proxy = usable(name, reply);
        if (proxy != null) {
            Relay<Long> relay = relay(reply);
            proxy.run(context, () -> {
                Queue queue = proxy.queue();
                long messages = queue.ready();
                BrokerError error = queue.removeIf(ifUnused, ifEmpty);
                if (error != null) {
                    relay.failed(queue.loop(), error);
                } else {
                    proxy.whenDurable(Witness.Command.DELETE,
                            () -> host.answerAfterRemoval(queue.loop(), relay, messages));
                }
            });
        }
    }

    @Override
    public void purgeQueue(String name, Reply<Long> reply) {
        if (refuses(access.read(name), reply)) {
            return;
        }
        QueueProxy proxy = usable(name, reply);
        if (proxy != null) {
            Relay<Long> relay = relay(reply);
            proxy.run(context, () -> {
                Queue queue = proxy.queue();
                if (queue.isRemoved()) {
                    relay.failed(queue.loop(), host.noQueue(name));
                } else {
                    long messages = queue.purge();
                    proxy.whenDurable(Witness.Command.PURGE, () -> relay.done(queue.loop(), messages));
                }
            });
        }
    }

    /** Stops a queue's deliveries, or has them go on. */
    void pauseQueue(String name, boolean paused, Reply<Void> reply) {
        QueueProxy proxy = usable(name, reply);
        if (proxy != null) {
            Relay<Void> relay = relay(reply);
            proxy.run(context, () -> {
                Queue queue = proxy.queue();
                queue.pauseDeliveries(paused);
                relay.answer(queue.loop(), queue.isRemoved() ? host.noQueue(name) : null, null);
            });
        }
    }

    // ---- publishing

    @Override
    public BrokerError publishRefusal(String exchange, String routingKey) {
        context.loop.assertCurrent();
        return access.publishTo(exchange, routingKey);
    }

    @Override
    public int checkExchange(String name) {
        Exchange<QueueProxy> exchange = host.table().exchange(name);
        if (exchange == null) {
            return NO_EXCHANGE;
        }
        return exchange.isInternal() ? INTERNAL_EXCHANGE : 0;
    }

    @Override
    public int publish(Message message, Completion completion, Producer producer) {
        assert context.loop.isCurrent();
        if (message.exchange().isEmpty() && message.routingKey().startsWith(ReplyAddress.PREFIX)) {
            spendsElsewhere(producer);
            return publishReply(message);
        }
        int reached = find(message);
        if (reached < 0) {
            spendsElsewhere(producer);
            return reached;
        }
        context.tally.published++;
        Route route = found;
        if (completion != null) {
            completion.countedBy(context.answers);
            host.witness(Witness.Command.PUBLISH, completion);
        }
        if (producer != null) {
            producer.reached(reached);
        }
        publishes.publish(message, route, host.exchangeAccount(message.exchange()), completion, producer);
        return reached;
    }

    private static void spendsElsewhere(Producer producer) {
        if (producer != null && producer.credit() instanceof Credit line) {
            line.spendElsewhere();
        }
    }

    @Override
    public CreditLine openCredit(String exchange, String routingKey, Producer producer, CreditLine.Sink sink) {
        context.loop.assertCurrent();
        if (producer.credit() != null) {
            throw new IllegalStateException(producer.description() + " has a credit line already");
        }
        Credit line = new Credit(this, exchange, routingKey, producer, sink);
        creditLines.add(line);
        producer.credit(line);
        return line;
    }

    void closed(Credit line) {
        creditLines.remove(line);
    }

    /** Routes a message, to where {@link #found} says; returns how many queues it reaches, or what is wrong. */
    int find(Message message) {
        int size = routeCache.find(host.table(), message, context, access);
        found = routeCache.route();
        if (size > 0 && found.isSelective()) {
            found = found.forMessage(message, spec.identity());
            return found.size();
        }
        return size;
    }

    /** Where messages like this one may go, whatever filters say of each. */
    Route routeFor(Message example) {
        return routeCache.find(host.table(), example, context, null) < 0 ? Route.NOWHERE : routeCache.route();
    }

    /** What {@link #find} has found. */
    Route found() {
        return found;
    }

    private int publishReply(Message message) {
        int index = ReplyTarget.loopOf(message.routingKey(), engine.loops());
        if (index < 0) {
            return 0;
        }
        context.tally.published++;
        LoopContext target = engine.context(index);
        if (target == context) {
            ReplyTarget.deliver(context, message);
        } else {
            context.owes(target, message.sizeBytes());
            context.loop.send(target.loop, () -> {
                target.took(context, message.sizeBytes());
                ReplyTarget.deliver(target, message);
            });
        }
        return 1;
    }

    @Override
    public boolean congested(Runnable resume) {
        return context.congested(resume);
    }

    @Override
    public void holds(long differenceBytes) {
        heldBytes += differenceBytes;
        context.messageBytes(differenceBytes);
    }

    @Override
    public long fairShareBytes() {
        return context.fairShareBytes();
    }

    @Override
    public Reservation reserve(long bytes, Runnable granted) {
        return engine.memory().reserve(context.loop, bytes, granted);
    }

    @Override
    public Transaction begin() {
        return new TransactionWork(this);
    }

    // ---- consuming

    @Override
    public void subscribe(ConsumerSpec consumerSpec, ConsumerSink sink, Reply<Consumer> reply) {
        if (refuses(access.read(consumerSpec.queue()), reply)) {
            return;
        }
        QueueProxy proxy = usable(consumerSpec.queue(), reply);
        if (proxy == null) {
            return;
        }
        Relay<Consumer> relay = relay(reply);
        QueueConsumer consumer = new QueueConsumer(consumerSpec, sink, context.loop, this);
        ConsumerPort port = new ConsumerPort(this, proxy, consumer, sink);
        consumers.add(port);
        protocol.consumers++;
        proxy.run(context, () -> {
            Queue queue = proxy.queue();
            BrokerError error = queue.subscribe(consumer);
            if (error != null) {
                queue.loop().send(context.loop, () -> {
                    forget(port);
                    relay.failed(context.loop, error);
                });
            } else {
                relay.done(queue.loop(), port);
                queue.startDeliveries(consumer);
            }
        });
    }

    boolean has(ConsumerPort port) {
        return consumers.contains(port);
    }

    void forget(ConsumerPort port) {
        if (consumers.remove(port)) {
            protocol.consumers--;
        }
    }

    @Override
    public void get(String name, boolean settled, Reply<Delivery> reply) {
        if (refuses(access.read(name), reply)) {
            return;
        }
        QueueProxy proxy = usable(name, reply);
        if (proxy == null) {
            return;
        }
        Relay<Delivery> relay = relay(reply);
        ConsumerSpec once = new ConsumerSpec(
                name, "", settled, false, false, 0, false, 0,
                operates ? Map.of(QueueConsumer.OPERATES, true) : Map.of());
        QueueConsumer taker = new QueueConsumer(once, new GetSink(reply), context.loop, this);
        proxy.run(context, () -> {
            Queue queue = proxy.queue();
            if (queue.isRemoved()) {
                relay.failed(queue.loop(), host.noQueue(name));
            } else {
                queue.get(taker, () -> relay.done(queue.loop(), null));
            }
        });
    }

    /** Where the one message of a get arrives. */
    private record GetSink(Reply<Delivery> reply) implements ConsumerSink {

        @Override
        public void deliver(Delivery delivery) {
            reply.done(delivery);
        }

        @Override
        public void cancelled(String reason) {
            throw new IllegalStateException("a get is no consumer");
        }

        @Override
        public void tooSlow(Cut cut) {
            throw new IllegalStateException("a get is no consumer");
        }

        @Override
        public long sentBytes() {
            return 0;
        }

        @Override
        public void creditWanted() {
            throw new IllegalStateException("a get needs no credit");
        }

        @Override
        public void creditReturned(int messages) {
            throw new IllegalStateException("a get needs no credit");
        }
    }

    @Override
    public ReplyAddress openReplyAddress(ConsumerSink sink) {
        context.loop.assertCurrent();
        ReplyTarget target = ReplyTarget.open(this, engine.newName(), sink);
        replyTargets.add(target);
        return target;
    }

    long unwrittenReplyBytes() {
        return unwrittenReplyBytes;
    }

    /** So many more bytes of replies (fewer, if negative) wait for the client's socket. */
    void unwrittenReplies(long differenceBytes) {
        long before = unwrittenReplyBytes;
        unwrittenReplyBytes += differenceBytes;
        context.messageBytes(
                differenceBytes, MemoryBudget.ofLarge(unwrittenReplyBytes) - MemoryBudget.ofLarge(before));
    }

    @Override
    public void findReplyAddress(String name, Reply<Boolean> reply) {
        Relay<Boolean> relay = relay(reply);
        int index = name.startsWith(ReplyAddress.PREFIX) ? ReplyTarget.loopOf(name, engine.loops()) : -1;
        if (index < 0) {
            reply.done(false);
            return;
        }
        LoopContext target = engine.context(index);
        context.loop.send(target.loop, () -> relay.done(target.loop, target.replyTargets.containsKey(name)));
    }

    // ---- the end

    @Override
    public void abandon() {
        context.loop.assertCurrent();
        List.copyOf(creditLines).forEach(Credit::close);
        int dropped = entrance.close();
        if (dropped > 0) {
            context.logDropped(this, dropped);
        }
    }

    @Override
    public void close(Reply<Void> reply) {
        context.loop.assertCurrent();
        if (closed) {
            throw new IllegalStateException("client " + spec.name() + " was closed twice");
        }
        closed = true;
        context.clients.remove(this);
        counted(-1, Event.Kind.CONNECTION_CLOSED, " has gone");
        holds(-heldBytes);
        abandon();
        replyTargets.forEach(ReplyTarget::close);
        Completion ended = new Completion(context.loop) {
            @Override
            protected void complete(BrokerError refusal) {
                gone(reply);
            }
        };
        Reply<Void> met = new Reply<>() {
            @Override
            public void done(Void result) {
                ended.met(context.loop);
            }

            @Override
            public void failed(BrokerError error) {
                ended.met(context.loop);
            }
        };
        for (ConsumerPort port : List.copyOf(consumers)) {
            ended.hold();
            port.cancel(met);
        }
        for (QueueProxy owned : List.copyOf(ownedQueues)) {
            ended.hold();
            Relay<Void> relay = new Relay<>(context.loop, met);
            owned.run(context, () -> {
                owned.queue().remove();
                host.answerAfterRemoval(owned.queue().loop(), relay, null);
            });
        }
        ended.handedOut();
    }

    /** Nothing is left of it: another may have its identity, and its place. */
    private void gone(Reply<Void> reply) {
        spec.user().usage().channels().give(openChannels);
        spec.user().usage().connections().give(1);
        host.usage().connections().give(1);
        if (spec.identity().isEmpty()) {
            reply.done(null);
        } else {
            host.releaseIdentity(context.loop, spec.identity(), relay(reply));
        }
    }

    // ---- for operators

    /** It is there. */
    void came() {
        counted(1, Event.Kind.CONNECTION_OPENED, " has come");
    }

    private void counted(int difference, Event.Kind kind, String words) {
        if (!operates) {
            context.tally.connections += difference;
            protocol.connections += difference;
            context.events.add(kind, host.name(), spec.name(), description() + words);
        }
    }

    /** Whether it is a connection of that name. */
    boolean isOf(String name) {
        return !operates && spec.name().equals(name);
    }

    void requestClose(String reason) {
        spec.events().closeRequested(reason);
    }

    /** The name of its user. */
    Principal principal() {
        return spec.user();
    }

    String user() {
        return spec.user().name();
    }

    /** What there is to know of it; null if it is an operator's. */
    ConnectionView view() {
        context.loop.assertCurrent();
        return operates
                ? null
                : new ConnectionView(
                        spec.name(), host.name(), user(), spec.protocol(), spec.product(), spec.identity(),
                        connectedMillis, context.loop.index(), consumers.size(), spec.events().details());
    }

    /** Who it is, for people. */
    String description() {
        return spec.name() + " (user " + spec.user().name() + ", " + spec.protocol()
                + (spec.product().isEmpty() ? "" : ", " + spec.product())
                + (spec.identity().isEmpty() ? "" : ", container " + spec.identity()) + ")";
    }

    @Override
    public String toString() {
        return spec.name();
    }
}
