package io.sluicemq.broker.queue;

import io.sluicemq.api.Message;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.io.IOException;

/**
 * Since when the oldest ready message of a queue waits. One that is in memory tells; of one that waits in the log its record is read,
 * which takes a moment: until then it counts as new. Owned by the queue's loop.
 */
@LoopOwned
final class Ages {

    private final Queue queue;
    private final PriorityMessages ready;
    private final QueueEffects effects;
    private final Loop loop;
    private boolean reading;
    /** What was read last: the first that waited in the log at a level. */
    private int knownLevel = -1;

    private long knownSequence;
    private long knownMillis;

    Ages(Queue queue, PriorityMessages ready, QueueEffects effects, Loop loop) {
        this.queue = queue;
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
        for (int level = 0; level < ready.levels(); level++) {
            QueueEntry first = ready.first(level);
            if (first != null) {
                oldest = Math.min(oldest, sinceMillis(first.message));
            } else if (ready.waitsInLog(level)) {
                Message held = ready.backlog(level).firstMessage();
                oldest = Math.min(oldest, held != null ? sinceMillis(held) : inLogMillis(level));
            }
        }
        return oldest;
    }

    private long inLogMillis(int level) {
        Backlog backlog = ready.backlog(level);
        long sequence = backlog.firstSequence();
        if (level == knownLevel && sequence == knownSequence) {
            return knownMillis;
        }
        if (!reading) {
            reading = true;
            effects.read(new long[] {backlog.firstPosition()}, 1, new QueueEffects.Loaded() {
                private long millis = Long.MAX_VALUE;

                @Override
                public void message(Message message) {
                    millis = sinceMillis(message);
                }

                @Override
                public void done(int messages, IOException failure) {
                    reading = false;
                    // One whose record can't be read is told of when it is read to be delivered.
                    if (messages == 1 && !queue.isRemoved()) {
                        knownLevel = level;
                        knownSequence = sequence;
                        knownMillis = millis;
                    }
                }
            });
        }
        return Long.MAX_VALUE;
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
