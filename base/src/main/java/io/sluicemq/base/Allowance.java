package io.sluicemq.base;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes and messages something holds, and how many it may: what is taken up to the limits by many loops, never
 * exceeds them, and what is given back may be taken by others at once. Safe from any thread, without a lock.
 *
 * <p>One loop, the home, watches over those who wait. A wake-up can't be lost: who waits says so before a last try, and who
 * gives back looks for somebody waiting after that.
 *
 * <p>As long as there was never a limit, only the home takes and gives back, at the price of plain memory accesses; from the
 * first limit on all may, by atomic ones.
 *
 * <p>Invariant: by {@link #tryTake} alone, what is used never exceeds a limit that is not lowered.
 */
public final class Allowance {

    /** A limit that is none. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong messages = new AtomicLong();
    private final AtomicLong highestBytes = new AtomicLong();
    private final AtomicInteger holders = new AtomicInteger();
    private final AtomicBoolean wakeUnderWay = new AtomicBoolean();
    private volatile long maxBytes = UNLIMITED;
    private volatile long maxMessages = UNLIMITED;
    private volatile boolean limited;
    private volatile boolean shared;
    private volatile boolean waited;

    /** @param shared whether others than the home take and give back from the start */
    public Allowance(boolean shared) {
        this.shared = shared;
    }

    /** Sets the limits; called by the home. {@link #UNLIMITED} for none. */
    public void limits(long bytesAtMost, long messagesAtMost) {
        boolean any = bytesAtMost != UNLIMITED || messagesAtMost != UNLIMITED;
        shared |= any;
        maxBytes = bytesAtMost;
        maxMessages = messagesAtMost;
        limited = any;
    }

    /** Whether there is a limit, so that whoever adds must take before. */
    public boolean isLimited() {
        return limited;
    }

    /** What has come of trying to take. */
    public enum Attempt {
        TAKEN,
        /** There is no room, or somebody waits. */
        REFUSED,
        /** As {@link #REFUSED}; and as with {@link #give} the caller is to tell the home, since for a moment it had taken a part. */
        REFUSED_TELL
    }

    /** Takes, unless that exceeds a limit or somebody waits already. */
    public Attempt tryTake(long wantedBytes, long wantedMessages) {
        return waited ? Attempt.REFUSED : tryTakeAhead(wantedBytes, wantedMessages);
    }

    /** Takes, unless that exceeds a limit, for one who has waited here before. */
    public Attempt tryTakeAhead(long wantedBytes, long wantedMessages) {
        long usedBytes = tryAdd(bytes, wantedBytes, maxBytes);
        if (usedBytes < 0) {
            return Attempt.REFUSED;
        }
        if (tryAdd(messages, wantedMessages, maxMessages) < 0) {
            // Somebody may have found no room meanwhile for these bytes.
            return give(wantedBytes, 0) ? Attempt.REFUSED_TELL : Attempt.REFUSED;
        }
        highest(usedBytes);
        return Attempt.TAKEN;
    }

    /** Takes, unless that exceeds a limit, for one who waits; by the home, which will look again by itself. */
    public boolean tryTakeNext(long wantedBytes, long wantedMessages) {
        long usedBytes = tryAdd(bytes, wantedBytes, maxBytes);
        if (usedBytes < 0) {
            return false;
        }
        if (tryAdd(messages, wantedMessages, maxMessages) < 0) {
            bytes.addAndGet(-wantedBytes);
            return false;
        }
        highest(usedBytes);
        return true;
    }

    /** Adds if the sum is not above a limit; returns the sum, or a negative number. */
    private static long tryAdd(AtomicLong counter, long amount, long limit) {
        while (true) {
            long before = counter.get();
            long after = before + amount;
            if (after > limit) {
                return -1;
            }
            if (counter.compareAndSet(before, after)) {
                return after;
            }
        }
    }

    private void highest(long usedBytes) {
        long before = highestBytes.get();
        while (usedBytes > before && !highestBytes.compareAndSet(before, usedBytes)) {
            before = highestBytes.get();
        }
    }

    /** Takes whatever the limits; by the home unless this is shared. */
    public void take(long takenBytes, long takenMessages) {
        if (shared) {
            highest(bytes.addAndGet(takenBytes));
            messages.addAndGet(takenMessages);
        } else {
            bytes.lazySet(bytes.getPlain() + takenBytes);
            messages.lazySet(messages.getPlain() + takenMessages);
        }
    }

    /**
     * Gives back; by the home unless this is shared.
     *
     * @return whether somebody waits, and the caller is to tell the home; until the home {@linkplain #waking wakes} them no
     *     other caller is told so
     */
    public boolean give(long givenBytes, long givenMessages) {
        if (!shared) {
            bytes.lazySet(bytes.getPlain() - givenBytes);
            messages.lazySet(messages.getPlain() - givenMessages);
            return false;
        }
        bytes.addAndGet(-givenBytes);
        messages.addAndGet(-givenMessages);
        return waited && !wakeUnderWay.getAndSet(true);
    }

    /** The home is about to look who may go on: what is given back from now on is told anew. */
    public void waking() {
        wakeUnderWay.set(false);
    }

    /** Whether somebody waits, so that others must not take; set by the home. */
    public void waited(boolean now) {
        waited = now;
    }

    /** Whether somebody waits. */
    public boolean isWaited() {
        return waited;
    }

    /**
     * One more holds what it may not use for a while, or one fewer. Who is to hold something says so before it takes: then either
     * it sees that somebody {@linkplain #waited waits}, or the home, which says that first, sees that there is a holder.
     */
    public void holders(int difference) {
        holders.addAndGet(difference);
    }

    /** How many hold what they may not use for a while, and could give back. */
    public int holders() {
        return holders.get();
    }

    public long usedBytes() {
        return bytes.get();
    }

    public long usedMessages() {
        return messages.get();
    }

    /** The most bytes that were ever used at a time; counted since it is shared. */
    public long highestBytes() {
        return highestBytes.get();
    }

    public long maxBytes() {
        return maxBytes;
    }

    public long maxMessages() {
        return maxMessages;
    }
}
