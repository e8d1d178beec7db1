package io.sluicemq.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What was found in a broker's queues: numbers of messages by queue, in order. A queue that is not in it does not exist. */
final class Contents {

    private final Map<String, List<Long>> queues = new HashMap<>();
    private final Map<String, Set<Long>> sets = new HashMap<>();
    private final Set<String> bound = new HashSet<>();
    /** When the broker has had what was delayed, if there was any; 0 if no time has passed. */
    long waitedUntilNanos;

    void found(String queue, List<Long> ids, boolean isBound) {
        queues.put(queue, ids);
        sets.put(queue, new HashSet<>(ids));
        if (isBound) {
            bound.add(queue);
        }
    }

    /** How many messages were found in all queues together. */
    long size() {
        return queues.values().stream().mapToLong(List::size).sum();
    }

    boolean has(QueueModel queue) {
        return queues.containsKey(queue.name);
    }

    boolean isBound(QueueModel queue) {
        return bound.contains(queue.name);
    }

    List<Long> of(QueueModel queue) {
        return queues.getOrDefault(queue.name, List.of());
    }

    boolean has(Copy copy) {
        Set<Long> ids = sets.get(copy.queue.name);
        return ids != null && ids.contains(copy.sent.id);
    }
}
