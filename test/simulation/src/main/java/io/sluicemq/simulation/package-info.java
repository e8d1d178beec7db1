/** The real broker core and the real log on simulated loops, clock, disk and workers: one seed is one run. */
package io.sluicemq.simulation;
