package io.sluicemq.store;

import io.sluicemq.store.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Goes over the records of one segment file, first to last. Owned by one thread; nothing is written. */
final class RecordScanner {

    private static final int WINDOW_BYTES = 1 << 20;

    /** Up to this length what may be evidence is simply read. */
    private static final int SHORT_BYTES = 4096;

    /** What is at a position. */
    enum Found {
        /** A whole record that is the owner's, or one of the log's own that means something to it. */
        RECORD,
        /** The segment's regular end. */
        SEAL,
        /** No whole record. */
        NOTHING
    }

    private final DiskFile file;
    private final Segment segment;
    private final long logId;
    private final CRC32C crc = new CRC32C();
    private ByteBuffer window = buffer(0);
    private long windowStart;
    private long next;
    private long position;
    private int length;
    /** Made when there is a long record that may be evidence. */
    private RangeSums sums;

    RecordScanner(DiskFile file, Segment segment, long logId, long from) {
        this.file = file;
        this.segment = segment;
        this.logId = logId;
        this.next = Math.max(from, segment.firstRecord());
        this.windowStart = next;
    }

    private static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Looks at what follows the last record that was found. */
    Found next() throws IOException {
        position = next;
        if (!isRecordAt(position)) {
            return Found.NOTHING;
        }
        next = position + RecordFormat.aligned(length);
        return type() == RecordFormat.SEAL ? Found.SEAL : Found.RECORD;
    }

    private boolean isRecordAt(long at) throws IOException {
        if (at + RecordFormat.HEADER_BYTES > segment.end || !load(at, RecordFormat.HEADER_BYTES)) {
            return false;
        }
        length = RecordFormat.length(window, (int) (at - windowStart));
        return length >= RecordFormat.HEADER_BYTES
                && length <= segment.end - at
                && load(at, length)
                && RecordFormat.isValid(window, (int) (at - windowStart), length, at, logId, crc);
    }

    /**
     * Whether the segment begins with zeros, as one does that was made ready and never used: its first mebibyte, so that a
     * start need not read a whole spare segment. A first record that is damaged is no zeros.
     */
    boolean isUnused() throws IOException {
        long at = segment.firstRecord();
        int bytes = (int) Math.min(WINDOW_BYTES, segment.end - at);
        load(at, bytes);
        for (int i = 0; i < window.limit(); i++) {
            if (window.get(i) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Has so many bytes in the window; false if the file does not. */
    private boolean load(long at, int bytes) throws IOException {
        if (at >= windowStart && at + bytes <= windowStart + window.limit()) {
            return true;
        }
        int size = Math.max(bytes, (int) Math.min(WINDOW_BYTES, segment.end - at));
        if (window.capacity() != size) {
            window = buffer(size);
        }
        window.clear();
        int count = file.read(window, at - segment.start);
        windowStart = at;
        if (count < size) {
            ByteBuffer shorter = buffer(count);
            shorter.put(0, window, 0, count);
            window = shorter;
        }
        window.clear();
        return count >= bytes;
    }

    /** Where the look was last. */
    long position() {
        return position;
    }

    /** The position behind the record. */
    long endPosition() {
        return next;
    }

    int type() {
        return RecordFormat.type(window, offset());
    }

    /** The payload as written, moves with their prefix. Until the next call of {@link #next}. */
    ByteBuffer payload() {
        return window.slice(offset() + RecordFormat.HEADER_BYTES, length - RecordFormat.HEADER_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
    }

    int payloadBytes() {
        return length - RecordFormat.HEADER_BYTES;
    }

    /** Up to where the log was synced when the record was written; -1 if it doesn't say. */
    long syncedBefore() {
        return RecordFormat.syncedBefore(window, offset(), position);
    }

    private int offset() {
        return (int) (position - windowStart);
    }

    /**
     * What lies behind the last whole record, where there is none at {@link #position}.
     *
     * @param bytes from there to the last byte that is not zero
     * @param provenBy the position of a whole record that says that there was one here, and synced; -1 if there is none
     */
    record Leftover(long bytes, long provenBy) {}

    /** Looks at all that is behind {@link #position}. The scan can't go on after it. */
    Leftover leftover() throws IOException {
        long hole = position;
        long lastByte = -1;
        long provenBy = -1;
        for (long at = hole; at < segment.end; at += RecordFormat.ALIGNMENT) {
            if (!load(at, (int) Math.min(RecordFormat.ALIGNMENT, segment.end - at))) {
                break; // the file is shorter than it was
            }
            long word = wordAt(at);
            if (word == 0) {
                continue;
            }
            lastByte = at + (63 - Long.numberOfLeadingZeros(word)) / 8;
            if (provenBy < 0 && at > hole && isEvidence(at, hole)) {
                provenBy = at;
            }
        }
        return new Leftover(lastByte < 0 ? 0 : lastByte + 1 - hole, provenBy);
    }

    private long wordAt(long at) {
        int offset = (int) (at - windowStart);
        if (segment.end - at >= RecordFormat.ALIGNMENT) {
            return window.getLong(offset);
        }
        long word = 0; // the rest of a file that was cut short
        for (int i = 0; i < segment.end - at; i++) {
            word |= (window.get(offset + i) & 0xFFL) << 8 * i;
        }
        return word;
    }

    /**
     * Whether there is a whole record that says that the hole was synced. What is there may be any bytes, a client's even: so cheap
     * looks come first, and a long one costs no more than a short one.
     */
    private boolean isEvidence(long at, long hole) throws IOException {
        if (at + RecordFormat.HEADER_BYTES > segment.end || !load(at, RecordFormat.HEADER_BYTES)) {
            return false;
        }
        int offset = (int) (at - windowStart);
        int claimed = RecordFormat.length(window, offset);
        if (claimed < RecordFormat.HEADER_BYTES
                || claimed > segment.end - at
                || RecordFormat.type(window, offset) == 0
                || RecordFormat.syncedBefore(window, offset, at) <= hole) {
            return false;
        }
        if (claimed <= SHORT_BYTES) {
            return isRecordAt(at);
        }
        if (sums == null) {
            sums = new RangeSums(file, hole - segment.start, segment.end - segment.start);
        }
        long from = at + RecordFormat.SUMMED_FROM - segment.start;
        long to = at + claimed - segment.start;
        return sums.covers(from, to)
                && RecordFormat.isValid(window, offset, claimed, at, logId, sums.of(from, to));
    }
}
