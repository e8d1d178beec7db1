package io.sluicemq.broker.engine;

import io.sluicemq.api.Death;
import io.sluicemq.api.Message;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.broker.queue.QueueEffects;

/** What the queues of one virtual host on one loop have done for them. */
@LoopOwned
final class HostEffects implements QueueEffects {

    private final VirtualHost host;
    private final LoopContext context;
    private final DeadLetters deadLetters;

    HostEffects(VirtualHost host, LoopContext context) {
        this.host = host;
        this.context = context;
        this.deadLetters = new DeadLetters(host, context);
    }

    @Override
    public void deadLetter(Queue queue, Message message, Death.Reason reason) {
        deadLetters.send(queue, message, reason);
    }

    @Override
    public void removed(Queue queue) {
        context.tally.queues--;
        context.queues.remove(queue);
        host.queueRemoved(context.loop, queue);
    }

    @Override
    public void stored(Message message) {
        context.messageBytes(message.isShared() ? Message.ENTRY_BYTES : message.sizeBytes());
    }

    @Override
    public void notStored(Message message) {
        if (message.isShared() && message.releaseShare()) {
            context.messageBytes(-message.sizeBytes());
        }
    }

    @Override
    public void released(Message message) {
        long bytes = message.isShared() ? Message.ENTRY_BYTES : message.sizeBytes();
        if (message.isShared() && message.releaseShare()) {
            bytes += message.sizeBytes();
        }
        context.messageBytes(-bytes);
    }

    @Override
    public void underWay(long differenceBytes) {
        context.messageBytes(differenceBytes);
    }

    @Override
    public void delivered() {
        context.tally.delivered++;
    }

    @Override
    public void dropped(Death.Reason reason) {
        switch (reason) {
            case MAX_LENGTH -> context.tally.droppedByLimit++;
            case EXPIRED -> context.tally.droppedByExpiry++;
            case REJECTED, DELIVERY_LIMIT -> context.tally.droppedByRejection++;
        }
    }

    @Override
    public void changed(int consumers, int ready, int unsettled) {
        context.tally.consumers += consumers;
        context.tally.readyMessages += ready;
        context.tally.unsettledMessages += unsettled;
    }
}
