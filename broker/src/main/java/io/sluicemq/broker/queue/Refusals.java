package io.sluicemq.broker.queue;

import io.sluicemq.base.LoopOwned;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Which messages of a queue which consumers are not to have again. It is remembered with the message, also while that waits in
 * the log, and forgotten when the consumer ends. Owned by the queue's loop.
 *
 * <p>Invariant: what {@link QueueConsumer#refusals} counts of a consumer that has not ended are the messages, ready or unsettled,
 * that name it.
 */
@LoopOwned
final class Refusals {

    private static final QueueConsumer[] NONE = {};

    private final Consumers consumers;
    /** Who refuses messages that wait in the log, by position. */
    private final Map<Long, QueueConsumer[]> waiting = new HashMap<>(0);

    Refusals(Consumers consumers) {
        this.consumers = consumers;
    }

    /** A message that is coming back is not for this consumer. */
    void refused(QueueEntry entry, QueueConsumer consumer) {
        if (consumer.hasEnded() || entry.isRefusedBy(consumer)) {
            return;
        }
        QueueConsumer[] others = entry.refusers == null ? NONE : live(entry.refusers);
        QueueConsumer[] all = Arrays.copyOf(others, others.length + 1);
        all[others.length] = consumer;
        entry.refusers = all;
        consumers.refuses(consumer, 1);
    }

    private static QueueConsumer[] live(QueueConsumer[] all) {
        int count = 0;
        QueueConsumer[] live = new QueueConsumer[all.length];
        for (QueueConsumer each : all) {
            if (!each.hasEnded()) {
                live[count++] = each;
            }
        }
        return count == all.length ? all : Arrays.copyOf(live, count);
    }

    /** A message has left that somebody refuses. */
    void gone(QueueEntry entry) {
        forgive(entry.refusers);
        entry.refusers = null;
    }

    private void forgive(QueueConsumer[] all) {
        for (QueueConsumer each : all) {
            consumers.refuses(each, -1);
        }
    }

    /** A ready message was let go of in memory. */
    void pagedOut(QueueEntry entry, long place) {
        if (entry.refusers != null) {
            waiting.put(Backlog.position(place), entry.refusers);
            entry.refusers = null;
        }
    }

    /** Who is not to have a message that waits in the log, at a place or {@linkplain Backlog#heldKey held}; null for nobody. */
    QueueConsumer[] of(long place) {
        return waiting.isEmpty() ? null : waiting.get(Backlog.position(place));
    }

    /** A message was read back. */
    void loaded(QueueEntry entry, long place) {
        if (!waiting.isEmpty()) {
            entry.refusers = waiting.remove(Backlog.position(place));
        }
    }

    /** A message has left from among those that wait in the log. */
    void left(long position) {
        if (!waiting.isEmpty()) {
            QueueConsumer[] all = waiting.remove(position);
            if (all != null) {
                forgive(all);
            }
        }
    }

    /** A message was copied to another position. */
    void moved(long from, long to) {
        if (!waiting.isEmpty()) {
            QueueConsumer[] all = waiting.remove(from);
            if (all != null) {
                waiting.put(to, all);
            }
        }
    }

    /** None waits in the log any more. */
    void cleared() {
        waiting.values().forEach(this::forgive);
        waiting.clear();
    }

    /** A consumer has ended: what it holds unsettled or others hold may still name it, until that is refused again or leaves. */
    void ended(QueueConsumer consumer, PriorityMessages ready) {
        if (consumer.refusals == 0) {
            return;
        }
        for (int level = 0; level < ready.levels(); level++) {
            ready.forEachResident(level, entry -> {
                if (entry.isRefusedBy(consumer)) {
                    QueueConsumer[] live = live(entry.refusers);
                    entry.refusers = live.length == 0 ? null : live;
                }
            });
        }
        waiting.replaceAll((position, all) -> live(all));
        waiting.values().removeIf(all -> all.length == 0);
    }
}
