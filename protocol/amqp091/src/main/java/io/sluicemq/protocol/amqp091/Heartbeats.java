package io.sluicemq.protocol.amqp091;

import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.util.concurrent.TimeUnit;

/**
 * The heartbeats of one connection (spec §4.2.7), driven by a timer and never by reads, so that a connection whose
 * reading is paused still shows life. Owned by the connection's loop.
 *
 * <p>Twice in the agreed interval it looks: if nothing was written since it last did, a heartbeat is sent; if nothing
 * arrived during two intervals while reading was possible, the peer is dead.
 */
@LoopOwned
final class Heartbeats {

    /** The connection, as heartbeats need it. */
    interface Peer {
        void sendHeartbeat();

        void silent(int heartbeatSeconds);

        /** Whether the connection itself does not read, so that silence says nothing. */
        boolean readingPaused();
    }

    private final Loop loop;
    private final Peer peer;
    private final int seconds;
    private final long halfNanos;
    private Loop.Timer timer;
    private boolean wrote;
    private boolean read;
    private int silentHalves;

    /** @param seconds the agreed interval, above 0 */
    Heartbeats(Loop loop, int seconds, Peer peer) {
        this.loop = loop;
        this.peer = peer;
        this.seconds = seconds;
        this.halfNanos = TimeUnit.SECONDS.toNanos(seconds) / 2;
        this.timer = loop.schedule(halfNanos, this::look);
    }

    /** The agreed interval. */
    int seconds() {
        return seconds;
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
        timer.cancel();
    }

    private void look() {
        if (read || peer.readingPaused()) {
            silentHalves = 0;
        } else if (++silentHalves >= 4) {
            peer.silent(seconds);
            return;
        }
        timer = loop.schedule(halfNanos, this::look);
        if (!wrote) {
            peer.sendHeartbeat();
        }
        wrote = false;
        read = false;
    }
}
