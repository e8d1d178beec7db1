package io.sluicemq.api;

import io.sluicemq.base.LoopOwned;

/**
 * The credit of one producer for one address: room that is reserved for messages before they come. What the producer publishes
 * there takes from it first. Owned by the client's loop.
 */
@LoopOwned
public interface CreditLine {

    /**
     * Asks for room for more messages than it holds, once until it is answered.
     *
     * @param messages how many more are wanted at most, 1 or more
     * @param bytesEach how large one is expected to be, in bytes, as {@link Message#sizeBytes} counts
     * @return how many there is room for now; if 0, {@link Sink#granted} follows when there is, and nothing is to be asked until then
     */
    int ask(int messages, long bytesEach);

    /** For how many messages it holds room. */
    int messages();

    /** Gives back all. A request that waits is forgotten. */
    void close();

    /** What the broker has to say about a credit line. Called on the client's loop. */
    interface Sink {

        /** There is room for so many messages, 1 or more, that were asked for. */
        void granted(int messages);

        /**
         * Others wait for the room, and so much is given back of it: the producer is to send so many fewer. What it has sent
         * nevertheless comes in as if it had had no credit.
         */
        void revoked(int messages);
    }
}
