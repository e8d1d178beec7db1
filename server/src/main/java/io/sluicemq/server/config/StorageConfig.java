package io.sluicemq.server.config;

import io.sluicemq.base.option.Settings;
import java.time.Duration;

/**
 * How durable messages are kept.
 *
 * @param sync one of {@link ServerOptions#SYNC_MODES}
 * @param freeSpaceFloor in bytes
 * @param segmentSize in bytes
 * @param maxSize of all segments together, in bytes; {@link ServerOptions#NO_MAX_SIZE} for no limit
 */
public record StorageConfig(String sync, Duration syncInterval, long freeSpaceFloor, int segmentSize, long maxSize) {

    static StorageConfig of(Settings storage) {
        return new StorageConfig(
                storage.get(ServerOptions.SYNC),
                storage.get(ServerOptions.SYNC_INTERVAL),
                storage.get(ServerOptions.FREE_SPACE_FLOOR),
                Math.toIntExact(storage.get(ServerOptions.SEGMENT_SIZE)),
                storage.get(ServerOptions.STORAGE_MAX_SIZE));
    }
}
