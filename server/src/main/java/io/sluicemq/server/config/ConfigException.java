package io.sluicemq.server.config;

import io.sluicemq.base.option.Problem;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** That a configuration is not valid: all that is wrong with it, one line a problem. */
public final class ConfigException extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient List<Problem> problems;

    public ConfigException(List<Problem> problems) {
        super(sorted(problems).stream().map(Problem::toString).collect(Collectors.joining(System.lineSeparator())));
        this.problems = sorted(problems);
    }

    private static List<Problem> sorted(List<Problem> problems) {
        Comparator<Problem> byPlace = Comparator.comparingInt(problem -> problem.place().line());
        return problems.stream()
                .sorted(byPlace.thenComparingInt(problem -> problem.place().column()))
                .toList();
    }

    /** What is wrong, in the order of the file. Not kept when this is serialised: the message says all of it. */
    public List<Problem> problems() {
        return problems == null ? List.of() : problems;
    }
}
