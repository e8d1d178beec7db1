package io.sluicemq.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** What {@code bin/simulate} runs: one seed after the other, until one of them finds something. */
public final class Simulate {

    private Simulate() {}

    /**
     * Arguments: the first seed, the steps of each, how many seeds, and {@code all}, {@code no-limits}, {@code credit} or {@code
     * filters}. Ends with 1 when something was found.
     */
    public static void main(String[] arguments) {
        long first = Long.parseLong(arguments[0]);
        long steps = Long.parseLong(arguments[1]);
        long count = Long.parseLong(arguments[2]);
        List<String> others = List.of(arguments).subList(3, arguments.length);
        boolean goesOn = others.contains("all");
        boolean limited = !others.contains("no-limits");
        boolean credit = others.contains("credit");
        boolean filters = others.contains("filters");
        Statistics statistics = new Statistics();
        long begun = System.nanoTime();
        long found = 0;
        for (long seed = first; seed < first + count; seed++) {
            String problem = problem(seed, steps, limited, credit, filters, statistics);
            if (problem != null) {
                System.out.println(problem);
                found++;
                if (!goesOn) {
                    break;
                }
            } else if ((seed - first + 1) % 100 == 0) {
                System.out.printf(Locale.ROOT, "%d seeds in %d s%n", seed - first + 1,
                        Duration.ofNanos(System.nanoTime() - begun).toSeconds());
            }
        }
        System.out.println(statistics);
        if (found > 0) {
            System.exit(1);
        }
    }

    /** Runs a seed; returns what it has found, and how to see that again, or null. */
    private static String problem(
            long seed, long steps, boolean limited, boolean credit, boolean filters, Statistics statistics) {
        Simulation simulation = new Simulation(seed, limited, credit, filters);
        try {
            simulation.run(steps);
            return null;
        } catch (RuntimeException | Error e) {
            return Report.of(simulation, steps, e);
        } finally {
            statistics.add(simulation.statistics);
        }
    }
}
