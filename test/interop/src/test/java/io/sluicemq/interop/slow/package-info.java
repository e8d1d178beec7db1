/** Consumers that are too slow: who is found, and what clients see of what follows. */
package io.sluicemq.interop.slow;
