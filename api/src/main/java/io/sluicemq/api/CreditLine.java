package io.sluicemq.api;

import io.sluicemq.base.LoopOwned;

/**
 * The credit of one producer for one address: room that is reserved for messages before they come. Whatever the producer
 * publishes spends the credit of one message; one that goes to the address takes its room, its real bytes, from what the line
 * holds, and needs no other unless it is larger than all of that. Owned by the client's loop.
 *
 * <p>Credit is what was asked for and granted, less what was published, less what was revoked: a protocol that keeps count so for
 * its client, and tells the client, is right as soon as all is told. A client may have sent more than it has credit left; these messages
 * come in as if there were no line: they wait for room, or are refused, as what their address is limited by says.
 *
 * <p>Where nothing has a limit credit is given as asked, and where what is too much is refused or dropped ({@code fail}, {@code
 * drop}, {@code ring}), as well: the message meets that when it comes.
 */
@LoopOwned
public interface CreditLine {

    /**
     * Asks for room for more messages than it holds, once until it is answered. What there is room for is granted, a fair part of
     * what is free, and one message at least. If not even one has room, or while memory or the disk is short, it is granted
     * later, in turn. After so long as the address has messages wait at most ({@code hold-limit}) a line without any
     * credit is granted one message without room: what its producer sends then is refused at once.
     *
     * @param messages how many more are wanted at most, 1 or more
     * @param bytesEach how large one is expected to be, in bytes, as {@link Message#sizeBytes} counts, 1 or more
     * @return how many there is room for now; if 0, {@link Sink#granted} follows when there is, and nothing is to be asked until
     *     then
     * @throws IllegalStateException if the line is closed, or waits for the answer to what it has asked
     */
    int ask(int messages, long bytesEach);

    /** For how many messages it has credit. */
    int messages();

    /**
     * Whether room is to be reserved for its messages, as something that they go to has a limit now. Credit for many of which
     * nobody knows how large they are is safe without one only.
     */
    boolean isLimited();

    /**
     * Whether a request has not been answered yet, so that nothing is to be asked. A line that has no credit and asks for none
     * never gets any.
     */
    boolean isAsking();

    /**
     * Gives back the credit of so many messages, or all if it has less: the producer will not use it, or has used it for something
     * that was never published, such as a message that was refused before.
     */
    void forgo(int messages);

    /** Gives back all. A request that waits is forgotten, and the sink told nothing more. No effect if it is closed. */
    void close();

    /**
     * What the broker has to say about a credit line. Called on the client's loop, and never from within a call of the client or of
     * its lines.
     */
    interface Sink {

        /** There is room for so many messages, 1 or more, that were asked for. */
        void granted(int messages);

        /**
         * Others wait for the room, or what was published did not fit, and so much is given back of it: the producer is to send so
         * many fewer, and has none left perhaps. What it has sent nevertheless comes in as if it had had no credit. The line
         * may ask again, at once, and waits in turn.
         */
        void revoked(int messages);
    }
}
