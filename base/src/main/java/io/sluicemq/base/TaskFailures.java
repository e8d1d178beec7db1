package io.sluicemq.base;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts and logs what loops' tasks throw. A task that throws is a defect of the broker, never of a peer: it is logged with
 * its trace, at a bounded rate, and counted, and neither its batch nor its loop stops. Safe from any thread.
 */
public final class TaskFailures {

    private static final Logger LOG = LoggerFactory.getLogger(TaskFailures.class);

    private final LogLimit lines = new LogLimit(TimeUnit.SECONDS.toNanos(10), 10);
    private final LongAdder count = new LongAdder();
    private volatile Throwable last;

    /** Runs {@code task} and keeps what it throws to itself. */
    public void guard(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            record(e);
        }
    }

    /** Logs and counts a failure that was caught elsewhere. */
    public void record(Throwable failure) {
        last = failure;
        count.increment();
        long times = lines.take(System.nanoTime());
        if (times > 0) {
            LogEvent.TASK_FAILED.log(LOG, "a task failed: this is a defect of the broker; the loop goes on{}",
                    times == 1 ? "" : " (tasks have failed " + (times - 1) + " more times since the last such line)",
                    failure);
        }
    }

    /** How many tasks have failed so far. */
    public long count() {
        return count.sum();
    }

    /** The latest failure; null while there is none. */
    public Throwable last() {
        return last;
    }
}
