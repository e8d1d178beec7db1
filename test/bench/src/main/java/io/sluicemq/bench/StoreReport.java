package io.sluicemq.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * Loads on one disk over the same rounds. The first of them is what the others are compared with, round by round. Immutable.
 *
 * @param labels of the loads
 * @param bytesPerSecond by load, then by round
 */
record StoreReport(List<String> labels, double[][] bytesPerSecond) {

    /** The median over the rounds of the ratio to the first load in the same round. */
    double ratio(int load) {
        return median(ratios(load));
    }

    /** A table in Markdown. */
    String markdown() {
        String heading = """
                | load | MB/s | least – most | × | least – most |
                | --- | ---: | ---: | ---: | ---: |
                """;
        return IntStream.range(0, labels.size()).mapToObj(this::row).collect(Collectors.joining("", heading, ""));
    }

    private String row(int load) {
        double[] rates = Arrays.stream(bytesPerSecond[load]).map(rate -> rate / 1e6).toArray();
        return "| " + labels.get(load) + " | " + cells(rates, "%.1f") + " | " + cells(ratios(load), "%.2f") + " |\n";
    }

    private static String cells(double[] values, String format) {
        return String.format(
                Locale.ROOT,
                format + " | " + format + " – " + format,
                median(values),
                DoubleStream.of(values).min().orElseThrow(),
                DoubleStream.of(values).max().orElseThrow());
    }

    private double[] ratios(int load) {
        return IntStream.range(0, bytesPerSecond[load].length)
                .mapToDouble(round -> bytesPerSecond[load][round] / bytesPerSecond[0][round])
                .toArray();
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
