package io.sluicemq.broker.journal;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What a record of the broker says, for people who look into a log. */
public final class RecordText {

    private RecordText() {}

    /** A record in words, without what a message holds. */
    public static String of(int type, ByteBuffer payload) {
        try {
            return switch (type) {
                case RecordType.MESSAGE -> "message, " + message(payload);
                case RecordType.BODY -> "message of a transaction, " + message(payload);
                case RecordType.PAGED -> "message that left memory, dropped by a start, " + message(payload);
                case RecordType.COMMIT -> "commit, " + commit(payload);
                case RecordType.TURN -> "turn, " + turn(payload);
                case RecordType.TOPOLOGY -> topology(TopologyRecord.decode(payload));
                default -> "unknown";
            };
        } catch (BadRecord e) {
            return "can't be read (" + e.getMessage() + ")";
        }
    }

    private static String message(ByteBuffer payload) throws BadRecord {
        MessageRecord.check(payload);
        String queues = IntStream.range(0, MessageRecord.queueCount(payload))
                .mapToObj(i -> Long.toString(MessageRecord.queueId(payload, i)))
                .collect(Collectors.joining(", "));
        long notBefore = MessageRecord.notBeforeMillis(payload);
        return "queue " + queues + ", body " + MessageRecord.bodyBytes(payload) + " bytes"
                + (notBefore == 0 ? "" : ", not before " + Instant.ofEpochMilli(notBefore));
    }

    private static String commit(ByteBuffer payload) throws BadRecord {
        StringBuilder text = new StringBuilder();
        Counts counts = new Counts();
        CommitRecord.read(payload, new CommitRecord.Visitor() {
            @Override
            public void published(CommitRecord.Publish publish) {
                text.append("publishes ").append(publish.position()).append(" to queue ")
                        .append(Arrays.stream(publish.queueIds()).mapToObj(Long::toString)
                                .collect(Collectors.joining(", ")))
                        .append("; ");
            }

            @Override
            public void removed(long queueId, long position) {
                counts.removed(queueId, position);
            }

            @Override
            public void delivered(long queueId, long position) {
                counts.delivered(queueId, position);
            }

            @Override
            public void failed(long queueId, long position, int count) {
                counts.failed(queueId, position, count);
            }
        });
        return text + counts.text();
    }

    private static String turn(ByteBuffer payload) throws BadRecord {
        Counts counts = new Counts();
        TurnRecord.read(payload, counts);
        return counts.text();
    }

    /** How much of what was done in which queue. */
    private static final class Counts implements TurnRecord.Visitor {

        private final Map<Long, long[]> byQueue = new LinkedHashMap<>();

        private long[] of(long queueId) {
            return byQueue.computeIfAbsent(queueId, id -> new long[] {0, -1, 0, -1});
        }

        @Override
        public void removed(long queueId, long position) {
            long[] counts = of(queueId);
            counts[0]++;
            counts[1] = position;
        }

        @Override
        public void delivered(long queueId, long position) {
            of(queueId)[3] = position;
        }

        @Override
        public void failed(long queueId, long position, int count) {
            of(queueId)[2]++;
        }

        String text() {
            return byQueue.entrySet().stream().map(each -> text(each.getKey(), each.getValue()))
                    .collect(Collectors.joining("; "));
        }

        private static String text(long queueId, long[] counts) {
            String removed = counts[0] == 0 ? "" : " removed " + counts[0] + " (the last at " + counts[1] + ")";
            String failed = counts[2] == 0 ? "" : " failed deliveries " + counts[2];
            String delivered = counts[3] < 0 ? "" : " delivered up to " + counts[3];
            return "queue " + queueId + ":" + removed + failed + delivered;
        }
    }

    private static String topology(TopologyRecord record) {
        return switch (record) {
            case TopologyRecord.QueueDeclared queue -> "queue '" + queue.name() + "' in vhost '" + queue.host()
                    + "' declared" + (queue.declaredBy() == null ? "" : " by '" + queue.declaredBy() + "'")
                    + ", number " + queue.id() + arguments(queue.arguments());
            case TopologyRecord.QueueDeleted queue -> "queue " + queue.id() + " deleted";
            case TopologyRecord.ExchangeDeclared exchange -> exchange.type() + " exchange '" + exchange.name()
                    + "' in vhost '" + exchange.host() + "' declared" + arguments(exchange.arguments());
            case TopologyRecord.ExchangeDeleted exchange -> "exchange '" + exchange.name() + "' in vhost '"
                    + exchange.host() + "' deleted";
            case TopologyRecord.Bound bound -> binding(
                    bound.host(), bound.source(), bound.destination(), bound.toExchange(), bound.routingKey())
                    + " bound" + arguments(bound.arguments());
            case TopologyRecord.Unbound bound -> binding(
                    bound.host(), bound.source(), bound.destination(), bound.toExchange(), bound.routingKey())
                    + " unbound" + arguments(bound.arguments());
        };
    }

    private static String binding(
            String host, String source, String destination, boolean toExchange, String routingKey) {
        return (toExchange ? "exchange '" : "queue '") + destination + "' in vhost '" + host + "', exchange '" + source
                + "', key '" + routingKey + "'";
    }

    private static String arguments(Map<String, Object> arguments) {
        return arguments.isEmpty() ? "" : " with " + String.join(", ", arguments.keySet());
    }
}
