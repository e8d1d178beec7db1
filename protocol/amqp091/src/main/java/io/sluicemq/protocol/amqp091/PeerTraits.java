package io.sluicemq.protocol.amqp091;

import java.util.Locale;
import java.util.Map;

/**
 * What a client says about itself in connection.start-ok, as far as it changes how it is treated. Immutable.
 *
 * @param product its product and version, for people; empty if unknown
 * @param connectionName the name its user gave the connection; empty if none
 * @param capabilities RabbitMQ's table of capabilities
 * @param qpidJms whether it is the Qpid JMS client for AMQP 0-x, whose expiration is a date and whose qos is the
 *     session's
 * @param obeysFlow whether it is known to stop publishing on a channel that channel.flow says so of
 */
record PeerTraits(
        String product, String connectionName, Map<?, ?> capabilities, boolean qpidJms, boolean obeysFlow) {

    /** A peer that has said nothing yet. */
    static final PeerTraits UNKNOWN = new PeerTraits("", "", Map.of(), false, false);

    static PeerTraits of(Map<String, Object> properties) {
        String product = text(properties, "product");
        String version = text(properties, "version");
        boolean qpid = product.toLowerCase(Locale.ROOT).contains("qpid")
                || properties.containsKey("qpid.client_process")
                || properties.containsKey("qpid.client_pid");
        String platform = text(properties, "platform");
        boolean rabbit = product.equals("RabbitMQ") && (platform.startsWith("Java") || platform.startsWith(".NET"));
        Map<?, ?> capabilities = properties.get("capabilities") instanceof Map<?, ?> map ? map : Map.of();
        return new PeerTraits(
                version.isEmpty() ? product : product + " " + version,
                text(properties, "connection_name"),
                capabilities,
                qpid,
                qpid || rabbit);
    }

    private static String text(Map<String, Object> properties, String name) {
        return properties.get(name) instanceof String text ? text : "";
    }

    /** Whether it declares a capability. */
    boolean can(String capability) {
        return Boolean.TRUE.equals(capabilities.get(capability));
    }
}
