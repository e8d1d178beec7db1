/**
 * The broker's configuration: what may be configured ({@link io.sluicemq.server.config.ServerOptions}), how it is read from
 * YAML ({@link io.sluicemq.server.config.YamlReader}), and the checked result that the rest of the server sees ({@link
 * io.sluicemq.server.config.ServerConfig}).
 */
package io.sluicemq.server.config;
