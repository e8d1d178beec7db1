package io.sluicemq.campaign;

import com.rabbitmq.client.Channel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * The queues and exchanges that random clients share: names whose properties never change, so that declaring one again is
 * always right, though somebody else may have deleted it at any time. Immutable.
 */
final class Field {

    /**
     * A queue.
     *
     * @param tracked whether messages reach it by one way only, so that none can be settled there twice
     */
    record QueueKind(String name, boolean durable, boolean autoDelete, boolean tracked, Map<String, Object> arguments) {

        void declare(Channel channel) throws IOException {
            channel.queueDeclare(name, durable, false, autoDelete, arguments);
        }
    }

    /** An exchange. */
    record ExchangeKind(String name, String type, boolean durable, boolean autoDelete, Map<String, Object> arguments) {

        void declare(Channel channel) throws IOException {
            channel.exchangeDeclare(name, type, durable, autoDelete, arguments);
        }
    }

    private final List<QueueKind> queues;
    private final List<ExchangeKind> exchanges;

    /**
     * A field whose names begin with a prefix, so that several may exist at one broker.
     *
     * @param deliveryLimits whether the broker has them for all queues
     */
    Field(String prefix, boolean deliveryLimits) {
        String dead = prefix + "dead";
        String work = prefix + "work";
        String retry = prefix + "retry";
        String lost = prefix + "lost";
        List<QueueKind> kinds = new ArrayList<>(List.of(
                new QueueKind(prefix + "plain-1", true, false, true, Map.of("x-max-length", 2_000)),
                new QueueKind(prefix + "plain-2", false, false, true, Map.of("x-max-length", 2_000)),
                new QueueKind(prefix + "plain-3", true, false, true, Map.of("x-max-length-bytes", 2_000_000)),
                new QueueKind(prefix + "fleeting", false, true, true, Map.of("x-max-length", 500)),
                new QueueKind(prefix + "short-lived", false, false, true,
                        Map.of("x-expires", 300, "x-max-length", 500)),
                new QueueKind(prefix + "priorities", true, false, true,
                        Map.of("x-max-priority", 5, "x-max-length", 500)),
                new QueueKind(prefix + "single", true, false, true,
                        Map.of("x-single-active-consumer", true, "x-max-length", 500)),
                new QueueKind(prefix + "limited", true, false, true,
                        Map.of("x-max-length", 50, "x-overflow", "reject-publish")),
                new QueueKind(prefix + "limited-dlx", true, false, false,
                        Map.of("x-max-length", 50, "x-overflow", "reject-publish-dlx", "x-dead-letter-exchange", "",
                                "x-dead-letter-routing-key", dead)),
                new QueueKind(prefix + "expiring", true, false, false,
                        Map.of("x-message-ttl", 100, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead,
                                "x-max-length", 500)),
                new QueueKind(work, true, false, false,
                        Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", retry, "x-max-length", 500)),
                new QueueKind(retry, true, false, false,
                        Map.of("x-message-ttl", 50, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", work,
                                "x-max-length", 500)),
                new QueueKind(dead, true, false, false, Map.of("x-max-length", 500))));
        if (deliveryLimits) {
            kinds.add(new QueueKind(prefix + "counted", true, false, false,
                    Map.of("x-delivery-limit", 2, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead,
                            "x-max-length", 500)));
        }
        queues = List.copyOf(kinds);
        exchanges = List.of(new ExchangeKind(prefix + "direct", "direct", true, false, Map.of()),
                new ExchangeKind(prefix + "topic", "topic", false, false, Map.of("alternate-exchange", lost)),
                new ExchangeKind(prefix + "headers", "headers", true, false, Map.of()),
                new ExchangeKind(prefix + "fleeting", "topic", false, true, Map.of()),
                new ExchangeKind(lost, "fanout", true, false, Map.of()));
    }

    List<QueueKind> queues() {
        return queues;
    }

    List<ExchangeKind> exchanges() {
        return exchanges;
    }

    QueueKind anyQueue(Random random) {
        return queues.get(random.nextInt(queues.size()));
    }

    ExchangeKind anyExchange(Random random) {
        return exchanges.get(random.nextInt(exchanges.size()));
    }

    /** A key to publish with. */
    static String anyKey(Random random) {
        return "k" + random.nextInt(4) + "." + (char) ('a' + random.nextInt(4));
    }

    /** A key to bind with. */
    static String anyBindingKey(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> "k" + random.nextInt(4) + ".*";
            case 1 -> "*." + (char) ('a' + random.nextInt(4));
            case 2 -> "#";
            default -> anyKey(random);
        };
    }

    /** Arguments to bind with, which a headers exchange looks at. */
    static Map<String, Object> anyBindingArguments(Random random) {
        return random.nextBoolean()
                ? Map.of("x-match", random.nextBoolean() ? "any" : "all", "h", random.nextInt(3))
                : Map.of();
    }

    /** Headers to publish with. */
    static Map<String, Object> anyHeaders(Random random) {
        Map<String, Object> headers = new HashMap<>();
        headers.put("h", random.nextInt(3));
        if (random.nextInt(4) == 0) {
            headers.put("list", List.of(1, "two", Map.of("three", 3L)));
            headers.put("null", null);
        }
        return headers;
    }
}
