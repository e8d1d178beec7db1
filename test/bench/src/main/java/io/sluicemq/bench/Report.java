package io.sluicemq.bench;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The tables of a comparison. Stateless. */
final class Report {

    /** The rows that ratios are taken to, where they are in the table. */
    private static final String OURS = "sluicemq";

    private static final String LIMIT = "tcp-relay";

    private static final List<String> HEADING = List.of(
            "broker",
            "published/s",
            "confirmed/s",
            "consumed/s",
            "least – most",
            "×",
            "broker CPU µs/msg",
            "×",
            "p50 ms",
            "p99 ms",
            "confirm p99 ms",
            "memory MiB",
            "backlog peak",
            "client CPU µs/msg");

    private Report() {}

    /** A table for the terminal, columns in line. */
    static String text(List<Standing> standings) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(HEADING);
        rows.addAll(rows(standings));
        int[] widths = IntStream.range(0, HEADING.size())
                .map(column -> rows.stream()
                        .mapToInt(row -> row.get(column).length())
                        .max()
                        .orElse(0))
                .toArray();
        return rows.stream()
                .map(row -> IntStream.range(0, row.size())
                        .mapToObj(column -> pad(row.get(column), widths[column], column == 0))
                        .collect(Collectors.joining("  "))
                        .stripTrailing())
                .collect(Collectors.joining("\n"));
    }

    private static String pad(String cell, int width, boolean left) {
        String blanks = " ".repeat(width - cell.length());
        return left ? cell + blanks : blanks + cell;
    }

    /** The same table in Markdown. */
    static String markdown(List<Standing> standings) {
        List<String> lines = new ArrayList<>();
        lines.add("| " + String.join(" | ", HEADING) + " |");
        lines.add("| --- |" + " ---: |".repeat(HEADING.size() - 1));
        rows(standings).forEach(row -> lines.add("| " + String.join(" | ", row) + " |"));
        return String.join("\n", lines);
    }

    private static List<List<String>> rows(List<Standing> standings) {
        Optional<Standing> reference = standings.stream()
                .filter(Standing::hasFigures)
                .min(Comparator.comparing(each -> !each.peer().equals(OURS)));
        return standings.stream()
                .filter(Standing::hasFigures)
                .map(each -> row(each, reference.orElseThrow()))
                .toList();
    }

    private static List<String> row(Standing standing, Standing reference) {
        return List.of(
                standing.peer(),
                number(standing.median(Measurement::publishedPerSecond)),
                standing.median(Measurement::confirmedPerSecond) == 0
                        ? "-"
                        : number(standing.median(Measurement::confirmedPerSecond)),
                number(standing.median(Measurement::consumedPerSecond)),
                number(standing.least(Measurement::consumedPerSecond)) + " – "
                        + number(standing.most(Measurement::consumedPerSecond)),
                ratio(
                        standing.median(Measurement::consumedPerSecond),
                        reference.median(Measurement::consumedPerSecond)),
                decimal(standing.median(Measurement::brokerCpuMicros)),
                ratio(standing.median(Measurement::brokerCpuMicros), reference.median(Measurement::brokerCpuMicros)),
                decimal(standing.median(Measurement::p50Millis)),
                decimal(standing.median(Measurement::p99Millis)),
                standing.median(Measurement::confirmP99Millis) == 0
                        ? "-"
                        : decimal(standing.median(Measurement::confirmP99Millis)),
                number(standing.median(Measurement::brokerRssBytes) / (1024 * 1024)),
                number(standing.median(Measurement::backlogPeak)),
                decimal(standing.median(Measurement::clientCpuMicros)));
    }

    /**
     * One sentence on how SluiceMQ stands to the best of its peers, each figure against the peer that is best in it;
     * empty if one of the two sides is not there.
     */
    static Optional<String> verdict(List<Standing> standings) {
        Optional<Standing> ours = standings.stream()
                .filter(each -> each.peer().equals(OURS) && each.hasFigures())
                .findFirst();
        List<Standing> others = standings.stream()
                .filter(each -> !each.peer().equals(OURS) && !each.peer().equals(LIMIT) && each.hasFigures())
                .toList();
        if (ours.isEmpty() || others.isEmpty()) {
            return Optional.empty();
        }
        boolean confirmed = ours.get().median(Measurement::confirmedPerSecond) > 0;
        ToDoubleFunction<Measurement> rate =
                confirmed ? Measurement::confirmedPerSecond : Measurement::consumedPerSecond;
        Standing fastest = others.stream()
                .max(Comparator.comparingDouble(each -> each.median(rate)))
                .orElseThrow();
        Standing thriftiest = least(others, Measurement::brokerCpuMicros);
        Standing promptest = least(others, Measurement::p99Millis);
        return Optional.of("SluiceMQ: " + ratio(ours.get(), fastest, rate)
                + " × the " + (confirmed ? "confirmed" : "consumed") + " messages a second of the fastest peer ("
                + fastest.peer() + ") at " + ratio(ours.get(), fastest, Measurement::brokerCpuMicros)
                + " × its CPU a message, " + ratio(ours.get(), thriftiest, Measurement::brokerCpuMicros)
                + " × the CPU a message of the thriftiest (" + thriftiest.peer() + "), "
                + ratio(ours.get(), promptest, Measurement::p99Millis)
                + " × the p99 of the promptest (" + promptest.peer() + ").");
    }

    private static Standing least(List<Standing> standings, ToDoubleFunction<Measurement> figure) {
        return standings.stream()
                .min(Comparator.comparingDouble(each -> each.median(figure)))
                .orElseThrow();
    }

    private static String ratio(Standing ours, Standing other, ToDoubleFunction<Measurement> figure) {
        return ratio(ours.median(figure), other.median(figure));
    }

    /** What each row is, and what failed in it. */
    static List<String> notes(List<Standing> standings) {
        List<String> notes = new ArrayList<>();
        for (Standing standing : standings) {
            notes.add(standing.peer() + ": " + standing.details());
            standing.problems().forEach(problem -> notes.add(standing.peer() + ": a round failed: " + problem));
        }
        return notes;
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%,.0f", value);
    }

    private static String decimal(double value) {
        return String.format(Locale.ROOT, value < 10 ? "%.2f" : "%,.1f", value);
    }

    private static String ratio(double value, double reference) {
        return reference == 0 ? "-" : String.format(Locale.ROOT, "%.2f", value / reference);
    }
}
