package io.sluicemq.protocol.amqp091;

import io.sluicemq.api.Consumer;
import io.sluicemq.api.ConsumerSink;
import io.sluicemq.api.ConsumerSpec;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Message;
import io.sluicemq.api.connection.WindowOwner;
import io.sluicemq.base.LogEvent;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp091.codec.ChannelMethod;
import io.sluicemq.protocol.amqp091.codec.FrameEncoder;
import io.sluicemq.protocol.amqp091.codec.MethodId;
import io.sluicemq.protocol.amqp091.codec.ReplyCode;
import io.sluicemq.protocol.amqp091.codec.ShortString;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The consuming side of a channel: its consumers, what they have been sent and not settled, basic.get, qos and the
 * client's flow. Owned by the connection's loop.
 *
 * <p>Invariant: every delivery that came and was not settled when it came is unacked, in the gate, taken by the
 * transaction, or on its way back to its queue.
 */
@LoopOwned
final class Consuming {

    private final Channel channel;
    private final ConnectionSession connection;
    private final Map<String, ChannelConsumer> consumers = new LinkedHashMap<>(0);
    private final DeliveryGate gate = new DeliveryGate(consumers.values(), new GateOutput());
    private final UnackedDeliveries unacked = new UnackedDeliveries();
    private final UnackedDeliveries.Visitor accept =
            (tag, delivery, consumer) -> settle(delivery, consumer, Outcome.ACCEPTED);
    private final UnackedDeliveries.Visitor reject =
            (tag, delivery, consumer) -> settle(delivery, consumer, Outcome.REJECTED);
    private final UnackedDeliveries.Visitor requeue =
            (tag, delivery, consumer) -> settle(delivery, consumer, Outcome.REQUEUED);
    private final UnackedDeliveries.Visitor take = this::take;
    private final UnackedDeliveries.Visitor resend = this::resend;
    private DirectReplies replies;
    private int prefetch;
    private long lastDeliveryTag;
    private long lastConsumerNumber;
    /** Of deliveries up to this tag some were taken back from a consumer that was cut, whose client may not know that yet. */
    private long takenBackUpTo;

    Consuming(Channel channel, ConnectionSession connection) {
        this.channel = channel;
        this.connection = connection;
    }

    /** Whether there is no consumer and nothing to settle. */
    boolean idle() {
        return consumers.isEmpty() && replies == null && unacked.size() == 0;
    }

    /** How many consumers it has. */
    int consumers() {
        return consumers.size();
    }

    /** How many deliveries the client has not settled. */
    int unsettled() {
        return unacked.size();
    }

    /** How many a new consumer may hold unsettled; 0 for no limit. */
    int prefetch() {
        return prefetch;
    }

    /** How many all of its consumers may hold together; 0 for no limit. */
    int sharedPrefetch() {
        return gate.limit();
    }

    // ---- consumers

    void consume(ChannelMethod.BasicConsume method, String queue) {
        String tag = method.consumerTag();
        if (consumers.containsKey(tag) || replies != null && replies.tag().value().equals(tag)) {
            failConnection(MethodId.BASIC_CONSUME, "attempt to reuse consumer tag '" + tag + "'");
            return;
        }
        int limit = connection.options().maxConsumersPerChannel();
        if (consumers.size() >= limit) {
            failConnection(MethodId.BASIC_CONSUME, "reached maximum (" + limit + ") of consumers per channel");
            return;
        }
        ShortString name = ShortString.of(tag.isEmpty() ? generatedTag() : tag);
        if (queue.equals(DirectReplies.PSEUDO_QUEUE)) {
            consumeReplies(method, name);
        } else {
            subscribe(method, queue, name);
        }
    }

    private String generatedTag() {
        String tag;
        do {
            tag = "amq.ctag-" + channel.number() + "." + ++lastConsumerNumber;
        } while (consumers.containsKey(tag));
        return tag;
    }

    private void consumeReplies(ChannelMethod.BasicConsume method, ShortString tag) {
        if (!method.noAck()) {
            precondition(MethodId.BASIC_CONSUME, "reply consumer cannot acknowledge");
        } else if (replies != null) {
            precondition(MethodId.BASIC_CONSUME, "reply consumer already set");
        } else {
            replies = new DirectReplies(this, connection.client(), tag);
            if (!method.noWait()) {
                FrameEncoder.basicConsumeOk(connection.out(), channel.number(), tag.value());
            }
        }
    }

    private void subscribe(ChannelMethod.BasicConsume method, String queue, ShortString tag) {
        ConsumerArguments arguments;
        try {
            arguments = ConsumerArguments.of(method.arguments());
        } catch (ConsumerArguments.Refused e) {
            channel.fail(e.code(), MethodId.BASIC_CONSUME, e.getMessage());
            return;
        }
        boolean settled = method.noAck();
        ChannelConsumer consumer =
                new ChannelConsumer(this, tag, !settled && (gate.limited() || connection.peer().qpidJms()));
        ConsumerSpec spec = new ConsumerSpec(
                queue,
                tag.value(),
                settled,
                method.exclusive(),
                method.noLocal() || arguments.noLocal(),
                settled ? 0 : prefetch,
                consumer.sharedCredit(),
                arguments.priority(),
                method.arguments());
        consumers.put(tag.value(), consumer);
        connection
                .client()
                .subscribe(
                        spec,
                        consumer,
                        channel.<Consumer>request(
                                MethodId.BASIC_CONSUME, handle -> subscribed(consumer, handle, method.noWait()))
                                .orRefused(error -> {
                                    consumers.remove(tag.value());
                                    return false;
                                })
                                .orLate(handle -> {
                                    consumer.started(handle);
                                    cancelAtRelease(consumer);
                                }));
    }

    private void subscribed(ChannelConsumer consumer, Consumer handle, boolean noWait) {
        consumer.started(handle);
        if (!noWait) {
            FrameEncoder.basicConsumeOk(
                    connection.out(), channel.number(), consumer.tag().value());
        }
        gate.regulate();
    }

    void cancel(ChannelMethod.BasicCancel method) {
        String tag = method.consumerTag();
        ChannelConsumer consumer = consumers.get(tag);
        if (consumer != null) {
            consumer.handle()
                    .cancel(channel.<Void>request(MethodId.BASIC_CANCEL, done -> {
                        end(consumer);
                        cancelOk(method);
                    }));
            return;
        }
        if (replies != null && replies.tag().value().equals(tag)) {
            endReplies();
        }
        cancelOk(method);
    }

    private void cancelOk(ChannelMethod.BasicCancel method) {
        if (!method.noWait()) {
            FrameEncoder.basicCancelOk(connection.out(), channel.number(), method.consumerTag());
        }
    }

    /** The broker has ended a consumer (RabbitMQ's consumer cancel notification). */
    void cancelled(ChannelConsumer consumer, String reason) {
        if (consumer.ended()) {
            return;
        }
        end(consumer);
        if (channel.open()) {
            notifyCancelled(consumer.tag());
        }
    }

    /**
     * The broker wants a consumer ended that is too slow: alone, if that is to be and the client can be told so, else with its channel.
     * What it holds returns to the queue, so the client may still settle what is not there any more.
     */
    void tooSlow(ChannelConsumer consumer, ConsumerSink.Cut cut) {
        if (consumer.ended() || !channel.open()) {
            return;
        }
        if (cut == ConsumerSink.Cut.CHANNEL || !connection.peer().can("consumer_cancel_notify")) {
            channel.closeForSlowConsumer();
            return;
        }
        connection.log().line(LogEvent.CONSUMER_CANCELLED,
                "consumer '{}' of channel {} is cancelled: {}", consumer.tag(), channel.number(),
                ConsumerSink.TOO_SLOW);
        end(consumer);
        notifyCancelled(consumer.tag());
        cancelAtRelease(consumer);
        takenBackUpTo = lastDeliveryTag;
        unacked.takeOf(consumer, requeue);
        gate.regulate();
    }

    /** Grows while bytes of large messages leave for the socket. */
    long sentBytes() {
        return connection.sentBytes();
    }

    private void end(ChannelConsumer consumer) {
        consumer.end();
        consumers.remove(consumer.tag().value(), consumer);
        gate.ended(consumer, connection);
    }

    private void notifyCancelled(ShortString tag) {
        if (connection.peer().can("consumer_cancel_notify")) {
            FrameEncoder.basicCancel(connection.out(), channel.number(), tag.value());
        }
    }

    // ---- direct replies

    /** Where replies to this channel go; null if it has no consumer of replies. */
    String replyAddress() {
        return replies == null ? null : replies.address();
    }

    private void endReplies() {
        replies.close();
        replies = null;
    }

    void repliesEnded() {
        if (replies != null) {
            ShortString tag = replies.tag();
            replies = null;
            if (channel.open()) {
                notifyCancelled(tag);
            }
        }
    }

    /** @param newlyOwing whom to give its window back to; null if that is already to come */
    void deliverReply(ShortString tag, Delivery delivery, WindowOwner newlyOwing) {
        if (channel.open()) {
            if (newlyOwing != null) {
                connection.owes(newlyOwing);
            }
            send(tag, null, delivery);
        }
    }

    // ---- qos, flow

    void qos(ChannelMethod.BasicQos method) {
        if (method.prefetchSize() != 0) {
            channel.failConnection(
                    ReplyCode.NOT_IMPLEMENTED,
                    MethodId.BASIC_QOS,
                    "prefetch_size!=0 (" + method.prefetchSize() + ")");
            return;
        }
        if (method.global() || connection.peer().qpidJms()) {
            gate.limit(method.prefetchCount());
        } else {
            prefetch = method.prefetchCount();
        }
        FrameEncoder.basicQosOk(connection.out(), channel.number());
    }

    void flow(boolean active) {
        FrameEncoder.channelFlowOk(connection.out(), channel.number(), active);
        gate.flow(active);
    }

    void creditWanted(ChannelConsumer consumer) {
        if (channel.open()) {
            gate.creditWanted(consumer);
        }
    }

    void creditReturned(ChannelConsumer consumer, int messages) {
        if (channel.open()) {
            gate.creditReturned(consumer, messages);
        }
    }

    // ---- deliveries

    void deliver(ChannelConsumer consumer, Delivery delivery) {
        if (channel.open() && !consumer.ended()) {
            gate.offer(consumer, delivery);
        } else if (!delivery.settled()) {
            connection.settleLater(delivery, Outcome.RELEASED);
        }
    }

    boolean hasRoom() {
        return connection.hasRoom();
    }

    void whenRoom(Runnable resume) {
        connection.whenRoom(resume);
    }

    private final class GateOutput implements DeliveryGate.Output {

        @Override
        public void write(ChannelConsumer consumer, Delivery delivery) {
            Consuming.this.write(consumer, delivery);
        }

        @Override
        public boolean hasRoom() {
            return connection.hasRoom();
        }

        @Override
        public void whenRoom(Runnable resume) {
            connection.whenRoom(resume);
        }
    }

    private void write(ChannelConsumer consumer, Delivery delivery) {
        if (consumer.owe(delivery.windowBytes())) {
            connection.owes(consumer);
        }
        send(consumer.tag(), consumer, delivery);
    }

    private void send(ShortString tag, ChannelConsumer consumer, Delivery delivery) {
        Message message = delivery.message();
        ForeignContent converted = converted(delivery);
        byte[] header = converted == null ? DeliveryHeaders.of(delivery) : converted.header();
        if (undeliverable(header, delivery)) {
            // Nothing was written, but what the queue has set aside for it is given back after this turn all the same.
            connection.out();
            return;
        }
        long deliveryTag = ++lastDeliveryTag;
        if (!delivery.settled()) {
            unacked.add(deliveryTag, delivery, consumer);
            if (consumer != null) {
                gate.sent();
            }
        }
        FrameEncoder.basicDeliver(
                connection.out(),
                channel.number(),
                tag,
                deliveryTag,
                delivery.redelivered(),
                connection.strings().of(message.exchange()),
                connection.strings().of(routingKey(message, converted)));
        writeContent(header, message, converted);
    }

    /** The message in our form if it is one of another protocol; else null. */
    private ForeignContent converted(Delivery delivery) {
        return delivery.message().format() == Amqp091Format.INSTANCE
                ? null
                : ForeignContent.of(delivery, connection.peer().qpidJms());
    }

    private static String routingKey(Message message, ForeignContent converted) {
        return converted == null ? message.routingKey() : ForeignContent.shortened(message.routingKey());
    }

    private void writeContent(byte[] header, Message message, ForeignContent converted) {
        if (converted == null) {
            ContentWriter.write(connection, channel.number(), header, message.body());
        } else {
            converted.write(connection, channel.number());
        }
    }

    /** A header frame cannot be split, so a message whose header is too large for this client is set aside. */
    private boolean undeliverable(byte[] header, Delivery delivery) {
        int length = ContentWriter.headerFrameLength(header);
        if (length <= connection.frameMax()) {
            return false;
        }
        connection.log().line(LogEvent.MESSAGE_UNDELIVERABLE,
                "a message of queue '{}' cannot be delivered: its header frame of {} bytes exceeds the frame-max of {}",
                delivery.queue(),
                length,
                connection.frameMax());
        if (!delivery.settled()) {
            connection.settleLater(delivery, Outcome.UNDELIVERABLE);
        }
        return true;
    }

    void get(ChannelMethod.BasicGet method, String queue) {
        connection
                .client()
                .get(
                        queue,
                        method.noAck(),
                        channel.<Delivery>request(MethodId.BASIC_GET, this::got).orLate(delivery -> {
                            if (delivery != null && !delivery.settled()) {
                                delivery.settle(Outcome.RELEASED);
                            }
                        }));
    }

    private void got(Delivery delivery) {
        if (delivery == null) {
            FrameEncoder.basicGetEmpty(connection.out(), channel.number());
            return;
        }
        ForeignContent converted = converted(delivery);
        byte[] header = converted == null ? DeliveryHeaders.of(delivery) : converted.header();
        if (undeliverable(header, delivery)) {
            FrameEncoder.basicGetEmpty(connection.out(), channel.number());
            return;
        }
        Message message = delivery.message();
        long deliveryTag = ++lastDeliveryTag;
        if (!delivery.settled()) {
            unacked.add(deliveryTag, delivery, null);
        }
        FrameEncoder.basicGetOk(
                connection.out(),
                channel.number(),
                deliveryTag,
                delivery.redelivered(),
                connection.strings().of(message.exchange()),
                connection.strings().of(routingKey(message, converted)),
                delivery.remaining());
        writeContent(header, message, converted);
        connection.answeredAtLength();
    }

    // ---- settlements

    void ack(long deliveryTag, boolean multiple) {
        settle(MethodId.BASIC_ACK, deliveryTag, multiple, Outcome.ACCEPTED);
    }

    void nack(long deliveryTag, boolean multiple, boolean requeues) {
        settle(MethodId.BASIC_NACK, deliveryTag, multiple, requeues ? Outcome.REQUEUED : Outcome.REJECTED);
    }

    void reject(long deliveryTag, boolean requeues) {
        settle(MethodId.BASIC_REJECT, deliveryTag, false, requeues ? Outcome.REQUEUED : Outcome.REJECTED);
    }

    private void settle(int method, long deliveryTag, boolean multiple, Outcome outcome) {
        boolean all = multiple && deliveryTag == 0;
        if (!all && !unacked.contains(deliveryTag)) {
            if (deliveryTag <= 0 || deliveryTag > takenBackUpTo) {
                precondition(method, "unknown delivery tag " + Long.toUnsignedString(deliveryTag));
                return;
            }
            if (!multiple) {
                return;
            }
        }
        ChannelTransaction transaction = transactionFor(outcome);
        UnackedDeliveries.Visitor visitor = transaction != null ? take : visitor(outcome);
        if (!multiple) {
            unacked.take(deliveryTag, visitor);
        } else {
            unacked.takeUpTo(all ? lastDeliveryTag : deliveryTag, visitor);
        }
        if (transaction != null) {
            transaction.settle(outcome);
        } else {
            gate.regulateAfterSettling();
        }
    }

    /** Qpid JMS refuses what it has got ahead before it rolls back, and wants that to be done at once and to stay done. */
    private ChannelTransaction transactionFor(Outcome outcome) {
        return outcome != Outcome.ACCEPTED && connection.peer().qpidJms() ? null : channel.transaction();
    }

    private UnackedDeliveries.Visitor visitor(Outcome outcome) {
        return switch (outcome) {
            case ACCEPTED -> accept;
            case REJECTED -> reject;
            case REQUEUED -> requeue;
            case RELEASED, RETURNED, UNDELIVERABLE, REQUEUED_ELSEWHERE, RELEASED_ELSEWHERE, RETURNED_ELSEWHERE ->
                throw new IllegalArgumentException("no client settles so");
        };
    }

    private void settle(Delivery delivery, ChannelConsumer consumer, Outcome outcome) {
        if (consumer != null) {
            gate.settled();
        }
        delivery.settle(outcome);
    }

    private void take(long tag, Delivery delivery, ChannelConsumer consumer) {
        channel.transaction().take(tag, delivery, consumer);
    }

    /** A commit is done: its settlements no longer count. */
    void committed(ChannelTransaction transaction) {
        transaction.settlementsDone(gate);
        gate.regulate();
    }

    /**
     * A rollback: what was settled in the transaction waits for the client again (RabbitMQ). Qpid JMS, which settles only to
     * commit, expects it to be delivered again.
     */
    void rolledBack(ChannelTransaction transaction) {
        UnackedDeliveries taken = transaction.rollback();
        if (connection.peer().qpidJms()) {
            taken.takeUpTo(lastDeliveryTag, requeue);
            gate.regulateAfterSettling();
        } else {
            unacked.putBack(taken);
        }
    }

    /**
     * basic.recover: all unsettled deliveries return to their queues, to be delivered to whomever, or are sent once more to
     * the consumer that had them.
     */
    void recover(int method, boolean requeues) {
        if (method == MethodId.BASIC_RECOVER) {
            FrameEncoder.basicRecoverOk(connection.out(), channel.number());
        }
        unacked.takeUpTo(lastDeliveryTag, requeues ? requeue : resend);
        gate.regulate();
    }

    private void resend(long tag, Delivery delivery, ChannelConsumer consumer) {
        if (consumer == null || consumer.ended()) {
            settle(delivery, consumer, Outcome.REQUEUED);
        } else {
            gate.settled();
            gate.offerAgain(consumer, ResentDelivery.of(delivery));
        }
    }

    // ---- ends

    /**
     * The channel closes: consumers end, and what they hold returns to its place in its queue, the oldest first, since others
     * may get it at once.
     */
    void release(ChannelTransaction transaction) {
        for (ChannelConsumer consumer : consumers.values()) {
            consumer.end();
            if (consumer.handle() != null) {
                cancelAtRelease(consumer);
            }
        }
        consumers.clear();
        if (replies != null) {
            endReplies();
        }
        requeueAll(transaction);
        gate.release(connection);
    }

    /** Returns all unsettled deliveries to their queues, those that the transaction had settled with them. */
    void requeueAll(ChannelTransaction transaction) {
        if (transaction != null) {
            unacked.putBack(transaction.takeBack());
        }
        unacked.takeUpTo(lastDeliveryTag, requeue);
    }

    private void cancelAtRelease(ChannelConsumer consumer) {
        consumer.end();
        consumer.handle().cancel(channel.<Void>request(MethodId.BASIC_CANCEL, done -> {}));
    }

    private void failConnection(int method, String text) {
        channel.failConnection(ReplyCode.NOT_ALLOWED, method, text);
    }

    private void precondition(int method, String text) {
        channel.fail(ReplyCode.PRECONDITION_FAILED, method, text);
    }
}
