package io.sluicemq.server.config;

import io.sluicemq.api.ConsumerSink;
import io.sluicemq.api.Undeliverable;
import io.sluicemq.api.users.Role;
import io.sluicemq.api.users.UserLimit;
import io.sluicemq.base.Quota;
import io.sluicemq.base.option.Entry;
import io.sluicemq.base.option.NamedSections;
import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.OptionType;
import io.sluicemq.base.option.Section;
import io.sluicemq.base.option.SectionList;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.ConsumerPolicy;
import io.sluicemq.broker.flow.ConsumerRule;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.security.NamePattern;
import io.sluicemq.transport.Tls;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * All that a broker's configuration may hold. The YAML reader, the embedding builder, the command line and the reference in
 * {@code docs/configuration.md} come from these declarations alone: a new option is one more of them, and its use.
 */
public final class ServerOptions {

    /** The virtual host that clients enter unless they name another. */
    public static final String DEFAULT_VIRTUAL_HOST = "/";

    private static final int MAX_NAME_BYTES = 255;

    private static final OptionType<String> NAME = OptionType.STRING.where(
            "a name of 1 to 255 bytes without control characters",
            name -> !name.isEmpty()
                    && name.getBytes(StandardCharsets.UTF_8).length <= MAX_NAME_BYTES
                    && name.chars().noneMatch(Character::isISOControl));

    public static final Option<Path> DATA = Option.of(
            "data",
            OptionType.PATH,
            "The folder that belongs to this broker alone. It is created if it is missing. A relative path starts at the"
                    + " working folder. `sluicemq serve` takes `data` if none is given; an embedded broker without one"
                    + " keeps everything in memory.")
            .example("data");

    public static final Option<Integer> LOOPS = Option.of(
            "loops",
            OptionType.INT,
            "How many event loops share the connections and queues, with a thread each.")
            .between(1, 1024)
            .defaultsTo(() -> Runtime.getRuntime().availableProcessors(), "one a processor")
            .example("4");

    public static final Option<Duration> LONGEST_REST = Option.of(
            "longest-rest",
            OptionType.DURATION,
            "How long an event loop may rest before it looks at its sockets again, while busy peers send many small writes"
                    + " without being answered: they are handled together then, which takes a fraction of the CPU time. It"
                    + " rests only as long as that slows nobody down; a message can take longer by a rest or two. `0s`: never.")
            .between(Duration.ZERO, Duration.ofMillis(100))
            .defaultsTo(Duration.ofMillis(1));

    public static final Option<Boolean> ANONYMOUS_LOGIN = Option.of(
            "anonymous-login",
            OptionType.BOOLEAN,
            "Whether a peer on the loopback interface may come in without a name, by the SASL mechanism"
                    + " ANONYMOUS.")
            .defaultsTo(false);

    public static final Option<String> LISTENER_HOST = Option.of(
            "host",
            OptionType.STRING.where(
                    "a host name or an address to listen on",
                    host -> !host.isEmpty() && host.chars().noneMatch(c -> c <= ' ' || c == '/')),
            "The address to listen on: a host name or an IPv4 or IPv6 address of this machine. `0.0.0.0` or"
                    + " `\"::\"` listens on all of them.")
            .defaultsTo("127.0.0.1");

    public static final Option<Integer> LISTENER_PORT = Option.of(
            "port", OptionType.INT, "The TCP port to listen on. 0 takes any free one.")
            .between(0, 65535)
            .defaultsTo(() -> 5672, "5672; 5671 with `tls`")
            .example("5672");

    /** The default of {@link #LISTENER_PORT} where TLS is spoken. */
    public static final int TLS_PORT = 5671;

    public static final Option<Path> TLS_CERTIFICATE = Option.of(
            "certificate",
            OptionType.PATH,
            "A file with the listener's certificate, and behind it those between it and a root that clients know, in PEM form."
                    + " A relative path starts at the working folder, here and below.")
            .required()
            .example("server.pem");

    public static final Option<Path> TLS_KEY = Option.of(
            "key",
            OptionType.PATH,
            "A file with the certificate's key in PEM form: PKCS#8, not encrypted.")
            .required()
            .example("server.key");

    public static final Option<Path> TLS_CLIENT_CA = Option.of(
            "client-ca",
            OptionType.PATH,
            "A file with the certificates of those who issue clients' certificates, in PEM form.")
            .example("clients.pem");

    public static final Option<Tls.ClientAuth> TLS_CLIENT_AUTH = Option.of(
            "client-auth",
            OptionType.oneOf(Tls.ClientAuth.class),
            "Whether clients are asked for a certificate of `client-ca`. `none`: they are not. `optional`: one that has none may"
                    + " log in otherwise. `required`: one that has none is refused. With a certificate they may log in by the"
                    + " SASL mechanism EXTERNAL.")
            .defaultsTo(Tls.ClientAuth.NONE)
            .example("optional");

    public static final Option<String> TLS_MIN_VERSION = Option.of(
            "min-version",
            OptionType.STRING.where("1.2 or 1.3", Set.of("1.2", "1.3")::contains),
            "The oldest version of TLS that is spoken.")
            .defaultsTo("1.2");

    public static final Section LISTENER_TLS = new Section(
            "tls",
            "If it is there, nothing but TLS is spoken on the port, 1.2 or 1.3.",
            TLS_CERTIFICATE,
            TLS_KEY,
            TLS_CLIENT_CA,
            TLS_CLIENT_AUTH,
            TLS_MIN_VERSION);

    /** The listener that is there if none is configured. */
    public static final String DEFAULT_LISTENER = "amqp";

    public static final NamedSections LISTENERS = new NamedSections(
            "listeners",
            "Where the broker listens: one section a listener, each under a name of your choice that logs use. If this is"
                    + " left out there is one, named `amqp`.",
            NAME,
            new Section("NAME", "One listener.", LISTENER_HOST, LISTENER_PORT, LISTENER_TLS));

    public static final Option<List<String>> VIRTUAL_HOSTS = Option.of(
            "virtual-hosts",
            OptionType.listOf(NAME),
            "The virtual hosts: worlds of queues and exchanges that share nothing. Clients that name none enter"
                    + " `/`.")
            .defaultsTo(List.of(DEFAULT_VIRTUAL_HOST));

    public static final Option<String> USER_NAME = Option.of("name", NAME, "The name they log in with.").required()
            .example("ann");

    public static final Option<String> USER_PASSWORD = Option.of(
            "password",
            OptionType.STRING.where(
                    "a password of at least one character, none of them NUL",
                    text -> !text.isEmpty() && text.indexOf(0) < 0),
            "The password they log in with. Quote it if it holds `#`, `:` or quotes.")
            .required()
            .secret()
            .example("change me");

    public static final Option<List<String>> USER_VIRTUAL_HOSTS = Option.of(
            "virtual-hosts",
            OptionType.listOf(NAME),
            "The virtual hosts they may enter, each one of the broker's. All of them if this is left out.")
            .example("/");

    public static final Option<Boolean> USER_LOOPBACK_ONLY = Option.of(
            "loopback-only",
            OptionType.BOOLEAN,
            "Whether they may log in only from the machine that the broker runs on.")
            .defaultsTo(false);

    public static final Option<Role> USER_ROLE = Option.of(
            "role",
            OptionType.oneOf(Role.class),
            "What they may do as an operator, beside what clients do. `monitor`: to look. `operator`: to act on queues and"
                    + " connections as well. `administrator`: to change users and permissions as well. Nothing if this is left"
                    + " out.")
            .example("monitor");

    private static final OptionType<String> NAME_PATTERN = OptionType.STRING.where(
            "a pattern such as \"orders.#\", or " + NamePattern.REGEX + " and a regular expression (RE2)",
            ServerOptions::isNamePattern);

    public static final Option<String> PERMISSION_HOST = Option.of(
            "virtual-host", NAME, "In which virtual host.").required().example("/");

    public static final Option<List<String>> CONFIGURE = Option.of(
            "configure",
            OptionType.listOf(NAME_PATTERN),
            "Names of queues and exchanges that they may make and delete: patterns of words between dots, `*` for any word,"
                    + " `#` for any number of words, or `regex:` and a regular expression. No pattern, no name.")
            .defaultsTo(List.of());

    public static final Option<List<String>> WRITE = Option.of(
            "write",
            OptionType.listOf(NAME_PATTERN),
            "Names of addresses and exchanges that they may publish to, and of queues and exchanges that they may bind, likewise.")
            .defaultsTo(List.of());

    public static final Option<List<String>> READ = Option.of(
            "read",
            OptionType.listOf(NAME_PATTERN),
            "Names of queues that they may consume from, and of exchanges and topics that they may bind from or subscribe to,"
                    + " likewise.")
            .defaultsTo(List.of());

    public static final SectionList USER_PERMISSIONS = new SectionList(
            "permissions",
            "What they may do, by virtual host; in others they may do nothing. Everything in all of `virtual-hosts` if this is left"
                    + " out.",
            PERMISSION_HOST,
            new Section("PERMISSIONS", "In one virtual host.", PERMISSION_HOST, CONFIGURE, WRITE, READ));

    public static final Option<Long> USER_MAX_CONNECTIONS = Option.of(
            "max-connections",
            OptionType.LONG.orNone(Quota.UNLIMITED),
            "How many connections they may have into virtual hosts.")
            .atLeast(0L)
            .defaultsTo(Quota.UNLIMITED);

    public static final Option<Long> USER_MAX_CHANNELS = Option.of(
            "max-channels",
            OptionType.LONG.orNone(Quota.UNLIMITED),
            "How many channels they may have open on all connections together, or sessions with AMQP 1.0.")
            .atLeast(0L)
            .defaultsTo(Quota.UNLIMITED);

    public static final Option<Long> USER_MAX_QUEUES = Option.of(
            "max-queues",
            OptionType.LONG.orNone(Quota.UNLIMITED),
            "How many queues there may be that they have declared, of all virtual hosts.")
            .atLeast(0L)
            .defaultsTo(Quota.UNLIMITED);

    public static final Option<Long> USER_MAX_MESSAGE_SIZE = Option.of(
            "max-message-size",
            OptionType.SIZE.orNone(Quota.UNLIMITED),
            "The size of the largest message that they may publish; `limits.max-message-size` holds, too.")
            .atLeast(1L)
            .defaultsTo(Quota.UNLIMITED);

    public static final Option<Long> USER_MAX_KEPT_LINKS = Option.of(
            "max-kept-links",
            OptionType.LONG.orNone(Quota.UNLIMITED),
            "AMQP 1.0: of how many links of theirs that have ended, on all connections, the deliveries may be kept for links that come"
                    + " back.")
            .atLeast(0L)
            .defaultsTo(Quota.UNLIMITED);

    /** What limits of users are called, and may be. */
    public static final Map<UserLimit, Option<Long>> USER_LIMITS = Collections.unmodifiableMap(new EnumMap<>(Map.of(
            UserLimit.CONNECTIONS, USER_MAX_CONNECTIONS,
            UserLimit.CHANNELS, USER_MAX_CHANNELS,
            UserLimit.QUEUES, USER_MAX_QUEUES,
            UserLimit.MESSAGE_BYTES, USER_MAX_MESSAGE_SIZE,
            UserLimit.KEPT_LINKS, USER_MAX_KEPT_LINKS)));

    public static final SectionList USERS = new SectionList(
            "users",
            "Who may log in, with passwords as they are: for tests, see [security](security.md). If there is none, nor a file of"
                    + " users, `guest` with the password `guest` may, from the loopback interface only.",
            USER_NAME,
            new Section("USER", "One user.", USER_NAME, USER_PASSWORD, USER_VIRTUAL_HOSTS, USER_LOOPBACK_ONLY,
                    USER_ROLE, USER_PERMISSIONS, USER_MAX_CONNECTIONS, USER_MAX_CHANNELS, USER_MAX_QUEUES,
                    USER_MAX_MESSAGE_SIZE, USER_MAX_KEPT_LINKS));

    public static final Option<Path> USERS_FILE = Option.of(
            "users-file",
            OptionType.PATH,
            "The file with the users that `sluicemq user` has made, their passwords stored as salted slow hashes. `users.yaml` in"
                    + " the data folder if this is left out, where it need not be there.")
            .example("users.yaml");

    /** The name of that file in the data folder. */
    public static final String DEFAULT_USERS_FILE = "users.yaml";

    public static final Option<String> STORED_SHA_256 = Option.of(
            "password-sha-256",
            OptionType.STRING,
            "The keys of SCRAM-SHA-256: iterations, salt, StoredKey, ServerKey.")
            .secret();

    public static final Option<String> STORED_SHA_512 = Option.of(
            "password-sha-512", OptionType.STRING, "The keys of SCRAM-SHA-512, likewise.").secret();

    public static final SectionList STORED_USERS = new SectionList(
            "users",
            "Who may log in.",
            USER_NAME,
            new Section("USER", "One user.", USER_NAME, STORED_SHA_256, STORED_SHA_512, USER_LOOPBACK_ONLY, USER_ROLE,
                    USER_PERMISSIONS, USER_MAX_CONNECTIONS, USER_MAX_CHANNELS, USER_MAX_QUEUES, USER_MAX_MESSAGE_SIZE,
                    USER_MAX_KEPT_LINKS));

    public static final Option<String> DECOY_SECRET = Option.of(
            "decoy-secret",
            OptionType.STRING,
            "From what names that nobody has get salts, so that they can't be told from others.")
            .secret();

    /** All that a file of users may hold. */
    public static final Section USERS_FILE_ROOT =
            new Section("", "The users.", DECOY_SECRET, STORED_USERS);

    private static boolean isNamePattern(String text) {
        try {
            NamePattern.of(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    public static final Option<Integer> MAX_CONNECTIONS = Option.of(
            "max-connections",
            OptionType.INT,
            "How many connections each listener may have open. One more is closed as soon as it is accepted.")
            .counting("connections")
            .between(1, 1_000_000)
            .defaultsTo(65_536);

    public static final Option<Integer> MAX_UNAUTHENTICATED_CONNECTIONS = Option.of(
            "max-unauthenticated-connections",
            OptionType.INT,
            "How many of those may be yet to log in. One more is closed as soon as it is accepted.")
            .counting("connections")
            .between(1, 1_000_000)
            .defaultsTo(4_096);

    public static final Option<Duration> HANDSHAKE_TIME_LIMIT = Option.of(
            "handshake-time-limit",
            OptionType.DURATION,
            "How long a peer may take from connecting to having logged in and entered a virtual host.")
            .between(Duration.ofMillis(100), Duration.ofMinutes(10))
            .defaultsTo(Duration.ofSeconds(10));

    public static final Option<Integer> LOGIN_FAILURES = Option.of(
            "login-failures",
            OptionType.INT,
            "How many logins may fail from one address at once, and a minute after that (IPv6: from one /64). Then nobody"
                    + " is let in from there for a while but who has logged in from there before. With one name ten times as many may"
                    + " fail from anywhere; then logins with it have to wait a second.")
            .between(1, 1_000_000)
            .defaultsTo(20);

    public static final Option<Integer> CHANNEL_MAX = Option.of(
            "channel-max",
            OptionType.INT,
            "How many channels a connection may have open, or sessions with AMQP 1.0; clients may ask for fewer.")
            .counting("channels")
            .between(1, 65_535)
            .defaultsTo(2_047);

    public static final Option<Long> FRAME_MAX = Option.of(
            "frame-max",
            OptionType.SIZE,
            "The size of the largest frame on a connection; clients may ask for a smaller one.")
            .between(4L << 10, 16L << 20)
            .defaultsTo(128L << 10);

    public static final Option<Duration> HEARTBEAT = Option.of(
            "heartbeat",
            OptionType.DURATION.where(
                    "a duration in whole seconds such as 60s or 5m",
                    duration -> duration.toMillis() % 1000 == 0),
            "The time between heartbeats that the broker suggests. A peer that is silent for two of them is taken"
                    + " for dead. 0 suggests none; the client has the last word. With AMQP 1.0 it is the time after which a silent"
                    + " peer is taken for dead.")
            .between(Duration.ZERO, Duration.ofSeconds(65_535))
            .defaultsTo(Duration.ofSeconds(60));

    public static final Option<Long> MAX_MESSAGE_SIZE = Option.of(
            "max-message-size",
            OptionType.SIZE,
            "The size of the largest message body that is accepted.")
            .between(1L, 512L << 20)
            .defaultsTo(128L << 20);

    private static final int DEFAULT_MESSAGE_MEMORY_PERCENT = 40;

    public static final Option<Long> MESSAGE_MEMORY = Option.of(
            "message-memory",
            OptionType.sizeOrShareOf(ServerOptions::maxHeap, "the heap"),
            "How much memory messages may take. While they take more, connections that publish are held back"
                    + " until consumers have caught up; consumers never are.")
            .atLeast(1L << 20)
            .defaultsTo(
                    () -> OptionType.shareOf(maxHeap(), DEFAULT_MESSAGE_MEMORY_PERCENT),
                    DEFAULT_MESSAGE_MEMORY_PERCENT + "%");

    public static final Section LIMITS = new Section(
            "limits",
            "How much the broker takes on.",
            MAX_CONNECTIONS,
            MAX_UNAUTHENTICATED_CONNECTIONS,
            HANDSHAKE_TIME_LIMIT,
            LOGIN_FAILURES,
            CHANNEL_MAX,
            FRAME_MAX,
            HEARTBEAT,
            MAX_MESSAGE_SIZE,
            MESSAGE_MEMORY);

    public static final Option<Boolean> AUTO_CREATE_QUEUES = Option.of(
            "auto-create-queues",
            OptionType.BOOLEAN,
            "Whether a queue that a client of AMQP 1.0 names is made if it isn't there. Otherwise the client is told"
                    + " `amqp:not-found`.")
            .defaultsTo(true);

    public static final Option<Long> WINDOW = Option.of(
            "window",
            OptionType.SIZE,
            "How many bytes of messages a sending link may have under way: its credit is as many messages as fit, by the size of"
                    + " those that came before, and one at least.")
            .between(1L << 10, 64L << 20)
            .defaultsTo(256L << 10);

    public static final Option<Integer> WINDOW_MESSAGES = Option.of(
            "window-messages",
            OptionType.INT,
            "How many messages a sending link has credit for at most, however small they are.")
            .counting("messages")
            .between(1, 65_535)
            .defaultsTo(1_000);

    public static final Section AMQP10 = new Section(
            "amqp10",
            "What is particular to AMQP 1.0.",
            AUTO_CREATE_QUEUES,
            WINDOW,
            WINDOW_MESSAGES);

    public static final Option<Boolean> HTTP_ENABLED = Option.of(
            "enabled",
            OptionType.BOOLEAN,
            "Whether operators are served over HTTP: the HTTP API, the console, metrics and health.")
            .defaultsTo(() -> false, "`true` with `sluicemq serve`, `false` for an embedded broker")
            .example("true");

    public static final Option<Integer> HTTP_PORT = Option.of(
            "port", OptionType.INT, "The TCP port to listen on. 0 takes any free one.")
            .between(0, 65535)
            .defaultsTo(15672);

    public static final Option<Integer> HTTP_MAX_CONNECTIONS = Option.of(
            "max-connections",
            OptionType.INT,
            "How many connections may be open at the same time. Others wait until they are accepted.")
            .between(1, 65536)
            .defaultsTo(256);

    public static final Option<Long> HTTP_MAX_REQUEST_SIZE = Option.of(
            "max-request-size",
            OptionType.SIZE,
            "The size of the largest body of a request, such as one that publishes a message.")
            .between(1L << 10, 256L << 20)
            .defaultsTo(8L << 20);

    public static final Option<Duration> HTTP_REQUEST_TIME_LIMIT = Option.of(
            "request-time-limit",
            OptionType.DURATION,
            "How long a request may take to arrive, and a connection may be idle. One that takes longer is closed.")
            .between(Duration.ofSeconds(1), Duration.ofHours(1))
            .defaultsTo(Duration.ofSeconds(30));

    /** Who may read the metrics. */
    public enum MetricsAccess {
        /** Everybody on this machine, if the server listens for it alone; else a monitor. */
        LOOPBACK,
        /** A user who is a monitor and may use all virtual hosts. */
        MONITOR,
        /** Whoever reaches the server. */
        EVERYONE
    }

    public static final Option<MetricsAccess> HTTP_METRICS_ACCESS = Option.of(
            "metrics-access",
            OptionType.oneOf(MetricsAccess.class),
            "Who may read `/metrics`, which has the names of queues. `loopback`: everybody without a login if `host` is this"
                    + " machine's loopback interface, else as `monitor`. `monitor`: a user who is a monitor and may use all virtual"
                    + " hosts. `everyone`: whoever reaches the server.")
            .defaultsTo(MetricsAccess.LOOPBACK);

    public static final Option<Integer> HTTP_METRICS_QUEUES = Option.of(
            "metrics-queues",
            OptionType.INT,
            "How many queues `/metrics` tells of by themselves: those that producers wait for, and the longest and the busiest,"
                    + " by turns. The others are added up.")
            .between(0, 100_000)
            .defaultsTo(100);

    public static final Option<Integer> HTTP_METRICS_ADDRESSES = Option.of(
            "metrics-addresses",
            OptionType.INT,
            "How many addresses with limits `/metrics` tells of by themselves: those that producers wait for, the fullest, and"
                    + " those that drop or refuse, by turns. The others are added up.")
            .between(0, 100_000)
            .defaultsTo(100);

    public static final Section HTTP_TLS = new Section(
            "tls",
            "If it is there, nothing but TLS is spoken on the port, 1.2 or 1.3. Browsers and tools are asked for no certificate.",
            TLS_CERTIFICATE,
            TLS_KEY,
            TLS_MIN_VERSION);

    public static final Section HTTP = new Section(
            "http",
            "Where operators are served over HTTP: the HTTP API, the console, metrics and health. Users and passwords are those of `users`.",
            HTTP_ENABLED,
            LISTENER_HOST,
            HTTP_PORT,
            HTTP_MAX_CONNECTIONS,
            HTTP_MAX_REQUEST_SIZE,
            HTTP_REQUEST_TIME_LIMIT,
            HTTP_METRICS_ACCESS,
            HTTP_METRICS_QUEUES,
            HTTP_METRICS_ADDRESSES,
            HTTP_TLS);

    /** What is to happen to a producer that goes on publishing beyond what may wait for it. */
    public enum UncooperativeProducers {
        /** Its connection is read from only as fast as there is room. */
        PAUSE,
        /** Its channel is closed. */
        CLOSE_CHANNEL
    }

    /** The value of {@link #HOLD_LIMIT} that stands for no limit. */
    public static final Duration NO_HOLD_LIMIT = ChronoUnit.FOREVER.getDuration();

    public static final Option<String> MATCH = Option.of(
            "match",
            // YAML takes a # without quotes for a comment, and a * for an alias.
            OptionType.STRING.where("a pattern such as \"orders.#\", in quotes if it begins with # or *", text -> true),
            "The names of addresses (queues and exchanges) that this is about: words between dots, `*` for any word, `#` for"
                    + " any number of words. The most specific match decides, for each key by itself.")
            .required()
            .example("orders.#");

    public static final Option<Long> MAX_SIZE_BYTES = Option.of(
            "max-size-bytes",
            OptionType.SIZE.orNone(AddressLimits.NONE),
            "How many bytes of messages such an address may hold, headers and a little more for each message included. With"
                    + " the policy `page`, how many of them in memory.")
            .atLeast(1L)
            .example("10MiB");

    public static final Option<Long> MAX_MESSAGES = Option.of(
            "max-messages",
            OptionType.LONG.orNone(AddressLimits.NONE),
            "How many messages it may hold, likewise.")
            .atLeast(1L)
            .example("100000");

    public static final Option<FullPolicy> ADDRESS_FULL_POLICY = Option.of(
            "address-full-policy",
            OptionType.oneOf(FullPolicy.class),
            "What happens to a message for which there is no room. `block`: it waits, and its producer with it. `page`: its"
                    + " body goes to the disk. `drop`: it is dropped. `fail`: it is refused. `ring`: the oldest messages are"
                    + " dropped to make room for it. `page` if no match says anything.")
            .example("page");

    public static final Option<Integer> LOW_WATER = Option.of(
            "low-water",
            OptionType.PERCENT,
            "When an address was full, its producers go on when no more than this part of its limits is used. `80%` if no"
                    + " match says anything.")
            .example("80%");

    public static final Option<Long> PAGE_LIMIT_BYTES = Option.of(
            "page-limit-bytes",
            OptionType.SIZE.orNone(AddressLimits.NONE),
            "With the policy `page`, how many bytes of messages it may hold in memory and on the disk together. Beyond that"
                    + " producers wait as with `block`.")
            .atLeast(1L)
            .example("1GiB");

    public static final Option<Duration> HOLD_LIMIT = Option.of(
            "hold-limit",
            OptionType.DURATION
                    .where("a duration such as 30s or 5m, 365d at most",
                            duration -> duration.compareTo(Duration.ofDays(365)) <= 0)
                    .orNone(NO_HOLD_LIMIT),
            "How long a message may wait for room. One that has waited longer is refused.")
            .atLeast(Duration.ofSeconds(1))
            .example("none");

    public static final Option<UncooperativeProducers> UNCOOPERATIVE_PRODUCERS = Option.of(
            "uncooperative-producers",
            OptionType.oneOf(UncooperativeProducers.class),
            "What happens to a producer that goes on publishing although its messages have to wait. `pause`: its connection"
                    + " is read from no faster than there is room. `close-channel`: its channel is closed. `pause` if no match"
                    + " says anything.")
            .example("pause");

    public static final Option<Integer> MAX_DELIVERY_ATTEMPTS = Option.of(
            "max-delivery-attempts",
            OptionType.INT.orNone(Undeliverable.UNLIMITED),
            "How often a message is delivered at most. One that comes back from its last delivery is a dead letter. Like the two"
                    + " below it is about queues that clients of AMQP 1.0 make by naming them, and about subscriptions, by their"
                    + " topic's name, and holds for those that are made from now on.")
            .atLeast(1)
            .example("10");

    private static final OptionType<String> LETTER_QUEUE = NAME.where(
            "a queue's name that does not begin with amq.",
            name -> !name.startsWith("amq."));

    public static final Option<String> DEAD_LETTER_ADDRESS = Option.of(
            "dead-letter-address",
            LETTER_QUEUE.orNone(AddressSettings.NO_ADDRESS),
            "The queue that messages go to which were rejected, or delivered too often. It is made if it isn't there. Without one"
                    + " they are dropped.")
            .example("DLQ");

    public static final Option<String> EXPIRY_ADDRESS = Option.of(
            "expiry-address",
            LETTER_QUEUE.orNone(AddressSettings.NO_ADDRESS),
            "The queue that expired messages go to, likewise. Without one they go to `dead-letter-address`.")
            .example("EXPIRED");

    public static final Option<Long> CONSUMER_DEPTH = Option.of(
            "depth",
            OptionType.SIZE,
            "How many bytes of messages may wait for a consumer or be held by it, headers and a little more for each message"
                    + " included.")
            .atLeast(1L)
            .example("10MiB");

    public static final Option<Long> CONSUMER_MESSAGE_COUNT = Option.of(
            "message-count",
            OptionType.LONG,
            "How many messages, likewise.")
            .counting("messages")
            .atLeast(1L)
            .example("10000");

    public static final Option<Duration> CONSUMER_MESSAGE_AGE = Option.of(
            "message-age",
            OptionType.DURATION,
            "How long the oldest of these may have been there.")
            .between(Duration.ofMillis(1), Duration.ofDays(365))
            .example("10m");

    public static final Option<Long> CONSUMER_RATE = Option.of(
            "rate",
            OptionType.LONG,
            "How many messages a second a consumer is to deal with at least, while it has some.")
            .counting("messages a second")
            .between(1L, 1_000_000L)
            .example("10");

    public static final Option<Duration> CHECK_PERIOD = Option.of(
            "check-period",
            OptionType.DURATION,
            "How often that is looked at. A consumer is too slow if it was so for all of such a period.")
            .between(Duration.ofMillis(100), Duration.ofHours(1))
            .defaultsTo(Duration.ofNanos(ConsumerRule.DEFAULT_PERIOD_NANOS));

    public static final Option<ConsumerPolicy> CONSUMER_POLICY = Option.of(
            "name",
            OptionType.oneOf(ConsumerPolicy.class),
            "`delete`: it is cut, and the queue of a transient subscription is deleted. `cycle`: the queue never holds more than"
                    + " `depth` and `message-count`; its oldest messages are dropped to make room for new ones. `flow`: who publishes to"
                    + " the queue waits. `notify`: it is told of, no more.")
            .required()
            .example("delete");

    public static final Option<Boolean> DELETE_PERSISTENT = Option.of(
            "delete-persistent",
            OptionType.BOOLEAN,
            "With `delete`, whether the queue of a durable subscription is deleted, too, also while nobody is attached to it.")
            .defaultsTo(false);

    public static final Option<ConsumerSink.Cut> CUT = Option.of(
            "cut",
            OptionType.oneOf(ConsumerSink.Cut.class),
            "With `delete`, what is cut with AMQP 0-9-1: the `channel`, with 506; or the `consumer` alone, by basic.cancel, for"
                    + " clients that know that. With AMQP 1.0 it is the link in any case.")
            .defaultsTo(ConsumerSink.Cut.CHANNEL);

    public static final Section CONSUMER_POLICY_SECTION = new Section(
            "policy", "What happens then.", CONSUMER_POLICY, DELETE_PERSISTENT, CUT);

    public static final Section CONSUMER = new Section(
            "consumer",
            "When a consumer of such a queue is too slow, and what happens then. Of several matches the most specific that has"
                    + " this key decides, with all of it.",
            CONSUMER_DEPTH,
            CONSUMER_MESSAGE_COUNT,
            CONSUMER_MESSAGE_AGE,
            CONSUMER_RATE,
            CHECK_PERIOD,
            CONSUMER_POLICY_SECTION);

    public static final Option<String> TOPIC_KEY = Option.of(
            "key",
            OptionType.STRING.where(
                    "a topic such as \"stocks.us.*\", in quotes if it begins with # or *",
                    key -> key.getBytes(StandardCharsets.UTF_8).length <= MAX_NAME_BYTES),
            "A topic, with `*` for any word and `#` for any number of words as in bindings to topic exchanges. It is about queues"
                    + " with a binding that it covers: each topic that such a binding matches is matched by this key, too. The first"
                    + " key that does decides.")
            .required()
            .example("stocks.us.*");

    public static final SectionList TOPICS = new SectionList(
            "topics",
            "Slow consumers of topics: of queues that are bound to topic exchanges, and of which `address-settings` say nothing about"
                    + " consumers. Can be changed while the broker runs.",
            TOPIC_KEY,
            new Section("TOPIC", "One topic, or several.", TOPIC_KEY, CONSUMER));

    public static final SectionList ADDRESS_SETTINGS = new SectionList(
            "address-settings",
            "What addresses may hold, what happens when one is full, and where messages go that nobody takes. Can be changed while the broker runs.",
            MATCH,
            new Section(
                    "ADDRESSES",
                    "Some addresses.",
                    MATCH,
                    MAX_SIZE_BYTES,
                    MAX_MESSAGES,
                    ADDRESS_FULL_POLICY,
                    LOW_WATER,
                    PAGE_LIMIT_BYTES,
                    HOLD_LIMIT,
                    UNCOOPERATIVE_PRODUCERS,
                    MAX_DELIVERY_ATTEMPTS,
                    DEAD_LETTER_ADDRESS,
                    EXPIRY_ADDRESS,
                    CONSUMER));

    public static final Option<String> LIMITED_HOST =
            Option.of("name", NAME, "The virtual host, one of `virtual-hosts`.").required()
                    .example("/");

    public static final Option<Long> HOST_MAX_SIZE_BYTES = Option.of(
            "max-size-bytes",
            OptionType.SIZE,
            "How many bytes of messages all its addresses may hold together. Beyond that producers wait.")
            .atLeast(1L)
            .example("1GiB");

    public static final Option<Long> HOST_MAX_MESSAGES = Option.of(
            "max-messages",
            OptionType.LONG,
            "How many messages they may hold together, likewise.")
            .counting("messages")
            .atLeast(1L)
            .example("1000000");

    public static final Option<Long> HOST_MAX_CONNECTIONS = Option.of(
            "max-connections", OptionType.LONG, "How many connections into it there may be.")
            .counting("connections")
            .atLeast(0L)
            .example("1000");

    public static final Option<Long> HOST_MAX_QUEUES = Option.of(
            "max-queues", OptionType.LONG, "How many queues it may have. Those that are there stay.")
            .counting("queues")
            .atLeast(0L)
            .example("10000");

    public static final Option<Long> HOST_MAX_MESSAGE_SIZE = Option.of(
            "max-message-size",
            OptionType.SIZE,
            "The size of the largest message that is accepted there; `limits.max-message-size` holds, too.")
            .atLeast(1L)
            .example("1MiB");

    public static final SectionList VIRTUAL_HOST_LIMITS = new SectionList(
            "virtual-host-limits",
            "What virtual hosts may hold. Can be changed while the broker runs: sizes and messages for those that have had such limits"
                    + " since its start.",
            LIMITED_HOST,
            new Section("HOST", "One virtual host.", LIMITED_HOST, HOST_MAX_SIZE_BYTES, HOST_MAX_MESSAGES,
                    HOST_MAX_CONNECTIONS, HOST_MAX_QUEUES, HOST_MAX_MESSAGE_SIZE));

    /** The values of {@link #SYNC}. */
    public static final List<String> SYNC_MODES = List.of("always", "interval", "os");

    public static final Option<String> SYNC = Option.of(
            "sync",
            OptionType.oneOf(SYNC_MODES),
            "When what was written is made to survive the loss of power. `always`: before it is confirmed. `interval`: at"
                    + " least every `sync-interval`. `os`: when the operating system does it. With `interval` and `os` a"
                    + " confirmed message survives the end of the broker's process, but not always the loss of power.")
            .defaultsTo("always");

    public static final Option<Duration> SYNC_INTERVAL = Option.of(
            "sync-interval",
            OptionType.DURATION,
            "How much time the loss of power may cost with `sync: interval`.")
            .between(Duration.ofMillis(1), Duration.ofMinutes(1))
            .defaultsTo(Duration.ofMillis(200));

    public static final Option<Long> FREE_SPACE_FLOOR = Option.of(
            "free-space-floor",
            OptionType.SIZE,
            "How much of the disk must stay free. While less is, no messages are taken: those who publish are held"
                    + " back until there is room again; consumers never are.")
            .atLeast(0L)
            .defaultsTo(64L << 20);

    public static final Option<Long> SEGMENT_SIZE = Option.of(
            "segment-size",
            OptionType.SIZE.where("a multiple of 4KiB", bytes -> bytes % 4096 == 0),
            "The size of the files that the log is made of. Space is given back by whole files.")
            .between(1L << 20, 1L << 30)
            .defaultsTo(64L << 20);

    /** The value of {@link #STORAGE_MAX_SIZE} that stands for no limit. */
    public static final long NO_MAX_SIZE = 0;

    public static final Option<Long> STORAGE_MAX_SIZE = Option.of(
            "max-size",
            OptionType.SIZE.orNone(NO_MAX_SIZE),
            "How much of the disk the log's segments may take together. When they do, no messages are taken, as on a full"
                    + " disk, until consumers have made room. At least three segments, and another or the largest message.")
            .atLeast(1L)
            .defaultsTo(NO_MAX_SIZE);

    public static final Section STORAGE = new Section(
            "storage",
            "How durable messages are kept in the data folder.",
            SYNC,
            SYNC_INTERVAL,
            FREE_SPACE_FLOOR,
            SEGMENT_SIZE,
            STORAGE_MAX_SIZE);

    /** The whole configuration. */
    public static final Section ROOT = new Section(
            "",
            "The broker.",
            DATA,
            STORAGE,
            LISTENERS,
            HTTP,
            VIRTUAL_HOSTS,
            USERS,
            USERS_FILE,
            ANONYMOUS_LOGIN,
            LOOPS,
            LONGEST_REST,
            LIMITS,
            AMQP10,
            ADDRESS_SETTINGS,
            TOPICS,
            VIRTUAL_HOST_LIMITS);

    /** What can be changed while the broker runs; everything else needs a restart. */
    public static final List<Entry> AT_ONCE = List.of(ADDRESS_SETTINGS, TOPICS, VIRTUAL_HOST_LIMITS, USERS, USERS_FILE);

    private ServerOptions() {}

    private static long maxHeap() {
        return Runtime.getRuntime().maxMemory();
    }
}
