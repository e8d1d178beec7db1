package io.sluicemq.store;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The payload of a {@link RecordFormat#MOVED} record: where the record was, its type and its payload. */
record MovedRecord(long from, int type, ByteBuffer payload) {

    static MovedRecord decode(ByteBuffer moved) {
        int start = moved.position();
        int prefix = RecordFormat.MOVED_PREFIX_BYTES;
        return new MovedRecord(moved.getLong(start), moved.get(start + 8) & 0xFF,
                moved.slice(start + prefix, moved.remaining() - prefix).order(ByteOrder.LITTLE_ENDIAN));
    }

    static void encodePrefix(ByteBuffer target, long from, int type) {
        target.putLong(from).put((byte) type).put((byte) 0).putShort((short) 0);
    }
}
