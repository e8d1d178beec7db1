package io.sluicemq.campaign.full;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * Measures how fast messages flow alone and beside a full queue, by turns, as a machine is not equally fast all the time, and holds
 * the one against the other. The campaign's thread uses it.
 */
final class NeighbourRates {

    /** What has to be left of the rate. */
    private static final double LEAST = 0.9;

    /** So many messages have arrived when the rate begins to be measured. */
    private static final int GOING = 5_000;

    private final int pairs;
    private final int seconds;
    private final PrintStream out;

    /** A flow of messages that is set up, measured by {@link #of} and taken down again. */
    interface Flow {
        double perSecond(boolean besideFull) throws Exception;
    }

    /**
     * @param pairs how often both are measured, one after the other
     * @param seconds how long each
     */
    NeighbourRates(int pairs, int seconds, PrintStream out) {
        this.pairs = pairs;
        this.seconds = seconds;
        this.out = out;
    }

    /** Whether enough of a flow's rate is left beside a full queue, in the median of the pairs; prints what there was. */
    boolean enough(String prefix, Enum<?> mode, Flow flow) throws Exception {
        flow.perSecond(false); // compiles it
        double alone = 0;
        double beside = 0;
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < pairs; i++) {
            // By turns the one or the other first: the JVM gets better at it, and the machine tired.
            boolean aloneFirst = i % 2 == 0;
            double first = flow.perSecond(!aloneFirst);
            double second = flow.perSecond(aloneFirst);
            double one = aloneFirst ? first : second;
            double other = aloneFirst ? second : first;
            alone += one;
            beside += other;
            ratios.add(other / one);
        }
        ratios.sort(null);
        double ratio = (ratios.get((pairs - 1) / 2) + ratios.get(pairs / 2)) / 2;
        out.printf(
                "%s%s: %,.0f messages a second alone, %,.0f beside a full queue of the same connection: %.2f in the median of %s%n",
                prefix, mode.name().toLowerCase(Locale.ROOT).replace('_', ' '), alone / pairs, beside / pairs, ratio,
                ratios.stream().map("%.2f"::formatted).collect(Collectors.joining(", ")));
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
