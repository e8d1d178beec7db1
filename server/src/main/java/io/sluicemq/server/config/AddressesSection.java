package io.sluicemq.server.config;

import io.sluicemq.api.ConsumerSink;
import io.sluicemq.api.Undeliverable;
import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.OptionType;
import io.sluicemq.base.option.Section;
import io.sluicemq.base.option.SectionList;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.ConsumerPolicy;
import io.sluicemq.broker.flow.ConsumerRule;
import io.sluicemq.broker.flow.FullPolicy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;

/** What addresses may hold, what happens beyond that, and when consumers are too slow: {@code address-settings} and {@code topics}. Part of {@link ServerOptions}. */
public final class AddressesSection {

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
            "How many messages such an address may hold. With the policy `page`, how many of them in memory.")
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
            "How often a message is delivered at most. One that comes back from its last delivery is a dead letter. Like"
                    + " `dead-letter-address` and `expiry-address` it is about queues that clients of AMQP 1.0 make by naming"
                    + " them, and about subscriptions, by their topic's name, and holds for those that are made from now on.")
            .atLeast(1)
            .example("10");

    private static final OptionType<String> LETTER_QUEUE = Names.NAME.where(
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
            "The queue that expired messages go to. It is made if it isn't there. Without one they go to `dead-letter-address`.")
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
            "How many messages may wait for a consumer or be held by it.")
            .counting("messages")
            .atLeast(1L)
            .example("10000");

    public static final Option<Duration> CONSUMER_MESSAGE_AGE = Option.of(
            "message-age",
            OptionType.DURATION,
            "How long the oldest message that waits for a consumer or is held by it may have been there.")
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
                    key -> key.getBytes(StandardCharsets.UTF_8).length <= Names.MAX_NAME_BYTES),
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

    private AddressesSection() {}
}
