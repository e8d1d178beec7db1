package io.sluicemq.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A batch of reads on its way: filled by a reader thread, then run as an event on the loop that asked. One thread has it at a
 * time.
 */
final class ReadRequest implements Runnable {

    final LogPort port;
    final long[] positions;
    final int from;
    final int count;
    private final ReadBatch batch;

    private final int[] types;
    private final int[] ends;
    private byte[] bytes = {};
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
        if (bytes.length - size < length) {
            bytes = java.util.Arrays.copyOf(bytes, Math.max(size + length, Math.min(bytes.length, 1 << 20) * 2));
        }
        payload.get(bytes, size, length);
        size += length;
        types[read] = type;
        ends[read++] = size;
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
        ByteBuffer view = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < read; i++) {
            view.limit(ends[i]).position(i == 0 ? 0 : ends[i - 1]);
            batch.record(positions[from + i], types[i], view);
        }
        batch.done(read, failure);
    }
}
