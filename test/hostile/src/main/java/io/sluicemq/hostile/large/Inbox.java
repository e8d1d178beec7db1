package io.sluicemq.hostile.large;

import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** What a connection's reader has for the thread that works with large messages. For one thread at each end. */
final class Inbox<F> {

    private static final int LIMIT_SECONDS = 60;

    private final BlockingQueue<F> frames = new LinkedBlockingQueue<>();

    void add(F frame) {
        frames.add(frame);
    }

    /** The next; fails if there is none for a minute. */
    F take() throws IOException, InterruptedException {
        F frame = frames.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
        if (frame == null) {
            throw new IOException("nothing has come for " + LIMIT_SECONDS + " s");
        }
        return frame;
    }
}
