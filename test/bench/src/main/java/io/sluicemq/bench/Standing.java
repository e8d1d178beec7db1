package io.sluicemq.bench;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * One broker's measurements in one scenario, over all rounds. What failed counts for nothing but its reason.
 *
 * @param details version and settings
 */
record Standing(String peer, String details, List<Measurement> measurements) {

    Standing {
        measurements = List.copyOf(measurements);
    }

    private List<Measurement> good() {
        return measurements.stream().filter(each -> each.problem() == null).toList();
    }

    boolean hasFigures() {
        return !good().isEmpty();
    }

    /** Why rounds failed, each reason once. */
    List<String> problems() {
        return measurements.stream()
                .map(Measurement::problem)
                .filter(problem -> problem != null)
                .distinct()
                .toList();
    }

    /** The middle one of all good rounds; of an even number the mean of the two in the middle; 0 without any. */
    double median(ToDoubleFunction<Measurement> figure) {
        double[] sorted = good().stream().mapToDouble(figure).sorted().toArray();
        if (sorted.length == 0) {
            return 0;
        }
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    double least(ToDoubleFunction<Measurement> figure) {
        return good().stream().mapToDouble(figure).min().orElse(0);
    }

    double most(ToDoubleFunction<Measurement> figure) {
        return good().stream().mapToDouble(figure).max().orElse(0);
    }
}
