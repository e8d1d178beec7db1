package io.sluicemq.transport;

/**
 * What a {@link Listener} has counted.
 *
 * @param open connections that are open now
 * @param unauthenticated those of them whose peer has not yet proved who it is
 * @param accepted connections that were let in since the start
 * @param refused connections that were closed at once since a limit was reached or the listener was stopping
 * @param unknownProtocol connections whose first bytes no protocol knew
 * @param bytesIn bytes read from sockets
 * @param bytesOut bytes handed to sockets
 */
public record ListenerCounters(
        int open, int unauthenticated, long accepted, long refused, long unknownProtocol, long bytesIn,
        long bytesOut) {}
