package io.sluicemq.management.http;

import io.sluicemq.api.Authenticator.Peer;
import io.sluicemq.base.LogEvent;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.Scheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP server: Jetty, on threads of its own, with a virtual thread for each request that is answered. It bounds what anybody can take: connections,
 * requests at a time, their sizes, and the time that each takes to arrive and to be read.
 *
 * <p>Invariants: a connection is closed when it has not sent a whole request in {@link HttpOptions#requestTimeLimit}, or has not
 * taken the answer in twice that and the time for the answer, however it keeps itself alive. Nobody's body is kept in memory before they have
 * proved that they may ask what they ask.
 */
public final class HttpServer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);
    private static final int BACKLOG = 128;
    private static final long MOST_START_MILLIS = 10_000;
    /** Of a body that is not wanted, so much is read and dropped. */
    private static final long DROPPED_BYTES = 64L << 20;
    private static final int HEADER_BYTES = 16 << 10;
    /** So many bodies of the largest size have room at a time, or more that are smaller. */
    private static final int BODIES = 8;
    private static final long PATIENCE_SECONDS = 2;

    private final HttpOptions options;
    private final ServerSocketChannel socket;
    private final Thread starter;
    /** Made by the starter. */
    private volatile HttpApi api;
    /** Made by the starter. */
    private volatile Server server;
    private volatile boolean closed;
    private final Semaphore places;
    /** Room for bodies, in KiB. */
    private final Semaphore room;
    private final Map<Connection, Scheduler.Task> ends = new ConcurrentHashMap<>();
    /** Null for plain HTTP; guarded by this. */
    private SslContextFactory.Server secure;
    /** What is spoken now, or will be once the server is made; guarded by this. */
    private HttpOptions.Tls tls;

    private HttpServer(HttpOptions options, ServerSocketChannel socket, Supplier<HttpApi> routes) {
        this.options = options;
        this.socket = socket;
        this.tls = options.tls();
        this.places = new Semaphore(options.maxRequests());
        this.room = new Semaphore(BODIES * kibibytes(options.maxRequestBytes()));
        this.starter = Thread.ofPlatform().daemon().name("sluicemq-http-start").unstarted(() -> start(routes));
    }

    /**
     * Listens. Requests that come at once wait for a moment: the server is made while the broker goes on with its start.
     *
     * @param routes makes what can be asked, once, on a thread of this
     * @throws IOException if that is not possible, for example since the port is in use
     */
    public static HttpServer open(HttpOptions options, Supplier<HttpApi> routes) throws IOException {
        ServerSocketChannel socket = ServerSocketChannel.open();
        try {
            socket.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            InetSocketAddress address = new InetSocketAddress(options.host(), options.port());
            if (address.isUnresolved()) {
                throw new IOException("there is no host of that name");
            }
            socket.bind(address, BACKLOG);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
        HttpServer opened = new HttpServer(options, socket, routes);
        opened.starter.start();
        return opened;
    }

    private void start(Supplier<HttpApi> routes) {
        try {
            api = routes.get();
            Server made = made();
            server = made;
            if (!closed) {
                made.start();
            }
        } catch (Exception e) {
            if (closed) {
                LOG.debug("the HTTP server was closed while it was being made", e);
                return; // with its socket
            }
            LogEvent.HTTP_NOT_STARTED.log(LOG,
                    "the HTTP server has not started, and nobody is served on {}:{}", options.host(), port(), e);
            close(socket);
        }
    }

    private static void close(ServerSocketChannel socket) {
        try {
            socket.close();
        } catch (IOException e) {
            LogEvent.HTTP_SOCKET_NOT_CLOSED.log(LOG,
                    "the HTTP server's socket was not closed in order: {}", e.toString());
        }
    }

    private Server made() throws IOException {
        QueuedThreadPool threads = new QueuedThreadPool(8, 2);
        threads.setName("sluicemq-http");
        threads.setDaemon(true);
        threads.setReservedThreads(0);
        threads.setVirtualThreadsExecutor(Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("sluicemq-http-", 0).factory()));
        Server made = new Server(threads);
        ServerConnector connector = new ServerConnector(made, 1, 1, factories());
        connector.open(socket);
        connector.setIdleTimeout(options.requestTimeLimit().toMillis());
        connector.setAcceptQueueSize(64);
        connector.addBean(new Watch(connector));
        made.addBean(new NetworkConnectionLimit(options.maxConnections(), connector));
        made.addConnector(connector);
        made.setHandler(new Answers());
        made.setErrorHandler(HttpServer::unreadable);
        return made;
    }

    private ConnectionFactory[] factories() {
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        http.setSendXPoweredBy(false);
        http.setRequestHeaderSize(HEADER_BYTES);
        http.setResponseHeaderSize(HEADER_BYTES);
        // A name may have a slash, which is no separator then, a %, or a control character; the router splits before it decodes, once.
        http.setUriCompliance(UriCompliance.from(EnumSet.of(
                UriCompliance.Violation.AMBIGUOUS_PATH_SEPARATOR, UriCompliance.Violation.AMBIGUOUS_PATH_ENCODING,
                UriCompliance.Violation.SUSPICIOUS_PATH_CHARACTERS,
                UriCompliance.Violation.ILLEGAL_PATH_CHARACTERS)));
        HttpConnectionFactory plain = new HttpConnectionFactory(http);
        synchronized (this) {
            if (tls == null) {
                return new ConnectionFactory[] {plain};
            }
            secure = new SslContextFactory.Server();
            speak(secure);
            return new ConnectionFactory[] {new SslConnectionFactory(secure, plain.getProtocol()), plain};
        }
    }

    private void speak(SslContextFactory of) {
        of.setSslContext(tls.context());
        of.setIncludeProtocols(tls.versions().toArray(String[]::new));
    }

    /**
     * Has new connections speak TLS with this; those that are open go on as they are.
     *
     * @throws IllegalStateException if this server speaks plain HTTP
     */
    public synchronized void tls(HttpOptions.Tls next) {
        if (tls == null) {
            throw new IllegalStateException("this server was opened for plain HTTP");
        }
        tls = next;
        if (secure != null) { // else it is made with this
            try {
                secure.reload(this::speak);
            } catch (Exception e) {
                throw new IllegalStateException("the HTTP server can't take its new certificate", e);
            }
        }
    }

    /** The port that was bound. */
    public int port() {
        return socket.socket().getLocalPort();
    }

    /** Users have changed: who was let in has to prove again who they are. */
    public void usersChanged() {
        HttpApi made = api;
        if (made != null) {
            made.usersChanged();
        }
    }

    /** Ends it: nothing more is accepted, and connections are cut. */
    @Override
    public void close() {
        closed = true;
        close(socket);
        try {
            starter.join(MOST_START_MILLIS);
            Server made = server;
            if (made != null) {
                made.setStopTimeout(0);
                made.stop();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            LogEvent.HTTP_NOT_STOPPED.log(LOG, "the HTTP server has not stopped in order: {}", e.toString());
        }
    }

    // ---- time

    /** Sees to it that each connection has an end, unless it does something before. */
    private final class Watch implements Connection.Listener {

        private final ServerConnector connector;

        Watch(ServerConnector connector) {
            this.connector = connector;
        }

        @Override
        public void onOpened(Connection connection) {
            if (connection instanceof SslConnection) {
                return; // the one that it carries is there as soon, and has its end
            }
            ends.put(connection, end(connector, connection, false));
        }

        @Override
        public void onClosed(Connection connection) {
            Scheduler.Task end = ends.remove(connection);
            if (end != null) {
                end.cancel();
            }
        }
    }

    /** Ends it when its time is over. */
    private Scheduler.Task end(Connector connector, Connection connection, boolean answered) {
        long idle = options.requestTimeLimit().toNanos();
        return connector.getScheduler().schedule(
                () -> connection.getEndPoint().close(),
                answered ? 2 * idle + options.answerTimeLimit().toNanos() : idle,
                TimeUnit.NANOSECONDS);
    }

    /** Its time begins anew. */
    private void is(Request request, boolean answered) {
        ConnectionMetaData about = request.getConnectionMetaData();
        ends.computeIfPresent(about.getConnection(), (connection, before) -> {
            before.cancel();
            return end(about.getConnector(), connection, answered);
        });
    }

    // ---- requests

    private final class Answers extends Handler.Abstract {

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            Request.addCompletionListener(request, failure -> is(request, false));
            Arriving body = new Arriving(request);
            Answer answer;
            if (body.isNone()) {
                is(request, true);
            }
            try {
                body.takePlace();
                answer = answer(request, body);
            } catch (ApiError e) {
                answer = e.answer();
            } finally {
                body.giveBack();
            }
            send(request, response, callback, body.drop(answer));
            return true;
        }
    }

    private static ApiError busy(String why) {
        return new ApiError(503, "busy", why).with("Retry-After", "1");
    }

    /** The body of one request, and what is taken for that; used by the thread that answers it. */
    private final class Arriving implements HttpApi.Body {

        private final Request request;
        private final long length;
        private final InputStream in;
        /** Whether it has one of the {@link #places}. */
        private boolean placed;
        /** KiB of the {@link #room} that are taken for it. */
        private int taken;
        private boolean read;

        Arriving(Request request) {
            this.request = request;
            this.length = length(request);
            this.in = Content.Source.asInputStream(request);
        }

        /** How long it may be: all that one may be if it doesn't say. */
        private long length(Request of) {
            long said = of.getLength();
            return said >= 0 ? said : of.getHeaders().contains(HttpHeader.TRANSFER_ENCODING) ? Long.MAX_VALUE : 0;
        }

        boolean isNone() {
            return length == 0;
        }

        void takePlace() {
            try {
                placed = places.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                throw stops();
            }
            if (!placed) {
                throw busy("too many requests are being answered");
            }
        }

        private ApiError stops() {
            Thread.currentThread().interrupt();
            return new ApiError(503, "unavailable", "the server stops");
        }

        private void givePlaceBack() {
            if (placed) {
                placed = false;
                places.release();
            }
        }

        void giveBack() {
            givePlaceBack();
            room.release(taken);
            taken = 0;
        }

        @Override
        public byte[] read() {
            if (isNone()) {
                return new byte[0];
            }
            if (request.getLength() > options.maxRequestBytes()) {
                throw tooLarge();
            }
            givePlaceBack(); // while it arrives somebody else may be answered
            byte[] bytes = arrived();
            is(request, true);
            takePlace();
            return bytes;
        }

        private byte[] arrived() {
            int wanted = kibibytes(Math.min(length, options.maxRequestBytes()));
            try {
                if (!room.tryAcquire(wanted, PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                    throw busy("the bodies of other requests take all the memory for them");
                }
                taken = wanted;
                byte[] bytes = in.readNBytes(options.maxRequestBytes() + 1);
                if (bytes.length > options.maxRequestBytes()) {
                    throw tooLarge();
                }
                read = true;
                return bytes;
            } catch (InterruptedException e) {
                throw stops();
            } catch (IOException e) {
                LOG.debug("the body of a request has not arrived", e);
                throw ApiError.badRequest("the body has not arrived");
            }
        }

        private ApiError tooLarge() {
            return new ApiError(413, "too_large", "the body has more than " + options.maxRequestBytes() + " bytes");
        }

        /**
         * Reads and forgets what is left, since who is cut while they send loses the answer. Whoever waits to be told to go on is not.
         *
         * @return the answer as it is to be sent then
         */
        Answer drop(Answer answer) throws IOException {
            if (isNone() || read) {
                return answer;
            }
            if (!request.getHeaders().contains(HttpHeader.EXPECT)) {
                byte[] dropped = new byte[16 << 10];
                for (long left = DROPPED_BYTES; left > 0;) {
                    int got = in.read(dropped);
                    if (got < 0) {
                        return answer;
                    }
                    left -= got;
                }
            }
            return answer.with("Connection", "close");
        }
    }

    private static int kibibytes(long bytes) {
        return (int) ((bytes + 1023) / 1024);
    }

    private Answer answer(Request request, HttpApi.Body body) {
        Map<String, String> headers = new HashMap<>();
        for (HttpField field : request.getHeaders()) {
            headers.putIfAbsent(field.getName().toLowerCase(Locale.ROOT), field.getValue());
        }
        if (!isHostKnown(headers.get("host"))) {
            return Answer.error(421, "misdirected_request",
                    "expected the header Host to name this machine: the server listens for it alone");
        }
        Map<String, String> query = new LinkedHashMap<>();
        try {
            Fields fields = Request.extractQueryParameters(request);
            fields.forEach(field -> query.putIfAbsent(field.getName(), field.getValue()));
        } catch (RuntimeException e) {
            return Answer.error(400, "bad_request", "the query can't be read");
        }
        return api.answer(new HttpApi.Request(
                request.getMethod(), request.getHttpURI().getPath(), query, headers, body,
                peer(request.getConnectionMetaData().getRemoteSocketAddress())));
    }

    private static Peer peer(SocketAddress address) {
        if (address instanceof InetSocketAddress internet) {
            InetAddress host = internet.getAddress();
            String text = host.getHostAddress();
            return new Peer(
                    (text.contains(":") ? "[" + text + "]" : text) + ":" + internet.getPort(),
                    host.isLoopbackAddress());
        }
        return new Peer(String.valueOf(address), false);
    }

    /**
     * A server that listens on this machine alone is asked by names of this machine: a page whose name leads to here has another, and is to get
     * nothing, be it that it guesses a password.
     */
    private boolean isHostKnown(String host) {
        if (!isLoopback(options.host())) {
            return true;
        }
        if (host == null) {
            return false;
        }
        int colon = host.lastIndexOf(':');
        String name = colon > host.lastIndexOf(']') ? host.substring(0, colon) : host;
        return name.equalsIgnoreCase(options.host()) || isLoopback(name);
    }

    private static boolean isLoopback(String name) {
        return name.equalsIgnoreCase("localhost") || name.startsWith("127.") && name.matches("[0-9.]+")
                || name.equals("::1") || name.equals("[::1]");
    }

    /** A request that is no HTTP, or more than a header may be, is told so like all others. */
    private static boolean unreadable(Request request, Response response, Callback callback) {
        int status = response.getStatus() >= 400 ? response.getStatus() : 400;
        send(request, response, callback, Answer.error(
                status, status >= 500 ? "internal_error" : "bad_request", HttpStatus.getMessage(status)));
        return true;
    }

    private static void send(Request request, Response response, Callback callback, Answer answer) {
        response.setStatus(answer.status());
        var headers = response.getHeaders();
        headers.put("X-Content-Type-Options", "nosniff");
        headers.put("X-Frame-Options", "DENY");
        headers.put("Referrer-Policy", "no-referrer");
        headers.put("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
        headers.put("Cache-Control", "no-store");
        if (answer.contentType() != null) {
            headers.put("Content-Type", answer.contentType());
        }
        answer.headers().forEach(headers::put);
        if (answer.status() != 204) {
            headers.put("Content-Length", answer.body().length);
        }
        boolean bodiless = request.getMethod().equals("HEAD") || answer.body().length == 0;
        response.write(true, bodiless ? null : ByteBuffer.wrap(answer.body()), callback);
    }
}
