package io.sluicemq.store;

import java.nio.ByteBuffer;

/**
 * Takes what a log holds when it is opened: first the last checkpoint, then all records behind it, in their order. Called on the
 * thread that opens the log. Buffers are little-endian, from position to limit, and good during the call only.
 */
public interface LogVisitor {

    /**
     * The next piece of the checkpoint, as it was {@link Checkpoint#append appended}. Not called if there is no checkpoint.
     *
     * @param position what the checkpoint was begun with: records from there on follow
     */
    void checkpoint(long position, ByteBuffer piece);

    void record(long position, int type, ByteBuffer payload);

    /**
     * A record that compaction has copied: whatever refers to {@code from} refers to {@code to} from here on. May come for a
     * record that is not known at {@code from} (any more, or because the checkpoint has it at {@code to}): then it means
     * nothing.
     */
    void moved(long from, long to, int type, ByteBuffer payload);

    /** How far it is, in bytes of checkpoint and log; about every 16 MiB. */
    default void progress(long doneBytes, long totalBytes) {}
}
