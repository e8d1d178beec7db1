package io.sluicemq.broker.queue;

import io.sluicemq.api.Completion;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Message;
import io.sluicemq.base.Loop;

/**
 * One message in one queue. It belongs to the queue's loop while it is ready. When it is delivered it travels to the
 * consumer's loop, belongs to that until it is settled, and travels back; it is itself the item in both batches, so neither
 * way allocates.
 */
public final class QueueEntry implements Delivery, Runnable {

    /** {@link #expiresAtMillis}: it does not expire. */
    static final long NEVER = Delivery.NEVER;

    /** {@link #position}: it is in memory only. */
    static final long NOT_LOGGED = -1;

    private static final int READY = 0;
    private static final int DELIVERING = 1;
    private static final int DELIVERED = 2;
    private static final int SETTLING = 3;
    private static final int GONE = 4;

    final Queue queue;
    final Message message;
    /** The order of arrival in the queue, which is also its place when it returns. */
    final long sequence;
    /** When it expires, in milliseconds since 1970, or {@link #NEVER}. */
    final long expiresAtMillis;
    /** Its absolute place in the ring of {@link ReadyMessages}, while it is there. */
    long slot;
    /** Whether it stands in the ring, rather than among the returned ones. */
    boolean inRing;
    /** Whether the heap of {@link Expiry} refers to it. */
    boolean inExpiryHeap;

    /** Whether it was ready and nobody took it at once; a message with no time to live is expired from then on. */
    boolean waited;

    boolean redelivered;
    /** Whether a client has had it and given it back, without a failure. */
    boolean acquired;
    /** How many messages stayed ready when a get took this one. */
    int remaining;
    int deliveryCount;
    /** Whether its consumer has it as one of a group that is that consumer's. */
    boolean inGroup;
    /** Consumers that are not to have it again; null for none. Those that have ended may still be among them. */
    QueueConsumer[] refusers;

    QueueConsumer consumer;
    /** Where it is in the log, or {@link #NOT_LOGGED}; changes when the log is compacted. */
    long position = NOT_LOGGED;
    /** Bytes of its record that this entry accounts for. */
    int share;
    /** Its neighbours among the queue's unsettled messages. */
    QueueEntry before;

    QueueEntry after;
    private int state = READY;
    private Outcome outcome;
    private Completion completion;
    private boolean committed;

    QueueEntry(Queue queue, Message message, long sequence, long expiresAtMillis) {
        this.queue = queue;
        this.message = message;
        this.sequence = sequence;
        this.expiresAtMillis = expiresAtMillis;
    }

    /** One that tells the same and belongs to nobody: what becomes of it changes nothing in the queue. */
    QueueEntry copy() {
        QueueEntry copy = new QueueEntry(queue, message, sequence, expiresAtMillis);
        copy.redelivered = redelivered;
        copy.acquired = acquired;
        copy.deliveryCount = deliveryCount;
        return copy;
    }

    boolean isReady() {
        return state == READY;
    }

    /** It is no longer ready: {@code to} has it. */
    void taken(QueueConsumer to) {
        consumer = to;
        state = DELIVERING;
    }

    /** Sends it, taken, from the queue's loop to the consumer's. */
    void deliver(Loop here) {
        here.send(consumer.clientLoop(), this);
    }

    /** It is back at the queue and ready again. */
    void returned() {
        consumer = null;
        completion = null;
        state = READY;
    }

    /** It has left the queue. */
    void gone() {
        state = GONE;
        if (refusers != null) {
            queue.refusals().gone(this);
        }
    }

    boolean isRefusedBy(QueueConsumer consumer) {
        if (refusers != null) {
            for (QueueConsumer each : refusers) {
                if (each == consumer) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    public void run() {
        switch (state) {
            case DELIVERING -> {
                state = DELIVERED;
                consumer.sink().deliver(this);
            }
            case SETTLING -> queue.settled(this, outcome, completion, committed);
            default -> throw new IllegalStateException("an entry in state " + state + " was sent");
        }
    }

    @Override
    public Message message() {
        return message;
    }

    @Override
    public String queue() {
        return queue.name();
    }

    @Override
    public boolean redelivered() {
        return redelivered;
    }

    @Override
    public boolean acquiredBefore() {
        return acquired || redelivered;
    }

    @Override
    public int deliveryCount() {
        return deliveryCount;
    }

    @Override
    public long expiresAtMillis() {
        return expiresAtMillis;
    }

    @Override
    public boolean counted() {
        return queue.options().countsDeliveries();
    }

    @Override
    public boolean settled() {
        return consumer.settles();
    }

    @Override
    public long remaining() {
        return remaining;
    }

    @Override
    public int windowBytes() {
        return message.sizeBytes();
    }

    @Override
    public void settle(Outcome outcome, Completion completion) {
        if (state != DELIVERED || consumer.settles()) {
            throw new IllegalStateException("a delivery was settled twice");
        }
        if (completion != null) {
            queue.settling(completion);
        }
        this.outcome = outcome;
        this.completion = completion;
        state = SETTLING;
        consumer.clientLoop().send(queue.loop(), this);
    }

    /** Whether it is in the log, so that its removal must be, too. */
    public boolean isLogged() {
        return position != NOT_LOGGED;
    }

    /**
     * Where it is in the log. Asked on the client's loop it may be a position that it had a moment ago; a recovery knows where
     * records went.
     */
    public long position() {
        return position;
    }

    /** The {@linkplain Queue#id id} of its queue. */
    public long queueId() {
        return queue.id();
    }

    /** From {@code here}, any loop: ends it as accepted, by a record that is in the log already. */
    public void settleCommitted(Loop here) {
        if (here != consumer.clientLoop()) {
            here.send(consumer.clientLoop(), () -> settleCommitted(consumer.clientLoop()));
            return;
        }
        committed = true;
        settle(Outcome.ACCEPTED, null);
    }
}
