package io.sluicemq.broker.queue;

import io.sluicemq.api.Death;
import io.sluicemq.api.Message;

/** What a queue wants done outside itself. Called on the queue's loop. */
public interface QueueEffects {

    /** Publishes a message again by the queue's dead-letter exchange. */
    void deadLetter(Queue queue, Message message, Death.Reason reason);

    /** The queue is gone for good: take it out of the topology. */
    void removed(Queue queue);

    /** A message has come into the queue. */
    void stored(Message message);

    /** A message came, but the queue does not keep it. */
    void notStored(Message message);

    /** A message has left the queue. */
    void released(Message message);

    /** So many more bytes (fewer, if negative) have left the queue for good and not yet reached a consumer's socket. */
    void underWay(long differenceBytes);

    /** Counts: a message was given to a consumer. */
    void delivered();

    /** Counts: a message was dropped by a limit, expiry or rejection, with nowhere to go. */
    void dropped(Death.Reason reason);

    /** Counts: the queue has gained or lost consumers, or turned messages from ready to unsettled (positive) or back. */
    void changed(int consumers, int ready, int unsettled);
}
