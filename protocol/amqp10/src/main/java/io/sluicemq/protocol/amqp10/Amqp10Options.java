package io.sluicemq.protocol.amqp10;

import io.sluicemq.protocol.amqp10.terminus.TerminusOptions;
import java.time.Duration;
import java.util.Set;

/**
 * What a connection is told and held to.
 *
 * @param version the product's version
 * @param containerId what the broker calls itself
 * @param virtualHosts the names of the virtual hosts; a hostname in the open that is one of them leads there
 * @param channelMax the highest channel number
 * @param frameMax the largest frame, in bytes
 * @param handleMax the highest handle of a link within a session
 * @param idleTimeout how long a peer may be silent; zero for any time
 * @param handshakeLimit how long a peer may take to open the connection
 * @param closeLimit how long to wait for a peer's close
 * @param maxMessageBytes the largest message
 * @param windowBytes bytes of messages for which a link has credit
 * @param windowMessages the most messages for which a link has credit
 * @param termini what addresses and termini mean
 */
public record Amqp10Options(
        String version,
        String containerId,
        Set<String> virtualHosts,
        int channelMax,
        int frameMax,
        int handleMax,
        Duration idleTimeout,
        Duration handshakeLimit,
        Duration closeLimit,
        long maxMessageBytes,
        int windowBytes,
        int windowMessages,
        TerminusOptions termini) {

    /** What a broker does that is told nothing else. */
    public static Amqp10Options defaults(String version, Set<String> virtualHosts, TerminusOptions termini) {
        return new Amqp10Options(
                version,
                "sluicemq",
                virtualHosts,
                1023,
                64 * 1024,
                1023,
                Duration.ofSeconds(60),
                Duration.ofSeconds(10),
                Duration.ofSeconds(10),
                128L << 20,
                256 * 1024,
                1000,
                termini);
    }
}
