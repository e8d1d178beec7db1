package io.sluicemq.api;

import io.netty.buffer.ByteBuf;
import io.sluicemq.base.LoopOwned;

/** A protocol's state machine for one connection: bytes in, bytes out by its {@link Wire}; owned by the wire's loop. */
@LoopOwned
public interface ProtocolSession {

    /**
     * Takes what has arrived. It consumes whole frames from {@code in} and leaves a partial one, which comes again with more
     * behind it. It does not keep {@code in}. After {@link Wire#pauseReading} it may leave whole frames too: they come again
     * at {@link Wire#resumeReading}.
     */
    void input(ByteBuf in);

    /** The socket takes bytes again, or no longer: {@link Wire#isWritable} has changed. */
    void writabilityChanged();

    /** All that was written to the wire's buffer in this turn has been handed to the socket. */
    void flushed();

    /** The socket is closed, by whichever side. Called once, last. */
    void closed();

    /** The broker stops: end in order, with this reason for the peer, and close the wire when done. */
    void shutdown(String reason);
}
