package io.sluicemq.api;

import java.nio.ByteBuffer;

/**
 * Output that is made when the socket takes it, so that what waits for a slow peer costs no memory of its own. Asked for on
 * the connection's loop.
 */
public interface LateBytes {

    /** How many bytes there are in all. */
    long length();

    /**
     * Puts the bytes from {@code position} on into {@code target}: as many as there are or as it has room for. For the same
     * position they are always the same.
     */
    void copy(long position, ByteBuffer target);
}
