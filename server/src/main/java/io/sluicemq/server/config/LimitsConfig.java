package io.sluicemq.server.config;

import io.sluicemq.base.option.Settings;
import java.time.Duration;

/**
 * How much the broker takes on; see {@link ServerOptions#LIMITS} for each.
 *
 * @param loginFailures a minute from one address
 * @param frameMax in bytes
 * @param heartbeat whole seconds; zero for none
 * @param maxMessageSize in bytes of body
 * @param messageMemory in bytes
 */
public record LimitsConfig(
        int maxConnections,
        int maxUnauthenticatedConnections,
        Duration handshakeTimeLimit,
        int loginFailures,
        int channelMax,
        int frameMax,
        Duration heartbeat,
        int maxMessageSize,
        long messageMemory) {

    static LimitsConfig of(Settings limits) {
        return new LimitsConfig(
                limits.get(ServerOptions.MAX_CONNECTIONS),
                limits.get(ServerOptions.MAX_UNAUTHENTICATED_CONNECTIONS),
                limits.get(ServerOptions.HANDSHAKE_TIME_LIMIT),
                limits.get(ServerOptions.LOGIN_FAILURES),
                limits.get(ServerOptions.CHANNEL_MAX),
                Math.toIntExact(limits.get(ServerOptions.FRAME_MAX)),
                limits.get(ServerOptions.HEARTBEAT),
                Math.toIntExact(limits.get(ServerOptions.MAX_MESSAGE_SIZE)),
                limits.get(ServerOptions.MESSAGE_MEMORY));
    }
}
