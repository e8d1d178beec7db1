package io.sluicemq.server.config;

import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.OptionType;
import io.sluicemq.base.option.Section;
import java.time.Duration;
import java.util.List;

/** How durable messages are kept: the section {@code storage}. Part of {@link ServerOptions}. */
public final class StorageSection {

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

    private StorageSection() {}
}
