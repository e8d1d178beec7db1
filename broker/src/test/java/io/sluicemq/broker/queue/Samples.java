package io.sluicemq.broker.queue;

import io.sluicemq.api.Message;
import java.util.List;

/** Messages to put into the parts of a queue, which look at no more than their sizes. */
final class Samples {

    private Samples() {}

    static Message message(String routingKey, int bodyBytes) {
        return new Message(
                null, "", routingKey, List.of(), new byte[0], new byte[bodyBytes], true, 0, Message.NO_TTL, null);
    }
}
