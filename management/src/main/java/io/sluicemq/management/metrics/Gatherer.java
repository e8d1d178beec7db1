package io.sluicemq.management.metrics;

import io.sluicemq.api.operate.Measures.OfAddress;
import io.sluicemq.api.operate.Operations;
import io.sluicemq.api.operate.QueueView;
import io.sluicemq.api.operate.ServerOperations;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Gathers what scrapes tell of. Scrapes that come while one gathers, or within a second of it, share what it finds: so however many
 * ask, loops are asked once. Called by any thread; guarded by itself.
 */
final class Gatherer {

    private static final long SHARED_NANOS = TimeUnit.SECONDS.toNanos(1);

    private record Place(String virtualHost, String kind, String name) {}

    private final Operations broker;
    private final ServerOperations server;
    private final MetricsOptions options;
    private final Remainder<QueueView> otherQueues = new Remainder<>(
            3, queue -> new Place(queue.facts().virtualHost(), "queue", queue.name()),
            queue -> new long[] {queue.rates().in(), queue.rates().out(), queue.rates().acknowledged()});
    private final Remainder<OfAddress> otherAddresses = new Remainder<>(
            2, address -> new Place(address.virtualHost(), address.kind(), address.address()),
            address -> new long[] {address.droppedMessages(), address.refusedMessages()});
    private CompletableFuture<Gathered> latest;
    private long latestNanos;

    Gatherer(Operations broker, ServerOperations server, MetricsOptions options) {
        this.broker = broker;
        this.server = server;
        this.options = options;
    }

    /** What there is to tell; of a second ago at most, by when it was asked for. */
    synchronized CompletableFuture<Gathered> gather() {
        long now = System.nanoTime();
        boolean old = latest == null || latest.isCompletedExceptionally()
                || latest.isDone() && now - latestNanos > SHARED_NANOS;
        if (old) {
            latestNanos = now;
            latest = broker.measures().thenCombine(server.measures(), (measures, process) -> {
                synchronized (this) {
                    Shown<QueueView> queues = Shown.of(
                            measures.queues(), options.queues(),
                            Comparator.comparing((QueueView queue) -> queue.facts().virtualHost())
                                    .thenComparing(QueueView::name),
                            List.of(
                                    QueueView::waitingProducers, QueueView::messages,
                                    queue -> queue.rates().inRate() + queue.rates().outRate()));
                    Shown<OfAddress> addresses = Shown.of(
                            measures.addresses(), options.addresses(),
                            Comparator.comparing(OfAddress::virtualHost)
                                    .thenComparing(OfAddress::kind)
                                    .thenComparing(OfAddress::address),
                            List.of(
                                    OfAddress::waiting, OfAddress::usedBytes,
                                    address -> address.droppedMessages() + address.refusedMessages()));
                    return new Gathered(
                            server.version(), server.startedMillis(), measures, process, queues,
                            otherQueues.look(queues), addresses, otherAddresses.look(addresses),
                            System.nanoTime() - now);
                }
            });
        }
        return latest.copy(); // who gives it up does so alone
    }
}
