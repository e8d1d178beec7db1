package io.sluicemq.campaign.full;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Measures how fast messages flow alone and beside a full queue, by turns, as a machine is not equally fast all the time, and holds
 * the one against the other. The campaign's thread uses it.
 */
final class NeighbourRates {

    /** What has to be left of the rate. */
    private static final double LEAST = 0.9;

    private static final int PAIRS = 3;
    /** So many messages have arrived when the rate begins to be measured. */
    private static final int GOING = 5_000;

    private final int seconds;
    private final PrintStream out;

    /** A flow of messages that is set up, measured by {@link #of} and taken down again. */
    interface Flow {
        double perSecond(boolean besideFull) throws Exception;
    }

    NeighbourRates(int seconds, PrintStream out) {
        this.seconds = seconds;
        this.out = out;
    }

    /** Whether enough of a flow's rate is left beside a full queue; prints what there was. */
    boolean enough(String prefix, Enum<?> mode, Flow flow) throws Exception {
        double alone = 0;
        double beside = 0;
        List<String> ratios = new ArrayList<>();
        for (int i = 0; i < PAIRS; i++) {
            double one = flow.perSecond(false);
            double other = flow.perSecond(true);
            alone += one;
            beside += other;
            ratios.add("%.2f".formatted(other / one));
        }
        double ratio = beside / alone;
        out.printf(
                "%s%s: %,.0f messages a second alone, %,.0f beside a full queue of the same connection: %.2f (pairs: %s)%n",
                prefix, mode.name().toLowerCase(Locale.ROOT).replace('_', ' '), alone / PAIRS, beside / PAIRS, ratio,
                String.join(", ", ratios));
        return ratio >= LEAST;
    }

    /** Messages a second of a flow that counts those that have arrived. */
    double of(AtomicLong arrived) throws InterruptedException {
        Condition.await("it is going", () -> arrived.get() > GOING);
        long before = arrived.get();
        long start = System.nanoTime();
        Thread.sleep(seconds * 1_000L);
        return (arrived.get() - before) * 1e9 / (System.nanoTime() - start);
    }
}
