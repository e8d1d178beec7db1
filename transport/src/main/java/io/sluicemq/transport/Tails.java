package io.sluicemq.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** The tail of input that a session has left, and how what arrives is put behind it with as little copying as may be. */
final class Tails {

    /** A buffer that is this many times larger than what is left in it is exchanged for a smaller one. */
    private static final int WASTEFUL = 4;

    private Tails() {}

    /**
     * One buffer with the bytes of {@code tail}, then those of {@code in}. Takes both over. A small tail goes into the room
     * in front of {@code in}; else {@code in} is copied behind the tail, whose buffer doubles as it grows.
     */
    static ByteBuf join(ByteBuf tail, ByteBuf in) {
        int length = tail.readableBytes();
        int room = in.readerIndex();
        if (length <= room) {
            in.setBytes(room - length, tail, tail.readerIndex(), length);
            in.readerIndex(room - length);
            tail.release();
            return in;
        }
        if (tail.writableBytes() < in.readableBytes()) {
            tail.discardReadBytes();
        }
        tail.writeBytes(in);
        in.release();
        return tail;
    }

    /** The same bytes, in a buffer that is not much larger than they are. Takes {@code tail} over. */
    static ByteBuf trim(ByteBuf tail, ByteBufAllocator allocator) {
        int length = tail.readableBytes();
        if (tail.capacity() / WASTEFUL <= length) {
            return tail;
        }
        ByteBuf small = allocator.directBuffer(length).writeBytes(tail);
        tail.release();
        return small;
    }
}
