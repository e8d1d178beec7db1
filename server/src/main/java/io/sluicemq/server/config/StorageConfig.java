package io.sluicemq.server.config;

import io.sluicemq.base.option.Settings;
import java.time.Duration;

/**
 * How durable messages are kept.
 *
 * @param sync one of {@link StorageSection#SYNC_MODES}
 * @param freeSpaceFloor in bytes
 * @param segmentSize in bytes
 * @param maxSize of all segments together, in bytes; {@link StorageSection#NO_MAX_SIZE} for no limit
 */
public record StorageConfig(String sync, Duration syncInterval, long freeSpaceFloor, int segmentSize, long maxSize) {

    static StorageConfig of(Settings storage) {
        return new StorageConfig(
                storage.get(StorageSection.SYNC),
                storage.get(StorageSection.SYNC_INTERVAL),
                storage.get(StorageSection.FREE_SPACE_FLOOR),
                Math.toIntExact(storage.get(StorageSection.SEGMENT_SIZE)),
                storage.get(StorageSection.STORAGE_MAX_SIZE));
    }
}
