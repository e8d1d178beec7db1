package io.sluicemq.server.config;

import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.OptionType;
import io.sluicemq.base.option.Section;
import java.time.Duration;

/** What peers may take of the broker: the section {@code limits}. Part of {@link ServerOptions}. */
public final class LimitsSection {

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
            OptionType.sizeOrShareOf(LimitsSection::maxHeap, "the heap"),
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

    private LimitsSection() {}

    private static long maxHeap() {
        return Runtime.getRuntime().maxMemory();
    }
}
