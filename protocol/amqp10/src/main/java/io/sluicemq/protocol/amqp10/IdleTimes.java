package io.sluicemq.protocol.amqp10;

import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.util.concurrent.TimeUnit;

/**
 * The idle time-outs of one connection (§2.4.5), driven by timers and never by reads. Owned by the connection's loop.
 *
 * <p>The peer is told half of what it is given; of what it tells us, half is used before something is sent.
 */
@LoopOwned
final class IdleTimes {

    /** The connection, as idle times need it. */
    interface Peer {
        void sendEmptyFrame();

        void silent();

        /** Whether the connection itself does not read, so that silence says nothing. */
        boolean readingPaused();
    }

    private final Loop loop;
    private final Peer peer;
    private final long ownNanos;
    private final long peersHalfNanos;
    private Loop.Timer readTimer;
    private Loop.Timer writeTimer;
    private boolean wrote;
    private boolean read;

    /**
     * @param ownMillis how long the peer may be silent; 0 for any time
     * @param peersMillis how long the peer lets us be silent; 0 for any time
     */
    IdleTimes(Loop loop, long ownMillis, long peersMillis, Peer peer) {
        this.loop = loop;
        this.peer = peer;
        this.ownNanos = TimeUnit.MILLISECONDS.toNanos(ownMillis);
        this.peersHalfNanos = TimeUnit.MILLISECONDS.toNanos(peersMillis) / 2;
        if (ownNanos > 0) {
            readTimer = loop.schedule(ownNanos, this::lookForLife);
        }
        if (peersHalfNanos > 0) {
            writeTimer = loop.schedule(peersHalfNanos, this::showLife);
        }
    }

    /** Bytes of any kind are on their way to the peer. */
    void wrote() {
        wrote = true;
    }

    /** Bytes of any kind have arrived. */
    void read() {
        read = true;
    }

    void stop() {
        if (readTimer != null) {
            readTimer.cancel();
        }
        if (writeTimer != null) {
            writeTimer.cancel();
        }
    }

    private void lookForLife() {
        if (!read && !peer.readingPaused()) {
            peer.silent();
            return;
        }
        read = false;
        readTimer = loop.schedule(ownNanos, this::lookForLife);
    }

    private void showLife() {
        writeTimer = loop.schedule(peersHalfNanos, this::showLife);
        if (!wrote) {
            peer.sendEmptyFrame();
        }
        wrote = false;
    }
}
