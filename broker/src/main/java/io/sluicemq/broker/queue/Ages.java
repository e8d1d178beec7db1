package io.sluicemq.broker.queue;

import io.sluicemq.api.Message;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/**
 * Since when the oldest ready message of a queue waits. One that is in memory tells; of one that waits in the log its record is read,
 * which takes a moment: until then it counts as new. Owned by the queue's loop.
 *
 * <p>Invariant: one read is under way at a time, of the first messages of levels of which that is not known; what was read of a level
 * holds until another message is its first.
 */
@LoopOwned
final class Ages {

    private final PriorityMessages ready;
    private final QueueEffects effects;
    private final Loop loop;
    private boolean reading;
    /** At which level the next read begins: behind the one whose message could not be read last, so that it is in nobody's way. */
    private int nextLevel;
    /** By level, the number of the message that was read; null until one was. */
    private long[] knownSequences;
    /** By level, since when that waits; 0 for a level of which nothing was read. */
    private long[] knownMillis;

    Ages(PriorityMessages ready, QueueEffects effects, Loop loop) {
        this.ready = ready;
        this.effects = effects;
        this.loop = loop;
    }

    /** Since when a message can be delivered, in milliseconds since 1970; {@link Long#MAX_VALUE} if that is not known. */
    static long sinceMillis(Message message) {
        return message.publishedMillis() == 0
                ? Long.MAX_VALUE
                : Math.max(message.publishedMillis(), message.notBeforeMillis());
    }

    /** Since when the oldest ready message waits, in milliseconds since 1970; {@link Long#MAX_VALUE} if there is none. */
    long oldestReadyMillis() {
        long oldest = Long.MAX_VALUE;
        int unknown = 0;
        for (int level = 0; level < ready.levels(); level++) {
            if (!isToBeRead(level)) {
                oldest = Math.min(oldest, firstMillis(level));
            } else if (isKnown(level)) {
                oldest = Math.min(oldest, knownMillis[level]);
            } else {
                unknown++;
            }
        }
        if (unknown > 0 && !reading) {
            read(unknown);
        }
        return oldest;
    }

    /** Whether the first message of a level is not in memory. */
    private boolean isToBeRead(int level) {
        return ready.first(level) == null
                && ready.waitsInLog(level)
                && ready.backlog(level).firstMessage() == null;
    }

    /** Since when the first message of a level waits, which is in memory; {@link Long#MAX_VALUE} if there is none. */
    private long firstMillis(int level) {
        QueueEntry first = ready.first(level);
        if (first != null) {
            return sinceMillis(first.message);
        }
        return ready.waitsInLog(level) ? sinceMillis(ready.backlog(level).firstMessage()) : Long.MAX_VALUE;
    }

    private boolean isKnown(int level) {
        return knownMillis != null
                && knownMillis[level] != 0
                && knownSequences[level] == ready.backlog(level).firstSequence();
    }

    /** Reads the first messages of those levels where they are not known, so many. */
    private void read(int count) {
        FirstMessages firsts = new FirstMessages(count);
        for (int i = 0; i < ready.levels(); i++) {
            int level = (nextLevel + i) % ready.levels();
            if (isToBeRead(level) && !isKnown(level)) {
                firsts.add(level);
            }
        }
        reading = true;
        effects.read(firsts.positions, count, firsts);
    }

    /** What a read brings. */
    private final class FirstMessages implements QueueEffects.Loaded {

        private final int[] levels;
        private final long[] sequences;
        private final long[] positions;
        private int asked;
        private int come;

        FirstMessages(int count) {
            levels = new int[count];
            sequences = new long[count];
            positions = new long[count];
        }

        void add(int level) {
            Backlog backlog = ready.backlog(level);
            levels[asked] = level;
            sequences[asked] = backlog.firstSequence();
            positions[asked] = backlog.firstPosition();
            asked++;
        }

        @Override
        public void message(Message message) {
            if (knownMillis == null) {
                knownSequences = new long[ready.levels()];
                knownMillis = new long[ready.levels()];
            }
            int level = levels[come];
            knownSequences[level] = sequences[come];
            knownMillis[level] = sinceMillis(message);
            come++;
        }

        @Override
        public void done(int messages, IOException failure) {
            reading = false;
            // One whose record can't be read is told of when it is read to be delivered.
            nextLevel = come < asked ? (levels[come] + 1) % ready.levels() : 0;
        }
    }

    /** When it was so late on the loop's clock, to a second, for people. */
    static Instant timeOf(long nanos, Loop loop) {
        return Instant.ofEpochMilli(loop.currentTimeMillis() - TimeUnit.NANOSECONDS.toMillis(loop.nanoTime() - nanos))
                .truncatedTo(ChronoUnit.SECONDS);
    }

    /**
     * Since when the oldest ready message waits, in milliseconds since 1970, as far as that is known without reading the log; {@link
     * Long#MAX_VALUE} if there is none, or it isn't.
     */
    static long oldestKnownMillis(PriorityMessages ready) {
        long oldest = Long.MAX_VALUE;
        for (int level = 0; level < ready.levels(); level++) {
            QueueEntry first = ready.first(level);
            if (first != null) {
                oldest = Math.min(oldest, sinceMillis(first.message));
            } else if (ready.waitsInLog(level)) {
                Message held = ready.backlog(level).firstMessage();
                if (held == null) {
                    return Long.MAX_VALUE;
                }
                oldest = Math.min(oldest, sinceMillis(held));
            }
        }
        return oldest;
    }

    /** How long something has been there. */
    long ageMillis(long sinceMillis) {
        return sinceMillis == Long.MAX_VALUE ? 0 : Math.max(0, loop.currentTimeMillis() - sinceMillis);
    }
}
