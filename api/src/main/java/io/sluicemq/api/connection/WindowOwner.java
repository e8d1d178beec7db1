package io.sluicemq.api.connection;

/** Something whose bytes stand in the connection's output buffer, and who is told when they have left for the socket. */
public interface WindowOwner {

    /** All bytes owed have left. */
    void giveBack();
}
