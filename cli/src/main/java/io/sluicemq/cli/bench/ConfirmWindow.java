package io.sluicemq.cli.bench;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * What one producer has published and not yet seen confirmed. Two threads meet here: the producer's, which takes
 * delivery tags in order and waits when the window is full, and the connection's, which brings acks and nacks.
 *
 * <p>Invariant: no tag at or beyond {@code lowest + window} is taken, so each unconfirmed tag has a slot of its own in
 * the rings. A slot's time is written before its message is sent and read after its answer came.
 */
public final class ConfirmWindow {

    private final int window;
    private final int mask;
    private final long[] sentNanos;
    private final boolean[] answered;
    private final SingleWriterRecorder latencyMicros;
    private final AtomicLong lowest = new AtomicLong(1);
    private final AtomicLong acked = new AtomicLong();
    private final AtomicLong nacked = new AtomicLong();
    private volatile Thread waiting;
    private volatile boolean stopped;
    private long next = 1;

    public ConfirmWindow(int window, SingleWriterRecorder latencyMicros) {
        int ring = Integer.highestOneBit(Math.max(1, window - 1)) << 1;
        this.window = window;
        this.mask = ring - 1;
        this.sentNanos = new long[ring];
        this.answered = new boolean[ring];
        this.latencyMicros = latencyMicros;
    }

    /**
     * Producer's thread: waits until the next tag is within the window.
     *
     * @return false if {@link #stop} was called
     */
    public boolean awaitRoom() {
        if (next - lowest.get() >= window) {
            waiting = Thread.currentThread();
            while (next - lowest.get() >= window && !stopped) {
                LockSupport.park(this);
            }
            waiting = null;
        }
        return !stopped;
    }

    /** Any thread: no more tags are wanted. Not by an interrupt, which could leave half a message on the wire. */
    public void stop() {
        stopped = true;
        LockSupport.unpark(waiting);
    }

    /** Producer's thread: the next tag is about to be sent. */
    public void sending(long nanos) {
        sentNanos[(int) next & mask] = nanos;
        next++;
    }

    /** Connection's thread: the broker took responsibility for a tag, or for all up to it. */
    public void ack(long tag, boolean multiple, long nowNanos) {
        acked.setRelease(acked.getPlain() + answer(tag, multiple, nowNanos));
    }

    /** Connection's thread: the broker refused a tag, or all up to it. */
    public void nack(long tag, boolean multiple, long nowNanos) {
        nacked.setRelease(nacked.getPlain() + answer(tag, multiple, nowNanos));
    }

    private long answer(long tag, boolean multiple, long nowNanos) {
        long from = lowest.getPlain();
        long count = 0;
        for (long each = multiple ? from : Math.max(from, tag); each <= tag && each - from <= mask; each++) {
            int slot = (int) each & mask;
            if (!answered[slot]) {
                answered[slot] = true;
                latencyMicros.recordValue(Latency.micros(nowNanos - sentNanos[slot]));
                count++;
            }
        }
        long to = from;
        while (to - from <= mask && answered[(int) to & mask]) {
            answered[(int) to & mask] = false;
            to++;
        }
        if (to != from) {
            lowest.set(to);
            LockSupport.unpark(waiting);
        }
        return count;
    }

    /** Messages acked so far; any thread. */
    public long acked() {
        return acked.getAcquire();
    }

    /** Messages nacked so far; any thread. */
    public long nacked() {
        return nacked.getAcquire();
    }
}
