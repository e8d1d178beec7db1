package io.sluicemq.broker.engine;

import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.flow.Account;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The one way into queues for what comes from one client, or for the dead letters of a virtual host on one loop: room is
 * reserved in every account that it counts in, all or nothing; if there is none, what its policy says is done. What waits stands
 * in the {@link Lane} of its producer, so that the messages of one producer to one queue keep their order, and those to others
 * need not wait.
 *
 * <p>Owned by the loop that things come from. Invariant: who stands behind nobody is at a gate, or about to be.
 */
@LoopOwned
final class Entrance {

    private final LoopContext context;
    /** For people: where this comes from. */
    private final String name;
    /** By what order is kept for, each of which is equal to itself alone: a producer, the queue of dead letters, a transaction. */
    private final Map<Object, Lane> lanes = new LinkedHashMap<>(0);
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
        return lanes.isEmpty();
    }

    /** Whether something that came before, from the same producer, waits for one of these queues. */
    boolean mustFollow(Object key, QueueProxy[] targets) {
        Lane own = lanes.get(key);
        return own != null && own.covers(targets);
    }

    /** Lets something in, or has it wait or be refused. */
    void enter(Arrival arrival, Object key) {
        enter(arrival, key, context.loop.nanoTime());
    }

    /** As {@link #enter(Arrival, Object)}, for something that counts as waiting since an earlier time. */
    void enter(Arrival arrival, Object key, long sinceNanos) {
        arrival.waitsSince(nextSequence++, sinceNanos);
        if (!lanes.isEmpty() && mustFollow(key, arrival.targets())) {
            Lane own = lanes.get(key);
            Waiter waiter = new Waiter(this, own, key, arrival);
            own.add(waiter);
            waiter.begin(own.first(waiter).account());
            return;
        }
        Account lacking = settle(arrival, null);
        if (lacking != null) {
            Lane own = lanes.get(key);
            if (own == null) {
                own = new Lane(sinceNanos);
                lanes.put(key, own);
                if (!internal) {
                    context.holds.begin();
                }
            }
            Waiter waiter = new Waiter(this, own, key, arrival);
            own.add(waiter);
            waiter.begin(lacking);
            if (waiter.mayTry()) {
                waiter.waitAt(lacking);
            }
        }
    }

    /**
     * Lets somebody in who waits, and those behind it as far as it goes; who finds no room goes to a gate.
     *
     * @param pool what was granted; null for nothing
     */
    void letIn(Waiter first, Account.Pool pool) {
        ArrayDeque<Waiter> due = new ArrayDeque<>();
        due.add(first);
        for (Waiter next = due.pollFirst(); next != null; next = due.pollFirst()) {
            if (!next.mayTry()) {
                continue; // it has ended, with its client, while others were let in
            }
            Lane lane = next.lane();
            Arrival arrival = next.arrival();
            QueueProxy[] targets = arrival.targets();
            // It stays the first for its queues until it is let in: what comes meanwhile stands behind it.
            next.entering(true);
            Account lacking = settle(arrival, pool);
            next.entering(false);
            if (lacking == null) {
                ends(next, targets, due);
            } else {
                if (targets != arrival.targets()) {
                    lane.leave(next, leftOut(targets, arrival.targets()), due);
                }
                if (next == first && pool != null) {
                    next.grantedInVain(lacking);
                } else {
                    next.waitAt(lacking);
                }
            }
        }
        if (pool != null) {
            pool.close(context.loop);
        }
    }

    private void ends(Waiter waiter, QueueProxy[] targets, ArrayDeque<Waiter> due) {
        Lane lane = waiter.lane();
        if (lane.waiters().contains(waiter)) { // or its client has gone, in the middle of it
            lane.leave(waiter, targets, due);
            lane.remove(waiter);
            if (lane.isEmpty()) {
                lanes.remove(waiter.key());
                ended(lane);
            }
        }
        waiter.end();
    }

    private void ended(Lane lane) {
        if (!internal) {
            context.holds.end(context.loop.nanoTime() - lane.sinceNanos());
        }
    }

    private static QueueProxy[] leftOut(QueueProxy[] before, QueueProxy[] after) {
        List<QueueProxy> kept = List.of(after);
        return Arrays.stream(before).filter(target -> !kept.contains(target)).toArray(QueueProxy[]::new);
    }

    /** Refuses somebody who has waited at a gate as long as it may. */
    void heldTooLong(Waiter late) {
        Account account = late.account();
        ArrayDeque<Waiter> due = new ArrayDeque<>();
        ends(late, late.arrival().targets(), due);
        late.arrival().heldTooLong(account);
        due.forEach(next -> letIn(next, null));
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

    /** Nobody waits any longer for what has waited so long: it is refused, with what it waits for. */
    void giveUp(long nanos) {
        for (Waiter waiter : waiting()) {
            if (waiter.isEntering() || !waiting(waiter.key()).contains(waiter)) {
                continue;
            }
            ArrayDeque<Waiter> due = new ArrayDeque<>();
            ends(waiter, waiter.arrival().targets(), due);
            waiter.arrival().refused(waiter.account().noRoomWithin(nanos));
            due.forEach(next -> letIn(next, null));
        }
    }

    /** What waits of that key is not wanted any more. */
    void withdraw(Object key) {
        for (Waiter waiter : List.copyOf(waiting(key))) {
            ArrayDeque<Waiter> due = new ArrayDeque<>();
            ends(waiter, waiter.arrival().targets(), due);
            waiter.arrival().dropped();
            due.forEach(next -> letIn(next, null));
        }
    }

    /** Those of that key who wait, in the order in which they came. */
    Collection<Waiter> waiting(Object key) {
        Lane own = lanes.get(key);
        return own == null ? List.of() : own.waiters();
    }

    /** All who wait; those of one lane in the order in which they came. */
    List<Waiter> waiting() {
        List<Waiter> all = new ArrayList<>();
        lanes.values().forEach(lane -> all.addAll(lane.waiters()));
        return all;
    }

    /** Whoever this was for has gone: what waits is dropped. Returns how many. */
    int close() {
        int dropped = 0;
        List<Waiter> ended = waiting().stream().filter(each -> !each.isEntering()).toList();
        lanes.values().forEach(lane -> {
            lane.clear();
            ended(lane);
        });
        lanes.clear();
        // First all end, then they are told so: that may have consequences.
        ended.forEach(Waiter::end);
        for (Waiter waiter : ended) {
            waiter.arrival().dropped();
            dropped++;
        }
        return dropped;
    }
}
