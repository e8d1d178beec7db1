package io.sluicemq.management.http;

import java.lang.ref.SoftReference;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A look at very many things, which is done once for all who ask for it at about the same time: so that ten open consoles cost what one
 * does. Called by any thread; guarded by itself.
 *
 * <p>Invariant: at most one look is under way, and there is a pause between two of them, a second or ten times what the last one took.
 *
 * @param <T> what is found, immutable; it is given up if memory is short
 */
final class Shared<T> {

    private static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int TIMES = 10;

    private final LongSupplier clock;
    private SoftReference<T> last = new SoftReference<>(null);
    private long untilNanos;
    /** Null if nobody looks. */
    private CompletableFuture<T> running;

    /** @param clock in nanoseconds */
    Shared(LongSupplier clock) {
        this.clock = clock;
    }

    /**
     * What was found last, if that is not long ago; else what somebody finds who looks just now; else looks.
     *
     * @param call waits no longer than it has time
     * @param look used by the thread that asks, or not at all
     */
    T get(Call call, Supplier<T> look) {
        CompletableFuture<T> mine = new CompletableFuture<>();
        CompletableFuture<T> theirs;
        synchronized (this) {
            T found = last.get();
            if (found != null && untilNanos - clock.getAsLong() > 0) {
                return found;
            }
            theirs = running;
            if (theirs == null) {
                running = mine;
            }
        }
        return theirs == null ? looked(mine, look) : call.await(theirs.copy());
    }

    private T looked(CompletableFuture<T> mine, Supplier<T> look) {
        long begun = clock.getAsLong();
        try {
            T found = look.get();
            synchronized (this) {
                long now = clock.getAsLong();
                last = new SoftReference<>(found);
                untilNanos = now + Math.max(LEAST_NANOS, TIMES * (now - begun));
                running = null;
            }
            mine.complete(found);
            return found;
        } catch (RuntimeException | Error e) {
            synchronized (this) {
                running = null;
            }
            mine.completeExceptionally(e);
            throw e;
        }
    }
}
