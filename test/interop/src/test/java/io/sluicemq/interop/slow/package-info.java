/** Consumers that are too slow: who is found, and what real clients and their neighbours experience under each policy. */
package io.sluicemq.interop.slow;
