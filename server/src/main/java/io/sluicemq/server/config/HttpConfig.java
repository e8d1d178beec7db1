package io.sluicemq.server.config;

import io.sluicemq.base.option.HostPort;
import io.sluicemq.base.option.Settings;
import io.sluicemq.transport.Tls;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Where operators are served over HTTP, and how much that takes on; see {@link ServerOptions#HTTP} for each.
 *
 * @param maxRequestSize in bytes
 * @param tls null for plain HTTP
 */
public record HttpConfig(
        boolean enabled, HostPort address, int maxConnections, int maxRequestSize, Duration requestTimeLimit,
        TlsConfig tls) {

    /** What its URIs begin with. */
    public String scheme() {
        return tls == null ? "http" : "https";
    }

    static HttpConfig of(Settings http) {
        return new HttpConfig(
                http.get(ServerOptions.HTTP_ENABLED),
                new HostPort(http.get(ServerOptions.LISTENER_HOST), http.get(ServerOptions.HTTP_PORT)),
                http.get(ServerOptions.HTTP_MAX_CONNECTIONS),
                Math.toIntExact(http.get(ServerOptions.HTTP_MAX_REQUEST_SIZE)),
                http.get(ServerOptions.HTTP_REQUEST_TIME_LIMIT),
                http.has(ServerOptions.HTTP_TLS) ? tls(http.section(ServerOptions.HTTP_TLS)) : null);
    }

    /** Null if a part of it is missing, which was refused already. */
    private static TlsConfig tls(Settings section) {
        Optional<Path> certificate = section.find(ServerOptions.TLS_CERTIFICATE);
        Optional<Path> key = section.find(ServerOptions.TLS_KEY);
        return certificate.isPresent() && key.isPresent()
                ? new TlsConfig(certificate.get(), key.get(), null, Tls.ClientAuth.NONE)
                : null;
    }
}
