package io.sluicemq.transport;

import io.netty.handler.ssl.NotSslRecordException;
import io.sluicemq.base.Audit;
import io.sluicemq.base.LogEvent;
import io.sluicemq.base.LogLimit;
import io.sluicemq.base.Loop;
import io.sluicemq.base.option.HostPort;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import javax.net.ssl.SSLHandshakeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open connections of a listener: their number and its limits, and for each loop the set of those that live on it.
 * The counters may be used from any thread; each set is touched by its loop alone.
 *
 * <p>Invariant: a connection is counted from {@link #admit} until {@link #left}; it is in its loop's set from {@link #joined}
 * until its socket is closed.
 */
final class Connections {

    private static final Logger AUDIT = LoggerFactory.getLogger(Audit.LOGGER);
    private static final Logger LOG = LoggerFactory.getLogger(Connections.class);

    private static final String TLS_LINE = "{}: no TLS with the peer: {}{}";
    private static final int MAX_REASON = 200;

    private final ListenerOptions options;
    private final List<Loop> loops;
    private final List<Set<Connection>> byLoop = new ArrayList<>();
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger unauthenticated = new AtomicInteger();
    private final LongAdder accepted = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder unknownProtocol = new LongAdder();
    private final LongAdder bytesIn = new LongAdder();
    private final LongAdder bytesOut = new LongAdder();
    private final LogLimit refusals = new LogLimit(TimeUnit.SECONDS.toNanos(10));
    private final LogLimit strangerRefusals = new LogLimit(TimeUnit.SECONDS.toNanos(10));
    private final LogLimit certificateRefusals = new LogLimit(TimeUnit.SECONDS.toNanos(10));
    private final LogLimit tlsFailures = new LogLimit(TimeUnit.SECONDS.toNanos(10));
    private final LogLimit memoryFailures = new LogLimit(TimeUnit.SECONDS.toNanos(10), 10);
    private final CompletableFuture<Void> allGone = new CompletableFuture<>();
    private volatile boolean stopping;

    Connections(List<Loop> loops, ListenerOptions options) {
        this.loops = loops;
        this.options = options;
        for (int i = 0; i < loops.size(); i++) {
            byLoop.add(new HashSet<>());
        }
    }

    /**
     * Counts a connection that was just accepted, and returns true; or false if it must be closed at once.
     *
     * @param local where it arrived, for the log; null if that can't be told any more
     * @param peer where it comes from, likewise
     */
    boolean admit(SocketAddress local, SocketAddress peer) {
        if (stopping) {
            refused.increment();
            return false;
        }
        int nowOpen = open.incrementAndGet();
        int nowUnauthenticated = unauthenticated.incrementAndGet();
        if (nowOpen > options.maxConnections()) {
            refuse(LogEvent.CONNECTION_LIMIT, refusals, "connections", options.maxConnections(), local, peer);
            return false;
        }
        if (nowUnauthenticated > options.maxUnauthenticated()) {
            refuse(LogEvent.UNAUTHENTICATED_LIMIT, strangerRefusals, "connections that have not logged in",
                    options.maxUnauthenticated(), local, peer);
            return false;
        }
        accepted.increment();
        return true;
    }

    private void refuse(
            LogEvent event, LogLimit lines, String what, int limit, SocketAddress local, SocketAddress peer) {
        authenticated();
        gone();
        refused.increment();
        long times = lines.take(System.nanoTime());
        if (times > 0) {
            event.log(LOG, "{}: the limit of {} {} is reached, one from {} was refused{}",
                    local instanceof InetSocketAddress at
                            ? new HostPort(at.getHostString(), at.getPort())
                            : options.host(),
                    limit,
                    what,
                    peer instanceof InetSocketAddress from ? from.getHostString() : "an unknown address",
                    times == 1 ? "" : " (and " + (times - 1) + " more since the last such line)");
        }
    }

    /** A peer and we did not come to speak TLS. */
    void tlsFailed(String connection, Throwable cause) {
        String certificate = wrongCertificate(cause);
        // What is wrong with a certificate is not to be drowned by peers that speak something else.
        long times = (certificate == null ? tlsFailures : certificateRefusals).take(System.nanoTime());
        if (times > 0) {
            String more = times == 1 ? "" : " (and " + (times - 1) + " more since the last such line)";
            if (certificate == null) {
                LogEvent.TLS_FAILED.log(LOG, TLS_LINE, connection, reason(cause), more);
            } else {
                LogEvent.CERTIFICATE_REFUSED.log(AUDIT, TLS_LINE, connection, certificate, more);
            }
        }
    }

    /** What is wrong with the certificate of the peer; null if it is something else that went wrong. */
    private static String wrongCertificate(Throwable cause) {
        for (Throwable each = cause; each != null; each = each.getCause()) {
            String wrong = switch (each) {
                case CertificateExpiredException e -> "its certificate has expired: " + e.getMessage();
                case CertificateNotYetValidException e -> "its certificate is not valid yet: " + e.getMessage();
                case CertPathBuilderException e -> "its certificate is of no issuer in client-ca";
                case SSLHandshakeException e when String.valueOf(e.getMessage()).contains("Empty client certificate") ->
                    "it has no certificate, and needs one";
                default -> null;
            };
            if (wrong != null) {
                return wrong;
            }
        }
        return null;
    }

    /** Fit for the log: the text may repeat what the peer sent. */
    private static String reason(Throwable cause) {
        if (cause instanceof NotSslRecordException) {
            return "it speaks something else";
        }
        String text = String.valueOf(cause.getMessage()).replaceAll("\\P{Print}", "?");
        return text.length() > MAX_REASON ? text.substring(0, MAX_REASON) + "…" : text;
    }

    /** There was no memory for a connection, which is closed for it. */
    void memoryLacked(String connection, OutOfMemoryError cause) {
        long times = memoryFailures.take(System.nanoTime());
        if (times > 0) {
            LogEvent.CONNECTION_WITHOUT_MEMORY.log(LOG, "{}: closed, there is no memory for it: {}{}", connection,
                    cause.getMessage(), times == 1 ? "" : " (and " + (times - 1) + " more since the last such line)");
        }
    }

    void authenticated() {
        unauthenticated.decrementAndGet();
    }

    /** The connection's loop has it now. Returns whether it may stay. */
    boolean joined(Connection connection) {
        byLoop.get(connection.loop().index()).add(connection);
        return !stopping;
    }

    /** The connection's socket is closed. */
    void left(Connection connection) {
        byLoop.get(connection.loop().index()).remove(connection);
        if (!connection.isAuthenticated()) {
            authenticated();
        }
        gone();
    }

    /** A connection that was admitted never reached a loop. */
    void lost() {
        authenticated();
        gone();
    }

    private void gone() {
        if (open.decrementAndGet() == 0 && stopping) {
            allGone.complete(null);
        }
    }

    void unknownProtocol() {
        unknownProtocol.increment();
    }

    void read(int bytes) {
        bytesIn.add(bytes);
    }

    void written(long bytes) {
        bytesOut.add(bytes);
    }

    ListenerCounters counters() {
        return new ListenerCounters(
                open.get(),
                unauthenticated.get(),
                accepted.sum(),
                refused.sum(),
                unknownProtocol.sum(),
                bytesIn.sum(),
                bytesOut.sum());
    }

    /** Asks every session to end, and cuts what is left after {@code limit}. Completes when the last one is gone. */
    CompletableFuture<Void> stop(String reason, Duration limit) {
        stopping = true;
        for (int i = 0; i < loops.size(); i++) {
            Set<Connection> connections = byLoop.get(i);
            Loop loop = loops.get(i);
            loop.execute(() -> {
                for (Connection connection : List.copyOf(connections)) {
                    connection.shutdown(reason);
                }
                loop.schedule(limit.toNanos(), () -> abortAll(connections));
            });
        }
        if (open.get() == 0) {
            allGone.complete(null);
        }
        return allGone;
    }

    private static void abortAll(Set<Connection> connections) {
        if (!connections.isEmpty()) {
            LogEvent.CONNECTIONS_CUT.log(LOG, "{} connections did not end in time and are cut", connections.size());
            List.copyOf(connections).forEach(Connection::abort);
        }
    }
}
