package io.sluicemq.management.metrics;

/**
 * What is told of, and to whom.
 *
 * @param open whether whoever reaches the HTTP server may scrape; else it takes a login of a monitor
 * @param queues so many queues are told of by themselves, the others as one
 * @param addresses so many addresses, likewise
 */
public record MetricsOptions(boolean open, int queues, int addresses) {}
