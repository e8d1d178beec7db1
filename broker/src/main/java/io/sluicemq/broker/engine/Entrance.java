package io.sluicemq.broker.engine;

import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.flow.Account;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The one way into queues for what comes from one client, or for the dead letters of a virtual host on one loop: room is
 * reserved in every account that it counts in, all or nothing; if there is none, what its policy says is done. What waits
 * stands in {@link Line lines}, so that the messages of one producer to one queue keep their order, and those to others need
 * not wait.
 *
 * <p>Owned by the loop that things come from.
 */
@LoopOwned
final class Entrance {

    private final LoopContext context;
    /** For people: where this comes from. */
    private final String name;
    /** By what order is kept for: a producer, the queue of dead letters, a transaction. */
    private final Map<Object, List<Line>> lines = new LinkedHashMap<>(0);
    private final boolean internal;
    private long nextSequence;

    /** @param internal whether the broker's own moves come by it, which stand before those of producers */
    Entrance(LoopContext context, String name, boolean internal) {
        this.context = context;
        this.name = name;
        this.internal = internal;
    }

    LoopContext context() {
        return context;
    }

    String name() {
        return name;
    }

    boolean isInternal() {
        return internal;
    }

    /** Whether nothing waits. */
    boolean isIdle() {
        return lines.isEmpty();
    }

    /** Whether something that came before, from the same producer, waits for one of these queues. */
    boolean mustFollow(Object key, QueueProxy[] targets) {
        List<Line> own = lines.get(key);
        if (own != null) {
            for (Line line : own) {
                if (line.covers(targets)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Lets something in, or has it wait or be refused. */
    void enter(Arrival arrival, Object key) {
        arrival.waitsSince(nextSequence++, context.loop.nanoTime());
        if (!lines.isEmpty() && mustFollow(key, arrival.targets())) {
            lineFor(key, arrival).add(arrival);
            return;
        }
        Account lacking = settle(arrival, null);
        if (lacking != null) {
            Line line = new Line(this, key, arrival.producer());
            lines.computeIfAbsent(key, k -> new ArrayList<>(1)).add(line);
            line.begin(arrival, lacking);
        }
    }

    /**
     * Lets something in, refuses it or drops it.
     *
     * @return null if that is done, or the account in which it must wait for room
     */
    Account settle(Arrival arrival, Account.Pool pool) {
        while (true) {
            Account lacking = arrival.reserve(context.loop, pool);
            if (lacking == null) {
                arrival.admitted();
                return null;
            }
            switch (Arrival.policy(lacking)) {
                case DROP -> arrival.dropFor(lacking);
                case FAIL -> {
                    context.tally.refusedByPolicy++;
                    lacking.refusedByPolicy();
                    arrival.refused(lacking.full());
                    return null;
                }
                case BLOCK, PAGE, RING -> {
                    if (arrival.everFits(lacking)) {
                        if (arrival.makesRoomIn(lacking)) {
                            continue;
                        }
                        return lacking;
                    }
                    context.tally.refusedByPolicy++;
                    lacking.refusedByPolicy();
                    arrival.refused(lacking.tooLarge(arrival.bytesIn(lacking), arrival.messagesIn(lacking)));
                    return null;
                }
            }
        }
    }

    /** The line that an arrival must stand in; those that it must stand behind become one. */
    private Line lineFor(Object key, Arrival arrival) {
        List<Line> own = lines.get(key);
        List<Line> before = own.stream().filter(line -> line.covers(arrival.targets())).toList();
        if (before.size() == 1) {
            return before.getFirst();
        }
        List<Arrival> all = new ArrayList<>();
        before.forEach(line -> all.addAll(line.giveUp()));
        all.sort(Comparator.comparingLong(Arrival::sequence));
        own.removeAll(before);
        Line merged = new Line(this, key, arrival.producer());
        own.add(merged);
        merged.takeOver(all, before.getFirst().account());
        return merged;
    }

    /** A line has nothing left. */
    void ended(Line line, Object key) {
        List<Line> own = lines.get(key);
        if (own != null && own.remove(line) && own.isEmpty()) {
            lines.remove(key);
        }
    }

    /** The lines in which something of that key waits. */
    List<Line> lines(Object key) {
        return lines.getOrDefault(key, List.of());
    }

    /** Whoever this was for has gone: what waits is dropped. Returns how many. */
    int close() {
        int dropped = 0;
        for (List<Line> own : List.copyOf(lines.values())) {
            for (Line line : List.copyOf(own)) {
                for (Arrival arrival : line.giveUp()) {
                    line.unparked(arrival);
                    arrival.dropped();
                    dropped++;
                }
            }
        }
        lines.clear();
        return dropped;
    }
}
