package io.sluicemq.store;

/**
 * Where the log's own work runs: writing, housekeeping, checkpoints and reads, each a worker with its thread. A simulation
 * puts one thread, virtual time and a random generator in their place.
 */
public interface Workers {

    /** What a step returns to pause until {@link Worker#wake}. */
    long UNTIL_WOKEN = Long.MAX_VALUE;

    /** What a step returns when it must not run again. */
    long ENDED = -1;

    /** Work in steps, each of them short but for the disk that it waits for. One thread runs it. */
    @FunctionalInterface
    interface Step {
        /** Does what there is to do; returns how many nanoseconds to wait for more, or 0, {@link #UNTIL_WOKEN}, {@link #ENDED}. */
        long run();
    }

    /** A step that repeats. */
    interface Worker {
        /** Ends the pause that the worker is in, or the next one. From any thread; cheap when the worker is busy. */
        void wake();

        /** Returns when the step has {@link Workers#ENDED}. Not for loops: it waits. */
        void awaitEnd();
    }

    Worker start(String name, Step step);

    /** Monotonic time in nanoseconds. */
    long nanoTime();
}
