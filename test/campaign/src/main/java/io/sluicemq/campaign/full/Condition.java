package io.sluicemq.campaign.full;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Waits for what becomes true by others. */
final class Condition {

    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private Condition() {}

    /** Returns when {@code condition} holds; looks again every millisecond, for a minute. */
    static void await(String what, Callable<Boolean> condition) throws InterruptedException {
        long start = System.nanoTime();
        try {
            while (!condition.call()) {
                if (System.nanoTime() - start > LIMIT_NANOS) {
                    throw new IllegalStateException("waited a minute in vain until " + what);
                }
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("while waiting until " + what, e);
        }
    }
}
