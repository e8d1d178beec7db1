package io.sluicemq.cli.bench;

import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * One publishing thread with a sender of its own. The fields are the thread's, but for the counters, which it alone
 * writes and any thread reads, and the confirm window, where it meets the client's thread.
 *
 * <p>One body array is used for all messages: the client has copied it when a send returns.
 */
final class Producer implements Runnable {

    private final BenchPlan plan;
    private final int index;
    private final FirstFailure failure;
    private final LoadClient.Sender sender;
    private final long[] sequences;
    private final SingleWriterRecorder confirmMicros = Latency.recorder();
    private final ConfirmWindow confirms;
    private final AtomicLong published = new AtomicLong();
    private final AtomicLong returned = new AtomicLong();
    private final Thread thread;
    private Histogram interval;
    private long startNanos;
    private volatile boolean stopping;

    Producer(BenchPlan plan, int index, LoadClient client, FirstFailure failure) throws BenchFailure {
        this.plan = plan;
        this.index = index;
        this.failure = failure;
        this.sequences = new long[plan.targetsOf(index).length];
        this.confirms = plan.confirmWindow() > 0 ? new ConfirmWindow(plan.confirmWindow(), confirmMicros) : null;
        this.sender = client.sender(index, confirms, returned::incrementAndGet);
        this.thread = Thread.ofPlatform().name("bench-producer-" + index).daemon().unstarted(this);
    }

    /** @param nanos {@link System#nanoTime()} at which a rated load begins */
    void start(long nanos) {
        startNanos = nanos;
        thread.start();
    }

    @Override
    public void run() {
        byte[] body = new byte[plan.size()];
        for (int i = MessageStamp.BYTES; i < body.length; i++) {
            body[i] = (byte) i;
        }
        SendSchedule schedule = plan.ratePerSecond() == 0
                ? null
                : new SendSchedule(plan.ratePerSecond(), startNanos, index, plan.producers());
        try {
            int target = 0;
            for (long n = 0; !stopping; n++) {
                long nanos = schedule == null ? 0 : awaitDue(schedule.dueNanos(n));
                if ((confirms != null && !confirms.awaitRoom()) || stopping) {
                    return;
                }
                if (schedule == null) {
                    nanos = System.nanoTime();
                }
                MessageStamp.write(body, nanos, index, sequences[target]++);
                if (confirms != null) {
                    confirms.sending(nanos);
                }
                sender.send(target, body);
                published.setRelease(n + 1);
                if (++target == sequences.length) {
                    target = 0;
                }
            }
        } catch (IOException | ShutdownSignalException e) {
            if (!stopping) {
                failure.report("producer " + index + " cannot publish: " + FirstFailure.reason(e), e);
            }
        }
    }

    private long awaitDue(long dueNanos) {
        long left = dueNanos - System.nanoTime();
        while (left > 0 && !stopping) {
            LockSupport.parkNanos(this, left);
            left = dueNanos - System.nanoTime();
        }
        return dueNanos;
    }

    /** Asks the thread to end after the message it is publishing. */
    void stop() {
        stopping = true;
        if (confirms != null) {
            confirms.stop();
        }
        LockSupport.unpark(thread);
    }

    /** @return whether the thread has ended within the time */
    boolean awaitEnd(long millis) throws InterruptedException {
        thread.join(Math.max(1, millis));
        return !thread.isAlive();
    }

    long published() {
        return published.getAcquire();
    }

    long confirmed() {
        return confirms == null ? 0 : confirms.acked();
    }

    long nacked() {
        return confirms == null ? 0 : confirms.nacked();
    }

    /** Messages that are owed an ack or a nack. */
    long unconfirmed() {
        // The answers first: read the other way round, messages published in between would be missing from the sum.
        long answered = confirmed() + nacked();
        return confirms == null ? 0 : Math.max(0, published() - answered);
    }

    long returned() {
        return returned.get();
    }

    /** Adds the times from publish to ack or nack since the last call; the run's thread alone calls it. */
    void drainConfirmMicros(Histogram into) {
        interval = confirmMicros.getIntervalHistogram(interval);
        into.add(interval);
    }
}
