package io.sluicemq.server.config;

import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.OptionType;
import io.sluicemq.base.option.Section;

/** What is AMQP 1.0's alone: the section {@code amqp10}. Part of {@link ServerOptions}. */
public final class Amqp10Section {

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

    private Amqp10Section() {}
}
