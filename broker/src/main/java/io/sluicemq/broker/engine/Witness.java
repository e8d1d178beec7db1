package io.sluicemq.broker.engine;

import io.sluicemq.api.Completion;

/**
 * Something else that the answers to commands wait for, beside the broker's own log: a replica, an auditor. It is told of each
 * command that owes an answer before that can be given.
 */
public interface Witness {

    /** What is answered. */
    enum Command {
        PUBLISH,
        SETTLE,
        COMMIT,
        DECLARE,
        BIND,
        UNBIND,
        DELETE,
        PURGE
    }

    /**
     * A command was carried out, or is about to be. Called on the loop of the completion; to hold the answer back, {@link
     * Completion#hold} is called at once, and {@link Completion#met} or {@link Completion#metFromOutside} later, from any thread.
     */
    void command(Command command, Completion completion);
}
