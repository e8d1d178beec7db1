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

    private ContentWriter() {}

    /** Bytes of the content header frame with these properties, which cannot be split. */
    static int headerFrameLength(byte[] properties) {
        return FrameFormat.OVERHEAD + HEADER_FIXED + properties.length;
    }

    static void write(ByteBuf out, int channel, int frameMax, byte[] properties, byte[] body) {
        out.ensureWritable(headerFrameLength(properties) + FrameEncoder.bodyFramesLength(frameMax, body.length));
        out.writeByte(FrameFormat.HEADER).writeShort(channel).writeInt(HEADER_FIXED + properties.length);
        out.writeInt(BASIC_CLASS << 16).writeLong(body.length);
        out.writeBytes(properties);
        out.writeByte(FrameFormat.END);
        FrameEncoder.bodyFrames(out, channel, frameMax, body, 0, body.length);
    }
}
