package io.sluicemq.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The loads that are compared: a name for the command line, a sentence for the table, options for the load tool. */
enum Scenario {
    TRANSIENT_1X1(
            "1 producer, 1 consumer, 1 KiB transient, no confirms, prefetch 500, an ack for each 50",
            1024,
            1,
            true,
            "--prefetch 500 --ack-every 50"),
    TOPIC_20(
            "a topic exchange, 20 transient subscribers with automatic acks, 1 producer, 100 bytes; consumed = deliveries",
            100,
            20,
            true,
            "--exchange-type topic --subscribers 20 --size 100 --ack-every 0"),
    CONFIRM_500(
            "1 producer with 500 unconfirmed at most, 1 consumer, 1 KiB transient, an ack for each 50",
            1024,
            1,
            false,
            "--confirm 500 --prefetch 500 --ack-every 50"),
    TEN_QUEUES(
            "10 queues, 10 producers with 200 unconfirmed at most, 10 consumers, 1 KiB transient",
            1024,
            10,
            false,
            "--queues 10 --producers 10 --confirm 200 --prefetch 200 --ack-every 50"),
    PACED(
            "10,000 messages a second on a fixed schedule, 1 KiB transient: the latencies of a broker that is not full",
            1024,
            1,
            false,
            "--rate 10000 --prefetch 500 --ack-every 50"),
    PERSISTENT_500(
            "1 producer with 500 unconfirmed at most, 1 consumer, a durable queue, 1 KiB persistent, prefetch 500, an ack"
                    + " for each 50",
            1024,
            1,
            false,
            "--persistent --durable --confirm 500 --prefetch 500 --ack-every 50"),
    PERSISTENT_10Q(
            "10 durable queues, 10 producers with 100 unconfirmed at most, 10 consumers, 1 KiB persistent, prefetch 200, an"
                    + " ack for each 50",
            1024,
            10,
            false,
            "--persistent --durable --queues 10 --producers 10 --confirm 100 --prefetch 200 --ack-every 50"),
    PERSISTENT_PACED(
            "2,000 messages a second on a fixed schedule, 1 KiB persistent, a durable queue, 500 unconfirmed at most:"
                    + " latencies count from the intended send",
            1024,
            1,
            false,
            "--persistent --durable --rate 2000 --confirm 500 --prefetch 500 --ack-every 50"),
    JMS_500(
            "AMQP 1.0 by Qpid JMS: 1 producer with 500 sends not completed at most, 1 consumer, 1 KiB transient, prefetch 500,"
                    + " an ack for each 50",
            1024,
            1,
            false,
            "--protocol amqp10 --confirm 500 --prefetch 500 --ack-every 50"),
    JMS_PERSISTENT_500(
            "AMQP 1.0 by Qpid JMS: 1 producer with 500 sends not completed at most, 1 consumer, a durable queue, 1 KiB"
                    + " persistent, prefetch 500, an ack for each 50",
            1024,
            1,
            false,
            "--protocol amqp10 --persistent --durable --confirm 500 --prefetch 500 --ack-every 50");

    private final String description;
    private final int size;
    private final int subscribers;
    private final boolean plainFlow;
    private final List<String> options;

    Scenario(String description, int size, int subscribers, boolean plainFlow, String options) {
        this.description = description;
        this.size = size;
        this.subscribers = subscribers;
        this.plainFlow = plainFlow;
        this.options = List.of(options.split(" "));
    }

    /** The name on the command line. */
    String label() {
        return this == TEN_QUEUES ? "10q" : name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** @throws IllegalArgumentException with the names there are */
    static Scenario of(String label) {
        return Arrays.stream(values())
                .filter(each -> each.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no scenario '" + label + "': there are " + labels()));
    }

    static String labels() {
        return Arrays.stream(values()).map(Scenario::label).collect(Collectors.joining(", "));
    }

    String description() {
        return description;
    }

    /** Bytes of a body. */
    int size() {
        return size;
    }

    /** Consumers that get a copy of their own, where the flow is plain. */
    int subscribers() {
        return subscribers;
    }

    /** Bytes go one way only, as fast as they can: what a relay without a protocol can do as well. */
    boolean isPlainFlow() {
        return plainFlow;
    }

    /** Confirms wait for a disk. */
    boolean isPersistent() {
        return options.contains("--persistent");
    }

    /** The load is spoken in AMQP 1.0. */
    boolean isAmqp10() {
        return options.contains("amqp10");
    }

    /** For the load tool. */
    List<String> options() {
        return options;
    }
}
