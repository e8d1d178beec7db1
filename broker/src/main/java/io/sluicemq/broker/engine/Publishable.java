package io.sluicemq.broker.engine;

import io.sluicemq.api.Message;
import io.sluicemq.api.operate.Publication;

/** Makes messages of what operators publish, in the format of some protocol; called on any loop. */
public interface Publishable {

    /** @throws IllegalArgumentException if the format can't say it; the message says why */
    Message message(Publication publication);
}
