package io.sluicemq.transport;

import io.sluicemq.base.LoopOwned;

/**
 * Says how long a loop rests before it looks at its sockets again, so that it handles in one turn what a busy peer sends in
 * many small writes, and answers by one write what else would wake that peer many times. Network cards moderate their
 * interrupts for the same reason. Owned by the loop.
 *
 * <p>A rest must not cost anybody his rate, and a peer that waits for each answer would send less. So the loop first watches
 * how many commands arrive without rests. Where peers send many without being answered it tries rests, and keeps them only if
 * no fewer commands arrive and each rest brings several a peer; a second later, or when fewer do, it asks again. What was tried
 * in vain is left alone for a while, each time for longer.
 *
 * <p>Invariant: no rest is longer than the limit.
 */
@LoopOwned
final class Rests {

    private static final long MILLISECOND = 1_000_000;

    /** How long is watched before rests are tried, in nanoseconds. */
    private static final long WATCHED = 8 * MILLISECOND;

    /** For how long rests are kept before it is asked again what would be without. */
    private static final long KEPT = 1_000 * MILLISECOND;

    private static final long FIRST_PENALTY = 16 * MILLISECOND;
    private static final long LAST_PENALTY = 1_024 * MILLISECOND;

    /** So many rests tell how many commands arrive with them; fewer tell whether they are of any use. */
    private static final int JUDGED = 16;

    private static final int GLANCED_AT = 4;

    /** A peer that sends fewer, a millisecond or a rest, may be waiting for its answers. */
    private static final int COMMANDS_A_PEER = 4;

    /** What a rest is to bring: more in one turn save little more, and cost time. */
    private static final int COMMANDS_A_REST = 24;

    /** Where a read brings as many, commands share their turns as it is. */
    private static final int COMMANDS_A_READ = 8;

    /** The system makes shorter ones this long anyway, in nanoseconds. */
    private static final long SHORTEST = 50_000;

    /** This much of the commands that arrive without rests is taken for all of them: a short look is not exact. */
    private static final double SAME = 0.9;

    private enum State {
        WATCHING,
        TRYING,
        RESTING
    }

    private final long longest;
    private State state = State.WATCHING;
    private long notBefore;
    private long penalty = FIRST_PENALTY;
    /** Commands a nanosecond without rests. */
    private double watched;

    private long kept;
    private long rest;

    // Of all that there were.
    private long allRests;
    private long allNanos;

    // What has been seen since {@code since}.
    private long since;
    private int rests;
    private long reads;
    private long commands;
    private int peers;
    /** A number for the time in which a peer counts once in {@link #peers}: the watch, or a rest. */
    private int period;

    /**
     * @param longest in nanoseconds; 0: never rest
     * @param now of a clock that never goes back, in nanoseconds
     */
    Rests(long longest, long now) {
        this.longest = longest;
        this.since = now;
        this.notBefore = now;
    }

    /**
     * A read of a peer's socket brought commands.
     *
     * @param seen what this returned for that peer last, 0 at first
     */
    int read(int count, int seen) {
        if (seen != period) {
            peers++;
        }
        reads++;
        commands += count;
        return period;
    }

    /** How long to rest now, in nanoseconds, where there is nothing to do but to look at the sockets; 0 for not at all. */
    long next(long now) {
        if (longest == 0) {
            return 0;
        }
        if (state == State.WATCHING) {
            watch(now);
        } else {
            judge(now);
        }
        if (state == State.WATCHING) {
            return 0;
        }
        rests++;
        period++;
        allRests++;
        allNanos += rest;
        return rest;
    }

    /** How many rests it has said. */
    long count() {
        return allRests;
    }

    /** How long they were to be in all, in nanoseconds. */
    long nanos() {
        return allNanos;
    }

    private void watch(long now) {
        long elapsed = now - since;
        if (elapsed < WATCHED) {
            return;
        }
        // Elapsed may be weeks, in which a loop only waited.
        boolean busy = peers > 0 && commands > 0
                && (double) reads * MILLISECOND >= (double) COMMANDS_A_PEER * peers * elapsed
                && commands < COMMANDS_A_READ * reads;
        if (busy && now - notBefore >= 0) {
            watched = (double) commands / elapsed;
            rest = restAt(watched, longest);
            state = State.TRYING;
        }
        begin(now);
    }

    private static long restAt(double rate, long limit) {
        return Math.min(limit, Math.max(SHORTEST, (long) (COMMANDS_A_REST / rate)));
    }

    private void judge(long now) {
        boolean useful = commands >= (long) COMMANDS_A_PEER * peers;
        if (rests < (useful ? JUDGED : GLANCED_AT)) {
            return;
        }
        double rate = (double) commands / (now - since);
        boolean harmless = rate >= SAME * watched;
        if (state == State.RESTING && useful && harmless && now - kept < KEPT) {
            // Never longer: where that is what slows the peers down, it would be longer and longer.
            rest = restAt(rate, rest);
        } else if (state == State.RESTING) {
            state = State.WATCHING;
        } else if (useful && harmless) {
            state = State.RESTING;
            kept = now;
            penalty = FIRST_PENALTY;
        } else {
            state = State.WATCHING;
            notBefore = now + penalty;
            penalty = Math.min(LAST_PENALTY, 2 * penalty);
        }
        begin(now);
    }

    private void begin(long now) {
        since = now;
        rests = 0;
        reads = 0;
        commands = 0;
        peers = 0;
        period++;
    }
}
