package io.sluicemq.protocol.amqp091;

/** Something whose bytes stand in the connection's output buffer, and who is told when they have left for the socket. */
interface WindowOwner {

    /** All bytes owed have left. */
    void giveBack();
}
