package io.sluicemq.broker.queue;

import io.sluicemq.api.Message;
import io.sluicemq.broker.journal.BadRecord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import org.agrona.collections.LongHashSet;

/**
 * A queue's messages as a recovery finds them: those of the checkpoint, then what the log says behind it. Used by the thread that
 * recovers.
 *
 * <p>Removals are remembered, and carried out once by {@link #finish}: so each costs a look into a table, wherever the message
 * stands.
 */
public final class RecoveredMessages {

    private static final long MISSING = -1;

    private final QueueOptions options;
    private final Backlog[] levels;
    private final int[] expiring;
    private List<Delayed> delayed = new ArrayList<>(0);
    private final LongHashSet removed = new LongHashSet();
    /** Positions of messages that the checkpoint may have, too. */
    private final LongHashSet perhapsTwice = new LongHashSet();
    private Map<Long, Integer> failed = new HashMap<>();
    private long deliveredUpTo = QueueEntry.NOT_LOGGED;

    public RecoveredMessages(QueueOptions options) {
        this.options = options;
        this.levels = new Backlog[options.maxPriority() + 1];
        this.expiring = new int[levels.length];
    }

    /**
     * A message of the log behind the checkpoint.
     *
     * @param notBeforeMillis when it may be delivered first, in milliseconds since 1970; 0 for at once
     */
    public void published(
            long position, int share, int headerBytes, int bodyBytes, int priority, long publishedMillis,
            long ttlMillis, long notBeforeMillis) {
        long ttl = options.messageTtlMillis();
        if (ttlMillis != Message.NO_TTL && (ttl == QueueOptions.NONE || ttlMillis < ttl)) {
            ttl = ttlMillis;
        }
        long expiresAt = ttl == QueueOptions.NONE ? QueueEntry.NEVER : publishedMillis + ttl;
        int level = Math.min(priority, levels.length - 1);
        if (notBeforeMillis > publishedMillis) {
            delayed.add(new Delayed(
                    level, position, share, headerBytes, bodyBytes, expiresAt, notBeforeMillis, null, null));
        } else {
            add(level, position, share, headerBytes, bodyBytes, expiresAt);
        }
    }

    /**
     * A message was published by a record behind the checkpoint, but is itself before it: the checkpoint has it, too, if its queue
     * had it when that was written.
     */
    public void perhapsTwice(long position) {
        perhapsTwice.add(position);
    }

    private void add(
            int level, long position, int share, int headerBytes, int bodyBytes, long expiresAtMillis) {
        if (levels[level] == null) {
            levels[level] = new Backlog();
        }
        levels[level].append(position, share, headerBytes, bodyBytes, expiresAtMillis, null);
    }

    public void removed(long position) {
        removed.add(position);
    }

    public void delivered(long upTo) {
        deliveredUpTo = Math.max(deliveredUpTo, upTo);
    }

    public void failed(long position, int deliveries) {
        failed.put(position, deliveries);
    }

    /** Whose section of a checkpoint it is, which begins at the buffer's position. */
    public static long queueId(ByteBuffer section) {
        return section.getLong(section.position() + 1);
    }

    /** Whether a piece of a checkpoint is such a section. */
    public static boolean isSection(ByteBuffer piece) {
        int kind = piece.get(piece.position());
        return kind == QueueSnapshot.HEAD
                || kind == QueueSnapshot.ENTRIES
                || kind == QueueSnapshot.ENTRIES_WITHOUT_HEADERS
                || kind == QueueSnapshot.DELAYED;
    }

    /** Takes a section of a checkpoint of that position: the log has what is there and behind, perhaps once more. */
    public void restore(ByteBuffer section, long checkpoint) throws BadRecord {
        int kind = section.get();
        section.getLong();
        if (kind == QueueSnapshot.HEAD) {
            delivered(section.getLong());
            for (int left = section.getInt(); left > 0; left--) {
                failed(section.getLong(), section.getInt());
            }
            return;
        }
        if (kind == QueueSnapshot.DELAYED) {
            for (int left = section.getInt(); left > 0; left--) {
                Delayed entry = Delayed.decode(checked(section.getShort()), section);
                delayed.add(entry);
                if (entry.place >= checkpoint) {
                    perhapsTwice(entry.place);
                }
            }
            return;
        }
        int level = checked(section.getShort());
        EntryBlock.decode(
                section, kind == QueueSnapshot.ENTRIES, (position, share, headerBytes, bodyBytes, expires, message) -> {
                    add(level, position, share, headerBytes, bodyBytes, expires);
                    if (position >= checkpoint) {
                        perhapsTwice(position);
                    }
                });
    }

    private int checked(int level) throws BadRecord {
        if (level < 0 || level >= levels.length) {
            throw new BadRecord("a queue of " + levels.length + " priorities has messages of priority " + level);
        }
        return level;
    }

    /** Is told of each message that is left. */
    public interface Kept {

        /** Has its record kept in the log; false if that is not there. */
        boolean keep(long position, int share);
    }

    /**
     * Takes out what was removed, what has moved elsewhere, and what is there twice.
     *
     * @param moves the position to which a record was copied, or a negative number
     */
    public void finish(LongUnaryOperator moves, boolean anyMoves, Kept out) {
        LongHashSet twice = new LongHashSet();
        perhapsTwice.forEachLong(position -> twice.add(lastOf(position, moves)));
        Map<Long, Integer> stillFailed = new HashMap<>();
        LongHashSet seen = new LongHashSet();
        for (int level = 0; level < levels.length; level++) {
            Backlog found = levels[level];
            if (found == null) {
                continue;
            }
            boolean asItIs = removed.isEmpty() && !anyMoves && twice.isEmpty();
            LongHashSet lost = new LongHashSet();
            Backlog left = asItIs ? found : new Backlog();
            int[] count = expiring;
            int here = level;
            found.forEach((position, share, headerBytes, bodyBytes, expires, message) -> {
                long at = asItIs ? position : lastOf(position, moves);
                if (at == MISSING || twice.contains(at) && !seen.add(at)) {
                    return;
                }
                if (!out.keep(at, share)) {
                    lost.add(at);
                    return;
                }
                if (expires != QueueEntry.NEVER) {
                    count[here]++;
                }
                if (at != position && position <= deliveredUpTo) {
                    stillFailed.put(at, 0); // where it is now says no more that it was delivered
                }
                if (!asItIs) {
                    left.append(at, share, headerBytes, bodyBytes, expires, null);
                }
            });
            levels[level] = asItIs && !lost.isEmpty() ? without(lost, found) : left;
        }
        // After those that are ready: one that has become so is not delayed once more.
        List<Delayed> stillDelayed = new ArrayList<>(delayed.size());
        for (Delayed entry : delayed) {
            long at = lastOf(entry.place, moves);
            if (at != MISSING && (!twice.contains(at) || seen.add(at)) && out.keep(at, entry.share)) {
                if (at != entry.place && entry.place <= deliveredUpTo) {
                    stillFailed.put(at, 0);
                }
                entry.place = at;
                stillDelayed.add(entry);
            }
        }
        delayed = stillDelayed;
        failed.forEach((position, deliveries) -> {
            long at = lastOf(position, moves);
            if (at != MISSING) {
                stillFailed.merge(at, deliveries, Math::max);
            }
        });
        failed = stillFailed;
    }

    private static Backlog without(LongHashSet lost, Backlog found) {
        Backlog left = new Backlog();
        found.forEach((position, share, headerBytes, bodyBytes, expires, message) -> {
            if (!lost.contains(position)) {
                left.append(position, share, headerBytes, bodyBytes, expires, null);
            }
        });
        return left;
    }

    private long lastOf(long position, LongUnaryOperator moves) {
        long at = position;
        while (true) {
            if (removed.contains(at)) {
                return MISSING;
            }
            long next = moves.applyAsLong(at);
            if (next < 0) {
                return at;
            }
            at = next;
        }
    }

    Backlog level(int level) {
        return levels[level];
    }

    /** Those that are not due yet, as far as the log knows. */
    List<Delayed> delayed() {
        return delayed;
    }

    int expiring(int level) {
        return expiring[level];
    }

    long deliveredUpTo() {
        return deliveredUpTo;
    }

    Map<Long, Integer> failedDeliveries() {
        return failed;
    }

    /** How many there are. */
    public long size() {
        long count = delayed.size();
        for (Backlog backlog : levels) {
            count += backlog == null ? 0 : backlog.size();
        }
        return count;
    }
}
