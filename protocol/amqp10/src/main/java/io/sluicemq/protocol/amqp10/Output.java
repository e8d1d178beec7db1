package io.sluicemq.protocol.amqp10;

import io.sluicemq.api.Wire;
import io.sluicemq.base.LoopOwned;
import java.util.ArrayDeque;

/**
 * The links of a connection that have something to send and wait for the socket to take it, in turn: each sends a slice, so that a
 * large message on one does not stop small ones on others. Owned by the connection's loop.
 *
 * <p>Invariant: while a link waits here, the socket takes nothing in this turn, or {@link #pump} is at work.
 */
@LoopOwned
final class Output {

    /** Something that has deliveries to send. */
    interface Source {

        /** Sends a slice of what it has; returns whether it has more that could be sent at once. */
        boolean sendSlice();
    }

    private final Wire wire;
    private final ArrayDeque<Source> waiting = new ArrayDeque<>(0);
    private boolean pumping;
    private boolean stopped;

    Output(Wire wire) {
        this.wire = wire;
    }

    /** Whether the socket takes bytes, and nobody waits for that. */
    boolean isFree() {
        return waiting.isEmpty() && wire.isWritable();
    }

    /** Whether the socket takes bytes. */
    boolean hasRoom() {
        return wire.isWritable();
    }

    /** A link, which does not wait here yet, has something to send. */
    void add(Source source) {
        waiting.addLast(source);
        pump();
    }

    /** A link has nothing to send any more. */
    void remove(Source source) {
        waiting.remove(source);
    }

    /** Has those send who wait, as long as the socket takes it. */
    void pump() {
        if (pumping || stopped) {
            return;
        }
        pumping = true;
        try {
            while (!waiting.isEmpty() && wire.isWritable()) {
                Source next = waiting.pollFirst();
                if (next.sendSlice()) {
                    waiting.addLast(next);
                }
            }
        } finally {
            pumping = false;
        }
    }

    /** Nothing more is sent. */
    void stop() {
        stopped = true;
        waiting.clear();
    }
}
