package io.sluicemq.broker.engine;

import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.journal.MessageRecord;
import io.sluicemq.broker.journal.RecordType;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.store.Candidates;
import io.sluicemq.store.Liveness;
import io.sluicemq.store.Moves;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.agrona.collections.Long2LongHashMap;
import org.agrona.collections.LongHashSet;

/**
 * Answers the log which records queues still need, and has queues refer to copies. The log asks on its own thread; the work is
 * done on the loops of the queues, and what is kept here belongs to the broker's first loop.
 *
 * <p>A transaction that is being written may name a message by the position it had a moment ago. So the moves since the checkpoint
 * before the last are part of each checkpoint.
 */
@LoopOwned
final class Moving implements Liveness {

    private static final long NOWHERE = -1;
    private static final int MOVE_BYTES = 2 * Long.BYTES;

    private final LoopContext[] contexts;
    private final Loop home;
    private Long2LongHashMap recent = new Long2LongHashMap(NOWHERE);
    private Long2LongHashMap before = new Long2LongHashMap(NOWHERE);
    /** Whose messages the records at hand are. */
    private Set<Long> queueIds = Set.of();
    private int unanswered;

    Moving(LoopContext[] contexts) {
        this.contexts = contexts;
        this.home = contexts[0].loop;
    }

    @Override
    public void examine(Candidates candidates) {
        home.execute(() -> ask(candidates));
    }

    private void ask(Candidates candidates) {
        // By queue: which of the candidates may be its messages.
        Map<Long, LongHashSet> byQueue = new HashMap<>();
        Long2LongHashMap indexes = new Long2LongHashMap(NOWHERE);
        long lowest = Long.MAX_VALUE;
        long highest = Long.MIN_VALUE;
        for (int i = 0; i < candidates.size(); i++) {
            Candidates.Candidate candidate = candidates.get(i);
            if (candidate.type() != RecordType.MESSAGE
                    && candidate.type() != RecordType.BODY
                    && candidate.type() != RecordType.PAGED) {
                continue;
            }
            indexes.put(candidate.position(), i);
            lowest = Math.min(lowest, candidate.position());
            highest = Math.max(highest, candidate.position());
            ByteBuffer payload = candidate.payload();
            for (int q = 0; q < MessageRecord.queueCount(payload); q++) {
                byQueue.computeIfAbsent(MessageRecord.queueId(payload, q), id -> new LongHashSet())
                        .add(candidate.position());
            }
        }
        queueIds = new HashSet<>(byQueue.keySet());
        unanswered = contexts.length;
        long from = lowest;
        long to = highest;
        for (LoopContext context : contexts) {
            home.send(context.loop, () -> {
                byQueue.forEach((id, positions) -> {
                    Queue queue = context.queuesById.get(id);
                    if (queue != null) {
                        queue.findPositions(from, to, positions::contains,
                                position -> candidates.keep((int) indexes.get(position)));
                    }
                });
                context.loop.send(home, () -> answered(candidates::answer));
            });
        }
    }

    private void answered(Runnable all) {
        if (--unanswered == 0) {
            all.run();
        }
    }

    @Override
    public void moved(Moves moves) {
        home.execute(() -> apply(moves));
    }

    private void apply(Moves moves) {
        Long2LongHashMap where = new Long2LongHashMap(NOWHERE);
        long lowest = Long.MAX_VALUE;
        long highest = Long.MIN_VALUE;
        for (int i = 0; i < moves.size(); i++) {
            where.put(moves.from(i), moves.to(i));
            recent.put(moves.from(i), moves.to(i));
            lowest = Math.min(lowest, moves.from(i));
            highest = Math.max(highest, moves.from(i));
        }
        Set<Long> ids = queueIds;
        unanswered = contexts.length;
        long from = lowest;
        long to = highest;
        for (LoopContext context : contexts) {
            home.send(context.loop, () -> {
                for (Long id : ids) {
                    Queue queue = context.queuesById.get(id);
                    if (queue != null) {
                        queue.move(from, to, where::get, context.journal()::moved);
                    }
                }
                context.loop.send(home, () -> answered(moves::applied));
            });
        }
    }

    // ---- for checkpoints

    /** Gives the moves that a recovery may have to know, in pieces. On the first loop. */
    void encode(Loop here, Consumer<ByteBuffer> pieces) {
        here.assertCurrent();
        for (Long2LongHashMap moves : new Long2LongHashMap[] {before, recent}) {
            if (!moves.isEmpty()) {
                ByteBuffer piece = ByteBuffer.allocate(1 + moves.size() * MOVE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
                piece.put(CheckpointPiece.MOVES);
                moves.forEachLong((from, to) -> piece.putLong(from).putLong(to));
                pieces.accept(piece.flip());
            }
        }
    }

    /** A checkpoint was written: moves from before the last one are of no use any more. On the first loop. */
    void checkpointed() {
        before = recent;
        recent = new Long2LongHashMap(NOWHERE);
    }
}
