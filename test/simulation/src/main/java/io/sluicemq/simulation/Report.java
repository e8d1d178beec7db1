package io.sluicemq.simulation;

import java.io.PrintWriter;
import java.io.StringWriter;

/** What to say of a run that has found something. */
final class Report {

    private Report() {}

    static String of(Simulation simulation, long steps, Throwable found) {
        Throwable first = found;
        while (!(first instanceof Broken) && first.getCause() != null) {
            first = first.getCause();
        }
        StringBuilder text = new StringBuilder()
                .append("FAILED: seed ").append(simulation.seed).append(", ").append(simulation.where()).append(": ")
                .append(first instanceof Broken ? first.getMessage() : first.toString()).append('\n')
                .append("  ").append(simulation.summary()).append('\n')
                .append("  ").append(simulation.plan).append('\n')
                .append("  repeat with: bin/simulate --seed ").append(simulation.seed).append(" --steps ")
                .append(steps).append(simulation.limits.isOn() ? "" : " --no-limits")
                .append(simulation.credit == null ? "" : " --credit")
                .append(simulation.filters == null ? "" : " --filters");
        if (!(first instanceof Broken)) {
            StringWriter trace = new StringWriter();
            found.printStackTrace(new PrintWriter(trace));
            text.append('\n').append(trace);
        }
        return text.toString();
    }
}
