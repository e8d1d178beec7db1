package io.sluicemq.cli.bench;

/**
 * One second of a run, as the live line shows it.
 *
 * @param second             since the producers started, from 1
 * @param warmup             not part of the result
 * @param backlog            deliveries owed and not yet seen: published × copies − consumed, less refused messages
 * @param latency            of the messages consumed in this second, from send (with a rate: from the intended send)
 * @param brokerCpuPercent   of one core; null without broker processes
 * @param brokerRssBytes     null without broker processes
 * @param blockedConnections connections of the run that the broker has blocked now
 */
public record Sample(
        int second,
        boolean warmup,
        double publishedPerSecond,
        double confirmedPerSecond,
        double consumedPerSecond,
        long backlog,
        Percentiles latency,
        Double brokerCpuPercent,
        Long brokerRssBytes,
        int blockedConnections) {}
