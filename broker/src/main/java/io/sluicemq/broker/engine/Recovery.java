package io.sluicemq.broker.engine;

import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.base.LogEvent;
import io.sluicemq.broker.journal.BadRecord;
import io.sluicemq.broker.journal.CommitRecord;
import io.sluicemq.broker.journal.Journal;
import io.sluicemq.broker.journal.MessageRecord;
import io.sluicemq.broker.journal.RecordType;
import io.sluicemq.broker.journal.TopologyRecord;
import io.sluicemq.broker.journal.TurnRecord;
import io.sluicemq.broker.queue.QueueOptions;
import io.sluicemq.broker.queue.RecoveredMessages;
import io.sluicemq.store.Log;
import io.sluicemq.store.LogVisitor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.agrona.collections.Long2LongHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the log says that the broker was: topology and the messages of each queue. Filled by the thread that opens the log, then
 * {@linkplain #finish finished} once.
 *
 * <p>Whatever is said of a queue that is not known belongs to one that was deleted, and means nothing.
 */
final class Recovery implements LogVisitor {

    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    private static final long NOWHERE = -1;

    private final Map<String, RecoveredHost> hosts = new LinkedHashMap<>();
    private final Map<Long, RecoveredQueue> queues = new HashMap<>();
    private final Long2LongHashMap moves = new Long2LongHashMap(NOWHERE);
    private final Ends ends = new Ends();
    /** By position: header bytes of the bodies that no transaction has named yet. */
    private final Long2LongHashMap bodyHeaders = new Long2LongHashMap(NOWHERE);
    private long highestQueueId;
    /** What is before it is in the checkpoint; 0 if there is none. */
    private long checkpoint;

    @Override
    public void checkpoint(long position, ByteBuffer piece) {
        checkpoint = position;
        reading(position, () -> {
            if (RecoveredMessages.isSection(piece)) {
                RecoveredQueue queue = queues.get(RecoveredMessages.queueId(piece));
                if (queue != null) {
                    queue.messages().restore(piece, position);
                }
                return;
            }
            switch (piece.get()) {
                case CheckpointPiece.TOPOLOGY -> {
                    while (piece.hasRemaining()) {
                        int length = piece.getInt();
                        if (length < 0 || length > piece.remaining()) {
                            throw new BadRecord("a topology record of " + length + " bytes");
                        }
                        ByteBuffer record = piece.slice(piece.position(), length).order(piece.order());
                        piece.position(piece.position() + length);
                        topology(TopologyRecord.decode(record));
                    }
                }
                case CheckpointPiece.MOVES -> {
                    while (piece.hasRemaining()) {
                        moves.put(piece.getLong(), piece.getLong());
                    }
                }
                case CheckpointPiece.HIGHEST_QUEUE -> highestQueueId = Math.max(highestQueueId, piece.getLong());
                default -> throw new BadRecord("an unknown piece of a checkpoint");
            }
        });
    }

    @Override
    public void record(long position, int type, ByteBuffer payload) {
        reading(position, () -> {
            switch (type) {
                case RecordType.MESSAGE -> message(position, payload);
                case RecordType.BODY -> {
                    MessageRecord.check(payload);
                    bodyHeaders.put(position, MessageRecord.headerBytes(payload));
                }
                case RecordType.PAGED -> paged(payload);
                case RecordType.COMMIT -> CommitRecord.read(payload, ends);
                case RecordType.TURN -> TurnRecord.read(payload, ends);
                case RecordType.TOPOLOGY -> topology(TopologyRecord.decode(payload));
                default -> throw new BadRecord("a record of the unknown type " + type);
            }
        });
    }

    @Override
    public void moved(long from, long to, int type, ByteBuffer payload) {
        if (type != RecordType.PAGED) {
            moves.put(from, to);
        }
    }

    private interface Reading {
        void run() throws BadRecord;
    }

    private static void reading(long position, Reading reading) {
        try {
            reading.run();
        } catch (BadRecord e) {
            throw new UncheckedIOException(
                    new IOException("the record at " + position + " of the log can't be read: " + e.getMessage(), e));
        }
    }

    private void message(long position, ByteBuffer payload) throws BadRecord {
        MessageRecord.check(payload);
        int count = MessageRecord.queueCount(payload);
        int share = Journal.share(payload.remaining(), count);
        int headerBytes = MessageRecord.headerBytes(payload);
        for (int i = 0; i < count; i++) {
            RecoveredQueue queue = queues.get(MessageRecord.queueId(payload, i));
            if (queue != null) {
                queue.messages().published(
                        position, share, headerBytes, MessageRecord.bodyBytes(payload),
                        MessageRecord.priority(payload), MessageRecord.publishedMillis(payload),
                        MessageRecord.ttlMillis(payload), MessageRecord.notBeforeMillis(payload));
            }
        }
    }

    /** A message that was in memory but for its bytes: it is gone, and the number of its queue is not given again. */
    private void paged(ByteBuffer payload) throws BadRecord {
        MessageRecord.check(payload);
        for (int i = 0; i < MessageRecord.queueCount(payload); i++) {
            highestQueueId = Math.max(highestQueueId, MessageRecord.queueId(payload, i));
        }
    }

    /** What queues and transactions have done. */
    private final class Ends implements CommitRecord.Visitor {

        @Override
        public void published(CommitRecord.Publish publish) {
            int share = Journal.share(publish.payloadBytes(), publish.queueIds().length);
            // 0 if the body is before the checkpoint and the transaction behind it.
            int headerBytes = (int) Math.max(0, bodyHeaders.remove(publish.position()));
            for (long id : publish.queueIds()) {
                RecoveredQueue queue = queues.get(id);
                if (queue != null) {
                    queue.messages().published(
                            publish.position(), share, headerBytes, publish.bodyBytes(), publish.priority(),
                            publish.publishedMillis(), publish.ttlMillis(), publish.notBeforeMillis());
                    if (publish.position() < checkpoint) {
                        queue.messages().perhapsTwice(publish.position());
                    }
                }
            }
        }

        @Override
        public void removed(long queueId, long position) {
            RecoveredQueue queue = queues.get(queueId);
            if (queue != null) {
                // It may name a position that the message has left a moment before.
                for (long at = position; at != NOWHERE; at = moves.get(at)) {
                    queue.messages().removed(at);
                }
            }
        }

        @Override
        public void delivered(long queueId, long position) {
            RecoveredQueue queue = queues.get(queueId);
            if (queue != null) {
                queue.messages().delivered(position);
            }
        }

        @Override
        public void failed(long queueId, long position, int count) {
            RecoveredQueue queue = queues.get(queueId);
            if (queue != null) {
                queue.messages().failed(position, count);
            }
        }
    }

    private RecoveredHost host(String name) {
        return hosts.computeIfAbsent(name, each -> new RecoveredHost());
    }

    private void topology(TopologyRecord record) throws BadRecord {
        switch (record) {
            case TopologyRecord.QueueDeclared declared -> {
                highestQueueId = Math.max(highestQueueId, declared.id());
                if (!queues.containsKey(declared.id())) {
                    // The end of an older one of that name may not have come into the log.
                    RecoveredQueue older = host(declared.host()).named(declared.name());
                    if (older != null && older.id() > declared.id()) {
                        return;
                    }
                    if (older != null) {
                        queues.remove(older.id());
                        host(declared.host()).deleted(older);
                    }
                    RecoveredQueue queue = queue(declared);
                    queues.put(declared.id(), queue);
                    host(declared.host()).declared(queue);
                }
            }
            case TopologyRecord.QueueDeleted deleted -> {
                RecoveredQueue queue = queues.remove(deleted.id());
                if (queue != null) {
                    host(queue.host()).deleted(queue);
                }
            }
            case TopologyRecord.ExchangeDeclared declared -> host(declared.host()).declared(declared);
            case TopologyRecord.ExchangeDeleted deleted -> host(deleted.host()).deleted(deleted);
            case TopologyRecord.Bound bound -> host(bound.host()).bound(bound);
            case TopologyRecord.Unbound unbound -> host(unbound.host()).unbound(unbound);
        }
    }

    private static RecoveredQueue queue(TopologyRecord.QueueDeclared declared) throws BadRecord {
        QueueSpec spec = new QueueSpec(
                declared.name(), declared.durable(), declared.exclusive(), declared.autoDelete(),
                declared.arguments());
        try {
            QueueOptions options = QueueOptions.parse(spec, declared.host(), RecoveredQueue.NO_FILTER_YET);
            return new RecoveredQueue(
                    declared.host(), declared.id(), spec, declared.declaredBy(), options,
                    new RecoveredMessages(options));
        } catch (QueueOptions.Invalid e) {
            throw new BadRecord("queue '" + declared.name() + "' has arguments that are not valid: " + e.error());
        }
    }

    /** Carries removals and moves out, and has the log keep what is left. */
    void finish(Log log) {
        Retention retention = new Retention(log);
        for (RecoveredQueue queue : queues.values()) {
            queue.messages().finish(moves::get, !moves.isEmpty(), retention);
        }
        retention.flush();
        if (retention.lost > 0) {
            // Their removal was lost with the power, or by a failed sync; their segment went because of it.
            LogEvent.REMOVALS_ASSUMED.log(LOG,
                    "{} messages are taken for removed: the segments that they were in had been given back",
                    retention.lost);
        }
    }

    /** Tells the log what is still needed, once for all that is in one segment as far as they come together. */
    private static final class Retention implements RecoveredMessages.Kept {

        private final Log log;
        private final List<Log.SegmentUse> segments;
        private final long end;
        private Log.SegmentUse segment = new Log.SegmentUse(0, 0, 0, 0);
        private long bytes;
        private long records;
        private long lost;

        Retention(Log log) {
            this.log = log;
            this.segments = log.segmentUse();
            this.end = log.end();
        }

        @Override
        public boolean keep(long position, int share) {
            if (position < segment.start() || position >= segment.end() || position >= end) {
                flush();
                Log.SegmentUse found = find(position);
                if (found == null || position >= end) {
                    lost++;
                    return false;
                }
                segment = found;
            }
            bytes += share;
            records++;
            return true;
        }

        private Log.SegmentUse find(long position) {
            int low = 0;
            int high = segments.size() - 1;
            while (low <= high) {
                int middle = (low + high) >>> 1;
                Log.SegmentUse at = segments.get(middle);
                if (position < at.start()) {
                    high = middle - 1;
                } else if (position >= at.end()) {
                    low = middle + 1;
                } else {
                    return at;
                }
            }
            return null;
        }

        void flush() {
            if (records > 0) {
                log.retain(segment.start(), bytes, records);
                bytes = 0;
                records = 0;
            }
        }
    }

    /** Names of virtual hosts of which the log has something. */
    Collection<String> hosts() {
        return hosts.entrySet().stream()
                .filter(each -> !each.getValue().queues().isEmpty() || !each.getValue().exchanges().isEmpty())
                .map(Map.Entry::getKey).toList();
    }

    /** What the log has of a virtual host. */
    RecoveredHost of(String virtualHost) {
        return host(virtualHost);
    }

    /** A number above those of all queues that there ever were. */
    long highestQueueId() {
        return highestQueueId;
    }

    int queueCount() {
        return queues.size();
    }

    long messageCount() {
        return queues.values().stream().mapToLong(queue -> queue.messages().size()).sum();
    }
}
