package io.sluicemq.management.metrics;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/**
 * Of many things those that are shown by themselves, since they are the first in some order, and the others. Immutable.
 *
 * @param named at most as many as are wanted
 */
record Shown<T>(List<T> named, List<T> others) {

    /**
     * Chooses: by turns the first of each order that is not chosen yet.
     *
     * @param most how many at most
     * @param ties what comes first where an order says nothing
     * @param orders in each, the largest is the first; what has 0 in all of them comes last
     */
    static <T> Shown<T> of(List<T> all, int most, Comparator<T> ties, List<ToDoubleFunction<T>> orders) {
        if (all.size() <= most) {
            return new Shown<>(List.copyOf(all), List.of());
        }
        List<Iterator<T>> lines = new ArrayList<>();
        for (ToDoubleFunction<T> order : orders) {
            lines.add(all.stream()
                    .filter(each -> order.applyAsDouble(each) > 0)
                    .sorted(Comparator.comparingDouble(order).reversed().thenComparing(ties))
                    .iterator());
        }
        Set<T> chosen = new LinkedHashSet<>();
        while (chosen.size() < most && lines.stream().anyMatch(Iterator::hasNext)) {
            for (Iterator<T> line : lines) {
                boolean found = false;
                while (!found && line.hasNext() && chosen.size() < most) {
                    found = chosen.add(line.next());
                }
            }
        }
        all.stream().sorted(ties).filter(each -> !chosen.contains(each)).limit(most - chosen.size()).toList()
                .forEach(chosen::add);
        return new Shown<>(
                List.copyOf(chosen), all.stream().filter(each -> !chosen.contains(each)).toList());
    }
}
