package io.sluicemq.cli.bench;

/**
 * When each message of a producer is meant to leave: an open loop, fixed before the first message, that does not slip
 * when the broker is slow. Latencies are taken from these times, so a stall counts for every message it held back and
 * not only for the one that met it. Immutable.
 */
final class SendSchedule {

    private static final long NANOS = 1_000_000_000L;

    private final long ratePerSecond;
    private final long startNanos;
    private final int producer;
    private final int producers;

    /**
     * @param ratePerSecond of all producers together, above 0
     * @param startNanos    {@link System#nanoTime()} of the first message of producer 0
     */
    SendSchedule(long ratePerSecond, long startNanos, int producer, int producers) {
        this.ratePerSecond = ratePerSecond;
        this.startNanos = startNanos;
        this.producer = producer;
        this.producers = producers;
    }

    /** The time meant for this producer's n-th message, from 0: producers take turns at even distances. */
    long dueNanos(long n) {
        long turn = n * producers + producer;
        return startNanos + turn / ratePerSecond * NANOS + turn % ratePerSecond * NANOS / ratePerSecond;
    }
}
