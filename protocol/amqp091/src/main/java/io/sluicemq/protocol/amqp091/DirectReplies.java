package io.sluicemq.protocol.amqp091;

import io.sluicemq.api.Client;
import io.sluicemq.api.ConsumerSink;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.connection.WindowOwner;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp091.codec.ShortString;
import java.util.ArrayDeque;

/**
 * A channel's direct reply-to (RabbitMQ's extension): a consumer of the pseudo-queue that gets replies without a queue
 * between. Owned by the connection's loop.
 */
@LoopOwned
final class DirectReplies implements ConsumerSink, WindowOwner {

    /** The name to consume from and to put into reply-to; real reply addresses start with it. */
    static final String PSEUDO_QUEUE = "amq.rabbitmq.reply-to";

    private final Consuming consuming;
    private final ShortString tag;
    private final Client.ReplyAddress address;
    private boolean closed;
    /** What came while the client took no bytes; bounded by the broker. */
    private final ArrayDeque<Delivery> waiting = new ArrayDeque<>(0);

    private boolean roomAsked;
    private long owedBytes;

    DirectReplies(Consuming consuming, Client client, ShortString tag) {
        this.consuming = consuming;
        this.tag = tag;
        this.address = client.openReplyAddress(this);
    }

    /** Whether declaring a queue of this name asks for a reply address. */
    static boolean isReplyName(String queue) {
        return queue.startsWith(PSEUDO_QUEUE);
    }

    ShortString tag() {
        return tag;
    }

    /** What replies are sent to. */
    String address() {
        return address.name();
    }

    void close() {
        if (!closed) {
            closed = true;
            address.close();
        }
    }

    @Override
    public void deliver(Delivery delivery) {
        if (!closed) {
            waiting.add(delivery);
            deliverWaiting();
        }
    }

    private void deliverWaiting() {
        while (!closed && !waiting.isEmpty() && consuming.hasRoom()) {
            Delivery delivery = waiting.poll();
            boolean first = owedBytes == 0;
            owedBytes += delivery.windowBytes();
            consuming.deliverReply(tag, delivery, first ? this : null);
        }
        if (!closed && !waiting.isEmpty() && !roomAsked) {
            roomAsked = true;
            consuming.whenRoom(() -> {
                roomAsked = false;
                deliverWaiting();
            });
        }
    }

    @Override
    public void giveBack() {
        long bytes = owedBytes;
        owedBytes = 0;
        if (!closed) {
            address.written(bytes);
        }
    }

    @Override
    public void cancelled(String reason) {
        closed = true;
        consuming.repliesEnded();
    }

    @Override
    public void tooSlow(Cut cut) {
        throw new IllegalStateException("what comes too fast for it is dropped");
    }

    @Override
    public long sentBytes() {
        return 0;
    }

    @Override
    public void creditWanted() {
        throw new IllegalStateException("replies need no credit");
    }

    @Override
    public void creditReturned(int messages) {
        throw new IllegalStateException("replies need no credit");
    }
}
