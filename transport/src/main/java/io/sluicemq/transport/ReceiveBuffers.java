package io.sluicemq.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;

/**
 * Buffers to read sockets into: between 2 KiB and 64 KiB as a connection's traffic asks, and a few of them a turn at most,
 * so that a busy connection does not starve the others. Each leaves {@link #HEADROOM} bytes free in front, into which the
 * partial frame that the buffer before it ended with is copied: what was read stays where it is. Safe from any thread;
 * its handles belong to one connection each.
 */
final class ReceiveBuffers extends DefaultMaxMessagesRecvByteBufAllocator {

    static final int HEADROOM = 4096;

    private static final int MIN_BYTES = 2048;
    private static final int MAX_BYTES = 64 * 1024;
    private static final int READS_A_TURN = 4;

    ReceiveBuffers() {
        super(READS_A_TURN);
    }

    @Override
    @SuppressWarnings("deprecation") // the type that Netty's own interface still names here
    public RecvByteBufAllocator.Handle newHandle() {
        return new Sizes();
    }

    /** Grows at once when a buffer was filled, shrinks when two turns on end needed a quarter of it or less. */
    private final class Sizes extends MaxMessageHandle {

        private int size = MIN_BYTES;
        private boolean wasSparse;

        @Override
        public int guess() {
            return size;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            ByteBuf buffer = allocator.ioBuffer(HEADROOM + size);
            return buffer.setIndex(HEADROOM, HEADROOM);
        }

        @Override
        public void lastBytesRead(int bytes) {
            if (bytes == attemptedBytesRead() && size < MAX_BYTES) {
                size = Math.min(MAX_BYTES, size * 8);
                wasSparse = false;
            }
            super.lastBytesRead(bytes);
        }

        @Override
        public void readComplete() {
            boolean sparse = size > MIN_BYTES && totalBytesRead() <= size / 4;
            if (sparse && wasSparse) {
                size = Math.max(MIN_BYTES, size / 2);
                sparse = false;
            }
            wasSparse = sparse;
        }
    }
}
