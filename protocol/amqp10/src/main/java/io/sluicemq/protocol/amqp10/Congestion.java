package io.sluicemq.protocol.amqp10;

import io.sluicemq.api.Client;
import io.sluicemq.base.LoopOwned;

/**
 * Stops reading for a moment while the loops that publishes go to are behind. Owned by the connection's loop.
 */
@LoopOwned
final class Congestion {

    private final ConnectionSession connection;
    private boolean published;
    private boolean waiting;

    Congestion(ConnectionSession connection) {
        this.connection = connection;
    }

    /** A message was handed to the broker. */
    void published() {
        published = true;
    }

    /** At the end of what was read. */
    void check(Client client) {
        if (!published || waiting) {
            return;
        }
        published = false;
        if (client.congested(this::over)) {
            waiting = true;
            connection.holdReading();
        }
    }

    private void over() {
        waiting = false;
        connection.readAgain();
    }
}
