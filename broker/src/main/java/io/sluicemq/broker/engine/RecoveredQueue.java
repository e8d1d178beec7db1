package io.sluicemq.broker.engine;

import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.broker.queue.QueueOptions;
import io.sluicemq.broker.queue.RecoveredMessages;

/** A queue as the log has it. */
record RecoveredQueue(String host, long id, QueueSpec spec, QueueOptions options, RecoveredMessages messages) {}
