package io.sluicemq.security;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads on which slow hashes are computed, so that no loop does, and those that wait for them: a bounded number, so that who waits
 * has an answer within the time that a login may take. Any thread.
 */
final class SlowHashes implements AutoCloseable {

    /** How many may wait for each thread; a hash takes some tenths of a second. */
    private static final int WAITING_FOR_EACH = 32;

    private static final long IDLE_SECONDS = 10;

    private final Executor threads;
    private final Runnable end;

    /** With threads for half of the processors. */
    SlowHashes() {
        this(pool(Math.max(1, Runtime.getRuntime().availableProcessors() / 2)));
    }

    private SlowHashes(ThreadPoolExecutor pool) {
        this(pool, pool::shutdownNow);
    }

    /** @param threads refuses when too many wait */
    SlowHashes(Executor threads, Runnable end) {
        this.threads = threads;
        this.end = end;
    }

    private static ThreadPoolExecutor pool(int threads) {
        var pool = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(threads * WAITING_FOR_EACH),
                Thread.ofPlatform().daemon().name("sluicemq-login-", 0).factory());
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** Runs a task sometime; false, and never, if too many wait. */
    boolean tryRun(Runnable task) {
        try {
            threads.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Those that wait are dropped. */
    @Override
    public void close() {
        end.run();
    }
}
