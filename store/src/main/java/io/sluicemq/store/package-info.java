/**
 * The log: one append-only sequence of records that several loops write to at once, made durable in batches, read back by
 * position, recovered after a crash, and given back to the disk segment by segment. It knows nothing of queues and messages.
 *
 * <p>{@link io.sluicemq.store.Log} is the way in; each loop talks to it by its {@link io.sluicemq.store.LogPort}. The files are
 * described in {@code docs/storage.md}, and above the classes that write them.
 */
package io.sluicemq.store;
