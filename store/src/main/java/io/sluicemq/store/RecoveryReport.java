package io.sluicemq.store;

import java.util.List;

/**
 * What opening a log has found.
 *
 * @param checkpoint position of the checkpoint that was used; 0 if there was none
 * @param end where the next record goes
 * @param records how many records were handed to the visitor
 * @param scannedBytes bytes of log that were gone over
 * @param cutFile the segment whose torn tail was cut; null if it had none
 * @param cutOffset where it was cut, in the file
 * @param cutBytes how many bytes were set aside there
 * @param badCheckpoints names of newer checkpoints that were not whole
 */
public record RecoveryReport(
        long checkpoint,
        long end,
        long records,
        long scannedBytes,
        String cutFile,
        long cutOffset,
        long cutBytes,
        List<String> badCheckpoints) {}
