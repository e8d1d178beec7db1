package io.sluicemq.cli.operate;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.MalformedFrameException;
import com.rabbitmq.client.PossibleAuthenticationFailureException;
import com.rabbitmq.client.ShutdownSignalException;
import io.sluicemq.base.option.HostPort;
import io.sluicemq.base.option.InvalidValue;
import io.sluicemq.cli.http.Access;
import io.sluicemq.cli.http.Api;
import io.sluicemq.cli.http.ApiRefused;
import io.sluicemq.cli.http.ApiUnreachable;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import tools.jackson.databind.JsonNode;

/**
 * Where AMQP is spoken, how it is reached, and what is wrong if it isn't. Immutable; used by the thread of the command line.
 *
 * @param tls whether it is within TLS
 */
record AmqpListener(String host, int port, boolean tls) {

    private static final int CONNECT_MILLIS = 5_000;
    private static final int USUAL_PORT = 5672;
    private static final int USUAL_TLS_PORT = 5671;
    private static final String OTHER =
            "another AMQP listener is said by --amqp HOST:PORT, or with TLS by --amqp amqps://HOST:PORT";

    /**
     * Reads {@code HOST:PORT}, {@code amqp://HOST:PORT} or {@code amqps://HOST:PORT}; after a scheme the port may be left out.
     *
     * @throws InvalidValue if it is none of that
     */
    static AmqpListener parse(String text) throws InvalidValue {
        boolean tls = text.regionMatches(true, 0, "amqps://", 0, 8);
        boolean scheme = tls || text.regionMatches(true, 0, "amqp://", 0, 7);
        String rest = scheme ? text.substring(text.indexOf("//") + 2) : text;
        if (scheme && rest.endsWith("/")) {
            rest = rest.substring(0, rest.length() - 1);
        }
        if (scheme && !rest.isEmpty() && (rest.endsWith("]") || rest.indexOf(':') < 0)) {
            rest += ":" + (tls ? USUAL_TLS_PORT : USUAL_PORT);
        }
        HostPort at = HostPort.parse(rest);
        if (at.port() == 0 || at.host().indexOf('@') >= 0) {
            throw new InvalidValue("a host and a port");
        }
        return new AmqpListener(at.host(), at.port(), tls);
    }

    /** The one that a broker names; with TLS, if it is asked so, and there is one. */
    static AmqpListener of(Api api) {
        boolean secure = "https".equals(api.access().url().getScheme());
        Comparator<JsonNode> byName = Comparator.comparing(each -> each.path("protocol").asString());
        List<JsonNode> all = api.get(Api.path("overview")).path("listeners").valueStream()
                .filter(each -> each.path("protocol").asString().startsWith("amqp"))
                .sorted(secure ? byName.reversed() : byName)
                .toList();
        if (all.isEmpty()) {
            throw new ApiRefused(404, "the broker has no AMQP listener");
        }
        String host = all.getFirst().path("ip_address").asString();
        String url = api.access().url().getHost();
        return new AmqpListener(
                isReachedAs(host, url) ? bare(url) : host, all.getFirst().path("port").asInt(),
                all.getFirst().path("protocol").asString().equals("amqps"));
    }

    /** Whether it listens where HTTP is: everywhere, or at the address that the URL's name stands for, which a certificate may have. */
    private static boolean isReachedAs(String host, String url) {
        if (host.isEmpty() || host.equals("0.0.0.0") || host.equals("::") || host.equals("[::]")) {
            return true;
        }
        try {
            return Arrays.stream(InetAddress.getAllByName(url)).anyMatch(each -> each.getHostAddress().equals(host));
        } catch (UnknownHostException e) {
            return false; // then its address has to do
        }
    }

    private static String bare(String host) {
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    /** {@code 127.0.0.1:5672}. */
    @Override
    public String toString() {
        return new HostPort(host, port).toString();
    }

    /**
     * Connects.
     *
     * @throws ApiUnreachable if nobody is there, or not one who speaks AMQP
     * @throws ApiRefused if the broker doesn't let the user in
     */
    Connection connect(Access access, String name) {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost(host);
        factory.setPort(port);
        factory.setUsername(access.user());
        factory.setPassword(access.password());
        factory.setVirtualHost(access.virtualHost());
        factory.setConnectionTimeout(CONNECT_MILLIS);
        factory.setAutomaticRecoveryEnabled(false);
        if (tls) {
            try {
                factory.useSslProtocol(access.trust() == null ? SSLContext.getDefault() : access.trust());
                factory.enableHostnameVerification();
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every JVM has TLS", e);
            }
        }
        try {
            return factory.newConnection(name);
        } catch (PossibleAuthenticationFailureException e) {
            throw new ApiRefused(401, this + " has not let '" + access.user() + "' in: " + e.getMessage());
        } catch (IOException | TimeoutException | ShutdownSignalException e) {
            throw failure(access, e);
        }
    }

    /** What has failed, in words; also if the connection was there before. */
    RuntimeException failure(Access access, Throwable failure) {
        String where = "can't receive from " + this;
        for (Throwable each = failure; each != null; each = each.getCause()) {
            switch (each) {
                case ShutdownSignalException closed when said(closed) != null -> {
                    return new ApiRefused(400, said(closed));
                }
                case CertPathBuilderException _ -> {
                    return untrusted(access, where);
                }
                case CertPathValidatorException wrong when wrong.getCause() == null -> {
                    return untrusted(access, where);
                }
                case CertificateException wrong when wrong.getCause() == null -> {
                    return new ApiUnreachable(
                            where + ": the broker's certificate is for somebody else, or at another time: "
                                    + wrong.getMessage(),
                            List.of("say the name by which the certificate knows the broker: --amqp amqps://HOST:PORT"));
                }
                case SSLException wrong when wrong.getCause() == null -> {
                    return new ApiUnreachable(
                            where + ": it doesn't speak TLS there, or not as it should",
                            List.of("is it a port without TLS? then --amqp amqp://" + this, OTHER));
                }
                case MalformedFrameException _ -> {
                    return new ApiUnreachable(where + ": what answers there does not speak AMQP", notAmqp());
                }
                case ConnectException _ -> {
                    return new ApiUnreachable(where + ": nothing listens there", List.of(OTHER));
                }
                case UnknownHostException _ -> {
                    return new ApiUnreachable(where + ": no host is called " + host, List.of(OTHER));
                }
                case SocketTimeoutException _,TimeoutException _ -> {
                    return new ApiUnreachable(where + ": nothing has answered in time", notAmqp());
                }
                case EOFException _,SocketException _ -> {
                    return new ApiUnreachable(where + ": it has broken off", notAmqp());
                }
                default -> {
                    continue; // what it comes from says more
                }
            }
        }
        return new ApiUnreachable(where + ": " + failure.getMessage(), List.of(OTHER));
    }

    private static ApiUnreachable untrusted(Access access, String where) {
        return new ApiUnreachable(
                where + ": the broker's certificate is not trusted: --ca FILE", access.untrusted());
    }

    private List<String> notAmqp() {
        return tls
                ? List.of("is it the port of AMQP with TLS, often 5671?", OTHER)
                : List.of("is it the port of AMQP, usually 5672? that of HTTP, usually 15672, is another",
                        "if it speaks TLS there: --amqp amqps://" + this, OTHER);
    }

    /** What the broker said when it closed a channel or a connection; null if it said nothing. */
    private static String said(ShutdownSignalException closed) {
        return switch (closed.getReason()) {
            case com.rabbitmq.client.AMQP.Channel.Close close when !closed.isInitiatedByApplication() ->
                close.getReplyText();
            case com.rabbitmq.client.AMQP.Connection.Close close when !closed.isInitiatedByApplication() ->
                close.getReplyText();
            case null, default -> null;
        };
    }
}
