package io.sluicemq.api;

import io.sluicemq.base.Distribution;
import io.sluicemq.base.Histogram;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.util.concurrent.TimeUnit;

/**
 * Counts the answers that are owed to the publishers of one loop, and how long they take. That is measured of one in {@value #SAMPLED},
 * and of one at a time, so that nobody asks for the time for each message. Owned by the loop.
 *
 * <p>Invariant: a sample that has no answer for a minute is counted as what it has taken by then, and makes place for another.
 */
@LoopOwned
public final class Answers {

    static final int SAMPLED = 64;
    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Loop loop;
    private final Histogram latency = Histogram.ofLatencies();
    private long owed;
    private long given;
    private long refused;
    private Completion sample;
    private long sampledNanos;

    public Answers(Loop loop) {
        this.loop = loop;
    }

    void owes(Completion completion) {
        if (owed++ % SAMPLED == 0) {
            long now = loop.nanoTime();
            if (sample == null) {
                begin(completion, now);
            } else if (now - sampledNanos > LONGEST_NANOS) {
                latency.record(now - sampledNanos);
                begin(completion, now);
            }
        }
    }

    private void begin(Completion completion, long now) {
        sample = completion;
        sampledNanos = now;
    }

    void gave(Completion completion, boolean refusal) {
        given++;
        if (refusal) {
            refused++;
        }
        if (completion == sample) {
            sample = null;
            latency.record(loop.nanoTime() - sampledNanos);
        }
    }

    /** How many publishes had an answer so far. */
    public long given() {
        return given;
    }

    /** How many of these were refused. */
    public long refused() {
        return refused;
    }

    /** How many wait for their answers now. */
    public long outstanding() {
        return owed - given;
    }

    /** How long samples of them took, in nanoseconds. */
    public Distribution latencyNanos() {
        return latency.snapshot();
    }
}
