package io.sluicemq.broker.queue;

import io.sluicemq.api.operate.Rates;
import io.sluicemq.base.LoopOwned;
import java.util.concurrent.TimeUnit;

/**
 * What passes through something: three sums that only grow, and what they were when somebody looked at them before, from which rates
 * follow. Owned by a loop, which counts without knowing the time.
 *
 * <p>Invariant: {@link #earlierNanos} is before {@link #laterNanos}, or nobody has looked twice.
 */
@LoopOwned
public final class Traffic {

    /** A rate is taken over so long at least, where that is known. */
    private static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(5);

    private long in;
    private long out;
    private long acknowledged;

    private long earlierNanos;
    private long earlierIn;
    private long earlierOut;
    private long earlierAcknowledged;
    private long laterNanos;
    private long laterIn;
    private long laterOut;
    private long laterAcknowledged;

    /** @param nowNanos by the loop's clock */
    public Traffic(long nowNanos) {
        earlierNanos = nowNanos;
        laterNanos = nowNanos;
    }

    public void in() {
        in++;
    }

    public void out() {
        out++;
    }

    public void acknowledged() {
        acknowledged++;
    }

    /** Sets the sums, where others count. */
    public void sums(long inSum, long outSum, long acknowledgedSum) {
        in = inSum;
        out = outSum;
        acknowledged = acknowledgedSum;
    }

    /** Looks at it: what passes, and how fast. */
    public Rates look(long nowNanos) {
        if (nowNanos - laterNanos >= LEAST_NANOS) {
            earlierNanos = laterNanos;
            earlierIn = laterIn;
            earlierOut = laterOut;
            earlierAcknowledged = laterAcknowledged;
            laterNanos = nowNanos;
            laterIn = in;
            laterOut = out;
            laterAcknowledged = acknowledged;
        }
        double seconds = (nowNanos - earlierNanos) / 1e9;
        if (seconds <= 0) {
            return new Rates(in, out, acknowledged, 0, 0, 0);
        }
        return new Rates(
                in, out, acknowledged, (in - earlierIn) / seconds, (out - earlierOut) / seconds,
                (acknowledged - earlierAcknowledged) / seconds);
    }
}
