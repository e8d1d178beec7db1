package io.sluicemq.broker.engine;

import io.sluicemq.broker.queue.Queue;
import java.util.Collection;

/**
 * Where most of the memory of messages has gone, for people: the queue with the most bytes that are ready, and the one with the
 * most messages that consumers hold. Immutable, so that it may cross loops.
 *
 * @param ready the first of them in words; null if no queue has a ready message
 * @param readyBytes bytes of its ready messages in memory
 * @param unsettled the second in words; null if no consumer holds a message
 * @param unsettledMessages messages that its consumers hold
 */
record LargestQueues(String ready, long readyBytes, String unsettled, int unsettledMessages) {

    static final LargestQueues NONE = new LargestQueues(null, 0, null, 0);

    /** Of the queues of one loop, on that loop. */
    static LargestQueues of(Collection<Queue> queues) {
        Queue ready = null;
        Queue unsettled = null;
        for (Queue queue : queues) {
            if (queue.ready() > 0 && (ready == null || queue.residentBytes() > ready.residentBytes())) {
                ready = queue;
            }
            if (queue.unsettled() > 0 && (unsettled == null || queue.unsettled() > unsettled.unsettled())) {
                unsettled = queue;
            }
        }
        return new LargestQueues(
                ready == null
                        ? null
                        : ready + " (" + ready.ready() + " messages, " + (ready.residentBytes() >> 20)
                                + " MiB, consumers: " + ready.status().consumers() + ")",
                ready == null ? 0 : ready.residentBytes(),
                unsettled == null ? null : unsettled + " (" + unsettled.unsettled() + " messages)",
                unsettled == null ? 0 : unsettled.unsettled());
    }

    /** The larger of these and others. */
    LargestQueues or(LargestQueues other) {
        boolean keepReady = ready != null && (other.ready == null || readyBytes >= other.readyBytes);
        boolean keepUnsettled = unsettledMessages >= other.unsettledMessages;
        return new LargestQueues(
                keepReady ? ready : other.ready,
                keepReady ? readyBytes : other.readyBytes,
                keepUnsettled ? unsettled : other.unsettled,
                keepUnsettled ? unsettledMessages : other.unsettledMessages);
    }

    /** The end of a sentence; empty if there are none. */
    String inWords() {
        String text = ready == null ? "" : "; most are ready in " + ready;
        return unsettled == null ? text : text + "; most are unacknowledged in " + unsettled;
    }
}
