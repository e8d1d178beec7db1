package io.sluicemq.store;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A batch of reads on its way: filled by a reader thread, then run as an event on the loop that asked. One thread has it at a
 * time.
 *
 * <p>What is large lies outside the heap until the loop has read it: a heap that has room for a large message need not have room
 * for two of it.
 */
final class ReadRequest implements Runnable {

    /** Bytes beyond which they are kept outside the heap. */
    private static final int LARGE = 4 << 20;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    final LogPort port;
    final long[] positions;
    final int from;
    final int count;
    private final ReadBatch batch;

    private final int[] types;
    private final int[] ends;
    private ByteBuffer bytes = NOTHING;
    /** Of {@link #bytes}, if they lie outside the heap. */
    private Arena outside;
    private int size;
    private int read;
    private IOException failure;

    ReadRequest(LogPort port, long[] positions, int from, int count, ReadBatch batch) {
        this.port = port;
        this.positions = positions;
        this.from = from;
        this.count = count;
        this.batch = batch;
        this.types = new int[count];
        this.ends = new int[count];
    }

    int bytes() {
        return size;
    }

    /** Copies a payload, from the buffer's position to its limit. */
    void add(int type, ByteBuffer payload) {
        int length = payload.remaining();
        if (bytes.capacity() - size < length) {
            grow(Math.max(size + length, Math.min(bytes.capacity(), 1 << 20) * 2));
        }
        bytes.put(size, payload, payload.position(), length);
        payload.position(payload.limit());
        size += length;
        types[read] = type;
        ends[read++] = size;
    }

    private void grow(int capacity) {
        Arena before = outside;
        ByteBuffer larger;
        if (capacity > LARGE) {
            outside = Arena.ofShared();
            larger = outside.allocate(capacity).asByteBuffer();
        } else {
            larger = ByteBuffer.allocate(capacity);
        }
        larger.put(0, bytes, 0, size);
        bytes = larger;
        if (before != null) {
            before.close();
        }
    }

    void fail(IOException reason) {
        failure = reason;
    }

    /** Sends the batch to its loop. */
    void send() {
        port.loop().execute(this);
    }

    @Override
    public void run() {
        port.readDone();
        try {
            ByteBuffer view = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
            for (int i = 0; i < read; i++) {
                view.limit(ends[i]).position(i == 0 ? 0 : ends[i - 1]);
                batch.record(positions[from + i], types[i], view);
            }
        } finally {
            bytes = NOTHING;
            if (outside != null) {
                outside.close();
            }
        }
        batch.done(read, failure);
    }
}
