/**
 * The little that the log needs of a disk: {@link io.sluicemq.store.disk.Disk one folder of files} with explicit syncs, so that
 * a test can put a disk below it that crashes, tears, fills up and fails.
 */
package io.sluicemq.store.disk;
