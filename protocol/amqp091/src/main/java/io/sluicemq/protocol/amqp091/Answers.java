package io.sluicemq.protocol.amqp091;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Reply;

/** Replies whose content is of no interest. Stateless. */
final class Answers {

    private Answers() {}

    /** Runs {@code action} when there is an answer, whichever. */
    static Reply<Void> either(Runnable action) {
        return new Reply<>() {
            @Override
            public void done(Void result) {
                action.run();
            }

            @Override
            public void failed(BrokerError error) {
                action.run();
            }
        };
    }
}
