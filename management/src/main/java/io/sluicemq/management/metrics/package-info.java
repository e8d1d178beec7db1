/**
 * What is measured, for Prometheus, and whether the broker is well. A scrape gathers the loops' numbers once, on a thread of the HTTP
 * server, and writes them from there: no loop ever knows of it.
 */
package io.sluicemq.management.metrics;
