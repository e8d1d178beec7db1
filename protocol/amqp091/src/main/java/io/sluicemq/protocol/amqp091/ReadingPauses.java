package io.sluicemq.protocol.amqp091;

import io.sluicemq.api.Wire;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp091.codec.FrameDecoder;

/**
 * Why a connection does not read. Owned by its loop.
 *
 * <p>Invariant: the wire is paused exactly while there is a reason.
 */
@LoopOwned
final class ReadingPauses {

    /** A reason not to read. */
    enum Reason {
        /** The handshake waits for the broker. */
        ANSWER("an answer of the broker"),
        /** Too many frames are parked. */
        PARKED("requests of it that are not done yet"),
        /** The loops that publishes go to are behind. */
        BROKER("loops or a disk that are behind"),
        /** A queue's consumers are a little behind this publisher. */
        PACE("consumers that are a little behind"),
        /** The client goes on publishing to a full address. */
        FULL_ADDRESS("room in a full address"),
        /** The client does not take the answers to its requests. */
        OUTPUT("the client to read what it is sent");

        private final String words;

        Reason(String words) {
            this.words = words;
        }
    }

    private final Wire wire;
    private final FrameDecoder decoder;
    private int reasons;

    ReadingPauses(Wire wire, FrameDecoder decoder) {
        this.wire = wire;
        this.decoder = decoder;
    }

    boolean any() {
        return reasons != 0;
    }

    boolean has(Reason reason) {
        return (reasons & 1 << reason.ordinal()) != 0;
    }

    /** What is waited for, in words; empty if the connection is read from. */
    String inWords() {
        for (Reason reason : Reason.values()) {
            if (has(reason)) {
                return reason.words;
            }
        }
        return "";
    }

    void add(Reason reason) {
        if (reasons == 0) {
            wire.pauseReading();
            decoder.pause();
        }
        reasons |= 1 << reason.ordinal();
    }

    void remove(Reason reason) {
        int bit = 1 << reason.ordinal();
        if ((reasons & bit) != 0) {
            reasons &= ~bit;
            if (reasons == 0) {
                wire.resumeReading();
            }
        }
    }

    /** Reads on whatever there was against it, for the close-ok. */
    void removeAll() {
        if (reasons != 0) {
            reasons = 0;
            wire.resumeReading();
        }
    }

    /** The wire is closed: reasons come and go without it. */
    void forget() {
        reasons = 0;
    }
}
