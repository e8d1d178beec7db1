package io.sluicemq.server.config;

import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.OptionType;
import io.sluicemq.base.option.Section;
import java.time.Duration;

/** What operators reach over HTTP: the section {@code http}. Part of {@link ServerOptions}. */
public final class HttpSection {

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
            ListenersSection.TLS_CERTIFICATE,
            ListenersSection.TLS_KEY,
            ListenersSection.TLS_MIN_VERSION);

    public static final Section HTTP = new Section(
            "http",
            "Where operators are served over HTTP: the HTTP API, the console, metrics and health. Users and passwords are those of `users`.",
            HTTP_ENABLED,
            ListenersSection.LISTENER_HOST,
            HTTP_PORT,
            HTTP_MAX_CONNECTIONS,
            HTTP_MAX_REQUEST_SIZE,
            HTTP_REQUEST_TIME_LIMIT,
            HTTP_METRICS_ACCESS,
            HTTP_METRICS_QUEUES,
            HTTP_METRICS_ADDRESSES,
            HTTP_TLS);

    private HttpSection() {}
}
