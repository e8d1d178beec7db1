package io.sluicemq.server.config;

import io.sluicemq.base.option.HostPort;

/**
 * One place to listen.
 *
 * @param name for logs and errors
 */
public record ListenerConfig(String name, HostPort address) {}
