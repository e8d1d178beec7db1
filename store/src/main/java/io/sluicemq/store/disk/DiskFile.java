package io.sluicemq.store.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An open file of a {@link Disk}. Safe for use by several threads as long as they touch different bytes.
 */
public interface DiskFile extends Closeable {

    String name();

    long sizeBytes() throws IOException;

    /** Writes all that remains in {@code source} at {@code offset}. Readers see it at once, a crash may undo it until {@link #sync}. */
    void write(ByteBuffer source, long offset) throws IOException;

    /** Reads until {@code target} is full or the file ends; returns how many bytes. */
    int read(ByteBuffer target, long offset) throws IOException;

    /** Makes sure that the bytes from {@code offset} on exist, are zeros, and have their place on the disk. */
    void allocateZeros(long offset, long lengthBytes) throws IOException;

    /** Returns when all that was written before survives a crash. */
    void sync() throws IOException;
}
