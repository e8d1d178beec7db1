package io.sluicemq.server.config;

import io.sluicemq.base.option.HostPort;
import io.sluicemq.base.option.Settings;
import java.time.Duration;

/**
 * Where operators are served over HTTP, and how much that takes on; see {@link ServerOptions#HTTP} for each.
 *
 * @param maxRequestSize in bytes
 */
public record HttpConfig(
        boolean enabled, HostPort address, int maxConnections, int maxRequestSize, Duration requestTimeLimit) {

    static HttpConfig of(Settings http) {
        return new HttpConfig(
                http.get(ServerOptions.HTTP_ENABLED),
                new HostPort(http.get(ServerOptions.LISTENER_HOST), http.get(ServerOptions.HTTP_PORT)),
                http.get(ServerOptions.HTTP_MAX_CONNECTIONS),
                Math.toIntExact(http.get(ServerOptions.HTTP_MAX_REQUEST_SIZE)),
                http.get(ServerOptions.HTTP_REQUEST_TIME_LIMIT));
    }
}
