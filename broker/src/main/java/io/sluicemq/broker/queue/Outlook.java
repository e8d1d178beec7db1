package io.sluicemq.broker.queue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;

/**
 * What a consumer that doesn't take all messages has looked at, by their sequence numbers in each level: all before its cursor,
 * but for the few that came back after that. So it looks at each message once, wherever that is, and in their order. Owned by
 * the queue's loop.
 */
final class Outlook {

    /** Beyond so many that came back it rather looks at everything from the first of them on. */
    private static final int MOST_RETURNED = 1024;

    private long[] cursors = {};
    /** By level, those that came back behind the cursor; null for none. */
    private final List<TreeSet<Long>> returned = new ArrayList<>(0);
    /** At which level it waits for what is in the log to be read; negative if it doesn't. */
    int waitsAt = -1;
    /** When something was read for it last, in reads. */
    long lastRead;
    /** How many are to be read for it next. */
    int batch = LEAST_BATCH;

    static final int LEAST_BATCH = 16;

    /** Whether it goes on in a turn of its own, as it has looked at many. */
    boolean pauses;

    boolean waits() {
        return waitsAt >= 0;
    }

    /** No message at a level before this one is for it, but for {@link #firstReturned}. */
    long cursor(int level) {
        return level < cursors.length ? cursors[level] : 0;
    }

    /** The first before the cursor that has come back; {@link Long#MAX_VALUE} for none. */
    long firstReturned(int level) {
        TreeSet<Long> back = level < returned.size() ? returned.get(level) : null;
        return back == null || back.isEmpty() ? Long.MAX_VALUE : back.first();
    }

    /** The first message that it has not looked at, if it is there. */
    long next(int level) {
        return Math.min(cursor(level), firstReturned(level));
    }

    /** It has looked at this one, and at all before it but for those that came back. */
    void passed(int level, long sequence) {
        if (sequence >= cursor(level)) {
            reach(level, sequence + 1);
        } else if (level < returned.size() && returned.get(level) != null) {
            returned.get(level).remove(sequence);
        }
    }

    /** There is none for it before this one. */
    void reach(int level, long sequence) {
        if (level >= cursors.length) {
            cursors = Arrays.copyOf(cursors, level + 1);
        }
        cursors[level] = Math.max(cursors[level], sequence);
    }

    /** Whether it has looked at all before these numbers, by level. */
    boolean isBehind(long[] ends) {
        for (int level = 0; level < ends.length; level++) {
            if (next(level) < ends[level]) {
                return false;
            }
        }
        return true;
    }

    /** A message that is for it has come back. */
    void cameBack(int level, long sequence) {
        if (sequence >= cursor(level)) {
            return;
        }
        while (returned.size() <= level) {
            returned.add(null);
        }
        TreeSet<Long> back = returned.get(level);
        if (back == null) {
            back = new TreeSet<>();
            returned.set(level, back);
        }
        back.add(sequence);
        if (back.size() > MOST_RETURNED) {
            cursors[level] = back.first();
            back.clear();
        }
    }

    /** It has looked at nothing. */
    void restart() {
        cursors = new long[0];
        returned.clear();
    }
}
