package io.sluicemq.server.data;

import io.sluicemq.base.LogEvent;
import io.sluicemq.broker.engine.BrokerStore;
import io.sluicemq.server.config.LimitsConfig;
import io.sluicemq.server.config.StorageConfig;
import io.sluicemq.store.DamagedLog;
import io.sluicemq.store.ForeignLog;
import io.sluicemq.store.LogOptions;
import io.sluicemq.store.RecoveryReport;
import io.sluicemq.store.SyncMode;
import io.sluicemq.store.WorkerThreads;
import io.sluicemq.store.disk.FolderDisk;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens the log of a data folder: it is in the folder {@code log} there. */
public final class DurableStore {

    private static final Logger LOG = LoggerFactory.getLogger(DurableStore.class);

    private static final String LOG_FOLDER = "log";
    /** Beside a message's body and its header there are its keys, its queues and its history. */
    private static final int MOST_BESIDE = 4 << 20;

    private DurableStore() {}

    /**
     * Opens the log and reads what it has.
     *
     * @param virtualHosts those of the configuration
     * @param limits those of the largest message
     * @throws DataFolderRefused if the log is damaged, of another format, or has queues of other virtual hosts
     */
    public static BrokerStore open(
            DataFolder folder, StorageConfig config, List<String> virtualHosts, LimitsConfig limits)
            throws DataFolderRefused {
        Path path = folder.path().resolve(LOG_FOLDER);
        String refusal = "the log in " + path + " can't be used: ";
        long began = System.nanoTime();
        BrokerStore store;
        try {
            Files.createDirectories(path);
            store = BrokerStore.open(
                    new FolderDisk(path), options(config, limits), new WorkerThreads("sluicemq-"));
        } catch (DamagedLog e) {
            throw new DataFolderRefused(e.getMessage() + "; nothing was changed", e);
        } catch (ForeignLog e) {
            throw new DataFolderRefused(refusal + e.getMessage(), e);
        } catch (IOException e) {
            throw new DataFolderRefused(refusal + reason(e), e);
        }
        for (String host : store.virtualHosts()) {
            if (!virtualHosts.contains(host)) {
                store.close();
                throw new DataFolderRefused(refusal + "it has queues or exchanges of the virtual host '" + host
                        + "', which is not among virtual-hosts in the configuration");
            }
        }
        report(store, path, System.nanoTime() - began);
        return store;
    }

    private static String reason(IOException e) {
        return switch (e) {
            case AccessDeniedException denied -> "no permission for " + denied.getFile();
            case FileSystemException failure when failure.getReason() == null ->
                failure.getFile() + ": " + failure.getClass().getSimpleName();
            default -> e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        };
    }

    private static LogOptions options(StorageConfig config, LimitsConfig limits) {
        SyncMode sync =
                switch (config.sync()) {
                    case "always" -> new SyncMode.Always();
                    case "interval" -> new SyncMode.Interval(config.syncInterval().toMillis());
                    case "os" -> new SyncMode.Os();
                    default -> throw new IllegalArgumentException("no sync mode is called " + config.sync());
                };
        return LogOptions.defaults()
                .withSync(sync)
                .withSegmentBytes(config.segmentSize())
                .withFreeSpaceFloorBytes(config.freeSpaceFloor())
                .withMaxBytes(config.maxSize())
                .withMaxRecordBytes(limits.maxMessageSize() + limits.frameMax() + MOST_BESIDE);
    }

    private static void report(BrokerStore store, Path path, long nanos) {
        RecoveryReport found = store.report();
        LogEvent.LOG_READ.log(LOG,
                "the log in {} has {} queues with {} messages; read the checkpoint at {} and {} MiB behind it in {} ms",
                path,
                store.queues(),
                store.messages(),
                found.checkpoint(),
                found.scannedBytes() >> 20,
                TimeUnit.NANOSECONDS.toMillis(nanos));
    }
}
