package io.sluicemq.broker.engine;

import io.sluicemq.base.LogEvent;
import io.sluicemq.base.LogLimit;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.journal.TopologyRecord;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.broker.queue.QueueSnapshot;
import io.sluicemq.store.Checkpoint;
import io.sluicemq.store.Log;
import io.sluicemq.store.LogState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what the broker is into checkpoints of the log, so that a start reads little. Owned by the broker's first loop; each
 * loop's part is collected there.
 *
 * <p>How a checkpoint of position P gets all that records below P have led to. A record is written by one loop and its effect
 * may be on the way to another. So first every loop sends a mark to every other: work sent before P was chosen is ahead of the
 * marks. When a loop has the marks of all, its queues hold all messages below P. They may hold some at P and behind it, too: new
 * ones, which the log has there once more and a recovery takes once, and ones from below P that compaction has copied, of which
 * the log has but the copy there. What leaves a queue after that has its removal behind P, and a removal of what isn't there
 * means nothing.
 *
 * <p>The loops are asked one after the other, and each gives a bounded part a turn.
 *
 * <p>One is written when the log has grown; and when segments are left of which nothing is needed, for these go with the older of
 * two checkpoints only. Without that a disk that consumers have emptied would stay full: what they take lets the log grow by
 * little, and nobody who publishes may.
 */
@LoopOwned
final class Checkpoints {

    private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);

    private static final int PIECE_BYTES = 64 << 10;
    private static final int MOST_PENDING_BYTES = 8 << 20;
    private static final long BREATH_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long RETRY_BYTES = 16L << 20;
    /** The least time between checkpoints that are to make room on a full disk. */
    private static final long FULL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** A segment can go when two checkpoints are behind its end: so there are some to each segment. */
    private static final int SEGMENT_PARTS = 8;

    private static final int LEAST_INTERVAL_BYTES = 1 << 20;
    /** The log pauses when it grows by less than so much in that time. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final int PAUSE_BYTES = 1 << 20;
    /** The next checkpoint comes when the log has grown by this many times the last one's size. */
    private static final int LOG_FOR_CHECKPOINT = 4;
    /** How long such space may wait for a checkpoint that comes anyway, while there is room. */
    private static final long SPACE_WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long FAILED_WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LogLimit failures = new LogLimit(FAILED_WAIT_NANOS);
    private final LoopContext[] contexts;
    private final Collection<VirtualHost> hosts;
    private final Log log;
    private final Moving moving;
    private final Loop home;
    private final long leastInterval;
    private long interval;
    private long last;
    private long spaceNotBeforeNanos;
    private boolean lookPlanned;
    private boolean pausePlanned;
    private Checkpoint current;
    private long written;
    private int marked;
    private List<Runnable> whenDone = new ArrayList<>();
    private boolean again;
    /** Whether the last one could not be written: on a full disk, the next would not be, either, for a while. */
    private boolean lastFailed;
    /** How much was written for the last one. */
    private long lastBytes;

    Checkpoints(LoopContext[] contexts, Collection<VirtualHost> hosts, Log log, Moving moving) {
        this.contexts = contexts;
        this.hosts = hosts;
        this.log = log;
        this.moving = moving;
        this.home = contexts[0].loop;
        this.leastInterval = Math.max(LEAST_INTERVAL_BYTES, log.options().segmentBytes() / SEGMENT_PARTS);
        this.interval = leastInterval;
    }

    /** Where the log's end must be for the next one; on the first loop. */
    void start() {
        home.assertCurrent();
        last = log.recovery().checkpoint();
        spaceNotBeforeNanos = home.nanoTime();
        planNext();
    }

    private void planNext() {
        plan(last + leastInterval);
    }

    /** Has the next one begun when a loop writes at that position or behind it. */
    private void plan(long at) {
        for (LoopContext context : contexts) {
            // As a task of its own: it is told in the middle of a publish, whose queues do not have the message yet.
            home.send(context.loop, () -> context.journal().watchEnd(at, () -> home.execute(this::due)));
        }
    }

    private void due() {
        if (current != null || log.state().isFinal()) {
            return;
        }
        if (log.end() - last >= interval) {
            begin();
        } else {
            plan(last + interval);
            if (!pausePlanned) {
                pausePlanned = true;
                watchPause(log.end());
            }
        }
    }

    /** While the log grows, a large checkpoint waits until that is worth it; when it pauses, it is written. */
    private void watchPause(long seen) {
        home.schedule(PAUSE_NANOS, () -> {
            if (current != null || log.state().isFinal() || log.end() - last < leastInterval) {
                pausePlanned = false;
            } else if (log.end() - seen < PAUSE_BYTES) {
                pausePlanned = false;
                begin();
            } else {
                watchPause(log.end());
            }
        });
    }

    /** Space may be had by a checkpoint: looks at it at once on a full disk, else when the last one is some seconds old. */
    void segmentEmptied() {
        home.assertCurrent();
        if (lookPlanned) {
            return;
        }
        lookPlanned = true;
        long wait = isFull() && !lastFailed ? FULL_NANOS : spaceNotBeforeNanos - home.nanoTime();
        home.schedule(Math.max(FULL_NANOS, wait), this::look);
    }

    private boolean isFull() {
        return log.state().kind() == LogState.Kind.FULL;
    }

    /** Begins one if that frees space and is worth it. */
    private void look() {
        lookPlanned = false;
        if (current != null || log.state().isFinal()) {
            return; // it is looked at again when that is written
        }
        long freed = log.bytesBehindCheckpoints();
        long worthIt = isFull() ? 1 : Math.max(1, lastBytes * LOG_FOR_CHECKPOINT);
        // It takes two, which must not be of the same position.
        if (freed >= worthIt && (log.end() != last || contexts[0].journal().moveOn())) {
            begin();
        }
    }

    /** Writes one that has all that was done until now, and then runs {@code task}. On the first loop. */
    void now(Runnable task) {
        home.assertCurrent();
        whenDone.add(task);
        if (log.state().isFinal()) {
            finished();
        } else if (current == null) {
            begin();
        } else {
            again = true;
        }
    }

    private void begin() {
        written = 0;
        current = log.beginCheckpoint(log.end());
        marked = 0;
        for (LoopContext from : contexts) {
            home.send(from.loop, () -> {
                for (LoopContext to : contexts) {
                    from.loop.send(to.loop, () -> mark(to));
                }
            });
        }
    }

    /** On a loop: one of the marks has come. */
    private void mark(LoopContext at) {
        if (++at.checkpointMarks == contexts.length) {
            at.checkpointMarks = 0;
            at.loop.send(home, () -> {
                if (++marked == contexts.length) {
                    collect();
                }
            });
        }
    }

    /** All loops have what is below the position. */
    private void collect() {
        moving.encode(home, this::append);
        collectHosts(List.copyOf(hosts), 0);
    }

    private void append(ByteBuffer piece) {
        written += piece.remaining();
        current.append(piece);
    }

    private void collectHosts(List<VirtualHost> all, int next) {
        if (next == all.size()) {
            collectQueues(0);
            return;
        }
        VirtualHost host = all.get(next);
        home.send(host.home().loop, () -> {
            List<ByteBuffer> pieces = topology(host);
            host.home().loop.send(home, () -> {
                pieces.forEach(this::append);
                collectHosts(all, next + 1);
            });
        });
    }

    private static List<ByteBuffer> topology(VirtualHost host) {
        List<ByteBuffer> pieces = new ArrayList<>();
        pieces.add(piece(1 + Long.BYTES).put(CheckpointPiece.HIGHEST_QUEUE).putLong(host.highestQueueId()).flip());
        ByteBuffer piece = null;
        for (TopologyRecord record : host.topology().durable()) {
            byte[] bytes = record.encode();
            if (piece != null && piece.remaining() < Integer.BYTES + bytes.length) {
                pieces.add(piece.flip());
                piece = null;
            }
            if (piece == null) {
                piece = piece(Math.max(PIECE_BYTES, 1 + Integer.BYTES + bytes.length)).put(CheckpointPiece.TOPOLOGY);
            }
            piece.putInt(bytes.length).put(bytes);
        }
        if (piece != null) {
            pieces.add(piece.flip());
        }
        return pieces;
    }

    private static ByteBuffer piece(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private void collectQueues(int index) {
        if (index == contexts.length) {
            commit();
            return;
        }
        LoopContext context = contexts[index];
        home.send(context.loop, () -> new QueueCollector(context, index).run());
    }

    /** Collects the queues of one loop, a part of them a turn. Owned by that loop. */
    private final class QueueCollector implements Runnable {

        private final LoopContext context;
        private final int index;
        private final Deque<Queue> left;
        private final ByteBuffer space = piece(PIECE_BYTES);
        private QueueSnapshot snapshot;

        QueueCollector(LoopContext context, int index) {
            this.context = context;
            this.index = index;
            this.left = new ArrayDeque<>(context.queuesById.values());
        }

        @Override
        public void run() {
            if (current.pendingBytes() > MOST_PENDING_BYTES) {
                context.loop.schedule(BREATH_NANOS, this);
                return;
            }
            List<ByteBuffer> pieces = new ArrayList<>();
            int bytes = 0;
            while (bytes < PIECE_BYTES) {
                if (snapshot == null) {
                    Queue queue = left.poll();
                    if (queue == null) {
                        break;
                    }
                    snapshot = queue.snapshot();
                    continue;
                }
                space.clear();
                if (!snapshot.encodeNext(space)) {
                    snapshot = null;
                }
                space.flip();
                bytes += Math.max(space.remaining(), PIECE_BYTES / 64);
                // Of most queues it is a few bytes, and there may be very many of them.
                pieces.add(piece(space.remaining()).put(space).flip());
            }
            boolean done = snapshot == null && left.isEmpty();
            context.loop.send(home, () -> {
                pieces.forEach(Checkpoints.this::append);
                if (done) {
                    collectQueues(index + 1);
                } else {
                    home.send(context.loop, () -> context.loop.execute(this));
                }
            });
        }
    }

    private void commit() {
        current.commit(home, this::committed);
    }

    private void committed(IOException failure) {
        long position = current.position();
        current = null;
        lastFailed = failure != null;
        if (failure == null) {
            last = position;
            lastBytes = written;
            interval = Math.max(leastInterval, written * LOG_FOR_CHECKPOINT);
            spaceNotBeforeNanos = home.nanoTime() + SPACE_WAIT_NANOS;
            moving.checkpointed();
            planNext();
        } else {
            long times = failures.take(home.nanoTime());
            if (times > 0) {
                LogEvent.CHECKPOINT_FAILED.log(LOG,
                        "a checkpoint could not be written; a restart reads the log from the one before: {}{}",
                        failure.toString(),
                        times == 1 ? "" : " (so it was " + (times - 1) + " more times since the last such line)");
            }
            spaceNotBeforeNanos = home.nanoTime() + FAILED_WAIT_NANOS;
            plan(log.end() + RETRY_BYTES);
        }
        if (log.bytesBehindCheckpoints() > 0) {
            segmentEmptied();
        }
        if (again && failure == null) {
            again = false;
            begin();
        } else {
            again = false;
            finished();
        }
    }

    private void finished() {
        List<Runnable> tasks = whenDone;
        whenDone = new ArrayList<>();
        tasks.forEach(Runnable::run);
    }
}
