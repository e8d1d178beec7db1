/**
 * A queue and its parts. {@link io.sluicemq.broker.queue.Queue} orchestrates; {@link io.sluicemq.broker.queue.ReadyMessages},
 * {@link io.sluicemq.broker.queue.Expiry}, {@link io.sluicemq.broker.queue.Consumers} and {@link
 * io.sluicemq.broker.queue.QueueOptions} know nothing of it. Everything here lives on the queue's loop, but for a {@link
 * io.sluicemq.broker.queue.QueueEntry} while it is delivered: then it belongs to the consumer's.
 */
package io.sluicemq.broker.queue;
