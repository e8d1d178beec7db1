package io.sluicemq.server.config;

import io.sluicemq.base.option.HostPort;

/**
 * One place to listen.
 *
 * @param name for logs and errors
 * @param tls null for plain TCP
 */
public record ListenerConfig(String name, HostPort address, TlsConfig tls) {

    /** For URIs of what is spoken here. */
    public String scheme() {
        return tls == null ? "amqp" : "amqps";
    }
}
