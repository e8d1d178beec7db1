package io.sluicemq.broker.engine;

import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.MessageFilter;
import io.sluicemq.broker.queue.QueueOptions;
import io.sluicemq.broker.queue.RecoveredMessages;
import java.util.function.Function;

/**
 * A queue as the log has it.
 *
 * @param declaredBy the user who has made it; null if the log doesn't say
 */
record RecoveredQueue(
        String host, long id, QueueSpec spec, String declaredBy, QueueOptions options, RecoveredMessages messages) {

    /** For {@link #options}: filters are read when the queue is made, by what the broker then has for it. */
    static final Function<String, MessageFilter> NO_FILTER_YET = text -> null;

    /**
     * Its options with its filter.
     *
     * @throws IllegalArgumentException if the broker can't read that
     */
    QueueOptions optionsWith(Function<String, MessageFilter> filters) {
        try {
            return QueueOptions.parse(spec, host, filters);
        } catch (QueueOptions.Invalid e) {
            throw new IllegalArgumentException(
                    "the store has a queue '" + spec.name() + "' that this broker can't have: " + e.error(), e);
        }
    }
}
