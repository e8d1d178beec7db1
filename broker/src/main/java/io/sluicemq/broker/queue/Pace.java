package io.sluicemq.broker.queue;

import io.sluicemq.api.Producer;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Keeps the producers of a queue at the pace of its consumers where these are fast: so that a flow runs at one rate, rather
 * than pile up while publishing takes the machine from consuming. When messages gather although there are consumers, those
 * who publish are held until most are gone. Whether consumers are fast is seen at a glance: if they have not taken an eighth
 * of the high mark after 20 ms (some 13,000 messages a second), or fall behind that rate at any later glance, the hold is
 * given up, and not tried again for 100 ms, then 200, up to 10 s. So who publishes to slow consumers, and wants
 * the messages to be queued, soon loses 20 ms in 10 s; and a burst of up to {@value #HIGH_MESSAGES} messages is never held.
 *
 * <p>Owned by the queue's loop. Invariant: whoever is held is released by the queue falling to its low mark, by the end of
 * the last consumer or of the queue, or by the timer.
 */
@LoopOwned
final class Pace {

    /** Ready messages, and bytes of their bodies, beyond which producers are held. */
    static final int HIGH_MESSAGES = 2048;

    static final long HIGH_BYTES = 2 << 20;

    /** Ready messages and bytes at which they go on. */
    private static final int LOW_MESSAGES = 512;

    private static final long LOW_BYTES = 512 << 10;

    private static final long FIRST_GLANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long GLANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(4);
    private static final long FIRST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONGEST_REST_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Loop loop;
    private final Set<Producer> held = Collections.newSetFromMap(new IdentityHashMap<>());
    private boolean holding;
    private Producer latest;
    private Loop.Timer timer;
    private long taken;
    private long sinceNanos;
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
            sinceNanos = loop.nanoTime();
            hold(producer);
            timer = loop.schedule(FIRST_GLANCE_NANOS, () -> firstGlance(readyMessages));
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

    private void firstGlance(int readyAtStart) {
        // Of a long queue no more is asked than of one that has just come to its high mark.
        int needed = Math.min(readyAtStart, HIGH_MESSAGES) / 8;
        if (taken < needed) {
            giveUp();
        } else {
            glanceLater(needed * GLANCE_NANOS / FIRST_GLANCE_NANOS);
        }
    }

    private void glanceLater(long needed) {
        long takenBefore = taken;
        timer = loop.schedule(GLANCE_NANOS, () -> {
            if (taken - takenBefore < needed) {
                giveUp();
            } else if (loop.nanoTime() - sinceNanos >= LONGEST_NANOS) {
                // They are as fast as they should be and have much to do: the producers get a breath, no more.
                rest(FIRST_REST_NANOS);
            } else {
                glanceLater(needed);
            }
        });
    }

    private void giveUp() {
        rest(restNanos);
        restNanos = Math.min(2 * restNanos, LONGEST_REST_NANOS);
    }

    private void rest(long nanos) {
        resting = true;
        restUntilNanos = loop.nanoTime() + nanos;
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
