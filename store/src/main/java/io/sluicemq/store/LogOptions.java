package io.sluicemq.store;

/**
 * The log's measures. They may differ from one start to the next on the same folder.
 *
 * @param segmentBytes size of a new segment file; a record that is larger gets a segment of its own size
 * @param bufferBytes size of one buffer that records are encoded into
 * @param buffers how many buffers there are at most: the bytes that may be claimed and not yet written, beyond which a claim finds
 *     no room
 * @param maxRecordBytes the longest payload of a record
 * @param sync when written bytes are made durable
 * @param freeSpaceFloorBytes while fewer bytes than this are usable on the disk, nothing is admitted
 * @param readers how many threads read
 * @param readsPerLoop how many batches of reads a loop may have under way
 * @param readBatchBytes payload bytes that one batch of reads brings at most, but for a single record that is longer
 * @param readAheadBytes how much is read at a time
 * @param sparseBelow segments are emptied by copying when less than this part of them is retained; 0 for never
 * @param compactionBytesPerSecond how much is copied out of sparse segments in a second at most; sixteen times as much is read
 * @param maxBytes how much all segments may take together, the spare one included, before nothing is admitted any more; 0 for no
 *     limit
 */
public record LogOptions(
        int segmentBytes,
        int bufferBytes,
        int buffers,
        int maxRecordBytes,
        SyncMode sync,
        long freeSpaceFloorBytes,
        int readers,
        int readsPerLoop,
        int readBatchBytes,
        int readAheadBytes,
        double sparseBelow,
        long compactionBytesPerSecond,
        long maxBytes) {

    public LogOptions {
        check(segmentBytes >= 2 * SegmentHeader.BYTES, "segments of " + segmentBytes + " bytes");
        check(segmentBytes % SegmentHeader.BYTES == 0,
                "segments of " + segmentBytes + " bytes: not a multiple of 4096");
        check(bufferBytes >= 256 && bufferBytes % RecordFormat.ALIGNMENT == 0, "buffers of " + bufferBytes + " bytes");
        check(buffers >= 2 && buffers <= 1024, buffers + " buffers");
        check(maxRecordBytes > 0 && maxRecordBytes <= RecordFormat.MAX_PAYLOAD_BYTES,
                "records of " + maxRecordBytes + " bytes");
        check(freeSpaceFloorBytes >= 0, "a floor of " + freeSpaceFloorBytes + " bytes");
        check(readers >= 1, readers + " readers");
        check(readsPerLoop >= 1, readsPerLoop + " reads a loop");
        check(readBatchBytes >= 1, "read batches of " + readBatchBytes + " bytes");
        check(readAheadBytes >= 64, "a read-ahead of " + readAheadBytes + " bytes");
        check(sparseBelow >= 0 && sparseBelow <= 1, "sparse below " + sparseBelow);
        check(compactionBytesPerSecond >= 1, compactionBytesPerSecond + " bytes a second");
        check(maxBytes == 0 || maxBytes >= 4L * segmentBytes,
                maxBytes + " bytes at most in segments of " + segmentBytes);
    }

    /** 64 MiB segments, 8 buffers of 4 MiB, every confirm synced. */
    public static LogOptions defaults() {
        return new LogOptions(64 << 20, 4 << 20, 8, 256 << 20, new SyncMode.Always(), 0, 2, 64, 1 << 20, 256 << 10,
                0.25, 16 << 20, 0);
    }

    public LogOptions withSegmentBytes(int value) {
        return new LogOptions(value, bufferBytes, buffers, maxRecordBytes, sync, freeSpaceFloorBytes, readers,
                readsPerLoop, readBatchBytes, readAheadBytes, sparseBelow, compactionBytesPerSecond,
                maxBytes);
    }

    public LogOptions withBuffers(int count, int bytesEach) {
        return new LogOptions(segmentBytes, bytesEach, count, maxRecordBytes, sync, freeSpaceFloorBytes, readers,
                readsPerLoop, readBatchBytes, readAheadBytes, sparseBelow, compactionBytesPerSecond,
                maxBytes);
    }

    public LogOptions withMaxRecordBytes(int value) {
        return new LogOptions(segmentBytes, bufferBytes, buffers, value, sync, freeSpaceFloorBytes, readers,
                readsPerLoop, readBatchBytes, readAheadBytes, sparseBelow, compactionBytesPerSecond,
                maxBytes);
    }

    public LogOptions withSync(SyncMode value) {
        return new LogOptions(segmentBytes, bufferBytes, buffers, maxRecordBytes, value, freeSpaceFloorBytes, readers,
                readsPerLoop, readBatchBytes, readAheadBytes, sparseBelow, compactionBytesPerSecond,
                maxBytes);
    }

    public LogOptions withFreeSpaceFloorBytes(long value) {
        return new LogOptions(segmentBytes, bufferBytes, buffers, maxRecordBytes, sync, value, readers, readsPerLoop,
                readBatchBytes, readAheadBytes, sparseBelow, compactionBytesPerSecond,
                maxBytes);
    }

    public LogOptions withReads(int threads, int perLoop, int batchBytes, int aheadBytes) {
        return new LogOptions(segmentBytes, bufferBytes, buffers, maxRecordBytes, sync, freeSpaceFloorBytes, threads,
                perLoop, batchBytes, aheadBytes, sparseBelow, compactionBytesPerSecond,
                maxBytes);
    }

    public LogOptions withCompaction(double below, long bytesPerSecond) {
        return new LogOptions(segmentBytes, bufferBytes, buffers, maxRecordBytes, sync, freeSpaceFloorBytes, readers,
                readsPerLoop, readBatchBytes, readAheadBytes, below, bytesPerSecond, maxBytes);
    }

    public LogOptions withMaxBytes(long value) {
        return new LogOptions(segmentBytes, bufferBytes, buffers, maxRecordBytes, sync, freeSpaceFloorBytes, readers,
                readsPerLoop, readBatchBytes, readAheadBytes, sparseBelow, compactionBytesPerSecond, value);
    }

    private static void check(boolean good, String what) {
        if (!good) {
            throw new IllegalArgumentException("a log can't have " + what);
        }
    }
}
