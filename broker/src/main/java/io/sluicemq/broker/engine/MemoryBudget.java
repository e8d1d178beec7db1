package io.sluicemq.broker.engine;

import io.sluicemq.api.Client.Reservation;
import io.sluicemq.base.LogEvent;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the bytes of messages in memory, of all loops together, against the budget. Every loop is told when half of it is
 * crossed, and when all of it is: then queues let go of what the log can have. Publishers are held back only when it is crossed
 * without the {@linkplain #LARGE_BYTES large} messages, of which up to half the budget is left out for that: one of them may be
 * larger than the budget, and nobody else is to wait until its consumer has all of it. Owned by the broker's first loop; others
 * send it what has changed, so that its sum is behind by no more than {@code 64 KiB} a loop.
 *
 * <p>A large message has its memory reserved before its body is taken: several may arrive at the same time, and each must be able
 * to arrive completely. None is granted any while the budget is crossed. So all of them together are no reason to take more
 * memory than one that came last when the budget was full already would take, or half the budget.
 *
 * <p>Only publishers are held back; consumers, settlements and declarations go on.
 *
 * <p>Invariant: while publishers are held, queues let go of messages.
 *
 * <p>Where consumers are slower than publishers this happens many times a second: one time in {@value #LOG_SECONDS} seconds is
 * logged, with how many others there were. One that lasts is always logged, if late.
 */
@LoopOwned
final class MemoryBudget {

    private static final Logger LOG = LoggerFactory.getLogger(MemoryBudget.class);

    /**
     * A message that takes more bytes than this is large: one whose body is larger than 1 MiB, so that its memory was reserved, and
     * not one that is little smaller and has a long header.
     */
    static final long LARGE_BYTES = (1 << 20) + (128 << 10);

    private static final int LOG_SECONDS = 10;

    private final long budgetBytes;
    private final long resumeBytes;
    private final Loop home;
    private LoopContext[] contexts;
    private final ArrayDeque<MemoryReservation> waiting = new ArrayDeque<>();
    private long reservedBytes;
    private long usedBytes;
    /** What large messages take of it. */
    private long largeBytes;
    /** Whether queues let go of messages. */
    private boolean low;
    /** Whether publishers wait. */
    private boolean holding;
    private boolean tight;
    private long holdingSinceNanos;
    private boolean logged;
    /** The earliest time of the next line, once there was one. */
    private long nextLineNanos;
    private boolean hasLine;
    /** How often it was short since the last line, and over without one. */
    private int unlogged;
    /** When what lasts is logged; null if nothing is to come. */
    private Loop.Timer lineToCome;
    private int unanswered;
    private LargestQueues largest = LargestQueues.NONE;

    MemoryBudget(long budgetBytes, Loop home) {
        this.budgetBytes = budgetBytes;
        this.resumeBytes = budgetBytes - budgetBytes / 10;
        this.home = home;
    }

    /** Set once, before the broker starts. */
    void contexts(LoopContext[] contexts) {
        this.contexts = contexts;
    }

    LoopContext context(int index) {
        return contexts[index];
    }

    /** What of so many bytes that one message or one holder of messages takes is a large message's: all or nothing. */
    static long ofLarge(long bytes) {
        return bytes > LARGE_BYTES ? bytes : 0;
    }

    /** From {@code here}, the caller's loop: the bytes in use have changed, and what large messages take of them. */
    void changed(Loop here, long difference, long ofLarge) {
        here.send(home, () -> add(difference, ofLarge));
    }

    private void add(long difference, long ofLarge) {
        usedBytes += difference;
        largeBytes += ofLarge;
        if (tight != usedBytes > budgetBytes / 2) {
            tight = !tight;
            boolean now = tight;
            for (LoopContext context : contexts) {
                home.send(context.loop, () -> context.memoryTight = now);
            }
        }
        boolean wasLow = low;
        boolean wasHolding = holding;
        low = usedBytes > (wasLow ? resumeBytes : budgetBytes);
        holding = usedBytes - Math.min(largeBytes, budgetBytes / 2) > (wasHolding ? resumeBytes : budgetBytes);
        if (low == wasLow && holding == wasHolding) {
            return;
        }
        tellAll();
        if (!low) {
            grantNext();
        }
        if (holding && !wasHolding) {
            holdingSinceNanos = home.nanoTime();
            explain();
        } else if (wasHolding && !holding) {
            if (logged) {
                logEnd();
            } else if (unanswered == 0) {
                unlogged++;
            }
        }
    }

    /** Asks all loops for their largest queues, and logs what holds the publishers when they have answered; later, if it must. */
    private void explain() {
        if (unanswered > 0) {
            return;
        }
        long now = home.nanoTime();
        if (hasLine && now - nextLineNanos < 0) {
            if (lineToCome == null) {
                lineToCome = home.schedule(nextLineNanos - now, this::explainWhatLasts);
            }
            return;
        }
        hasLine = true;
        nextLineNanos = now + TimeUnit.SECONDS.toNanos(LOG_SECONDS);
        int others = unlogged;
        unlogged = 0;
        largest = LargestQueues.NONE;
        unanswered = contexts.length;
        for (LoopContext context : contexts) {
            home.send(context.loop, () -> {
                LargestQueues found = LargestQueues.of(context.queues);
                context.loop.send(home, () -> answered(found, others));
            });
        }
    }

    private void explainWhatLasts() {
        lineToCome = null;
        if (holding && !logged) {
            explain();
        }
    }

    private void answered(LargestQueues found, int others) {
        largest = largest.or(found);
        unanswered--;
        if (unanswered > 0) {
            return;
        }
        LogEvent.MEMORY_FULL.log(LOG,
                "messages take more memory than the budget of {} MiB: publishers wait until there is room{}{}",
                budgetBytes >> 20,
                largest.inWords(),
                others == 0 ? "" : " (so it was " + others + " more times since the last such line)");
        logged = true;
        if (!holding) {
            logEnd();
        }
    }

    private void logEnd() {
        logged = false;
        LogEvent.MEMORY_FREE.log(LOG, "messages take {} MiB of memory: publishers go on, after {} ms",
                usedBytes >> 20,
                TimeUnit.NANOSECONDS.toMillis(home.nanoTime() - holdingSinceNanos));
    }

    // ---- large messages that arrive

    /** From {@code here}, the caller's loop: asks for memory, granted in turn. */
    Reservation reserve(Loop here, long bytes, Runnable granted) {
        MemoryReservation reservation = new MemoryReservation(this, here, bytes, granted);
        here.send(home, () -> {
            waiting.add(reservation);
            grantNext();
        });
        return reservation;
    }

    /** From {@code here}, its loop: a reservation that was not granted is not wanted any more. */
    void withdraw(Loop here, MemoryReservation reservation) {
        here.send(home, () -> {
            waiting.remove(reservation);
            grantNext();
        });
    }

    /** From {@code here}, its loop: memory that was granted is free again, or in use by a message now. */
    void giveBack(Loop here, long bytes) {
        here.send(home, () -> {
            reservedBytes -= bytes;
            grantNext();
        });
    }

    /** Grants while memory is not short, up to half the budget at a time, or one that is larger than that. */
    private void grantNext() {
        while (!low && !waiting.isEmpty()) {
            MemoryReservation next = waiting.peek();
            if (reservedBytes > 0 && reservedBytes + next.bytes() > budgetBytes / 2) {
                return;
            }
            waiting.poll();
            reservedBytes += next.bytes();
            home.send(next.loop(), next::grant);
        }
    }

    private void tellAll() {
        boolean nowLow = low;
        boolean nowHolding = holding;
        for (LoopContext context : contexts) {
            home.send(context.loop, () -> context.memory(nowLow, nowHolding));
        }
    }

    long budgetBytes() {
        return budgetBytes;
    }

    /** What a client is told. */
    String reason() {
        return "messages take more memory than the budget of " + (budgetBytes >> 20) + " MiB";
    }
}
