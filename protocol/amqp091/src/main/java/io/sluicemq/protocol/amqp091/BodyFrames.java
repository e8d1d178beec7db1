package io.sluicemq.protocol.amqp091;

import io.sluicemq.api.LateBytes;
import io.sluicemq.protocol.amqp091.codec.FrameFormat;
import java.nio.ByteBuffer;

/**
 * The body frames of a large content (spec §4.2.6): full ones of {@code chunk} bytes of body, and a last one with the rest.
 *
 * @param from where the content begins in {@code body}
 * @param bodyLength its bytes, at least 1
 */
record BodyFrames(int channel, byte[] body, int from, int bodyLength, int chunk) implements LateBytes {

    private int frameLength() {
        return chunk + FrameFormat.OVERHEAD;
    }

    @Override
    public long length() {
        long frames = (bodyLength + (long) chunk - 1) / chunk;
        return bodyLength + frames * FrameFormat.OVERHEAD;
    }

    @Override
    public void copy(long position, ByteBuffer target) {
        long at = position;
        while (at < length() && target.hasRemaining()) {
            int start = (int) (at / frameLength()) * chunk;
            int size = Math.min(chunk, bodyLength - start);
            int within = (int) (at % frameLength());
            if (within < FrameFormat.PREFIX) {
                target.put(prefixByte(within, size));
                at++;
            } else if (within < FrameFormat.PREFIX + size) {
                int done = within - FrameFormat.PREFIX;
                int length = Math.min(size - done, target.remaining());
                target.put(body, from + start + done, length);
                at += length;
            } else {
                target.put(FrameFormat.END);
                at++;
            }
        }
    }

    /** A byte of frame type, channel and size. */
    private byte prefixByte(int index, int size) {
        return switch (index) {
            case 0 -> FrameFormat.BODY;
            case 1 -> (byte) (channel >> 8);
            case 2 -> (byte) channel;
            default -> (byte) (size >> 8 * (6 - index));
        };
    }
}
