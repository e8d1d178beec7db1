package io.sluicemq.server;

import io.sluicemq.api.Authenticator;
import io.sluicemq.api.Protocol;
import io.sluicemq.api.operate.Operations;
import io.sluicemq.api.operate.ServerOperations.ListenerView;
import io.sluicemq.api.users.UserDirectory;
import io.sluicemq.base.Audit;
import io.sluicemq.base.LogEvent;
import io.sluicemq.base.TaskFailures;
import io.sluicemq.base.option.HostPort;
import io.sluicemq.base.option.InvalidValue;
import io.sluicemq.base.option.Place;
import io.sluicemq.base.option.Problem;
import io.sluicemq.base.option.Settings;
import io.sluicemq.broker.engine.BrokerConfig;
import io.sluicemq.broker.engine.BrokerCounters;
import io.sluicemq.broker.engine.BrokerEngine;
import io.sluicemq.broker.engine.BrokerStore;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.AddressState;
import io.sluicemq.management.AdminSocket;
import io.sluicemq.management.console.Console;
import io.sluicemq.management.http.HttpApi;
import io.sluicemq.management.http.HttpOptions;
import io.sluicemq.management.http.HttpServer;
import io.sluicemq.management.http.Route;
import io.sluicemq.management.metrics.HealthRoutes;
import io.sluicemq.management.metrics.MetricsRoutes;
import io.sluicemq.server.config.AddressesSection;
import io.sluicemq.server.config.ConfigDifference;
import io.sluicemq.server.config.ConfigException;
import io.sluicemq.server.config.HttpConfig;
import io.sluicemq.server.config.HttpSection;
import io.sluicemq.server.config.KeyPath;
import io.sluicemq.server.config.LimitsConfig;
import io.sluicemq.server.config.ListenerConfig;
import io.sluicemq.server.config.ListenersSection;
import io.sluicemq.server.config.ServerConfig;
import io.sluicemq.server.config.ServerOptions;
import io.sluicemq.server.config.TlsConfig;
import io.sluicemq.server.data.DataFolder;
import io.sluicemq.server.data.DataFolderRefused;
import io.sluicemq.server.data.DurableStore;
import io.sluicemq.server.users.UserRegistry;
import io.sluicemq.store.LogState;
import io.sluicemq.transport.ListenException;
import io.sluicemq.transport.Listener;
import io.sluicemq.transport.ListenerCounters;
import io.sluicemq.transport.ListenerOptions;
import io.sluicemq.transport.NettyLoops;
import io.sluicemq.transport.SocketKind;
import io.sluicemq.transport.Tls;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running broker, inside this JVM. There may be any number of them in one JVM, each with ports and, if it has one, a data
 * folder of its own.
 *
 * <pre>{@code
 * try (SluiceMQ broker = SluiceMQ.builder().port(0).start()) {
 *     connectionFactory.setUri(broker.amqpUri());
 * }
 * }</pre>
 *
 * <p>Its methods may be called from any thread but the broker's own loops; all return when they are done.
 */
public final class SluiceMQ implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SluiceMQ.class);

    /** So long clients may take to answer the broker's goodbye. */
    private static final Duration GOODBYE_LIMIT = Duration.ofSeconds(4);

    /** So long after that limit the last connection may take to be cut. */
    private static final Duration CUT_LIMIT = Duration.ofSeconds(1);

    /** So long the last checkpoint may take. */
    private static final Duration REST_LIMIT = Duration.ofSeconds(4);

    /** So long the disk may take for what is not written yet. */
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(4);

    /** A loop that takes longer to answer is stuck. */
    private static final Duration LIVE_LIMIT = Duration.ofSeconds(5);
    /** A certificate that ends within that time is worth a line. */
    private static final Duration SOON = Duration.ofDays(14);

    private static final String HTTP_TLS = HttpSection.HTTP.key() + "." + HttpSection.HTTP_TLS.key();
    private static final String LOOPBACK = "127.0.0.1";
    private static final Duration GATHER_LIMIT = Duration.ofSeconds(30);

    private final DataFolder data;
    private final NettyLoops loops;
    private final TaskFailures failures;
    private final BrokerEngine engine;
    private final BrokerStore store;
    private final CompletableFuture<String> failure;
    private final Map<String, Listener> listeners;
    private final UserRegistry users;
    private final Map<String, HostPort> addresses = new LinkedHashMap<>();
    private final Map<String, String> schemes = new HashMap<>();
    /** What it was started with. */
    private final ConfigSource.Reading started;
    /** What was read last; guarded by {@link #reloading}. */
    private ConfigSource.Reading current;
    private final Object reloading = new Object();
    private AdminSocket admin;
    /** Null if operators are not served over HTTP. */
    private HttpServer http;
    /** Null likewise. */
    private MetricsRoutes metrics;
    /** With what HTTP is served now; null without TLS; guarded by {@link #reloading}. */
    private Tls httpTls;
    /** The limits of addresses in force; guarded by {@link #reloading}. */
    private AddressSettings limitsNow;
    private final RunTimeLimits setAtRunTime = new RunTimeLimits(SluiceMQ::limitsOf);

    private final VirtualHostLimits hostLimits;
    private volatile boolean stopped;

    private SluiceMQ(
            DataFolder data,
            NettyLoops loops,
            TaskFailures failures,
            BrokerEngine engine,
            BrokerStore store,
            CompletableFuture<String> failure,
            Map<String, Listener> listeners,
            ConfigSource.Reading reading,
            UserRegistry users) {
        this.users = users;
        this.started = reading;
        this.current = reading;
        this.limitsNow = reading.config().addressSettings();
        this.hostLimits = new VirtualHostLimits(engine, reading.config());
        this.httpTls = reading.config().http().enabled() ? reading.httpTls() : null;
        this.store = store;
        this.failure = failure;
        this.data = data;
        this.loops = loops;
        this.failures = failures;
        this.engine = engine;
        this.listeners = listeners;
        for (ListenerConfig listener : reading.config().listeners()) {
            int port = listeners.get(listener.name()).address().getPort();
            addresses.put(listener.name(), new HostPort(listener.address().host(), port));
            schemes.put(listener.name(), listener.scheme() + "://");
        }
    }

    /** Starts with the defaults of {@code docs/configuration.md}, without a data folder. */
    public static SluiceMQBuilder builder() {
        return new SluiceMQBuilder();
    }

    /** Starts a broker by a configuration that was checked. */
    static SluiceMQ start(ConfigSource.Reading reading) {
        ServerConfig config = reading.config();
        DataFolder data = openData(config.data());
        BrokerStore store = null;
        NettyLoops loops = null;
        UserRegistry users = null;
        Map<String, Listener> listeners = new LinkedHashMap<>();
        try {
            store = openStore(data, config);
            TaskFailures failures = new TaskFailures();
            loops = new NettyLoops(config.loops(), SocketKind.preferred(), failures, config.longestRest());
            BrokerConfig brokerConfig = new BrokerConfig(config.virtualHosts(), config.limits().messageMemory())
                    .withFormats(Protocols.formats())
                    .withAddressSettings(config.addressSettings())
                    .withVirtualHostLimits(config.virtualHostLimits())
                    .withFilters(Protocols::selector);
            CompletableFuture<String> failure = new CompletableFuture<>();
            BrokerEngine engine = new BrokerEngine(brokerConfig, loops.all(), store, state -> {
                if (state.kind() == LogState.Kind.FAILED) {
                    failure.complete(state.reason());
                }
            });
            engine.hostLimits(config.hostLimits());
            List<Runnable> usersChanged = new CopyOnWriteArrayList<>(List.of(engine::accessChanged));
            users = new UserRegistry(
                    config, reading.stored(), reading.users(), () -> usersChanged.forEach(Runnable::run));
            CountedLogins authenticator = new CountedLogins(users.authenticator());
            List<Protocol> protocols = Protocols.of(engine, authenticator, config);
            for (ListenerConfig listener : config.listeners()) {
                listeners.put(
                        listener.name(),
                        open(
                                listener, loops, protocols,
                                listenerOptions(listener.address(), config.limits())
                                        .withTls(reading.tls().get(listener.name()))));
            }
            SluiceMQ broker = new SluiceMQ(data, loops, failures, engine, store, failure, listeners, reading, users);
            broker.openHttp(
                    authenticator,
                    new Measured(
                            loops, failures, broker.listeners, authenticator, store,
                            data == null ? null : data.path()));
            if (broker.http != null) {
                usersChanged.add(broker.http::usersChanged);
            }
            users = null;
            listeners = Map.of();
            loops = null;
            store = null;
            data = null;
            broker.warnOfGuests();
            warnOfReadableKeys(config);
            reading.tls().forEach(SluiceMQ::warnOfTheEnd);
            broker.stopOnFailure();
            broker.openAdminSocket();
            return broker;
        } finally {
            // Of a start that has failed there is nothing to checkpoint.
            release(null, () -> {}, data, loops, null, store, listeners, users);
        }
    }

    private void openHttp(Authenticator authenticator, Measured measured) {
        HttpConfig config = config().http();
        if (!config.enabled()) {
            return;
        }
        Operations operations = engine.operations(Protocols::published);
        OperatedServer server = new OperatedServer(
                this, authenticator, engine.home(), operations, measured);
        HttpOptions options = HttpOptions.of(config.address().host(), config.address().port());
        options = options.withLimits(config.maxConnections(), options.maxRequests(), config.maxRequestSize())
                .withTimes(config.requestTimeLimit(), options.answerTimeLimit())
                .withTls(started.httpTls() == null ? null : spoken(started.httpTls()));
        metrics = new MetricsRoutes(operations, server, config.metrics());
        Duration limit = options.answerTimeLimit();
        try {
            http = HttpServer.open(options, () -> {
                List<Route> routes = new ArrayList<>(metrics.routes());
                routes.addAll(new HealthRoutes(operations, server, LIVE_LIMIT).routes());
                routes.addAll(Console.routes());
                return new HttpApi(operations, server, routes, limit);
            });
        } catch (IOException e) {
            throw new StartFailure(
                    "cannot listen on " + config.address() + " for HTTP: " + e.getMessage()
                            + " (http.port takes another, http.enabled=false does without)",
                    e);
        }
    }

    private static HttpOptions.Tls spoken(Tls tls) {
        return new HttpOptions.Tls(tls.context(), tls.versions());
    }

    /** Where operators reach it over HTTP, such as {@code http://127.0.0.1:15672}; empty if they can't. */
    public Optional<String> httpUri() {
        return Optional.ofNullable(http)
                .map(server -> config().http().scheme() + "://"
                        + new HostPort(config().http().address().host(), server.port()));
    }

    ServerConfig config() {
        return started.config();
    }

    /** Whether it has been told to stop. */
    boolean isStopped() {
        return stopped;
    }

    /** What was read last. */
    Settings settings() {
        synchronized (reloading) {
            return current.settings();
        }
    }

    List<ListenerView> listenerViews() {
        List<ListenerView> views = new ArrayList<>();
        addresses.forEach((name, address) -> views.add(new ListenerView(
                name, schemes.get(name).replace("://", ""), address.host(), address.port())));
        if (http != null) {
            views.add(
                    new ListenerView("http", config().http().scheme(), config().http().address().host(), http.port()));
        }
        return views;
    }

    /** Without it the broker does its work all the same. */
    private void openAdminSocket() {
        if (data == null) {
            return;
        }
        try {
            admin = AdminSocket.open(data.path(), new AdminCommands(engine, this::reload, users));
        } catch (IOException e) {
            LogEvent.ADMIN_SOCKET_MISSING.log(LOG,
                    "there is no {} for this broker, so commands such as 'sluicemq why' can't reach it: {}",
                    data.path().resolve(AdminSocket.FILE), e.getMessage());
        }
    }

    private static Listener open(
            ListenerConfig listener, NettyLoops loops, List<Protocol> protocols, ListenerOptions options) {
        try {
            return Listener.open(loops, protocols, options);
        } catch (ListenException e) {
            String otherwise = e.getMessage().endsWith("in use")
                    ? " (" + (listener.name().equals(ListenersSection.DEFAULT_LISTENER) ? "--port or " : "")
                            + "listeners." + listener.name() + ".port takes another)"
                    : "";
            throw new StartFailure(e.getMessage() + otherwise, e);
        }
    }

    private static BrokerStore openStore(DataFolder data, ServerConfig config) {
        try {
            return data == null
                    ? null
                    : DurableStore.open(
                            data, config.storage(), config.virtualHosts(), config.limits());
        } catch (DataFolderRefused e) {
            throw new StartFailure(e.getMessage(), e);
        }
    }

    /** Nothing durable can be promised any more when the log has failed: then the broker is better gone. */
    private void stopOnFailure() {
        failure.thenAccept(reason -> {
            LogEvent.STOPS_FOR_FAILED_LOG.log(LOG, "the broker stops, since its log has failed: {}", reason);
            Thread.ofPlatform().name("sluicemq-stop").start(this::stop);
        });
    }

    /** Why the broker has stopped by itself, when its log has failed; never completed as long as that has not happened. */
    public CompletableFuture<String> failure() {
        return failure.copy();
    }

    private void warnOfGuests() {
        boolean open = listeners.values().stream()
                .anyMatch(listener -> !listener.address().getAddress().isLoopbackAddress());
        if (open && users.hasOnlyGuest()) {
            LogEvent.NOBODY_CAN_LOG_IN.log(LOG,
                    "others can connect from the network, but nobody can log in from there: guest may from this machine"
                            + " only, and no users are configured");
        }
    }

    private static void warnOfReadableKeys(ServerConfig config) {
        for (ListenerConfig listener : config.listeners()) {
            if (listener.tls() != null && isReadByAll(listener.tls().key())) {
                LogEvent.KEY_READABLE.log(LOG, "{}, the key of listener {}, can be read by every user of this machine",
                        listener.tls().key(), listener.name());
            }
        }
        TlsConfig http = config.http().tls();
        if (config.http().enabled() && http != null && isReadByAll(http.key())) {
            LogEvent.KEY_READABLE.log(LOG,
                    "{}, the key for HTTP, can be read by every user of this machine", http.key());
        }
    }

    /** False also where the file system can't tell. */
    private static boolean isReadByAll(Path file) {
        try {
            return Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ);
        } catch (IOException | UnsupportedOperationException e) {
            LOG.debug("who may read {} is not known: {}", file, e.toString());
            return false;
        }
    }

    private static DataFolder openData(Path path) {
        try {
            return path == null ? null : DataFolder.open(path);
        } catch (DataFolderRefused e) {
            throw new StartFailure(e.getMessage() + (e.isInUse() ? " (--data names another)" : ""), e);
        }
    }

    private static ListenerOptions listenerOptions(HostPort address, LimitsConfig limits) {
        ListenerOptions defaults = ListenerOptions.of(address.host(), address.port());
        return defaults.withLimits(limits.maxConnections(), limits.maxUnauthenticatedConnections())
                .withTimes(limits.handshakeTimeLimit(), defaults.closeLimit());
    }

    /** The port of the listener {@code amqp} or, if there is none of that name, of the first. */
    public int amqpPort() {
        return port(amqpListener());
    }

    /** The port of the listener of that name in the configuration. */
    public int port(String listener) {
        return Optional.ofNullable(listeners.get(listener))
                .orElseThrow(() -> new IllegalArgumentException(
                        "there is no listener " + listener + ", only " + String.join(", ", listeners.keySet())))
                .address()
                .getPort();
    }

    /**
     * Where clients on this machine connect: {@code amqp://127.0.0.1:5672}, with the port of {@link #amqpPort}, or {@code amqps}
     * if TLS is spoken there. Without user and virtual host: clients then take {@code guest} and {@code /}.
     */
    public String amqpUri() {
        return schemes.get(amqpListener()) + reachable(amqpListener());
    }

    /** As {@link #amqpUri()}, with a user, their password and a virtual host. */
    public String amqpUri(String user, String password, String virtualHost) {
        return schemes.get(amqpListener()) + escape(user) + ":" + escape(password) + "@" + reachable(amqpListener())
                + "/"
                + escape(virtualHost);
    }

    private static String escape(String part) {
        return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private String amqpListener() {
        return listeners.containsKey(ListenersSection.DEFAULT_LISTENER)
                ? ListenersSection.DEFAULT_LISTENER
                : listeners.keySet().iterator().next();
    }

    /** Where clients on this machine reach a listener: one at all of its addresses, at the loopback interface. */
    private HostPort reachable(String listener) {
        InetSocketAddress bound = listeners.get(listener).address();
        return bound.getAddress().isAnyLocalAddress()
                ? new HostPort(LOOPBACK, bound.getPort())
                : addresses.get(listener);
    }

    /** Where each listener is, and the one for HTTP behind them, as a URI: its host as the configuration has it, and the port that was bound. */
    List<String> uris() {
        List<String> uris = new ArrayList<>();
        addresses.forEach((name, address) -> uris.add(schemes.get(name) + address));
        httpUri().ifPresent(uris::add);
        return uris;
    }

    /** The data folder; empty if everything is kept in memory. */
    public Optional<Path> data() {
        return Optional.ofNullable(data).map(DataFolder::path);
    }

    /**
     * Has these limits of addresses hold, in place of all that held until now, for addresses there are and those to come. They do
     * when this returns. At the next {@link #reload} those of the configuration hold again. Rules about topics
     * stay as they are.
     *
     * @throws IllegalArgumentException if they are not valid; then nothing has changed
     */
    public void addressSettings(List<AddressSetting> rules) {
        requireRunning();
        Place place = Place.of("the call");
        Settings settings = new Settings(ServerOptions.ROOT, place);
        List<Problem> problems = new ArrayList<>();
        rules.forEach(rule -> rule.addTo(settings, place, problems));
        try {
            AddressSettings next = ServerConfig.of(settings, problems).addressSettings();
            synchronized (reloading) {
                apply(new AddressSettings(next.rules(), limitsNow.topics()));
                setAtRunTime.replaced();
            }
        } catch (ConfigException e) {
            throw new IllegalArgumentException(StartFailure.of(e).getMessage(), e);
        }
    }

    /**
     * Has other limits hold for addresses of one pattern; what else was said of that, and what of others, stays.
     * At the next {@link #reload} those of the configuration hold again.
     *
     * @param limits as in the configuration, by their names
     * @throws IllegalArgumentException if they are not valid; then nothing has changed
     */
    void limitAddresses(String match, Map<String, String> limits) {
        requireRunning();
        AddressSettings.Rule said = limitsOf(match, limits);
        synchronized (reloading) {
            List<AddressSettings.Rule> rules = new ArrayList<>();
            for (AddressSettings.Rule rule : limitsNow.rules()) {
                if (rule.match().equals(match)) {
                    said = said.over(rule);
                } else {
                    rules.add(rule);
                }
            }
            rules.add(said);
            apply(new AddressSettings(rules, limitsNow.topics()));
            setAtRunTime.set(match, limits);
        }
    }

    private static AddressSettings.Rule limitsOf(String match, Map<String, String> limits) {
        Place place = Place.of("the request");
        List<Problem> problems = new ArrayList<>();
        Settings settings = new Settings(ServerOptions.ROOT, place);
        Settings section = settings.add(AddressesSection.ADDRESS_SETTINGS, place);
        try {
            section.set(AddressesSection.MATCH, match, place);
        } catch (InvalidValue e) {
            throw new IllegalArgumentException("'" + match + "': expected " + e.expected(), e);
        }
        limits.forEach((name, value) -> set(section, name, value, place, problems));
        try {
            return ServerConfig.of(settings, problems).addressSettings().rules().getFirst();
        } catch (ConfigException e) {
            throw new IllegalArgumentException(StartFailure.of(e).getMessage(), e);
        }
    }

    /** The limits of addresses that were set by {@link #limitAddresses} and that no reload has undone, by pattern. */
    Map<String, Map<String, String>> limitsSetAtRunTime() {
        return setAtRunTime.all();
    }

    /** The limits of virtual hosts in force. */
    VirtualHostLimits hostLimits() {
        return hostLimits;
    }

    private static void set(Settings section, String name, String value, Place place, List<Problem> problems) {
        try {
            KeyPath.of(name, place).set(section, value, problems);
        } catch (InvalidValue e) {
            problems.add(Problem.of(place, name, "'" + name + "' is no key: expected " + e.expected()));
        }
    }

    /** Under {@link #reloading}. */
    private void apply(AddressSettings settings) {
        limitsNow = settings;
        await(engine.addressSettings(settings), "the answers to new limits");
    }

    /**
     * Reads the configuration file again, with what was said beside it at the start. The limits of addresses and virtual hosts hold
     * from now on.
     *
     * @return what has changed
     * @throws ConfigException if it is not valid; then nothing has changed
     * @throws IllegalStateException if there is no such file, or the broker has been stopped
     */
    public Reload reload() throws ConfigException {
        return reload("the embedding program");
    }

    /** @param by who wants it, for the audit log */
    Reload reload(String by) throws ConfigException {
        requireRunning();
        if (started.source().file() == null) {
            throw new IllegalStateException("this broker was started without a configuration file");
        }
        synchronized (reloading) {
            ConfigSource.Reading next = started.source().read();
            users.replace(next.config(), next.stored(), next.users(), by);
            AddressSettings before = limitsNow;
            apply(next.config().addressSettings());
            List<String> undone = setAtRunTime.undoneBy(before, limitsNow);
            VirtualHostLimits.Replaced hosts = hostLimits.replace(next.config());
            List<String> applied = ConfigDifference.keys(current.settings(), next.settings());
            List<String> needRestart = ConfigDifference.keys(started.settings(), next.settings());
            applied.retainAll(Reload.AT_ONCE);
            needRestart.removeAll(Reload.AT_ONCE);
            certificates(next, applied, needRestart);
            applied.addAll(undone);
            applied.addAll(hosts.undone());
            hosts.later().forEach(name -> needRestart.add("virtual-host-limits of '" + name + "', which had none"));
            current = next;
            Reload reload = new Reload(next.source().file(), applied, needRestart);
            LogEvent.CONFIGURATION_READ.log(LOG, "{}", reload);
            Audit.changed(LogEvent.CONFIGURATION_READ_BY, by, reload.toString());
            return reload;
        }
    }

    /** Has new connections see what the files of TLS hold now; nothing else of listeners changes while they are open. */
    private void certificates(ConfigSource.Reading next, List<String> applied, List<String> needRestart) {
        listeners.forEach((name, listener) -> {
            Tls read = next.tls().get(name);
            if (read != null && listener.tls() != null && !read.isLike(listener.tls())) {
                listener.tls(read);
                applied.add(ListenersSection.LISTENERS.key() + "." + name + "." + ListenersSection.LISTENER_TLS.key());
                LogEvent.CERTIFICATE_RENEWED.log(LOG, "listener {} has a new {}", name, read);
                warnOfTheEnd(name, read);
            }
        });
        Tls ofHttp = next.httpTls();
        if (ofHttp != null && httpTls != null && !ofHttp.isLike(httpTls)) {
            http.tls(spoken(ofHttp));
            httpTls = ofHttp;
            applied.add(HTTP_TLS);
            LogEvent.CERTIFICATE_RENEWED.log(LOG, "HTTP has a new {}", ofHttp);
            warnOfTheEnd(ConfigSource.HTTP, ofHttp);
        }
        if ((started.httpTls() == null) == (ofHttp == null)) {
            needRestart.removeIf(key -> key.startsWith(HTTP_TLS + "."));
        }
        if (started.config().listeners().stream().map(SluiceMQ::withoutFiles).toList()
                .equals(next.config().listeners().stream().map(SluiceMQ::withoutFiles).toList())) {
            needRestart.remove(ListenersSection.LISTENERS.key());
        }
    }

    /** A listener as far as it needs a restart to change. */
    private static Map.Entry<String, Boolean> withoutFiles(ListenerConfig listener) {
        return Map.entry(listener.name() + " " + listener.address(), listener.tls() != null);
    }

    private static void warnOfTheEnd(String listener, Tls tls) {
        if (tls.validUntil().isBefore(Instant.now().plus(SOON))) {
            LogEvent.CERTIFICATE_ENDS_SOON.log(LOG, "{}: {}: get another, and have it read by 'sluicemq reload'",
                    listener.equals(ConfigSource.HTTP) ? "HTTP" : "listener " + listener, tls);
        }
    }

    /** Who may log in, and what they may do. */
    public UserDirectory users() {
        return users;
    }

    /** What addresses hold, who waits for room in them and who could make some, of slightly different moments. */
    public List<AddressState> addressStates() {
        requireRunning();
        return await(engine.addressStates(null, null, false), "the states of addresses");
    }

    /** The broker's numbers, of slightly different moments while there is traffic. */
    public BrokerCounters counters() {
        requireRunning();
        return await(engine.counters(), "the counters");
    }

    private static <T> T await(CompletableFuture<T> gathered, String what) {
        try {
            return gathered.get(GATHER_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + what + " were gathered", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException(what + " were not gathered in " + GATHER_LIMIT, e);
        }
    }

    /** What each listener has counted, by its name in the configuration. */
    public Map<String, ListenerCounters> listenerCounters() {
        Map<String, ListenerCounters> counters = new LinkedHashMap<>();
        listeners.forEach((name, listener) -> counters.put(name, listener.counters()));
        return counters;
    }

    /** How many tasks of the broker have failed by a defect of its own. The log tells of them, at a bounded rate. */
    public long failedTasks() {
        return failures.count();
    }

    private void requireRunning() {
        if (stopped) {
            throw new IllegalStateException("the broker has been stopped");
        }
    }

    /**
     * Stops in order: takes no more connections, says goodbye to each client in its protocol's words, cuts those that do not
     * answer within four seconds, and gives ports and data folder up. It takes less than fifteen seconds, and returns when all
     * is done. No effect if it has been stopped already.
     */
    public synchronized void stop() {
        if (!stopped) {
            stopped = true;
            release(admin, this::closeHttp, data, loops, engine, store, listeners, users);
        }
    }

    /** {@link #stop}. */
    @Override
    public void close() {
        stop();
    }

    private static void release(
            AdminSocket admin, Runnable http, DataFolder data, NettyLoops loops, BrokerEngine engine,
            BrokerStore store, Map<String, Listener> listeners, UserRegistry users) {
        if (admin != null) {
            admin.close();
        }
        sayGoodbye(listeners);
        if (users != null) {
            users.close();
        }
        http.run(); // not before: until then it tells that the broker stops
        if (engine != null) {
            awaitFor(REST_LIMIT, engine.rest(), LogEvent.STOP_WITHOUT_CHECKPOINT,
                    "there was no time for a checkpoint, so the next start has to read more");
        }
        // Before the loops, which its threads speak to.
        boolean stored = store == null || awaitFor(CLOSE_LIMIT, closing(store), LogEvent.LOG_NOT_CLOSED,
                "the log does not end: the disk may hang. The data folder stays locked as long as this process lives");
        if (loops != null) {
            loops.close();
        }
        if (data != null && stored) {
            try {
                data.close();
            } catch (IOException e) {
                LogEvent.DATA_FOLDER_NOT_CLOSED.log(LOG,
                        "the data folder {} was not closed in order: {}", data.path(), e.toString());
            }
        }
    }

    private void closeHttp() {
        if (http != null) {
            http.close();
        }
        if (metrics != null) {
            metrics.close();
        }
    }

    /** Has all connections end, and waits for that. */
    private static void sayGoodbye(Map<String, Listener> listeners) {
        CompletableFuture<?>[] goodbyes = listeners.values().stream()
                .map(listener -> listener.stop("the broker is stopping", GOODBYE_LIMIT))
                .toArray(CompletableFuture[]::new);
        awaitFor(GOODBYE_LIMIT.plus(CUT_LIMIT), CompletableFuture.allOf(goodbyes), LogEvent.CONNECTIONS_LEFT,
                "connections are still open and are cut with their loops");
    }

    /** Closes the log by a thread of its own, since that waits for the disk as long as it takes. */
    private static CompletableFuture<?> closing(BrokerStore store) {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("sluicemq-log-close").start(() -> {
            try {
                store.close();
                closed.complete(null);
            } catch (RuntimeException | Error e) {
                closed.completeExceptionally(e);
            }
        });
        return closed;
    }

    /** Returns whether the end has come in time, and in order. */
    private static boolean awaitFor(Duration limit, CompletableFuture<?> end, LogEvent otherwise, String words) {
        try {
            end.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            otherwise.log(LOG, "{}: {}", words, e.toString());
        }
        return false;
    }
}
