package io.sluicemq.management.http;

import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;

/**
 * Where the HTTP server listens, and how much it takes on.
 *
 * @param port 0 for any free one
 * @param maxConnections beyond so many others wait to be accepted
 * @param maxRequests so many are answered at the same time; others wait a moment, and are refused with 503
 * @param maxRequestBytes the largest body of a request
 * @param requestTimeLimit how long a request may take to arrive, and a connection may idle between two of them
 * @param answerTimeLimit how long an answer may take to be found
 * @param tls null for plain HTTP
 */
public record HttpOptions(
        String host, int port, int maxConnections, int maxRequests, int maxRequestBytes, Duration requestTimeLimit,
        Duration answerTimeLimit, Tls tls) {

    /**
     * With what TLS is spoken.
     *
     * @param versions by their names in Java, such as {@code TLSv1.3}; no other is spoken
     */
    public record Tls(SSLContext context, List<String> versions) {

        public Tls {
            versions = List.copyOf(versions);
        }
    }

    /** With limits that do for people and tools. */
    public static HttpOptions of(String host, int port) {
        return new HttpOptions(
                host, port, 256, 32, 8 << 20, Duration.ofSeconds(30), Duration.ofSeconds(30), null);
    }

    /** The same with TLS; null for plain HTTP. */
    public HttpOptions withTls(Tls spoken) {
        return new HttpOptions(
                host, port, maxConnections, maxRequests, maxRequestBytes, requestTimeLimit, answerTimeLimit, spoken);
    }

    /** The same with these limits. */
    public HttpOptions withLimits(int connections, int requests, int requestBytes) {
        return new HttpOptions(
                host, port, connections, requests, requestBytes, requestTimeLimit, answerTimeLimit, tls);
    }

    /** The same with these limits of time. */
    public HttpOptions withTimes(Duration request, Duration answer) {
        return new HttpOptions(host, port, maxConnections, maxRequests, maxRequestBytes, request, answer, tls);
    }
}
