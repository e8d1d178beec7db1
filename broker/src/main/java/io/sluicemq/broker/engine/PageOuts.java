package io.sluicemq.broker.engine;

import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.queue.PageSlice;
import io.sluicemq.broker.queue.Queue;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The queues of one loop that have more in memory than they should, and are made smaller one after the other, a part a turn.
 * When memory is short the largest come first, so that many small ones keep what they have if that is enough. Owned by that
 * loop.
 *
 * <p>Invariant: while a queue stands here, the next part is planned, or the log is to say that it has room.
 */
@LoopOwned
final class PageOuts implements Runnable {

    private final Loop loop;
    private final Set<Queue> waiting = new LinkedHashSet<>();
    private boolean planned;
    private boolean waitsForRoom;

    PageOuts(Loop loop) {
        this.loop = loop;
    }

    /** Has a queue made smaller, after those that are to be already. */
    void add(Queue queue) {
        waiting.add(queue);
        plan();
    }

    /** Memory is short: has all of them made smaller that should be, the largest first. */
    void addLargestFirst(Collection<Queue> queues) {
        queues.stream().filter(Queue::hasTooMuch).sorted(Comparator.comparingLong(Queue::residentBytes).reversed())
                .forEach(waiting::add);
        if (!waiting.isEmpty()) {
            plan();
        }
    }

    /** There may be room in the log. */
    void room() {
        if (waitsForRoom) {
            waitsForRoom = false;
            plan();
        }
    }

    private void plan() {
        if (!planned && !waitsForRoom) {
            planned = true;
            loop.execute(this);
        }
    }

    @Override
    public void run() {
        planned = false;
        PageSlice slice = new PageSlice();
        while (!waiting.isEmpty() && !slice.isUsedUp()) {
            Queue queue = waiting.iterator().next();
            if (queue.pageOut(slice)) {
                waiting.remove(queue);
            }
        }
        waitsForRoom = slice.foundNoRoom();
        if (!waiting.isEmpty()) {
            plan();
        }
    }
}
