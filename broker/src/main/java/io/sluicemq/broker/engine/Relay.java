package io.sluicemq.broker.engine;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Reply;
import io.sluicemq.base.Loop;

/** Carries an answer from whichever loop has it to the client's loop. */
record Relay<T>(Loop clientLoop, Reply<T> reply) {

    void done(Loop here, T result) {
        here.send(clientLoop, () -> reply.done(result));
    }

    void failed(Loop here, BrokerError error) {
        here.send(clientLoop, () -> reply.failed(error));
    }

    /** Fails with {@code error}, or is done with {@code result} if that is null. */
    void answer(Loop here, BrokerError error, T result) {
        if (error != null) {
            failed(here, error);
        } else {
            done(here, result);
        }
    }
}
