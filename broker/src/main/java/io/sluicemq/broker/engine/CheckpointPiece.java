package io.sluicemq.broker.engine;

/**
 * The kinds of a checkpoint's pieces beside the sections of queues, by their first byte. Their numbers are part of the format.
 *
 * <pre>
 *  topology       = 3 (u8) { length (i32) a topology record }     of one virtual host, over any number of pieces
 *  moves          = 4 (u8) { from (i64) to (i64) }                records that were copied of late
 *  highest queue  = 5 (u8) number (i64)                           no queue had a higher one
 * </pre>
 */
final class CheckpointPiece {

    static final byte TOPOLOGY = 3;
    static final byte MOVES = 4;
    static final byte HIGHEST_QUEUE = 5;

    private CheckpointPiece() {}
}
