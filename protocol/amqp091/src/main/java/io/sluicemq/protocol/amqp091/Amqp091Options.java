package io.sluicemq.protocol.amqp091;

import java.time.Duration;

/**
 * The limits of AMQP 0-9-1 connections. Immutable.
 *
 * @param version the broker's version, shown to clients
 * @param channelMax the highest channel number offered, 1 to 65,535
 * @param frameMax the largest frame offered in bytes, at least 4096
 * @param heartbeatSeconds the heartbeat offered; the client's wish counts; 0 to offer none
 * @param handshakeLimit how long a peer may take from the first byte to connection.open
 * @param closeLimit how long a close-ok is waited for
 * @param maxMessageBytes the largest body; a larger one closes the channel with 406
 * @param maxConsumersPerChannel more close the connection with 530
 * @param maxParkedBytes bytes of one connection's frames that may wait for their turn before reading pauses; and of its
 *     publishes that may wait for room in their addresses, if its client does not obey channel.flow
 * @param handshakeFrameMax the largest frame taken before tuning in bytes, at least 4096; a token or client properties
 *     may need more than that
 */
public record Amqp091Options(
        String version,
        int channelMax,
        int frameMax,
        int heartbeatSeconds,
        Duration handshakeLimit,
        Duration closeLimit,
        long maxMessageBytes,
        int maxConsumersPerChannel,
        int maxParkedBytes,
        int handshakeFrameMax) {

    private static final int SMALLEST_FRAME_MAX = 4096;

    /** @throws IllegalArgumentException if a limit is out of its bounds */
    public Amqp091Options {
        require(channelMax >= 1 && channelMax <= 0xFFFF, "channelMax", channelMax);
        require(frameMax >= SMALLEST_FRAME_MAX, "frameMax", frameMax);
        require(heartbeatSeconds >= 0 && heartbeatSeconds <= 0xFFFF, "heartbeatSeconds", heartbeatSeconds);
        require(!handshakeLimit.isNegative() && !handshakeLimit.isZero(), "handshakeLimit", handshakeLimit);
        require(!closeLimit.isNegative() && !closeLimit.isZero(), "closeLimit", closeLimit);
        require(maxMessageBytes >= 0 && maxMessageBytes <= Integer.MAX_VALUE - 64, "maxMessageBytes", maxMessageBytes);
        require(maxConsumersPerChannel >= 1, "maxConsumersPerChannel", maxConsumersPerChannel);
        require(maxParkedBytes >= 0, "maxParkedBytes", maxParkedBytes);
        require(handshakeFrameMax >= SMALLEST_FRAME_MAX, "handshakeFrameMax", handshakeFrameMax);
    }

    private static void require(boolean condition, String name, Object value) {
        if (!condition) {
            throw new IllegalArgumentException(name + " may not be " + value);
        }
    }

    /** The limits that RabbitMQ users know, where they are sensible. */
    public static Amqp091Options defaults(String version) {
        return new Amqp091Options(
                version,
                2047,
                128 * 1024,
                60,
                Duration.ofSeconds(10),
                Duration.ofSeconds(10),
                128L << 20,
                10_000,
                256 * 1024,
                16 * 1024);
    }

    /** These limits with another heartbeat, in seconds. */
    public Amqp091Options withHeartbeatSeconds(int seconds) {
        return new Amqp091Options(version, channelMax, frameMax, seconds, handshakeLimit, closeLimit, maxMessageBytes,
                maxConsumersPerChannel, maxParkedBytes, handshakeFrameMax);
    }

    /** These limits with another limit of a message's body, in bytes. */
    public Amqp091Options withMaxMessageBytes(long bytes) {
        return new Amqp091Options(version, channelMax, frameMax, heartbeatSeconds, handshakeLimit, closeLimit, bytes,
                maxConsumersPerChannel, maxParkedBytes, handshakeFrameMax);
    }
}
