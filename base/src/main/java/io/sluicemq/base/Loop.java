package io.sluicemq.base;

/**
 * One event loop: the single owner of the connections and queues that live on it. Only the loop's own thread touches
 * what it owns, so nothing it owns needs a lock.
 *
 * <p>Work is done in <em>turns</em>. A turn handles what is ready (bytes read from sockets, batches from other loops, due
 * timers); whatever it wants of other loops is collected by {@link #send} and handed over at the turn's end, one batch and
 * one wake-up a target. {@link #atTurnEnd} runs things once a turn, such as flushing a socket.
 *
 * <p>Production runs on Netty, tests drive a loop by hand: the code that lives on loops sees this interface alone.
 */
public interface Loop {

    /** The place of this loop among its peers, from 0; used to index per-loop arrays. */
    int index();

    /** Whether the calling code runs on this loop. */
    boolean isCurrent();

    /** Runs {@code task} on this loop in a turn to come. May be called from any thread; tasks of one caller keep order. */
    void execute(Runnable task);

    /**
     * Hands {@code item} to {@code target}: runs it at once if that is this loop, and else adds it to the batch that goes
     * there at the end of this turn. Items for one target arrive in the order they were sent. Call on this loop only.
     */
    void send(Loop target, Runnable item);

    /**
     * Runs {@code hook} once at the end of this turn, before batches leave for other loops. A hook that is added while the
     * turn ends runs in the next turn, after sockets had their chance. Call on this loop only.
     */
    void atTurnEnd(Runnable hook);

    /** Runs {@code task} on this loop after {@code delayNanos} nanoseconds. Call on this loop only. */
    Timer schedule(long delayNanos, Runnable task);

    /** Monotonic time in nanoseconds, comparable across loops of one process. */
    long nanoTime();

    /** Wall-clock time in milliseconds since 1970-01-01 UTC. */
    long currentTimeMillis();

    /** Throws {@link IllegalStateException} unless the caller runs on this loop. */
    default void assertCurrent() {
        if (!isCurrent()) {
            throw new IllegalStateException(
                    "loop " + index() + " owns this, but " + Thread.currentThread().getName() + " touched it");
        }
    }

    /** A task that waits for its time. */
    @FunctionalInterface
    interface Timer {
        /** Takes the task back. No effect once it has run. Call on the loop that scheduled it. */
        void cancel();
    }
}
