package io.sluicemq.store;

import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/** Workers with a daemon thread each. Safe from any thread. */
public final class WorkerThreads implements Workers {

    private final String prefix;

    /** @param prefix begins the names of the threads */
    public WorkerThreads(String prefix) {
        this.prefix = prefix;
    }

    @Override
    public Worker start(String name, Step step) {
        ThreadWorker worker = new ThreadWorker(step);
        worker.thread = Thread.ofPlatform().name(prefix + name).daemon().unstarted(worker);
        worker.thread.start();
        return worker;
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    /**
     * Runs a step on its thread. A wake is kept in {@code woken} until the pause it ends, and only a thread that is about to
     * pause is unparked, so that a wake of a busy worker is one write.
     */
    private static final class ThreadWorker implements Worker, Runnable {

        private final Step step;
        private Thread thread;
        private volatile boolean woken;
        private volatile boolean pausing;

        ThreadWorker(Step step) {
            this.step = step;
        }

        @Override
        public void run() {
            while (true) {
                woken = false;
                VarHandle.fullFence(); // what was done before a wake that this has wiped out is seen by the step
                long pauseNanos = step.run();
                if (pauseNanos < 0) {
                    return;
                }
                if (pauseNanos > 0) {
                    pause(pauseNanos);
                }
            }
        }

        private void pause(long nanos) {
            pausing = true;
            long end = System.nanoTime() + nanos;
            while (!woken) {
                if (nanos == UNTIL_WOKEN) {
                    LockSupport.park(this);
                } else {
                    long left = end - System.nanoTime();
                    if (left <= 0) {
                        break;
                    }
                    LockSupport.parkNanos(this, left);
                }
            }
            pausing = false;
        }

        @Override
        public void wake() {
            woken = true;
            if (pausing) {
                LockSupport.unpark(thread);
            }
        }

        @Override
        public void awaitEnd() {
            boolean interrupted = false;
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
