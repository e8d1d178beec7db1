package io.sluicemq.api;

import io.netty.buffer.ByteBuf;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.nio.ByteBuffer;

/** A connection's socket as its protocol sees it; owned by the connection's loop. */
@LoopOwned
public interface Wire {

    Loop loop();

    /** The buffer of this turn's output: write to it at once and do not keep it. It is flushed at the turn's end. */
    ByteBuf out();

    /** Sends large output, which counts as waiting at its full length, behind all that was written before. */
    default void write(LateBytes bytes) {
        ByteBuffer piece = ByteBuffer.allocate(64 * 1024);
        for (long at = 0; at < bytes.length(); at += piece.limit()) {
            bytes.copy(at, piece.clear());
            out().writeBytes(piece.flip());
            piece.rewind();
        }
    }

    /**
     * Whether the bytes waiting for the socket are below the high-water mark, and more may be written in this turn. If only the turn
     * stands in the way, {@link ProtocolSession#flushed} comes when it doesn't any more.
     */
    boolean isWritable();

    /**
     * Whether what arrives is handed on. If not, reading was paused, or the wire itself has stopped reading from a peer that
     * takes none of its output: the peer's silence then says nothing.
     */
    boolean isReading();

    /**
     * Tells how many commands of the peer's {@link ProtocolSession#input} has taken, at its end. A peer that sends several
     * without being answered does not wait for each, and may be answered a moment later, together with what follows.
     */
    default void commands(int count) {}

    /** Stops reading. What was read but not consumed is kept. */
    void pauseReading();

    /** Resumes reading; what was kept is handed in again in a turn to come. */
    void resumeReading();

    /**
     * The peer has proved who it is: it no longer counts as one of the unauthenticated, of whom there is a limit. To be called
     * once a session.
     */
    default void authenticated() {}

    /** Closes once what was written has been flushed, or at a time limit. No more input comes. */
    void close();

    /** Closes at once; what was written may be lost. */
    void abort();

    /** Bytes that have come from the socket so far, TLS taken off; 0 if nobody counts them. */
    default long receivedBytes() {
        return 0;
    }

    /** Bytes that have been given to the socket so far, likewise. */
    default long sentBytes() {
        return 0;
    }

    /** For people: {@code 127.0.0.1:50123 -> 127.0.0.1:5672}. */
    String name();

    Authenticator.Peer peer();
}
