package io.sluicemq.broker.engine;

/** What the clients of one protocol have on one loop; owned by that loop. */
final class ProtocolTally {

    long connections;
    long channels;
    long consumers;
}
