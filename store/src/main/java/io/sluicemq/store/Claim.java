package io.sluicemq.store;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Bytes that one thread has claimed and is about to fill. Owned by that thread, and used again for its next record, so that
 * nothing is allocated for one.
 */
final class Claim {

    private final CRC32C crc = new CRC32C();
    private ByteBuffer[] views = new ByteBuffer[8];
    private AppendBuffer buffer;
    private ByteBuffer view;
    private int offset;

    void set(AppendBuffer claimedIn, int claimedAt) {
        buffer = claimedIn;
        offset = claimedAt;
        view = viewOf(claimedIn);
    }

    private ByteBuffer viewOf(AppendBuffer target) {
        int slot = target.slot;
        if (slot < 0) {
            return target.memory.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        }
        if (slot >= views.length) {
            views = java.util.Arrays.copyOf(views, Math.max(slot + 1, views.length * 2));
        }
        if (views[slot] == null) {
            views[slot] = target.memory.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        }
        return views[slot];
    }

    /** Where the payload goes: from the buffer's position to its limit. */
    ByteBuffer payload(int payloadBytes) {
        int start = offset + RecordFormat.HEADER_BYTES;
        view.limit(start + payloadBytes).position(start);
        return view;
    }

    /** Makes the record whole, for the writer to see. */
    void complete(int payloadBytes, int type, long synced, long logId) {
        long position = buffer.base + offset;
        RecordFormat.complete(view, offset, payloadBytes, type, position, Math.min(synced, position), logId, crc);
        buffer = null;
        view = null;
    }
}
