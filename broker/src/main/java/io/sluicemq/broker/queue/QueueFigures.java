package io.sluicemq.broker.queue;

import io.sluicemq.api.operate.Rates;

/**
 * A queue's numbers at a moment; see {@link io.sluicemq.api.operate.QueueView} for each.
 *
 * @param oldestMillis for how long the oldest ready message has been there; -1 if there is none, or it isn't known
 */
public record QueueFigures(
        int readyMessages, long readyBytes, int unsettledMessages, long unsettledBytes, int delayedMessages,
        long delayedBytes, int residentMessages, long residentBytes, int consumers, long oldestMillis, boolean paused,
        Rates rates) {}
