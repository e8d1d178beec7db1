package io.sluicemq.server.config;

import io.sluicemq.base.option.HostPort;
import io.sluicemq.base.option.Settings;
import io.sluicemq.management.metrics.MetricsOptions;
import io.sluicemq.server.config.HttpSection.MetricsAccess;
import io.sluicemq.transport.Tls;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Where operators are served over HTTP, and how much that takes on; see {@link HttpSection#HTTP} for each.
 *
 * @param maxRequestSize in bytes
 * @param metrics what is measured and told, and to whom
 * @param tls null for plain HTTP
 */
public record HttpConfig(
        boolean enabled, HostPort address, int maxConnections, int maxRequestSize, Duration requestTimeLimit,
        MetricsOptions metrics, TlsConfig tls) {

    /** What its URIs begin with. */
    public String scheme() {
        return tls == null ? "http" : "https";
    }

    static HttpConfig of(Settings http) {
        HostPort address = new HostPort(http.get(ListenersSection.LISTENER_HOST), http.get(HttpSection.HTTP_PORT));
        return new HttpConfig(
                http.get(HttpSection.HTTP_ENABLED),
                address,
                http.get(HttpSection.HTTP_MAX_CONNECTIONS),
                Math.toIntExact(http.get(HttpSection.HTTP_MAX_REQUEST_SIZE)),
                http.get(HttpSection.HTTP_REQUEST_TIME_LIMIT),
                new MetricsOptions(
                        isOpen(http.get(HttpSection.HTTP_METRICS_ACCESS), address.host()),
                        http.get(HttpSection.HTTP_METRICS_QUEUES),
                        http.get(HttpSection.HTTP_METRICS_ADDRESSES)),
                http.has(HttpSection.HTTP_TLS) ? tls(http.section(HttpSection.HTTP_TLS)) : null);
    }

    private static boolean isOpen(MetricsAccess access, String host) {
        return switch (access) {
            case LOOPBACK -> isLoopback(host);
            case MONITOR -> false;
            case EVERYONE -> true;
        };
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false; // nothing will be listened to there
        }
    }

    /** Null if a part of it is missing, which was refused already. */
    private static TlsConfig tls(Settings section) {
        Optional<Path> certificate = section.find(ListenersSection.TLS_CERTIFICATE);
        Optional<Path> key = section.find(ListenersSection.TLS_KEY);
        return certificate.isPresent() && key.isPresent()
                ? new TlsConfig(
                        certificate.get(), key.get(), null, Tls.ClientAuth.NONE, TlsConfig.minVersion(section))
                : null;
    }
}
