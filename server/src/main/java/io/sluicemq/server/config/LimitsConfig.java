package io.sluicemq.server.config;

import io.sluicemq.base.option.Settings;
import java.time.Duration;

/**
 * How much the broker takes on; see {@link LimitsSection#LIMITS} for each.
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
                limits.get(LimitsSection.MAX_CONNECTIONS),
                limits.get(LimitsSection.MAX_UNAUTHENTICATED_CONNECTIONS),
                limits.get(LimitsSection.HANDSHAKE_TIME_LIMIT),
                limits.get(LimitsSection.LOGIN_FAILURES),
                limits.get(LimitsSection.CHANNEL_MAX),
                Math.toIntExact(limits.get(LimitsSection.FRAME_MAX)),
                limits.get(LimitsSection.HEARTBEAT),
                Math.toIntExact(limits.get(LimitsSection.MAX_MESSAGE_SIZE)),
                limits.get(LimitsSection.MESSAGE_MEMORY));
    }
}
