package io.sluicemq.hostile.large;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends small messages at a steady rate, whether those before have arrived or not, by a thread of its own, and notes when they arrive.
 * How late one is counts from when it was due to be sent.
 */
final class SmallMessages implements AutoCloseable {

    private final long intervalNanos;
    private Conversation conversation;
    private Thread thread;
    private volatile boolean over;
    private volatile Exception failure;
    /** Of the stretch at hand, in the order of arrival: how late each was, in microseconds. Guarded by this. */
    private int[] lateMicros = new int[4096];

    private int arrived;
    private long stretchNanos;

    /**
     * What has arrived in one stretch of time.
     *
     * @param lateMicros how late each was, in microseconds, in no order
     */
    record Stretch(long nanos, int[] lateMicros) {}

    SmallMessages(int perSecond) {
        this.intervalNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
    }

    /** Opens what they need on a connection; they {@link #begin} when all else is open. */
    void open(Conversation on) throws IOException {
        conversation = on;
        on.openSmall(this::arrived);
    }

    void begin() {
        thread = Thread.ofPlatform().name("small messages").start(this::send);
        nextStretch();
    }

    private void send() {
        try {
            long due = System.nanoTime();
            while (!over) {
                for (long now = System.nanoTime(); now < due; now = System.nanoTime()) {
                    LockSupport.parkNanos(due - now);
                }
                conversation.sendSmall(due);
                due += intervalNanos;
            }
        } catch (IOException | InterruptedException e) {
            failure = e;
        }
    }

    private synchronized void arrived(long due) {
        if (arrived == lateMicros.length) {
            lateMicros = Arrays.copyOf(lateMicros, 2 * arrived);
        }
        lateMicros[arrived++] = (int) TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - due);
    }

    /** Ends a stretch, and begins another. */
    synchronized Stretch nextStretch() {
        long now = System.nanoTime();
        Stretch ended = new Stretch(now - stretchNanos, Arrays.copyOf(lateMicros, arrived));
        arrived = 0;
        stretchNanos = now;
        return ended;
    }

    /** Sends no more; fails if it could not send all that it should have. */
    @Override
    public void close() throws IOException {
        over = true;
        try {
            if (thread != null) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (failure != null) {
            throw new IOException("small messages came to an end", failure);
        }
    }
}
