package io.sluicemq.broker.queue;

import io.sluicemq.base.LoopOwned;

/**
 * What a queue has dropped to make room since its rule says that it cycles: for a line of the log now and then, that helps to choose
 * its size. Owned by the queue's loop.
 *
 * <p>Invariant: each message dropped is told of in one line, or in the one to come.
 */
@LoopOwned
final class Cycled {

    private long messages;
    private long bytes;
    private long sinceNanos;
    /** Dropped since the queue was seen empty: so much more room would have kept them all. */
    private long lackedMessages;
    private long lackedBytes;

    /**
     * What was dropped.
     *
     * @param messages how many since the last such report
     * @param bytes of these
     * @param sinceNanos when the first of them was dropped
     * @param lackedMessages how many have been dropped since the queue was empty last; for so many more it lacked room
     * @param lackedBytes bytes of these
     */
    record Report(long messages, long bytes, long sinceNanos, long lackedMessages, long lackedBytes) {}

    void dropped(long count, long theirBytes, long nowNanos) {
        if (messages == 0) {
            sinceNanos = nowNanos;
        }
        messages += count;
        bytes += theirBytes;
        lackedMessages += count;
        lackedBytes += theirBytes;
    }

    /** What is to be told, if anything is; it counts as told then. Null if the time has not come. */
    Report take(long nowNanos, long intervalNanos) {
        if (messages == 0 || nowNanos - sinceNanos < intervalNanos) {
            return null;
        }
        Report report = new Report(messages, bytes, sinceNanos, lackedMessages, lackedBytes);
        messages = 0;
        bytes = 0;
        return report;
    }

    /** The queue is empty: whatever it lacked room for is over. */
    void emptied() {
        if (messages == 0) {
            lackedMessages = 0;
            lackedBytes = 0;
        }
    }
}
