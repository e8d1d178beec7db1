package io.sluicemq.crash;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** What clients have done and met, and what must not have been. All threads write here. */
final class Findings {

    private static final int FAULTS_KEPT = 50;

    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();
    private final List<String> faults = new ArrayList<>();
    private long faultCount;

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
        faultCount++;
        if (faults.size() < FAULTS_KEPT) {
            faults.add(what);
        }
    }

    /** What must not have been, or the first of it. */
    synchronized List<String> faults() {
        return List.copyOf(faults);
    }

    /** How much must not have been. */
    synchronized long faultCount() {
        return faultCount;
    }
}
