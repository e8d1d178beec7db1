package io.sluicemq.protocol.amqp091;

import io.sluicemq.api.Client;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp091.BlockedNotice.Cause;
import io.sluicemq.protocol.amqp091.ReadingPauses.Reason;

/**
 * What holds back a connection's publishers as a whole: the broker is short of a resource, so that publishes are parked and
 * the client is told (RabbitMQ's connection.blocked), or the loops that they go to are behind, so that nothing is read for
 * a moment. Owned by the connection's loop.
 */
@LoopOwned
final class PublisherHold {

    private final ReadingPauses pauses;
    private final BlockedNotice blocked;
    private final Runnable caughtUp = this::caughtUp;
    private boolean publishedSinceCheck;
    private boolean hasPublished;
    private boolean behind;
    private String shortage;

    PublisherHold(ReadingPauses pauses, BlockedNotice blocked) {
        this.pauses = pauses;
        this.blocked = blocked;
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
        blocked.add(Cause.SHORTAGE, shortage);
        return true;
    }

    /** What publishes wait for, in words; empty if the client publishes and needs not wait, or doesn't publish. */
    String reason() {
        return shortage == null || !hasPublished ? "" : shortage;
    }

    void resourcesLow(String reason) {
        shortage = reason;
        if (hasPublished) {
            blocked.add(Cause.SHORTAGE, shortage);
        }
    }

    void resourcesRecovered() {
        shortage = null;
        blocked.remove(Cause.SHORTAGE);
    }
}
