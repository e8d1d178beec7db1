package io.sluicemq.protocol.amqp091;

import io.netty.buffer.ByteBuf;
import io.sluicemq.protocol.amqp091.codec.FrameEncoder;
import io.sluicemq.protocol.amqp091.codec.FrameFormat;
import io.sluicemq.protocol.amqp091.codec.MethodId;

/** Writes the content header and body frames that follow a deliver, get-ok or return, from a message's own bytes. */
final class ContentWriter {

    /** Class, weight and body size, in bytes. */
    private static final int HEADER_FIXED = 12;

    private static final int BASIC_CLASS = MethodId.classOf(MethodId.BASIC_DELIVER);

    /** From this length on, in bytes, a body is not copied into the output before the socket takes it. */
    private static final int LARGE = 256 * 1024;

    private ContentWriter() {}

    /** Bytes of the content header frame with these properties, which cannot be split. */
    static int headerFrameLength(byte[] properties) {
        return FrameFormat.OVERHEAD + HEADER_FIXED + properties.length;
    }

    /** Writes all frames of a content; each begins in whatever buffer the connection then offers. */
    static void write(ConnectionSession connection, int channel, byte[] properties, byte[] body) {
        write(connection, channel, properties, body, 0, body.length);
    }

    /** Writes all frames of a content whose body is {@code bodyLength} bytes of {@code body} from {@code from} on. */
    static void write(
            ConnectionSession connection, int channel, byte[] properties, byte[] body, int from, int bodyLength) {
        int chunk = Math.min(FrameEncoder.bodyChunk(connection.frameMax()), Math.max(1, bodyLength));
        boolean late = bodyLength >= LARGE;
        ByteBuf out = connection.out();
        out.ensureWritable(headerFrameLength(properties) + (late ? 0 : FrameFormat.OVERHEAD + chunk));
        out.writeByte(FrameFormat.HEADER).writeShort(channel).writeInt(HEADER_FIXED + properties.length);
        out.writeInt(BASIC_CLASS << 16).writeLong(bodyLength);
        out.writeBytes(properties);
        out.writeByte(FrameFormat.END);
        if (late) {
            connection.write(new BodyFrames(channel, body, from, bodyLength, chunk));
            return;
        }
        for (int at = 0; at < bodyLength; at += chunk) {
            int length = Math.min(chunk, bodyLength - at);
            FrameEncoder.bodyFrameStart(out, channel, length);
            out.writeBytes(body, from + at, length);
            out.writeByte(FrameFormat.END);
            if (bodyLength > chunk) {
                out = connection.out();
            }
        }
    }
}
