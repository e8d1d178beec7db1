package io.sluicemq.broker.engine;

import io.sluicemq.base.LogEvent;
import io.sluicemq.base.LogLimit;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a loop does again and again, each thing once in a period of its own: a slice of what is due in one turn, the rest in the next.
 * One that fails is logged and counted, and comes again as if it had not; so do the others. Where there is nothing to do, there is no
 * timer.
 *
 * <p>Owned by its loop. Invariant: while it has tasks, a timer runs for the first that is due, or a turn is to come.
 */
@LoopOwned
final class Housekeeping {

    /** So many tasks are done in one turn. */
    static final int SLICE = 64;

    private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);

    private final Loop loop;
    private final Tally tally;
    private final LogLimit failures = new LogLimit(TimeUnit.SECONDS.toNanos(30), 3);
    private final Map<Object, Task> tasks = new HashMap<>();
    private final TreeSet<Task> order = new TreeSet<>();
    private long lastNumber;
    private Loop.Timer timer;
    /** When the timer runs. */
    private long timerNanos;
    /** Whether a turn is to come, or at hand, that does what is due. */
    private boolean turnToCome;

    private static final class Task implements Comparable<Task> {
        final Object subject;
        final Runnable work;
        final long periodNanos;
        /** Tells two apart that are due at the same moment. */
        final long number;

        long dueNanos;

        Task(Object subject, Runnable work, long periodNanos, long dueNanos, long number) {
            this.number = number;
            this.subject = subject;
            this.work = work;
            this.periodNanos = periodNanos;
            this.dueNanos = dueNanos;
        }

        @Override
        public int compareTo(Task other) {
            int byTime = Long.compare(dueNanos - other.dueNanos, 0);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    Housekeeping(Loop loop, Tally tally) {
        this.loop = loop;
        this.tally = tally;
    }

    /** Has {@code work} done once a period, for the first time when one has passed; instead of what was done for that subject. */
    void every(long periodNanos, Object subject, Runnable work) {
        loop.assertCurrent();
        Task before = tasks.get(subject);
        if (before != null && before.periodNanos == periodNanos) {
            return;
        }
        stop(subject);
        Task task = new Task(subject, work, periodNanos, loop.nanoTime() + periodNanos, ++lastNumber);
        tasks.put(subject, task);
        order.add(task);
        arm();
    }

    /** Nothing is to be done for a subject any more. */
    void stop(Object subject) {
        loop.assertCurrent();
        Task task = tasks.remove(subject);
        if (task != null) {
            order.remove(task);
            arm();
        }
    }

    /** How many things are done again and again. */
    int size() {
        return tasks.size();
    }

    private void arm() {
        Task first = order.isEmpty() ? null : order.first();
        if (timer != null && (first == null || first.dueNanos != timerNanos)) {
            timer.cancel();
            timer = null;
        }
        if (first != null && timer == null && !turnToCome) {
            timerNanos = first.dueNanos;
            timer = loop.schedule(Math.max(0, first.dueNanos - loop.nanoTime()), this::due);
        }
    }

    private void due() {
        timer = null;
        turnToCome = true; // whatever begins or stops meanwhile, the end of this sees to the timer
        long now = loop.nanoTime();
        for (int left = SLICE; left > 0; left--) {
            Task task = order.isEmpty() ? null : order.first();
            if (task == null || task.dueNanos - now > 0) {
                break;
            }
            order.remove(task);
            // From now on, not from when it should have been: who looks at what has happened in a period needs a whole one.
            task.dueNanos = now + task.periodNanos;
            order.add(task);
            run(task);
        }
        Task next = order.isEmpty() ? null : order.first();
        if (next != null && next.dueNanos - now <= 0) {
            loop.execute(this::due);
        } else {
            turnToCome = false;
            arm();
        }
    }

    private void run(Task task) {
        try {
            task.work.run();
        } catch (RuntimeException | Error e) {
            tally.failedChecks++;
            long times = failures.take(loop.nanoTime());
            if (times > 0) {
                LogEvent.CHECK_FAILED.log(LOG,
                        "a check of {} failed: this is a defect of the broker; it will be done again{}", task.subject,
                        times == 1
                                ? ""
                                : " (checks have failed " + (times - 1) + " more times since the last such line)",
                        e);
            }
        }
    }
}
