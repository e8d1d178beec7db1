package io.sluicemq.cli.bench;

import java.util.List;

/**
 * What a run found. Rates, latencies and CPU are of the measured part; counts of the whole run with warm-up and
 * drain.
 *
 * @param seconds                   measured length
 * @param latency                   publish (or intended publish) to delivery
 * @param confirmLatency            publish to ack or nack; empty without confirms
 * @param backlogAtEnd              deliveries owed when the producers were stopped
 * @param backlogPeak               highest of the samples of the measured part
 * @param brokerCpuMicrosPerMessage user and system time for one consumed (without consumers: published) message; null
 *                                  without broker processes
 * @param brokerCpuPercent          of one core; null without broker processes
 * @param brokerRssBytes            highest of the samples; null without broker processes
 * @param clientCpuMicrosPerMessage the load tool's own, to tell when it is the limit
 * @param undelivered               deliveries owed that did not come before the drain ended
 * @param missing                   numbers jumped over in queues with one consumer
 * @param late                      deliveries out of order or repeated
 * @param foreign                   deliveries that this run never published
 * @param problem                   why the run is to be called failed, in one line; null if it is not
 * @param samples                   the measured part second by second
 */
public record BenchResult(
        String uri,
        double seconds,
        double publishedPerSecond,
        double confirmedPerSecond,
        double consumedPerSecond,
        Percentiles latency,
        Percentiles confirmLatency,
        long backlogAtEnd,
        long backlogPeak,
        Double brokerCpuMicrosPerMessage,
        Double brokerCpuPercent,
        Long brokerRssBytes,
        double clientCpuMicrosPerMessage,
        long published,
        long confirmed,
        long consumed,
        long nacked,
        long returned,
        long blockedEvents,
        long undelivered,
        long missing,
        long late,
        long foreign,
        String problem,
        List<Sample> samples) {

    public BenchResult {
        samples = List.copyOf(samples);
    }
}
