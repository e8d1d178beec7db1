package io.sluicemq.protocol.amqp091;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.BrokerError.Kind;
import io.sluicemq.api.Client;
import io.sluicemq.api.Client.BindingSpec;
import io.sluicemq.api.Client.QueueStatus;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp091.codec.ChannelMethod;
import io.sluicemq.protocol.amqp091.codec.FrameEncoder;
import io.sluicemq.protocol.amqp091.codec.MethodId;
import io.sluicemq.protocol.amqp091.codec.ReplyCode;

/**
 * The methods of classes exchange and queue on one channel. Owned by the connection's loop.
 *
 * <p>Beside what the broker checks, these are AMQP 0-9-1's own rules: names that begin with {@code amq.} are for what
 * exists already, the default exchange is not touched, deleting what is not there is done.
 */
@LoopOwned
final class Topology {

    private static final String RESERVED_PREFIX = "amq.";
    private static final int BOUND_OK = 0;

    private final Channel channel;
    private final ConnectionSession connection;
    private String lastQueue = "";

    Topology(Channel channel, ConnectionSession connection) {
        this.channel = channel;
        this.connection = connection;
    }

    private Client client() {
        return connection.client();
    }

    /**
     * The queue that a method means: an empty name means the one declared last on this channel.
     *
     * @return null, with the channel closed, if there was none
     */
    String queueNamed(String name, int method) {
        if (!name.isEmpty()) {
            return name;
        }
        if (lastQueue.isEmpty()) {
            channel.fail(ReplyCode.NOT_FOUND, method, "no previously declared queue");
            return null;
        }
        return lastQueue;
    }

    // ---- exchanges

    void declareExchange(ChannelMethod.ExchangeDeclare method) {
        String name = method.exchange();
        if (refusesDefault(name, MethodId.EXCHANGE_DECLARE)) {
            return;
        }
        if (method.passive()) {
            client().findExchange(name, channel.request(MethodId.EXCHANGE_DECLARE, found -> exchangeDeclared(method)));
        } else if (name.startsWith(RESERVED_PREFIX)) {
            client().findExchange(
                    name,
                    channel.<Void>request(MethodId.EXCHANGE_DECLARE, found -> createExchange(method))
                            .orRefused(error -> refusesReserved(
                                    error, Kind.EXCHANGE, name, MethodId.EXCHANGE_DECLARE)));
        } else {
            createExchange(method);
        }
    }

    private void createExchange(ChannelMethod.ExchangeDeclare method) {
        Client.ExchangeSpec spec = new Client.ExchangeSpec(
                method.exchange(),
                method.type(),
                method.durable(),
                method.autoDelete(),
                method.internal(),
                method.arguments());
        client().declareExchange(spec, channel.request(MethodId.EXCHANGE_DECLARE, done -> exchangeDeclared(method)));
    }

    private void exchangeDeclared(ChannelMethod.ExchangeDeclare method) {
        if (!method.noWait()) {
            FrameEncoder.exchangeDeclareOk(connection.out(), channel.number());
        }
    }

    void deleteExchange(ChannelMethod.ExchangeDelete method) {
        String name = method.exchange();
        if (refusesDefault(name, MethodId.EXCHANGE_DELETE)) {
            return;
        }
        if (name.startsWith(RESERVED_PREFIX)) {
            refuse(MethodId.EXCHANGE_DELETE, "deletion of system " + named(Kind.EXCHANGE, name) + " not allowed");
            return;
        }
        client().deleteExchange(
                name,
                method.ifUnused(),
                channel.<Void>request(MethodId.EXCHANGE_DELETE, done -> exchangeDeleted(method))
                        .orRefused(error -> doneIfMissing(error, () -> exchangeDeleted(method))));
    }

    private void exchangeDeleted(ChannelMethod.ExchangeDelete method) {
        if (!method.noWait()) {
            FrameEncoder.exchangeDeleteOk(connection.out(), channel.number());
        }
    }

    void bindExchange(ChannelMethod.ExchangeBind method) {
        BindingSpec binding = new BindingSpec(
                method.source(), method.destination(), true, method.routingKey(), method.arguments());
        bind(binding, MethodId.EXCHANGE_BIND, () -> {
            if (!method.noWait()) {
                FrameEncoder.exchangeBindOk(connection.out(), channel.number());
            }
        });
    }

    void unbindExchange(ChannelMethod.ExchangeUnbind method) {
        BindingSpec binding = new BindingSpec(
                method.source(), method.destination(), true, method.routingKey(), method.arguments());
        unbind(binding, MethodId.EXCHANGE_UNBIND, () -> {
            if (!method.noWait()) {
                FrameEncoder.exchangeUnbindOk(connection.out(), channel.number());
            }
        });
    }

    void bound(ChannelMethod.ExchangeBound method) {
        client().isBound(
                method.exchange(),
                method.queue().isEmpty() ? null : method.queue(),
                method.routingKey().isEmpty() ? null : method.routingKey(),
                channel.request(MethodId.EXCHANGE_BOUND, answer -> bound(answer, method)));
    }

    private void bound(Client.Bound answer, ChannelMethod.ExchangeBound method) {
        int code = switch (answer) {
            case YES -> BOUND_OK;
            case NO_EXCHANGE -> 1;
            case NO_QUEUE -> 2;
            case NO_BINDINGS -> 3;
            case QUEUE_NOT_BOUND -> 4;
            case KEY_NOT_BOUND -> 5;
            case QUEUE_NOT_BOUND_WITH_KEY -> 6;
        };
        String text = switch (answer) {
            case YES -> "";
            case NO_EXCHANGE -> "no " + named(Kind.EXCHANGE, method.exchange());
            case NO_QUEUE -> "no " + named(Kind.QUEUE, method.queue());
            case NO_BINDINGS -> named(Kind.EXCHANGE, method.exchange()) + " has no bindings";
            case QUEUE_NOT_BOUND ->
                named(Kind.QUEUE, method.queue()) + " is not bound to exchange '" + method.exchange() + "'";
            case KEY_NOT_BOUND ->
                "no queue is bound to exchange '" + method.exchange() + "' with key '" + method.routingKey() + "'";
            case QUEUE_NOT_BOUND_WITH_KEY ->
                named(Kind.QUEUE, method.queue()) + " is not bound to exchange '" + method.exchange() + "' with key '"
                        + method.routingKey() + "'";
        };
        FrameEncoder.exchangeBoundOk(connection.out(), channel.number(), code, text);
    }

    // ---- queues

    void declareQueue(ChannelMethod.QueueDeclare method) {
        String name = method.queue();
        if (DirectReplies.isReplyName(name)) {
            findReplyAddress(method);
        } else if (method.passive()) {
            String queue = queueNamed(name, MethodId.QUEUE_DECLARE);
            if (queue != null) {
                client().findQueue(queue, channel.request(MethodId.QUEUE_DECLARE, status -> declared(status, method)));
            }
        } else if (name.startsWith(RESERVED_PREFIX)) {
            client().findQueue(
                    name,
                    channel.<QueueStatus>request(MethodId.QUEUE_DECLARE, found -> createQueue(method))
                            .orRefused(error -> refusesReserved(error, Kind.QUEUE, name, MethodId.QUEUE_DECLARE)));
        } else {
            createQueue(method);
        }
    }

    private void createQueue(ChannelMethod.QueueDeclare method) {
        // What Qpid JMS declares durable and exclusive is a durable subscription, which outlives the connection.
        boolean subscription = method.durable() && method.exclusive() && connection.peer().qpidJms();
        Client.QueueSpec spec = new Client.QueueSpec(
                method.queue(),
                method.durable(),
                method.exclusive() && !subscription,
                method.autoDelete(),
                method.arguments());
        client().declareQueue(spec, channel.request(MethodId.QUEUE_DECLARE, status -> declared(status, method)));
    }

    private void declared(QueueStatus status, ChannelMethod.QueueDeclare method) {
        lastQueue = status.name();
        if (!method.noWait()) {
            FrameEncoder.queueDeclareOk(
                    connection.out(), channel.number(), status.name(), status.readyMessages(), status.consumers());
        }
    }

    /** To declare a reply address is to ask whether somebody still waits there (RabbitMQ, direct reply-to). */
    private void findReplyAddress(ChannelMethod.QueueDeclare method) {
        String name = method.queue();
        if (name.equals(DirectReplies.PSEUDO_QUEUE)) {
            declared(new QueueStatus(name, 0, 1), method);
            return;
        }
        client().findReplyAddress(name, channel.request(MethodId.QUEUE_DECLARE, exists -> {
            if (exists) {
                declared(new QueueStatus(name, 0, 1), method);
            } else {
                channel.fail(ReplyCode.NOT_FOUND, MethodId.QUEUE_DECLARE, "no " + named(Kind.QUEUE, name));
            }
        }));
    }

    void bindQueue(ChannelMethod.QueueBind method) {
        String queue = queueNamed(method.queue(), MethodId.QUEUE_BIND);
        if (queue == null) {
            return;
        }
        String key = keyNamed(method.queue(), queue, method.routingKey());
        bind(new BindingSpec(method.exchange(), queue, false, key, method.arguments()), MethodId.QUEUE_BIND, () -> {
            if (!method.noWait()) {
                FrameEncoder.queueBindOk(connection.out(), channel.number());
            }
        });
    }

    void unbindQueue(ChannelMethod.QueueUnbind method) {
        String queue = queueNamed(method.queue(), MethodId.QUEUE_UNBIND);
        if (queue == null) {
            return;
        }
        String key = keyNamed(method.queue(), queue, method.routingKey());
        unbind(
                new BindingSpec(method.exchange(), queue, false, key, method.arguments()),
                MethodId.QUEUE_UNBIND,
                () -> FrameEncoder.queueUnbindOk(connection.out(), channel.number()));
    }

    /** Without a queue's name and a key, the key is the name of the queue meant (spec, queue.bind). */
    private static String keyNamed(String queueAsSent, String queue, String key) {
        return queueAsSent.isEmpty() && key.isEmpty() ? queue : key;
    }

    void purgeQueue(ChannelMethod.QueuePurge method) {
        String queue = queueNamed(method.queue(), MethodId.QUEUE_PURGE);
        if (queue == null) {
            return;
        }
        client().purgeQueue(queue, channel.request(MethodId.QUEUE_PURGE, count -> {
            if (!method.noWait()) {
                FrameEncoder.queuePurgeOk(connection.out(), channel.number(), count);
            }
        }));
    }

    void deleteQueue(ChannelMethod.QueueDelete method) {
        String queue = queueNamed(method.queue(), MethodId.QUEUE_DELETE);
        if (queue == null) {
            return;
        }
        client().deleteQueue(
                queue,
                method.ifUnused(),
                method.ifEmpty(),
                channel.<Long>request(MethodId.QUEUE_DELETE, count -> queueDeleted(count, method))
                        .orRefused(error -> doneIfMissing(error, () -> queueDeleted(0, method))));
    }

    private void queueDeleted(long count, ChannelMethod.QueueDelete method) {
        if (!method.noWait()) {
            FrameEncoder.queueDeleteOk(connection.out(), channel.number(), count);
        }
    }

    // ---- common

    private void bind(BindingSpec binding, int method, Runnable done) {
        if (!refusesDefault(binding, method)) {
            client().bind(binding, channel.request(method, bound -> done.run()));
        }
    }

    private void unbind(BindingSpec binding, int method, Runnable done) {
        if (!refusesDefault(binding, method)) {
            client().unbind(
                    binding,
                    channel.<Void>request(method, unbound -> done.run())
                            .orRefused(error -> doneIfMissing(error, done)));
        }
    }

    private boolean refusesDefault(BindingSpec binding, int method) {
        return refusesDefault(binding.source(), method)
                || binding.toExchange() && refusesDefault(binding.destination(), method);
    }

    private boolean refusesDefault(String exchange, int method) {
        if (exchange.isEmpty()) {
            refuse(method, "operation not permitted on the default exchange");
        }
        return exchange.isEmpty();
    }

    private boolean refusesReserved(BrokerError error, Kind kind, String name, int method) {
        if (error instanceof BrokerError.NotFound) {
            refuse(method, kind.word() + " name '" + name + "' contains reserved prefix 'amq.*'");
            return true;
        }
        return false;
    }

    private static boolean doneIfMissing(BrokerError error, Runnable done) {
        if (error instanceof BrokerError.NotFound) {
            done.run();
            return true;
        }
        return false;
    }

    private void refuse(int method, String text) {
        channel.fail(ReplyCode.ACCESS_REFUSED, method, text);
    }

    private String named(Kind kind, String name) {
        return BrokerFaults.named(kind, name, connection.virtualHost());
    }
}
