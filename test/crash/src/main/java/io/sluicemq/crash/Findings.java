package io.sluicemq.crash;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;

/** What clients have done and met, and what must not have been. All threads write here. */
final class Findings {

    /** A kind of fault is what faults have in common but for their numbers. */
    private static final int FAULTS_KEPT_OF_A_KIND = 5;
    private static final Pattern NUMBERS = Pattern.compile("\\d+");

    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();
    private final Map<String, List<String>> faults = new LinkedHashMap<>();
    private final Map<String, Long> faultCounts = new HashMap<>();

    void count(String what) {
        count(what, 1);
    }

    void count(String what, long times) {
        counts.computeIfAbsent(what, key -> new LongAdder()).add(times);
    }

    /** How often each thing was done or met, by its name. */
    Map<String, Long> counts() {
        Map<String, Long> sums = new TreeMap<>();
        counts.forEach((what, count) -> sums.put(what, count.sum()));
        return sums;
    }

    /** Notes something that must not be. */
    synchronized void fault(String what) {
        String kind = NUMBERS.matcher(what).replaceAll("0");
        List<String> kept = faults.computeIfAbsent(kind, key -> new ArrayList<>());
        if (kept.size() < FAULTS_KEPT_OF_A_KIND) {
            kept.add(what);
        }
        faultCounts.merge(kind, 1L, Long::sum);
    }

    /** What must not have been: the first of each kind, and how many more there are. */
    synchronized List<String> faults() {
        List<String> all = new ArrayList<>();
        faults.forEach((kind, kept) -> {
            all.addAll(kept);
            long more = faultCounts.get(kind) - kept.size();
            if (more > 0) {
                all.add("and " + more + " more like that");
            }
        });
        return all;
    }

    /** How much must not have been. */
    synchronized long faultCount() {
        return faultCounts.values().stream().mapToLong(Long::longValue).sum();
    }
}
