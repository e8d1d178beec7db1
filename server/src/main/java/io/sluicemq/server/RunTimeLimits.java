package io.sluicemq.server;

import io.sluicemq.broker.flow.AddressSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The limits of addresses that were set while the broker runs, in the words in which they were, so that a reload can say which of them it
 * undoes. Any thread, one at a time.
 *
 * <p>Invariant: what is in here is in force, over what the configuration says.
 */
final class RunTimeLimits {

    /** What limits that were set mean. */
    interface Reading {
        AddressSettings.Rule read(String match, Map<String, String> limits);
    }

    private final Reading reading;
    /** By pattern, and by the names of the configuration. */
    private final Map<String, Map<String, String>> limits = new LinkedHashMap<>();
    /** Whether the embedding program has put others in the place of the configuration's. */
    private boolean replaced;

    RunTimeLimits(Reading reading) {
        this.reading = reading;
    }

    synchronized void set(String match, Map<String, String> more) {
        limits.computeIfAbsent(match, key -> new LinkedHashMap<>()).putAll(more);
    }

    /** The embedding program has put others in the place of all that held. */
    synchronized void replaced() {
        limits.clear();
        replaced = true;
    }

    synchronized Map<String, Map<String, String>> all() {
        Map<String, Map<String, String>> all = new LinkedHashMap<>();
        limits.forEach((match, ofMatch) -> all.put(match, new LinkedHashMap<>(ofMatch)));
        return all;
    }

    /**
     * Forgets all, as those of a configuration hold from now on.
     *
     * @param before what held until now
     * @return what doesn't hold any more by that, in words
     */
    synchronized List<String> undoneBy(AddressSettings before, AddressSettings next) {
        List<String> undone = new ArrayList<>();
        if (replaced && !before.rules().equals(next.rules())) {
            undone.add("address-settings (undone: what the embedding program has set)");
        }
        limits.forEach((match, ofMatch) -> {
            String lost = ofMatch.entrySet().stream()
                    .filter(limit -> !holds(match, limit, next))
                    .map(limit -> limit.getKey() + "=" + limit.getValue())
                    .collect(Collectors.joining(", "));
            if (!lost.isEmpty()) {
                undone.add("address-settings of " + match + " (undone: " + lost + ", set at run time)");
            }
        });
        limits.clear();
        replaced = false;
        return undone;
    }

    /** Whether the configuration says the same. */
    private boolean holds(String match, Map.Entry<String, String> limit, AddressSettings next) {
        AddressSettings.Rule said = reading.read(match, Map.of(limit.getKey(), limit.getValue()));
        return next.rules().stream().anyMatch(rule -> rule.match().equals(match) && said.over(rule).equals(rule));
    }
}
