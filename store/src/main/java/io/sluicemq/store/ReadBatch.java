package io.sluicemq.store;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Takes the records of one {@link LogPort#read}, all in one event on the loop that asked. */
public interface ReadBatch {

    /**
     * A record, in the order asked for.
     *
     * @param payload little-endian, from its position to its limit; its bytes are for this call only
     */
    void record(long position, int type, ByteBuffer payload);

    /**
     * The end of the batch.
     *
     * @param records how many of those asked for were handed over, from the first on; fewer than asked for when the batch had
     *     its fill of bytes, or at a failure. At least one, unless that failed.
     * @param failure why the next record could not be read; null if none failed
     */
    void done(int records, IOException failure);
}
