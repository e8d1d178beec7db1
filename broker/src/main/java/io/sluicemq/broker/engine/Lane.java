package io.sluicemq.broker.engine;

import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.flow.Account;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;

/**
 * What waits of one producer: in the order of each queue that it is for, and in no other. Who is the first for all of its
 * queues may be let in; the others stand behind it, or behind several. Owned by the loop of the producer.
 *
 * <p>Invariant: a {@link Waiter}'s count of those ahead is the number of queues for which it is not the first.
 */
@LoopOwned
final class Lane {

    /** How many of those who wait for a queue ask for room together. */
    private static final int MOST_AT_ONCE = 256;

    private final long sinceNanos;
    private final Set<Waiter> waiters = new LinkedHashSet<>(2);
    private final Map<QueueProxy, ArrayDeque<Waiter>> byQueue = new IdentityHashMap<>(2);

    /** @param sinceNanos since when something of it waits */
    Lane(long sinceNanos) {
        this.sinceNanos = sinceNanos;
    }

    long sinceNanos() {
        return sinceNanos;
    }

    boolean isEmpty() {
        return waiters.isEmpty();
    }

    /** All, in the order in which they came. */
    Collection<Waiter> waiters() {
        return waiters;
    }

    /** Whether something waits for one of these queues. */
    boolean covers(QueueProxy[] targets) {
        for (QueueProxy target : targets) {
            if (byQueue.containsKey(target)) {
                return true;
            }
        }
        return false;
    }

    /** Adds one behind all that wait for its queues. */
    void add(Waiter waiter) {
        waiters.add(waiter);
        for (QueueProxy target : waiter.arrival().targets()) {
            ArrayDeque<Waiter> line = byQueue.computeIfAbsent(target, queue -> new ArrayDeque<>(2));
            if (!line.isEmpty()) {
                waiter.moreAhead();
            }
            line.addLast(waiter);
        }
    }

    /** The first for these queues is so no more; those who are the first for all of theirs now are added to {@code free}. */
    void leave(Waiter waiter, QueueProxy[] targets, Queue<Waiter> free) {
        for (QueueProxy target : targets) {
            ArrayDeque<Waiter> line = byQueue.get(target);
            if (line.pollFirst() != waiter) {
                throw new IllegalStateException("who was let in was not the first for " + target.queue());
            }
            if (line.isEmpty()) {
                byQueue.remove(target);
            } else if (line.peekFirst().lessAhead()) {
                free.add(line.peekFirst());
            }
        }
    }

    /** One waits no more, for any queue. */
    void remove(Waiter waiter) {
        waiters.remove(waiter);
    }

    /** Nobody waits any more. */
    void clear() {
        waiters.clear();
        byQueue.clear();
    }

    /** Bytes and messages that those want who wait for the same queue, some of them; of an account of more than a queue, its own. */
    long[] wanted(Waiter first, Account account) {
        long[] wanted = {first.arrival().wantedBytes(account), first.arrival().wantedMessages(account)};
        if (account.kind() != Account.Kind.QUEUE) {
            return wanted;
        }
        for (QueueProxy target : first.arrival().targets()) {
            if (target.queue().account() == account) {
                int asked = 0;
                for (Waiter each : byQueue.get(target)) {
                    if (asked++ == MOST_AT_ONCE) {
                        break;
                    }
                    if (each != first) {
                        wanted[0] += each.arrival().bytesFor(target);
                        wanted[1] += each.arrival().messagesFor(target);
                    }
                }
            }
        }
        return wanted;
    }

    // ---- for people

    /** Who of them stands at a gate for one: itself, or one that it stands behind. */
    Waiter first(Waiter waiter) {
        Waiter first = waiter;
        while (first.isBehind()) {
            Waiter behind = first;
            for (QueueProxy target : behind.arrival().targets()) {
                Waiter head = byQueue.get(target).peekFirst();
                if (head != behind) {
                    first = head;
                    break;
                }
            }
        }
        return first;
    }
}
