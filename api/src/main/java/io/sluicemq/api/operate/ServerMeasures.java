package io.sluicemq.api.operate;

import io.sluicemq.base.Distribution;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is measured of the process around a broker.
 *
 * @param listeners by their names
 * @param loginsRefused logins that were refused, over all protocols and HTTP
 * @param failedTasks tasks that have failed by a defect of the broker
 * @param networkBytes bytes of memory outside the heap that buffers of sockets take
 * @param rests how often, and how long, each loop has rested, by its index
 * @param log empty if everything is kept in memory
 */
public record ServerMeasures(
        Map<String, OfListener> listeners,
        long loginsRefused,
        long failedTasks,
        long networkBytes,
        List<OfRests> rests,
        Optional<OfLog> log) {

    /** What a listener has counted; see each name. */
    public record OfListener(
            long open, long unauthenticated, long accepted, long refused, long unknownProtocol, long bytesIn,
            long bytesOut) {}

    /** How often a loop has rested so far, and for how long in all. */
    public record OfRests(long count, long nanos) {}

    /**
     * The log.
     *
     * @param endPosition where the next record goes
     * @param durablePosition up to where all is durable
     * @param syncNanos how long each sync took
     * @param syncBytes how many bytes each of them made durable
     * @param segmentBytes bytes of all segments, of which there are {@code segments}
     * @param retainedBytes bytes of these that are still needed
     * @param limitBytes how many bytes of segments there may be; -1 for no limit
     * @param freeBytes bytes that are free where it is
     * @param floorBytes bytes that are to stay free there
     */
    public record OfLog(
            long endPosition,
            long durablePosition,
            Distribution syncNanos,
            Distribution syncBytes,
            int segments,
            long segmentBytes,
            long retainedBytes,
            long limitBytes,
            long freeBytes,
            long floorBytes) {}
}
