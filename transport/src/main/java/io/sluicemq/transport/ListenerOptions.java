package io.sluicemq.transport;

import java.time.Duration;

/**
 * What a {@link Listener} is told at its start.
 *
 * @param host the name or address to bind, such as {@code 127.0.0.1} or {@code 0.0.0.0}
 * @param port the port, or 0 for any that is free
 * @param backlog how many connections may wait to be accepted; the operating system may have a lower limit
 * @param maxConnections how many connections may be open; one more is closed as soon as it is accepted
 * @param maxUnauthenticated how many of those may be open whose peer has not yet proved who it is
 * @param firstBytesLimit how long a peer may take until its first bytes tell which protocol it speaks
 * @param closeLimit how long a connection that is being closed may wait for its last bytes to go out, and for the peer to
 *     close its side
 * @param lowWaterBytes a connection whose unsent output falls below this is writable again
 * @param highWaterBytes a connection with more unsent output than this is not writable
 * @param outputLimitBytes a connection with more unsent output than this is not read from until it is writable again; so a
 *     peer that sends requests and reads no answers holds up itself alone, and not the broker's memory
 * @param tls with what to speak TLS; null for plain TCP
 */
public record ListenerOptions(
        String host,
        int port,
        int backlog,
        int maxConnections,
        int maxUnauthenticated,
        Duration firstBytesLimit,
        Duration closeLimit,
        int lowWaterBytes,
        int highWaterBytes,
        int outputLimitBytes,
        Tls tls) {

    public ListenerOptions {
        if (lowWaterBytes <= 0 || highWaterBytes < lowWaterBytes || outputLimitBytes < highWaterBytes) {
            throw new IllegalArgumentException(
                    "the limits on output must be 0 < low water <= high water <= output limit, but are " + lowWaterBytes
                            + ", " + highWaterBytes + " and " + outputLimitBytes);
        }
    }

    /** The defaults for {@code host} and {@code port}. */
    public static ListenerOptions of(String host, int port) {
        return new ListenerOptions(
                host,
                port,
                1024,
                100_000,
                1_000,
                Duration.ofSeconds(10),
                Duration.ofSeconds(2),
                64 * 1024,
                256 * 1024,
                1024 * 1024,
                null);
    }

    /** The same with other limits on the number of connections. */
    public ListenerOptions withLimits(int newMaxConnections, int newMaxUnauthenticated) {
        return new ListenerOptions(
                host,
                port,
                backlog,
                newMaxConnections,
                newMaxUnauthenticated,
                firstBytesLimit,
                closeLimit,
                lowWaterBytes,
                highWaterBytes,
                outputLimitBytes,
                tls);
    }

    /** The same with other limits on time. */
    public ListenerOptions withTimes(Duration newFirstBytesLimit, Duration newCloseLimit) {
        return new ListenerOptions(
                host,
                port,
                backlog,
                maxConnections,
                maxUnauthenticated,
                newFirstBytesLimit,
                newCloseLimit,
                lowWaterBytes,
                highWaterBytes,
                outputLimitBytes,
                tls);
    }

    /** The same with TLS. */
    public ListenerOptions withTls(Tls newTls) {
        return new ListenerOptions(
                host,
                port,
                backlog,
                maxConnections,
                maxUnauthenticated,
                firstBytesLimit,
                closeLimit,
                lowWaterBytes,
                highWaterBytes,
                outputLimitBytes,
                newTls);
    }
}
