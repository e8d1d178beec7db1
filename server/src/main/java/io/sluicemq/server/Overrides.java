package io.sluicemq.server;

import io.sluicemq.base.option.InvalidValue;
import io.sluicemq.base.option.Place;
import io.sluicemq.base.option.Problem;
import io.sluicemq.base.option.Settings;
import io.sluicemq.server.config.KeyPath;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What environment variables and a command line say about single keys of the configuration. Stateless.
 *
 * <p>The variables have two underscores where a level begins: {@code SLUICEMQ__HTTP__PORT}. Kubernetes gives every container
 * variables such as {@code SLUICEMQ_PORT} where a service has that name; those are no options.
 */
final class Overrides {

    /** What the names of the variables begin with. */
    static final String PREFIX = "SLUICEMQ__";

    private Overrides() {}

    /** The variables among these that are about the configuration. */
    static ConfigSource.Change environment(Map<String, String> variables) {
        Map<String, String> own = new TreeMap<>(variables);
        own.keySet().removeIf(name -> !name.startsWith(PREFIX));
        return (settings, problems) -> own.forEach(
                (name, value) -> KeyPath.ofVariable(name.substring(PREFIX.length()), Place.of(name))
                        .set(settings, value, problems));
    }

    /**
     * Assignments: {@code limits.heartbeat=30s}.
     *
     * @param option the word that stands before them on the command line
     */
    static ConfigSource.Change commandLine(String option, List<String> assignments) {
        List<String> all = List.copyOf(assignments);
        return (settings, problems) -> all.forEach(assignment -> set(option, assignment, settings, problems));
    }

    private static void set(String option, String assignment, Settings settings, List<Problem> problems) {
        Place place = Place.of(option);
        int equals = assignmentAt(assignment);
        if (equals < 0) {
            // Not what was written: it may be a password.
            problems.add(Problem.of(place, "", "expected KEY=VALUE, such as limits.heartbeat=30s"));
            return;
        }
        String key = assignment.substring(0, equals);
        try {
            KeyPath path = KeyPath.of(key, place);
            if (path.isSecret()) {
                problems.add(Problem.of(
                        place, key,
                        key + " is secret, and every user of the machine can see a command line: it may stand in"
                                + " the file, or in an environment variable"));
                return;
            }
            path.set(settings, assignment.substring(equals + 1), problems);
        } catch (InvalidValue e) {
            problems.add(Problem.of(place, key, "'" + key + "' is no key: expected " + e.expected()));
        }
    }

    /** The first {@code =} that is not between brackets. */
    private static int assignmentAt(String assignment) {
        boolean within = false;
        for (int i = 0; i < assignment.length(); i++) {
            char c = assignment.charAt(i);
            if (c == '=' && !within) {
                return i;
            }
            within = c == '[' || within && c != ']';
        }
        return -1;
    }
}
