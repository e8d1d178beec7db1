package io.sluicemq.server;

import io.sluicemq.broker.engine.BrokerCounters;
import io.sluicemq.transport.ListenerCounters;
import java.util.Collection;

/**
 * A broker's numbers as one line of its log: what there is now, and what has happened since the last line. Used by one thread.
 */
final class CountersLine {

    private final long messageMemoryBytes;
    private BrokerCounters last;
    private long lastRefused;

    /** @param messageMemoryBytes what messages may take */
    CountersLine(long messageMemoryBytes) {
        this.messageMemoryBytes = messageMemoryBytes;
    }

    /** The next line; null if nothing is other than at the last one. */
    String next(BrokerCounters now, Collection<ListenerCounters> listeners) {
        long refused = listeners.stream().mapToLong(ListenerCounters::refused).sum();
        if (now.equals(last) && refused == lastRefused) {
            return null;
        }
        long published = last == null ? 0 : last.published();
        long delivered = last == null ? 0 : last.delivered();
        var line = new StringBuilder()
                .append("now: connections ").append(now.connections())
                .append(", channels ").append(now.channels())
                .append(", queues ").append(now.queues())
                .append(", consumers ").append(now.consumers())
                .append(", ready ").append(now.readyMessages())
                .append(", unacknowledged ").append(now.unsettledMessages())
                .append(now.delayedMessages() == 0 ? "" : ", delayed " + now.delayedMessages())
                .append(now.parkedMessages() == 0 ? "" : ", waiting for room " + now.parkedMessages())
                .append(now.slowConsumers() == 0 ? "" : ", slow consumers " + now.slowConsumers())
                .append(now.keptLinks() == 0
                        ? ""
                        : ", kept links " + now.keptLinks() + " with " + now.keptDeliveries() + " deliveries")
                .append(", message memory ").append(now.messageBytes() >> 20)
                .append(" of ").append(messageMemoryBytes >> 20).append(" MiB; since the last line: published ")
                .append(now.published() - published)
                .append(", delivered ").append(now.delivered() - delivered);
        append(line, "dropped by length", now.droppedByLimit(), last == null ? 0 : last.droppedByLimit());
        append(line, "expired", now.droppedByExpiry(), last == null ? 0 : last.droppedByExpiry());
        append(line, "rejected", now.droppedByRejection(), last == null ? 0 : last.droppedByRejection());
        append(line, "dead-lettered", now.deadLettered(), last == null ? 0 : last.deadLettered());
        append(line, "dropped in cycles", now.droppedInCycles(), last == null ? 0 : last.droppedInCycles());
        append(line, "replies dropped", now.droppedReplies(), last == null ? 0 : last.droppedReplies());
        append(line, "dropped by policy", now.droppedByPolicy(), last == null ? 0 : last.droppedByPolicy());
        append(line, "refused by policy", now.refusedByPolicy(), last == null ? 0 : last.refusedByPolicy());
        append(line, "dropped with lost connections", now.droppedUnconfirmed(),
                last == null ? 0 : last.droppedUnconfirmed());
        append(line, "slow consumers found", now.slowConsumersFound(), last == null ? 0 : last.slowConsumersFound());
        append(line, "slow consumers cut", now.consumersCut(), last == null ? 0 : last.consumersCut());
        append(line, "failed checks", now.failedChecks(), last == null ? 0 : last.failedChecks());
        append(line, "accesses refused", now.refusedAccesses(), last == null ? 0 : last.refusedAccesses());
        append(line, "refused by limits of users", now.refusedByUserLimit(),
                last == null ? 0 : last.refusedByUserLimit());
        append(line, "connections refused", refused, lastRefused);
        last = now;
        lastRefused = refused;
        return line.toString();
    }

    /** What is rare is told only when it has happened. */
    private static void append(StringBuilder line, String what, long now, long before) {
        if (now != before) {
            line.append(", ").append(what).append(' ').append(now - before);
        }
    }
}
