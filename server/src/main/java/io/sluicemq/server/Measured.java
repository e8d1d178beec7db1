package io.sluicemq.server;

import io.sluicemq.api.operate.Obstacle;
import io.sluicemq.api.operate.ServerMeasures;
import io.sluicemq.api.operate.ServerMeasures.OfListener;
import io.sluicemq.api.operate.ServerMeasures.OfLog;
import io.sluicemq.api.operate.ServerMeasures.OfRests;
import io.sluicemq.base.TaskFailures;
import io.sluicemq.broker.engine.BrokerStore;
import io.sluicemq.store.Log;
import io.sluicemq.store.Log.SegmentUse;
import io.sluicemq.transport.Listener;
import io.sluicemq.transport.ListenerCounters;
import io.sluicemq.transport.NettyLoops;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is measured of a broker's process: sockets, loops, the log and its disk. Called from any thread but a loop; holds nothing that
 * changes.
 */
final class Measured {

    private static final Logger LOG = LoggerFactory.getLogger(Measured.class);

    private final NettyLoops loops;
    private final TaskFailures failures;
    private final Map<String, Listener> listeners;
    private final CountedLogins logins;
    /** Null if everything is kept in memory, as is the next. */
    private final BrokerStore store;
    private final Path folder;

    Measured(
            NettyLoops loops, TaskFailures failures, Map<String, Listener> listeners, CountedLogins logins,
            BrokerStore store, Path folder) {
        this.loops = loops;
        this.failures = failures;
        this.listeners = listeners;
        this.logins = logins;
        this.store = store;
        this.folder = folder;
    }

    CompletableFuture<ServerMeasures> measures() {
        Map<String, OfListener> counted = new LinkedHashMap<>();
        listeners.forEach((name, listener) -> counted.put(name, of(listener.counters())));
        return loops.rests().thenApply(rests -> new ServerMeasures(
                counted, logins.refused(), failures.count(), loops.bufferBytes(),
                rests.stream().map(each -> new OfRests(each.count(), each.nanos())).toList(),
                Optional.ofNullable(store).map(each -> of(each.log()))));
    }

    private static OfListener of(ListenerCounters counters) {
        return new OfListener(
                counters.open(), counters.unauthenticated(), counters.accepted(), counters.refused(),
                counters.unknownProtocol(), counters.bytesIn(), counters.bytesOut());
    }

    private OfLog of(Log log) {
        List<SegmentUse> segments = log.segmentUse();
        long durable = log.durable(); // first: it never passes the end
        return new OfLog(
                log.end(), durable, log.syncNanos(), log.syncBytes(), segments.size(),
                segments.stream().mapToLong(each -> each.end() - each.start()).sum(),
                segments.stream().mapToLong(SegmentUse::retainedBytes).sum(),
                log.options().maxBytes() == 0 ? -1 : log.options().maxBytes(), freeBytes(),
                log.options().freeSpaceFloorBytes());
    }

    private long freeBytes() {
        try {
            return Files.getFileStore(folder).getUsableSpace();
        } catch (IOException e) {
            LOG.debug("what is free on the disk of {} is not known: {}", folder, e.toString());
            return 0; // whoever watches it is to be told
        }
    }

    /** What is wrong with the log; nothing if all is well, or there is none. */
    List<Obstacle> obstacles() {
        if (store == null) {
            return List.of();
        }
        return switch (store.log().state().kind()) {
            case OPEN -> List.of();
            case FULL -> List.of(Obstacle.LOG_FULL);
            case FAILED -> List.of(Obstacle.LOG_FAILED);
            case CLOSED -> List.of(Obstacle.STOPPING);
        };
    }
}
