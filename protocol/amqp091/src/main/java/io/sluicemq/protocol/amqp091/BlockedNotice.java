package io.sluicemq.protocol.amqp091;

import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp091.codec.FrameEncoder;

/**
 * What a client has been told by connection.blocked and connection.unblocked (RabbitMQ's extension), if it declares that it
 * understands them. Owned by the connection's loop.
 *
 * <p>Invariant: whatever number of causes come and go, the client hears the first of them, and once that none is left.
 */
@LoopOwned
final class BlockedNotice {

    /** Why a connection's publishers are kept waiting. */
    enum Cause {
        /** The broker is short of a resource. */
        SHORTAGE,
        /** It went on publishing to a full address, and is not read. */
        FULL_ADDRESS
    }

    private final ConnectionSession connection;
    private int causes;
    private boolean told;

    BlockedNotice(ConnectionSession connection) {
        this.connection = connection;
    }

    /** There is a cause; {@code reason} is for people. */
    void add(Cause cause, String reason) {
        causes |= 1 << cause.ordinal();
        if (!told && connection.running() && connection.peer().can("connection.blocked")) {
            told = true;
            FrameEncoder.connectionBlocked(connection.out(), reason);
        }
    }

    /** A cause is gone, or was not there. */
    void remove(Cause cause) {
        causes &= ~(1 << cause.ordinal());
        if (told && causes == 0) {
            told = false;
            if (connection.running()) {
                FrameEncoder.connectionUnblocked(connection.out());
            }
        }
    }
}
