package io.sluicemq.campaign;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What random clients have done and met. All of them write here. */
final class Findings {

    private static final int FAULTS_KEPT = 50;

    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();
    private final List<String> faults = new ArrayList<>();
    private final Map<String, Set<String>> settled = new ConcurrentHashMap<>();
    private final AtomicLong messages = new AtomicLong();
    private long faultCount;

    /** Counts something that was done or met. */
    void count(String what) {
        counts.computeIfAbsent(what, key -> new LongAdder()).increment();
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

    /** A message id that no other message has. */
    String nextMessageId() {
        return Long.toString(messages.incrementAndGet());
    }

    /**
     * Notes that a message was settled for good in a queue, and the broker knows it; this must be the only time. (That it
     * comes again would not tell: a client may see late what it was given before.)
     */
    void settled(String queue, String messageId) {
        if (!settled.computeIfAbsent(queue, key -> ConcurrentHashMap.newKeySet()).add(messageId)) {
            fault("message " + messageId + " was settled twice in queue " + queue);
        }
    }
}
