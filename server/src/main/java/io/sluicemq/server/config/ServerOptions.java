package io.sluicemq.server.config;

import io.sluicemq.base.option.Entry;
import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.OptionType;
import io.sluicemq.base.option.Section;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * All that a broker's configuration may hold. The YAML reader, the embedding builder, the command line and the reference in
 * {@code docs/configuration.md} come from these declarations alone: a new option is one more of them, and its use.
 */
public final class ServerOptions {

    /** The virtual host that clients enter unless they name another. */
    public static final String DEFAULT_VIRTUAL_HOST = "/";

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

    public static final Option<List<String>> VIRTUAL_HOSTS = Option.of(
            "virtual-hosts",
            OptionType.listOf(Names.NAME),
            "The virtual hosts: worlds of queues and exchanges that share nothing. Clients that name none enter"
                    + " `/`.")
            .defaultsTo(List.of(DEFAULT_VIRTUAL_HOST));

    /** The whole configuration. */
    public static final Section ROOT = new Section(
            "",
            "The broker.",
            DATA,
            StorageSection.STORAGE,
            ListenersSection.LISTENERS,
            HttpSection.HTTP,
            VIRTUAL_HOSTS,
            UsersSection.USERS,
            UsersSection.USERS_FILE,
            ANONYMOUS_LOGIN,
            LOOPS,
            LONGEST_REST,
            LimitsSection.LIMITS,
            Amqp10Section.AMQP10,
            AddressesSection.ADDRESS_SETTINGS,
            AddressesSection.TOPICS,
            VirtualHostsSection.VIRTUAL_HOST_LIMITS);

    /** What can be changed while the broker runs; everything else needs a restart. */
    public static final List<Entry> AT_ONCE = List.of(AddressesSection.ADDRESS_SETTINGS, AddressesSection.TOPICS,
            VirtualHostsSection.VIRTUAL_HOST_LIMITS, UsersSection.USERS, UsersSection.USERS_FILE);

    private ServerOptions() {}
}
