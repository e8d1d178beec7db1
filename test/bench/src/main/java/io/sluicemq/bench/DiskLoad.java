package io.sluicemq.bench;

import java.io.IOException;
import java.nio.file.Path;

/** A way to write to a disk as fast as it goes, for a time. Stateless. */
sealed interface DiskLoad permits BareWrites, LogWrites {

    /** What one run writes at most, so that no measurement fills a disk. */
    long MAX_BYTES = 512L << 20;

    /** What the tables call it. */
    String label();

    /**
     * Writes until the time or {@link #MAX_BYTES} are over, and leaves what was written in the folder.
     *
     * @param folder empty
     * @return durable bytes a second
     * @throws IOException if the disk fails, or is full
     */
    double bytesPerSecond(Path folder, long nanos) throws IOException, InterruptedException;
}
