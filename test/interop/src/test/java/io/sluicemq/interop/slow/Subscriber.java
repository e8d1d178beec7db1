package io.sluicemq.interop.slow;

import java.util.List;

/**
 * A subscription to a topic by one of the clients, with a prefetch of {@link #PREFETCH}, that gets numbered messages. Its application
 * takes none by itself: the test says when, and so how slow it is. The test's thread uses it.
 */
interface Subscriber {

    /** How many messages are given to it without its having dealt with any. */
    int PREFETCH = 5;

    /** What an application has to do for a message to be dealt with. */
    enum Mode {
        /** To take it. */
        AUTO,
        /** To acknowledge it, with all that it took before. */
        CLIENT,
        /** To take it, and it may be that the broker learns of it later. */
        DUPS_OK,
        /** To commit. */
        TRANSACTED,
        /** To acknowledge each. */
        INDIVIDUAL
    }

    /** Takes the next messages and deals with them as its mode asks for. */
    List<Integer> take(int count) throws Exception;

    /** Takes the next messages, and stops before that which its mode asks for beyond the taking. */
    List<Integer> hold(int count) throws Exception;

    /** Waits until the client has told that it was cut, in every way that it has, and checks how. */
    void shouldHaveBeenCut() throws Exception;

    /** Checks that the client has told nothing and has a working subscription. */
    void shouldBeUnharmed() throws Exception;

    /** Comes back to a durable subscription, which must be there, and ends it. */
    void unsubscribe() throws Exception;

    /** The name of a durable subscription's queue. */
    String queue();

    /** Ends its connection. */
    void close() throws Exception;
}
