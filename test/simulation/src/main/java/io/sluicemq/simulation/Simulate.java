package io.sluicemq.simulation;

import java.time.Duration;
import java.util.Locale;

/** What {@code bin/simulate} runs: one seed after the other, until one of them finds something. */
public final class Simulate {

    private Simulate() {}

    /** Arguments: the first seed, the steps of each, and how many seeds. Ends with 1 when something was found. */
    public static void main(String[] arguments) {
        long first = Long.parseLong(arguments[0]);
        long steps = Long.parseLong(arguments[1]);
        long count = Long.parseLong(arguments[2]);
        boolean goesOn = arguments.length > 3 && arguments[3].equals("all");
        long begun = System.nanoTime();
        long found = 0;
        for (long seed = first; seed < first + count; seed++) {
            String problem = problem(seed, steps);
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
        if (found > 0) {
            System.exit(1);
        }
    }

    /** Runs a seed; returns what it has found, and how to see that again, or null. */
    private static String problem(long seed, long steps) {
        Simulation simulation = new Simulation(seed, disk -> disk);
        try {
            simulation.run(steps);
            return null;
        } catch (RuntimeException | Error e) {
            return Report.of(simulation, steps, e);
        }
    }
}
