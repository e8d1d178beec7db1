package io.sluicemq.protocol.amqp091;

import io.sluicemq.api.Client;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp091.ReadingPauses.Reason;
import io.sluicemq.protocol.amqp091.codec.FrameEncoder;

/**
 * What holds back a connection's publishers as a whole: the broker is short of a resource, so that publishes are parked and
 * the client is told (RabbitMQ's connection.blocked), or the loops that they go to are behind, so that nothing is read for
 * a moment. Owned by the connection's loop.
 */
@LoopOwned
final class PublisherHold {

    private final ConnectionSession connection;
    private final ReadingPauses pauses;
    private final Runnable caughtUp = this::caughtUp;
    private boolean publishedSinceCheck;
    private boolean hasPublished;
    private boolean behind;
    private String shortage;
    private boolean toldBlocked;

    PublisherHold(ConnectionSession connection, ReadingPauses pauses) {
        this.connection = connection;
        this.pauses = pauses;
    }

    /** A message was handed to the broker. */
    void published() {
        publishedSinceCheck = true;
        hasPublished = true;
    }

    /** After a batch of input: stops reading if the publishes in it have put other loops behind. */
    void check(Client client) {
        if (publishedSinceCheck && !behind) {
            publishedSinceCheck = false;
            if (client.congested(caughtUp)) {
                behind = true;
                pauses.add(Reason.BROKER);
            }
        }
    }

    private void caughtUp() {
        behind = false;
        pauses.remove(Reason.BROKER);
    }

    /** Whether a publish that has come must wait; the client is told so if that is new. */
    boolean holds() {
        if (shortage == null) {
            return false;
        }
        hasPublished = true;
        tellBlocked();
        return true;
    }

    void resourcesLow(String reason) {
        shortage = reason;
        if (hasPublished) {
            tellBlocked();
        }
    }

    private void tellBlocked() {
        if (!toldBlocked && connection.running() && connection.peer().can("connection.blocked")) {
            toldBlocked = true;
            FrameEncoder.connectionBlocked(connection.out(), shortage);
        }
    }

    void resourcesRecovered() {
        shortage = null;
        if (toldBlocked) {
            toldBlocked = false;
            if (connection.running()) {
                FrameEncoder.connectionUnblocked(connection.out());
            }
        }
    }
}
