/** A disk and workers without files and threads: one seed is one run, with crashes and faults where the test wants them. */
package io.sluicemq.store.sim;
