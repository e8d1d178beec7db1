package io.sluicemq.broker.engine;

import io.sluicemq.api.Client.ReplyAddress;
import io.sluicemq.api.Completion;
import io.sluicemq.api.ConsumerSink;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Message;
import io.sluicemq.base.LoopOwned;

/**
 * An open address for replies: what comes goes straight to the client's sink. Owned by the client's loop. Bytes that have
 * not left for the socket are bounded for each client; replies beyond are dropped and counted.
 */
@LoopOwned
final class ReplyTarget implements ReplyAddress {

    /** Bytes of replies that may wait for one client's socket. */
    static final long WINDOW_BYTES = 16L << 20;

    private final LoopContext context;
    private final String name;
    private final ConsumerSink sink;
    private final ConnectedClient client;
    private long unwrittenBytes;

    private ReplyTarget(ConnectedClient client, LoopContext context, String name, ConsumerSink sink) {
        this.client = client;
        this.context = context;
        this.name = name;
        this.sink = sink;
    }

    static ReplyTarget open(ConnectedClient client, String secret, ConsumerSink sink) {
        LoopContext context = client.context();
        ReplyTarget target = new ReplyTarget(client, context, PREFIX + context.loop.index() + "." + secret, sink);
        context.replyTargets.put(target.name, target);
        context.tally.replyAddresses++;
        return target;
    }

    /** The loop that an address's name points to, or -1 if it is nobody's. */
    static int loopOf(String name, int loops) {
        int dot = name.indexOf('.', PREFIX.length());
        if (dot < 0 || dot - PREFIX.length() > 4) {
            return -1;
        }
        int index = 0;
        for (int i = PREFIX.length(); i < dot; i++) {
            int digit = name.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            index = index * 10 + digit;
        }
        return dot > PREFIX.length() && index < loops ? index : -1;
    }

    /** Hands a reply to whoever has the address open on this loop. */
    static void deliver(LoopContext context, Message message) {
        ReplyTarget target = context.replyTargets.get(message.routingKey());
        if (target == null || target.client.unwrittenReplyBytes() >= WINDOW_BYTES) {
            context.tally.droppedReplies++;
            return;
        }
        target.unwritten(message.sizeBytes());
        context.tally.delivered++;
        target.sink.deliver(new Settled(message));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void written(long bytes) {
        unwritten(-bytes);
    }

    private void unwritten(long differenceBytes) {
        unwrittenBytes += differenceBytes;
        client.unwrittenReplies(differenceBytes);
    }

    @Override
    public void close() {
        context.loop.assertCurrent();
        if (context.replyTargets.remove(name) != null) {
            context.tally.replyAddresses--;
            unwritten(-unwrittenBytes);
        }
    }

    private record Settled(Message message) implements Delivery {

        @Override
        public String queue() {
            return "";
        }

        @Override
        public long remaining() {
            return 0;
        }

        @Override
        public boolean redelivered() {
            return false;
        }

        @Override
        public int deliveryCount() {
            return 0;
        }

        @Override
        public boolean counted() {
            return false;
        }

        @Override
        public boolean settled() {
            return true;
        }

        @Override
        public int windowBytes() {
            return message.sizeBytes();
        }

        @Override
        public void settle(Outcome outcome, Completion completion) {
            throw new IllegalStateException("a reply is settled when it is sent");
        }
    }
}
