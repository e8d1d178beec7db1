package io.sluicemq.cli.bench;

/** The client library's way to its socket. */
public enum ClientIo {
    /** The library's default: blocking sockets, one reading thread a connection, one write call a publish. */
    SOCKET,
    /** The library's Netty transport: one event loop a connection, publishes of one burst share a write call. */
    NETTY
}
