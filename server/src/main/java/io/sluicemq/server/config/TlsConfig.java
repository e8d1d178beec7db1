package io.sluicemq.server.config;

import io.sluicemq.transport.Tls;
import java.nio.file.Path;

/**
 * How a listener speaks TLS; see {@link ServerOptions#LISTENER_TLS} for each.
 *
 * @param clientCa null if and only if clients are asked for no certificate
 */
public record TlsConfig(Path certificate, Path key, Path clientCa, Tls.ClientAuth clientAuth, Tls.Version minVersion) {}
