package io.sluicemq.broker.queue;

import io.sluicemq.broker.flow.ConsumerRule;

/**
 * What is seen of one consumer since it was looked at last, for the question whether it is too slow. Made only for consumers of
 * queues that have a rule. Owned by the queue's loop.
 *
 * <p>Invariant: {@link #lowMessages} and {@link #lowBytes} are no more than what waited for it or was held by it whenever it had just
 * settled something, and at the look.
 */
final class ConsumerWatch {

    private final boolean countsBytes;
    /** Whether what waits in the queue is for it: not if it may take some of that only. */
    boolean countsWaiting = true;
    /** Whether it was there at the last look. */
    boolean begun;
    /** Whether it had nothing to do at some moment since, or its client had stopped it. */
    boolean free;
    /** What it had been given at the last look. */
    long givenBefore;
    /** Whether it held something then. */
    boolean heldBefore;

    long done;
    long doneBefore;
    long lowMessages;
    long lowBytes;
    /** When the oldest message was published that it holds, at this look; {@link Long#MAX_VALUE} for none. */
    long oldestHeldMillis = Long.MAX_VALUE;
    /** What its client's loop has told last of bytes that move; negative for nothing. */
    long sentBytes = -1;
    /** Whether that is being asked. */
    boolean asked;
    /** Whether it is told of as slow. */
    boolean slow;
    /** Since when, on the loop's clock. */
    long slowSinceNanos;
    /** By which thresholds, in words. */
    String slowBy;
    /** Whether it is about to end since it was slow. */
    boolean cut;

    ConsumerWatch(ConsumerRule rule) {
        this.countsBytes = rule.maxBytes() != ConsumerRule.NONE;
    }

    /** It has settled a message, which has left or come back by now. */
    void settled(boolean dealtWith, QueueConsumer consumer, PriorityMessages ready) {
        if (dealtWith) {
            done++;
        }
        lowMessages = Math.min(lowMessages, messages(consumer, ready));
        if (countsBytes) {
            lowBytes = Math.min(lowBytes, bytes(consumer, ready));
        }
    }

    /** Its client wants nothing for now. */
    void stopped() {
        free = true;
    }

    long messages(QueueConsumer consumer, PriorityMessages ready) {
        return consumer.unsettled() + (countsWaiting ? ready.size() : 0);
    }

    long bytes(QueueConsumer consumer, PriorityMessages ready) {
        return consumer.unsettledBytes() + (countsWaiting ? ready.sizeBytes() : 0);
    }

    /** How many messages it has dealt with since the last look. */
    long doneSince(QueueConsumer consumer) {
        return consumer.settles() ? consumer.given() - givenBefore : done - doneBefore;
    }

    /** Whether it has held anything since the last look. */
    boolean hasHeld(QueueConsumer consumer) {
        return heldBefore || holds(consumer) || consumer.given() > givenBefore;
    }

    private static boolean holds(QueueConsumer consumer) {
        return consumer.unsettled() > 0 || !consumer.isWindowOpen();
    }

    /** It was looked at: what is seen from now on is for the next look. */
    void begin(QueueConsumer consumer, PriorityMessages ready, boolean isFree) {
        begun = true;
        free = isFree;
        givenBefore = consumer.given();
        heldBefore = holds(consumer);
        doneBefore = done;
        lowMessages = messages(consumer, ready);
        lowBytes = countsBytes ? bytes(consumer, ready) : 0;
    }
}
