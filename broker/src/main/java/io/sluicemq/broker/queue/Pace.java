package io.sluicemq.broker.queue;

import io.sluicemq.api.Producer;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Keeps the producers of a queue at the pace of its consumers, as long as that costs them next to nothing. When messages
 * gather although there are consumers, those who publish are held until most are gone. Whether that is worth it is seen at
 * once: if consumers have not taken a good part of them after a glance of 20 ms, or not nearly all after 250 ms, the hold is
 * given up, and not tried again for 100 ms, then 200, up to 10 s. So a producer far ahead of slow consumers, which wants its
 * messages to be queued, soon loses 20 ms in 10 s.
 *
 * <p>Owned by the queue's loop. Invariant: whoever is held is released by the queue falling to its low mark, by the end of
 * the last consumer or of the queue, or by the timer.
 */
@LoopOwned
final class Pace {

    /** Ready messages, and bytes of their bodies, beyond which producers are held. */
    static final int HIGH_MESSAGES = 512;

    static final long HIGH_BYTES = 1 << 20;

    /** Ready messages and bytes at which they go on. */
    private static final int LOW_MESSAGES = 128;

    private static final long LOW_BYTES = 256 << 10;

    private static final long GLANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long FIRST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONGEST_REST_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Loop loop;
    private final Set<Producer> held = Collections.newSetFromMap(new IdentityHashMap<>());
    private boolean holding;
    private Producer latest;
    private Loop.Timer timer;
    private long taken;
    private boolean resting;
    private long restUntilNanos;
    private long restNanos = FIRST_REST_NANOS;

    Pace(Loop loop) {
        this.loop = loop;
    }

    boolean isHolding() {
        return holding;
    }

    /** A message has come from {@code producer} and waits, with these now ready; there are consumers. */
    void waits(Producer producer, int readyMessages, long readyBytes) {
        if (holding) {
            if (producer != latest) {
                hold(producer);
            }
        } else if (readyMessages > HIGH_MESSAGES || readyBytes > HIGH_BYTES) {
            if (resting) {
                if (loop.nanoTime() - restUntilNanos < 0) {
                    return;
                }
                resting = false;
            }
            holding = true;
            taken = 0;
            hold(producer);
            timer = loop.schedule(GLANCE_NANOS, () -> glance(readyMessages));
        }
    }

    private void hold(Producer producer) {
        latest = producer;
        if (held.add(producer)) {
            loop.send(producer.loop(), producer::hold);
        }
    }

    /** A message has left the ready ones while producers are held, and so many are there now. */
    void left(int readyMessages, long readyBytes) {
        taken++;
        if (readyMessages <= LOW_MESSAGES && readyBytes <= LOW_BYTES) {
            restNanos = FIRST_REST_NANOS;
            release();
        }
    }

    private void glance(int readyAtStart) {
        if (taken * 8 < readyAtStart) {
            giveUp();
        } else {
            timer = loop.schedule(LONGEST_NANOS - GLANCE_NANOS, this::giveUp);
        }
    }

    private void giveUp() {
        resting = true;
        restUntilNanos = loop.nanoTime() + restNanos;
        restNanos = Math.min(2 * restNanos, LONGEST_REST_NANOS);
        release();
    }

    /** Lets everybody go. */
    void release() {
        if (!holding) {
            return;
        }
        holding = false;
        latest = null;
        timer.cancel();
        for (Producer producer : held) {
            loop.send(producer.loop(), producer::release);
        }
        held.clear();
    }
}
