package io.sluicemq.server.config;

import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.OptionType;
import io.sluicemq.base.option.Section;
import io.sluicemq.base.option.SectionList;

/** What virtual hosts may hold: {@code virtual-host-limits}. Part of {@link ServerOptions}. */
public final class VirtualHostsSection {

    public static final Option<String> LIMITED_HOST =
            Option.of("name", Names.NAME, "The virtual host, one of `virtual-hosts`.").required()
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
            "How many messages all its addresses may hold together. Beyond that producers wait.")
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

    private VirtualHostsSection() {}
}
