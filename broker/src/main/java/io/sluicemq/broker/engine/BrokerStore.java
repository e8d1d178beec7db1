package io.sluicemq.broker.engine;

import io.sluicemq.store.DamagedLog;
import io.sluicemq.store.Log;
import io.sluicemq.store.LogOptions;
import io.sluicemq.store.RecoveryReport;
import io.sluicemq.store.Workers;
import io.sluicemq.store.disk.Disk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;

/**
 * The log that a broker keeps its durable queues in, opened and read: what a {@link BrokerEngine} begins with. The engine takes it
 * over; it is {@linkplain #close closed} when the engine {@linkplain BrokerEngine#rest rests}, before its loops end.
 */
public final class BrokerStore implements AutoCloseable {

    private final Log log;
    private final Recovery recovery;

    private BrokerStore(Log log, Recovery recovery) {
        this.log = log;
        this.recovery = recovery;
    }

    /**
     * Opens the log of a folder that belongs to this process alone. Takes as long as it takes to read the last checkpoint and
     * what was written since.
     *
     * @throws DamagedLog if something is missing that had been promised; nothing was changed
     * @throws IOException if the log can't be read, or says what no broker of this version has written
     */
    public static BrokerStore open(Disk disk, LogOptions options, Workers workers) throws IOException {
        Recovery recovery = new Recovery();
        try {
            Log log = Log.open(disk, options, workers, recovery);
            recovery.finish(log);
            return new BrokerStore(log, recovery);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** What opening has found. */
    public RecoveryReport report() {
        return log.recovery();
    }

    /** Names of the virtual hosts of which there is something. */
    public Collection<String> virtualHosts() {
        return recovery.hosts();
    }

    public int queues() {
        return recovery.queueCount();
    }

    /** How many messages there are in all queues. */
    public long messages() {
        return recovery.messageCount();
    }

    /** The log itself, for what watches it. */
    public Log log() {
        return log;
    }

    Recovery recovery() {
        return recovery;
    }

    /** Writes and syncs what is left. Waits for the disk; loops find no room in the log from now on. */
    @Override
    public void close() {
        log.close();
    }
}
