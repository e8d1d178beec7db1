package io.sluicemq.cli.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * One consumer's account of what it gets from each of its queues. The client calls {@link #take} by one thread at a
 * time, so what that writes has one writer; the counters may be read by any thread.
 */
public final class Subscriber {

    private final BenchPlan plan;
    private final List<SequenceCheck> checks = new ArrayList<>();
    private final SingleWriterRecorder latencyMicros = Latency.recorder();
    private final AtomicLong consumed = new AtomicLong();
    private final AtomicLong foreign = new AtomicLong();
    private Histogram interval;
    private int unacked;

    Subscriber(BenchPlan plan, int index) {
        this.plan = plan;
        for (int queue : plan.queuesOf(index, plan.consumers())) {
            checks.add(new SequenceCheck(plan.producers(), isAlone(queue)));
        }
    }

    /** Consumers queue, queue + queues, … share a queue: the second of them exists or not. */
    private boolean isAlone(int queue) {
        return queue + plan.queues() >= plan.consumers();
    }

    /**
     * The client's thread: a message was delivered.
     *
     * @param queue which of the consumer's queues, a position in {@link BenchPlan#queuesOf}
     * @param body  read before this returns
     * @return whether it is now to be acknowledged, with all before it
     */
    public boolean take(int queue, byte[] body) {
        long nowNanos = System.nanoTime();
        int producer = body.length < MessageStamp.BYTES ? Integer.MAX_VALUE : MessageStamp.producer(body);
        if (producer < plan.producers()) {
            latencyMicros.recordValue(Latency.micros(nowNanos - MessageStamp.nanos(body)));
            checks.get(queue).observe(producer, MessageStamp.sequence(body));
        } else {
            foreign.setRelease(foreign.getPlain() + 1);
        }
        consumed.setRelease(consumed.getPlain() + 1);
        if (plan.ackEvery() > 0 && ++unacked >= plan.ackEvery()) {
            unacked = 0;
            return true;
        }
        return false;
    }

    long consumed() {
        return consumed.getAcquire();
    }

    /** Deliveries that the load tool never published. */
    long foreign() {
        return foreign.getAcquire();
    }

    /** Exact once nothing more is delivered. */
    long missing() {
        return checks.stream().mapToLong(SequenceCheck::missing).sum();
    }

    /** Exact once nothing more is delivered. */
    long late() {
        return checks.stream().mapToLong(SequenceCheck::late).sum();
    }

    /** Adds the latencies recorded since the last call; the run's thread alone calls it. */
    void drainLatencyMicros(Histogram into) {
        interval = latencyMicros.getIntervalHistogram(interval);
        into.add(interval);
    }
}
