package io.sluicemq.broker.queue;

import io.sluicemq.api.Completion;
import io.sluicemq.api.Death;
import io.sluicemq.api.Message;
import java.io.IOException;

/** What a queue wants done outside itself. Called on the queue's loop. */
public interface QueueEffects {

    /**
     * Publishes a message again by the queue's dead-letter exchange; it has left the queue in the log, too, only after that.
     *
     * @param position where the queue's own message is in the log, or a negative number
     * @param completion has an obligation met when that is durable; may be null
     */
    void deadLetter(
            Queue queue, Message message, Death.Reason reason, long position, int share, Completion completion);

    /** Whether dead letters of the queue wait for room, so that no more should be made that can wait. */
    boolean deadLettersWait(Queue queue);

    /** How many dead letters of the queue wait for room. */
    int lettersWaiting(Queue queue);

    /**
     * Has dead letters of the queue that wait for room elsewhere count in its account no more, for so many bytes but only a
     * few of them and what is beyond a lowered limit, so that messages may come in by which others make room for those: where queues dead-letter to each other in a
     * circle, all of them full, none could move otherwise. Returns whether it has done so for any.
     */
    boolean lettersLetGo(Queue queue, long bytes);

    /** Somebody waits for a settlement's end. Called on the completion's loop. */
    void settling(Completion completion);

    // ---- the log

    /**
     * A message has left the queue and is to leave the log.
     *
     * @param completion has an obligation met when that is durable; may be null
     */
    void unlog(Queue queue, long position, int share, Completion completion);

    /**
     * A message has left the queue by a record that was written before: a transaction's, or the end of the queue.
     *
     * @param completion has an obligation met when that is durable; may be null
     */
    void unlogged(long position, int share, Completion completion);

    /** Messages that waited in the log have left the queue, all of them. */
    void discard(Queue queue, Backlog messages, boolean queueIsGone);

    /** A message was delivered that was not before, as far as the log knows: {@link Queue#takeDelivered} tells up to where. */
    void deliveredFirst(Queue queue);

    /** Counts a failed delivery of a message in the log. */
    void deliveryFailed(Queue queue, long position, int count);

    /** {@link #page}: there is no room now; {@link Queue#pageOut} is called again when there is. */
    long NO_ROOM = -1;

    /** {@link #page}: the log has no room for a message of that size, ever. */
    long TOO_LONG = -2;

    /** Writes a message that is in memory only to the log; returns its position, {@link #NO_ROOM} or {@link #TOO_LONG}. */
    long page(Queue queue, Message message);

    /** The bytes of the record that {@link #page} has written last. */
    int pagedBytes();

    /** A message that was {@linkplain #page written} so is back in memory, or has left the queue. */
    void unpage(long position, int share);

    /** The queue has more in memory than it should: has {@link Queue#pageOut} called, as events of their own. */
    void shrink(Queue queue);

    /** Reads messages back from the log; {@code batch} gets them as an event. */
    void read(long[] positions, int count, Loaded batch);

    /** Takes messages that were read, in their order. */
    interface Loaded {

        void message(Message message);

        /**
         * @param messages how many of those asked for were handed over
         * @param failure why the next one could not be read; null if none failed
         */
        void done(int messages, IOException failure);
    }

    /** Bytes of ready messages that a queue may hold in memory before others wait in the log. */
    long residentBytes();

    /** Bytes of ready messages that a queue keeps in memory while {@link #memoryLow memory is short}. */
    long keptBytes();

    /** Whether messages take more than half of the memory that they may. */
    boolean memoryTight();

    /** Whether messages take more memory than they should. */
    boolean memoryLow();

    /** The queue's index of messages in the log has grown by so many bytes. */
    void indexBytes(long difference);

    // ---- memory and counters

    /** The queue is gone for good: take it out of the topology. */
    void removed(Queue queue);

    /** A message has come into the queue. */
    void stored(Message message);

    /** A message came, but the queue does not keep it. */
    void notStored(Message message);

    /** A message has left the queue. */
    void released(Message message);

    /** What has left the queue for good on its way to one consumer, and has not reached its socket, was and is so many bytes. */
    void underWay(long bytesBefore, long bytesNow);

    /**
     * Counts: a message was given to a consumer.
     *
     * @param again whether somebody had it before
     */
    void delivered(boolean again);

    /** A consumer has settled a message as accepted. */
    default void acknowledged() {}

    /** Counts: a message was dropped by a limit, expiry or rejection, with nowhere to go. */
    void dropped(Death.Reason reason);

    /** Counts: a message was dropped by the policy of its address. */
    void droppedByPolicy();

    /** Counts: so was one of the oldest messages of a ring. */
    void droppedOldest();

    /** Counts: a message of so many bytes has left memory, and waits in the log. */
    void pagedOut(long bytes);

    /** Counts: the queue has gained or lost consumers, or turned messages from ready to unsettled (positive) or back. */
    void changed(int consumers, int ready, int unsettled);

    /** A consumer, or a subscription that nobody is attached to, is too slow from now on, and this is done about it. */
    void slow(SlowConsumer consumer, SlowConsumer.Action action);

    /** It isn't any more. */
    void slowEnded(SlowConsumer consumer, SlowConsumer.End end);

    /**
     * A queue whose rule says that it cycles has dropped messages to make room.
     *
     * @param sinceMillis since how long
     * @param lackedMessages for how many more it would have needed room to drop none
     * @param lackedBytes bytes of these
     */
    void cycled(Queue queue, long messages, long bytes, long sinceMillis, long lackedMessages, long lackedBytes);

    /** Counts: so many more messages (fewer, if negative) are not to be delivered yet. */
    void delayed(int difference);
}
