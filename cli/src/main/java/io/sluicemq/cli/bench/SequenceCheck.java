package io.sluicemq.cli.bench;

/**
 * Checks that what one consumer gets of one queue is what each producer sent to it, in order. Owned by the thread that
 * runs the consumer's callbacks; others read the counts when that thread has stopped.
 *
 * <p>Where the consumer is the queue's only one, every number must follow the one before it. Where it shares the queue,
 * numbers may be missing (another consumer has them) but never fall.
 */
final class SequenceCheck {

    private final boolean onlyConsumer;
    private final long[] expected;
    private long missing;
    private long late;

    SequenceCheck(int producers, boolean onlyConsumer) {
        this.onlyConsumer = onlyConsumer;
        this.expected = new long[producers];
    }

    void observe(int producer, long sequence) {
        long next = expected[producer];
        if (sequence < next) {
            late++;
            return;
        }
        if (onlyConsumer) {
            missing += sequence - next;
        }
        expected[producer] = sequence + 1;
    }

    /** Numbers jumped over. */
    long missing() {
        return missing;
    }

    /** Deliveries whose number is not above that of an earlier delivery: out of order, or a second time. */
    long late() {
        return late;
    }
}
