package io.sluicemq.protocol.amqp10.codec;

import io.netty.buffer.ByteBuf;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBufferAllocator;
import org.apache.qpid.protonj2.types.transport.ConnectionError;

/**
 * Cuts a stream into frames (§2.3.1). A frame's body is handed on in a buffer that is overwritten by the next one. Owned by the
 * connection's loop.
 *
 * <pre>
 *  0       4      5      6         8            doff * 4
 *  +-------+------+------+---------+- - - - - - - +- - - - -+
 *  | size  | doff | type | channel | ext. header  |  body   |
 *  +-------+------+------+---------+- - - - - - - +- - - - -+
 * </pre>
 */
public final class FrameReader {

    /** Bytes of a frame's head, and the size of the smallest frame. */
    public static final int HEAD_BYTES = 8;

    /** The largest frame that every peer takes (§2.7.1). */
    public static final int LEAST_MAX_FRAME = 512;

    /** The frame type of AMQP frames (§2.3.2). */
    public static final int TYPE_AMQP = 0;

    /** The frame type of SASL frames (§5.3.1). */
    public static final int TYPE_SASL = 1;

    private static final int WORD = 4;

    /** Where frames go. */
    public interface Handler {

        /**
         * A frame has come.
         *
         * @param body its body, perhaps empty; of use until this returns
         * @return whether the next one may come at once
         */
        boolean onFrame(int type, int channel, ProtonBuffer body) throws AmqpFault;
    }

    private byte[] bytes = {};
    private ProtonBuffer body = ProtonByteArrayBufferAllocator.wrapped(bytes);
    private long maxFrameBytes;

    /** @param maxFrameBytes the largest frame that is taken */
    public FrameReader(long maxFrameBytes) {
        this.maxFrameBytes = maxFrameBytes;
    }

    /** Changes the size of the largest frame that is taken. */
    public void maxFrameBytes(long bytes) {
        maxFrameBytes = bytes;
    }

    /**
     * Hands on the whole frames that are in {@code in}, until one says that the next must wait.
     *
     * @throws AmqpFault for a frame that is no frame, and what the handler throws
     */
    public void read(ByteBuf in, Handler handler) throws AmqpFault {
        boolean more = true;
        while (more && in.readableBytes() >= WORD) {
            int start = in.readerIndex();
            long size = in.getUnsignedInt(start);
            if (size < HEAD_BYTES || size > maxFrameBytes) {
                throw framing(
                        size < HEAD_BYTES
                                ? "a frame of " + size + " bytes"
                                : "a frame of " + size + " bytes, but at most " + maxFrameBytes + " were agreed on");
            }
            if (in.readableBytes() < size) {
                return;
            }
            int offset = in.getUnsignedByte(start + 4) * WORD;
            if (offset < HEAD_BYTES || offset > size) {
                throw framing("a frame of " + size + " bytes whose body begins at " + offset);
            }
            int length = (int) size - offset;
            int type = in.getUnsignedByte(start + 5);
            int channel = in.getUnsignedShort(start + 6);
            room(length);
            in.getBytes(start + offset, bytes, 0, length);
            in.skipBytes((int) size);
            body.setReadOffset(0);
            body.setWriteOffset(length);
            more = handler.onFrame(type, channel, body);
        }
    }

    private static AmqpFault framing(String what) {
        return AmqpFault.connection(ConnectionError.FRAMING_ERROR, what);
    }

    private void room(int length) {
        if (bytes.length < length) {
            bytes = new byte[Math.max(length, Math.min(2 * bytes.length, (int) maxFrameBytes))];
            body = ProtonByteArrayBufferAllocator.wrapped(bytes);
        }
    }

    /** The bytes of the body at hand, from index 0 on. */
    public byte[] bodyBytes() {
        return bytes;
    }
}
