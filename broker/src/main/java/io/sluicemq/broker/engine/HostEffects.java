package io.sluicemq.broker.engine;

import io.sluicemq.api.Completion;
import io.sluicemq.api.Death;
import io.sluicemq.api.Message;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.journal.BadRecord;
import io.sluicemq.broker.journal.Journal;
import io.sluicemq.broker.journal.MessageRecord;
import io.sluicemq.broker.journal.TopologyRecord;
import io.sluicemq.broker.queue.Backlog;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.broker.queue.QueueEffects;
import io.sluicemq.broker.queue.SlowConsumer;
import io.sluicemq.store.ReadBatch;
import java.io.IOException;
import java.nio.ByteBuffer;

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
        context.firstInRoom(deadLetters::room);
    }

    /** The way that dead letters take into queues. */
    Entrance entrance() {
        return deadLetters.entrance();
    }

    @Override
    public void deadLetter(
            Queue queue, Message message, Death.Reason reason, long position, int share, Completion completion) {
        deadLetters.send(queue, message, reason, position, share, completion);
    }

    @Override
    public void removed(Queue queue) {
        context.tally.queues--;
        context.queues.remove(queue);
        context.housekeeping.stop(queue);
        if (queue.id() != 0) {
            context.queuesById.remove(queue.id());
        }
        if (queue.isLogged()) {
            context.journal().append(new TopologyRecord.QueueDeleted(queue.id()));
        }
        host.queueRemoved(context.loop, queue);
    }

    @Override
    public void settling(Completion completion) {
        context.witness(Witness.Command.SETTLE, completion);
    }

    @Override
    public boolean deadLettersWait(Queue queue) {
        return deadLetters.wait(queue);
    }

    @Override
    public int lettersWaiting(Queue queue) {
        return deadLetters.waiting(queue);
    }

    @Override
    public boolean lettersLetGo(Queue queue, long bytes) {
        return deadLetters.letGo(queue, queue.account(), bytes) > 0;
    }

    // ---- the log

    @Override
    public void unlog(Queue queue, long position, int share, Completion completion) {
        context.journal().removed(queue.id(), position, share, completion);
    }

    @Override
    public void unlogged(long position, int share, Completion completion) {
        context.journal().removedBefore(position, share, completion);
    }

    @Override
    public void discard(Queue queue, Backlog messages, boolean queueIsGone) {
        Discarding discarding = new Discarding(queue, messages, queueIsGone);
        discarding.run();
    }

    /** Takes many messages out of the log, a part of them a turn. */
    private final class Discarding implements Runnable {

        private static final int AT_ONCE = 32 * 1024;

        private final Queue queue;
        private final Backlog messages;
        private final boolean queueIsGone;
        private boolean later;

        Discarding(Queue queue, Backlog messages, boolean queueIsGone) {
            this.queue = queue;
            this.messages = messages;
            this.queueIsGone = queueIsGone;
        }

        @Override
        public void run() {
            for (int left = AT_ONCE; left > 0 && !messages.isEmpty(); left--) {
                long position = messages.firstPosition();
                if (position < 0) {
                    Message message = messages.firstMessage();
                    if (message.charge() != null) {
                        message.charge().left(context.loop);
                    }
                    released(message);
                } else if (messages.firstIsPaged()) {
                    unpage(position, messages.firstShare());
                } else if (queueIsGone) {
                    unlogged(position, messages.firstShare(), null);
                } else {
                    unlog(queue, position, messages.firstShare(), null);
                }
                messages.removeFirst();
            }
            if (!messages.isEmpty()) {
                if (!later) {
                    later = true;
                    context.discardingBegins();
                }
                context.loop.execute(this);
            } else if (later) {
                context.discardingEnds();
            }
        }
    }

    @Override
    public void deliveredFirst(Queue queue) {
        context.journal().beforeFlush(() -> {
            long upTo = queue.takeDelivered();
            if (!queue.isRemoved()) {
                context.journal().delivered(queue.id(), upTo);
            }
        });
    }

    @Override
    public void deliveryFailed(Queue queue, long position, int count) {
        context.journal().failed(queue.id(), position, count);
    }

    @Override
    public long page(Queue queue, Message message) {
        long position = context.journal().page(message, queue.id());
        return position >= 0 ? position : position == Journal.TOO_LONG ? TOO_LONG : NO_ROOM;
    }

    @Override
    public int pagedBytes() {
        return context.journal().lastShare();
    }

    @Override
    public void unpage(long position, int share) {
        context.journal().unpage(position, share);
    }

    @Override
    public void shrink(Queue queue) {
        context.pageOuts.add(queue);
    }

    @Override
    public void read(long[] positions, int count, Loaded batch) {
        context.journal().read(positions, count, new ReadBatch() {
            private IOException bad;
            private int good;

            @Override
            public void record(long position, int type, ByteBuffer payload) {
                if (bad != null) {
                    return;
                }
                context.tally.readBack++;
                context.tally.readBackBytes += payload.remaining();
                try {
                    batch.message(MessageRecord.decode(payload, host.formats()));
                    good++;
                } catch (BadRecord e) {
                    bad = e;
                }
            }

            @Override
            public void done(int records, IOException failure) {
                batch.done(good, bad == null ? failure : bad);
            }
        });
    }

    @Override
    public long residentBytes() {
        return context.residentBytes();
    }

    @Override
    public long keptBytes() {
        return context.keptBytes();
    }

    @Override
    public boolean memoryTight() {
        return context.memoryTight;
    }

    @Override
    public boolean memoryLow() {
        return context.memoryLow;
    }

    @Override
    public void indexBytes(long difference) {
        context.messageBytes(difference);
    }

    // ---- memory and counters

    @Override
    public void stored(Message message) {
        context.messageHeld(message.isShared() ? Message.ENTRY_BYTES : message.sizeBytes());
    }

    @Override
    public void notStored(Message message) {
        if (message.isShared() && message.releaseShare()) {
            context.messageLeft(message.sizeBytes());
        }
    }

    @Override
    public void released(Message message) {
        if (!message.isShared()) {
            context.messageLeft(message.sizeBytes());
            return;
        }
        context.messageLeft(Message.ENTRY_BYTES);
        if (message.releaseShare()) {
            context.messageLeft(message.sizeBytes());
        }
    }

    @Override
    public void underWay(long bytesBefore, long bytesNow) {
        context.messageBytes(
                bytesNow - bytesBefore, MemoryBudget.ofLarge(bytesNow) - MemoryBudget.ofLarge(bytesBefore));
    }

    @Override
    public void acknowledged() {
        context.tally.acknowledged++;
    }

    @Override
    public void delivered(boolean again) {
        context.tally.delivered++;
        if (again) {
            context.tally.redelivered++;
        }
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
    public void droppedByPolicy() {
        context.tally.droppedByPolicy++;
    }

    @Override
    public void droppedOldest() {
        context.tally.droppedByPolicy++;
        context.tally.cycled++;
    }

    @Override
    public void pagedOut(long bytes) {
        context.tally.pagedOut++;
        context.tally.pagedOutBytes += bytes;
    }

    @Override
    public void changed(int consumers, int ready, int unsettled) {
        context.tally.consumers += consumers;
        context.tally.readyMessages += ready;
        context.tally.unsettledMessages += unsettled;
    }

    @Override
    public void slow(SlowConsumer consumer, SlowConsumer.Action action) {
        context.tally.slowConsumers++;
        context.tally.slowConsumersFound++;
        context.slowConsumers().count(action);
        if (action == SlowConsumer.Action.CUT || action == SlowConsumer.Action.CUT_AND_KEEP) {
            context.tally.consumersCut++;
        }
        context.slowConsumers().slow(consumer, action);
    }

    @Override
    public void slowEnded(SlowConsumer consumer, SlowConsumer.End end) {
        context.tally.slowConsumers--;
        context.slowConsumers().ended(consumer, end);
    }

    @Override
    public void cycled(Queue queue, long messages, long bytes, long sinceMillis, long lackedMessages,
            long lackedBytes) {
        context.slowConsumers().cycled(queue, messages, bytes, sinceMillis, lackedMessages, lackedBytes);
    }

    @Override
    public void delayed(int difference) {
        context.tally.delayedMessages += difference;
    }
}
