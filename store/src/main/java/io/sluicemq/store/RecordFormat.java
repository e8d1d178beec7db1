package io.sluicemq.store;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The layout of a record; all numbers little-endian, the record's first byte at a position divisible by 8.
 *
 * <pre>
 *  0          4          8      9            12
 *  +----------+----------+------+------------+---------------- - - - --+--------------+
 *  |  length  | checksum | type | syncedBack | payload                 | 0..7 zeros   |
 *  +----------+----------+------+------------+---------------- - - - --+--------------+
 *
 *  length      from the first byte to the end of the payload, so 12 or more. 0: no record here.
 *  checksum    CRC-32C over bytes 8 to length, exclusive-or a {@link #mask} of the record's position, its length and the log's
 *              id: bytes of another place, another log or another length are no record here.
 *  type        1 to {@value #MAX_USER_TYPE}: the owner's. Beyond: the log's own.
 *  syncedBack  when this record was written, the log was synced up to position - 8 * syncedBack; 0xFFFFFF: not known.
 * </pre>
 *
 * <p>{@code syncedBack} is evidence. After a loss of power the disk may have kept a later part of what was never synced, and
 * not an earlier one: that is a torn tail, which nobody was promised. But if a record behind a hole says that the hole had
 * been synced, then something that was promised is gone. So the two can be told apart.
 *
 * <p>The length is written last and with release semantics, when all else is in place: in a buffer a length of 0 is a record
 * that is claimed and not yet complete.
 */
final class RecordFormat {

    static final int HEADER_BYTES = 12;
    static final int ALIGNMENT = 8;
    static final int MAX_PAYLOAD_BYTES = 1 << 30;
    static final int MAX_USER_TYPE = 239;

    /** Bytes that mean nothing: a claim that was taken back. */
    static final int PAD = 255;
    /** The segment ends here. Payload: the position where the next one starts (8 bytes). */
    static final int SEAL = 254;
    /** Nothing but the evidence in its header. */
    static final int MARK = 253;
    /** A record that was copied. Payload: the position it had (8 bytes), its type (1), 3 zeros, its payload. */
    static final int MOVED = 252;

    static final int SEAL_PAYLOAD_BYTES = 8;
    static final int SEAL_BYTES = aligned(HEADER_BYTES + SEAL_PAYLOAD_BYTES);
    static final int MOVED_PREFIX_BYTES = 12;

    static final int SYNCED_UNKNOWN = 0xFFFFFF;

    private static final int CHECKSUM_AT = 4;
    private static final int TYPE_AT = 8;

    /** The first byte of a record that its checksum is over. */
    static final int SUMMED_FROM = TYPE_AT;

    private static final VarHandle INT =
            MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private RecordFormat() {}

    static int aligned(int length) {
        return (length + ALIGNMENT - 1) & -ALIGNMENT;
    }

    /** The bytes that a record with such a payload takes in the log. */
    static int recordBytes(int payloadBytes) {
        return aligned(HEADER_BYTES + payloadBytes);
    }

    /** What the checksum of a record is masked with, so that it is good in one place of one log only. */
    static int mask(long logId, long position, int length) {
        long x = (position ^ logId) + length * 0x9E3779B97F4A7C15L;
        x = (x ^ x >>> 32) * 0xD6E8FEB86659FD93L;
        return (int) (x ^ x >>> 32);
    }

    /**
     * Completes a record whose payload is in place.
     *
     * @param buffer its limit is moved; direct and aligned where other threads wait for the length
     * @param offset where the record begins in the buffer
     * @param synced up to where the log is known to be synced; beyond {@code position} never
     */
    static void complete(
            ByteBuffer buffer, int offset, int payloadBytes, int type, long position, long synced, long logId,
            CRC32C crc) {
        int length = HEADER_BYTES + payloadBytes;
        long back = (position - synced) / ALIGNMENT;
        int syncedBack = synced < 0 || back >= SYNCED_UNKNOWN ? SYNCED_UNKNOWN : (int) back;
        buffer.clear();
        buffer.putInt(offset + TYPE_AT, type | syncedBack << 8);
        buffer.putInt(offset + CHECKSUM_AT, checksum(buffer, offset, length, position, logId, crc));
        INT.setRelease(buffer, offset, length);
    }

    /** The length of the record at {@code offset}, 0 if it is not complete; what the record holds is seen after it. */
    static int lengthAcquire(ByteBuffer buffer, int offset) {
        return (int) INT.getAcquire(buffer, offset);
    }

    static int length(ByteBuffer buffer, int offset) {
        return buffer.getInt(offset);
    }

    static int type(ByteBuffer buffer, int offset) {
        return buffer.get(offset + TYPE_AT) & 0xFF;
    }

    /** Up to where the log was synced when the record at {@code offset} was written; -1 if it doesn't say. */
    static long syncedBefore(ByteBuffer buffer, int offset, long position) {
        int back = buffer.getInt(offset + TYPE_AT) >>> 8;
        return back == SYNCED_UNKNOWN ? -1 : position - (long) back * ALIGNMENT;
    }

    /** Whether there is a whole record at {@code offset}, all of it within the buffer's capacity. Moves the buffer's limit. */
    static boolean isValid(ByteBuffer buffer, int offset, int length, long position, long logId, CRC32C crc) {
        return length >= HEADER_BYTES
                && length <= buffer.capacity() - offset
                && type(buffer, offset) != 0
                && buffer.getInt(offset + CHECKSUM_AT) == checksum(buffer, offset, length, position, logId, crc);
    }

    /** As {@link #isValid}, for a record of which only the header is in the buffer, by the sum of the bytes from {@link #SUMMED_FROM} on. */
    static boolean isValid(ByteBuffer buffer, int offset, int length, long position, long logId, int sum) {
        return type(buffer, offset) != 0
                && buffer.getInt(offset + CHECKSUM_AT) == (sum ^ mask(logId, position, length));
    }

    private static int checksum(ByteBuffer buffer, int offset, int length, long position, long logId, CRC32C crc) {
        crc.reset();
        buffer.limit(offset + length).position(offset + TYPE_AT);
        crc.update(buffer);
        buffer.clear();
        return (int) crc.getValue() ^ mask(logId, position, length);
    }
}
