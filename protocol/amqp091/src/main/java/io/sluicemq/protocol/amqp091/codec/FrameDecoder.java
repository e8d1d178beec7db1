package io.sluicemq.protocol.amqp091.codec;

import io.netty.buffer.ByteBuf;

/**
 * Cuts a client's bytes into frames and decodes them (spec §4.2.3). One per connection, owned by the connection's
 * loop; it keeps no bytes between calls, only caches. The hot frames (publish, ack, nack, reject, body, and headers
 * that repeat) are decoded without allocating.
 *
 * <p>The caller cumulates: {@link #decode} consumes whole frames and leaves the rest. Everything a peer can send ends
 * in callbacks, in "need more", or in a {@link ProtocolFaultException}. After a fault in well delimited bytes the
 * reader index is behind the bad frame, and decoding may go on, for instance to find the close-ok. After a fault that
 * loses the stream, all further bytes are discarded.
 */
public final class FrameDecoder {

    /** Properties up to this length are remembered, in bytes; larger ones hardly repeat. */
    private static final int REMEMBERED_PROPERTIES = 512;
    /** From this length on, in bytes, a bulk copy is worth what it allocates. */
    private static final int BULK_COPY = 512;
    private static final int METHOD_ID_LENGTH = 4;
    /** The longest possible publish payload. Also what any shorter method is copied to. */
    private static final int SCRATCH = METHOD_ID_LENGTH + 2 + 2 * (1 + ShortString.MAX_BYTES) + 1;

    private final ShortStringCache strings;
    private final byte[] scratch = new byte[SCRATCH];
    private final WireReader reader = new WireReader();
    private BasicProperties lastProperties = BasicProperties.EMPTY;
    private int frameMax = FrameFormat.MIN_FRAME_MAX;
    private boolean paused;
    private boolean streamLost;
    private int payloadBytes;
    private int methods;

    /** A decoder for a new connection, which takes frames of up to 4096 bytes until told otherwise. */
    public FrameDecoder(ShortStringCache strings) {
        this.strings = strings;
    }

    /**
     * Sets the limit of a frame. Like RabbitMQ, the payload alone may have that many bytes: some clients count so.
     *
     * @param bytes the frame-max agreed on, or more leniency before that; at least {@link FrameFormat#MIN_FRAME_MAX}
     */
    public void frameMax(int bytes) {
        if (bytes < FrameFormat.MIN_FRAME_MAX) {
            throw new IllegalArgumentException("frame-max is at least 4096, not " + bytes);
        }
        frameMax = bytes;
    }

    /** Within a callback: the length of its frame's payload, in bytes. */
    public int payloadBytes() {
        return payloadBytes;
    }

    /** From within a callback: makes {@link #decode} return after it, whatever is left in the buffer. */
    public void pause() {
        paused = true;
    }

    /**
     * Decodes all whole frames in {@code in}, moving its reader index behind each before its callback is called.
     *
     * @return how many more bytes the next frame needs at least; 0 if {@link #pause} ended the call
     * @throws ProtocolFaultException if the bytes are refused; see the class comment for what may follow
     */
    public int decode(ByteBuf in, FrameHandler handler) {
        if (streamLost) {
            in.skipBytes(in.readableBytes());
            return FrameFormat.OVERHEAD;
        }
        paused = false;
        while (!paused) {
            int start = in.readerIndex();
            int readable = in.readableBytes();
            if (readable < FrameFormat.PREFIX) {
                return FrameFormat.OVERHEAD - readable;
            }
            int type = in.getUnsignedByte(start);
            int channel = in.getUnsignedShort(start + 1);
            int size = in.getInt(start + 3);
            checkPrefix(type, size);
            if (readable - FrameFormat.OVERHEAD < size) {
                return size + FrameFormat.OVERHEAD - readable;
            }
            int payload = start + FrameFormat.PREFIX;
            if (in.getByte(payload + size) != FrameFormat.END) {
                throw lost("a frame of " + size + " bytes does not end with 0xCE");
            }
            in.readerIndex(payload + size + 1);
            payloadBytes = size;
            switch (type) {
                case FrameFormat.METHOD -> method(channel, in, payload, size, handler);
                case FrameFormat.HEADER -> header(channel, in, payload, size, handler);
                case FrameFormat.BODY -> {
                    requireContentChannel(channel);
                    handler.onContentBody(channel, in, payload, size);
                }
                default -> heartbeat(channel, size, handler);
            }
        }
        return 0;
    }

    /** Refuses a frame by its first seven bytes, before its payload has been waited for. */
    private void checkPrefix(int type, int size) {
        boolean known = type >= FrameFormat.METHOD && type <= FrameFormat.BODY || type == FrameFormat.HEARTBEAT;
        if (!known) {
            throw lost("unknown frame type " + type);
        }
        if (Integer.compareUnsigned(size, frameMax) > 0) {
            throw lost("a frame of " + Integer.toUnsignedString(size) + " bytes exceeds the frame-max of " + frameMax);
        }
    }

    private ProtocolFaultException lost(String text) {
        streamLost = true;
        return new ProtocolFaultException(new ProtocolFault(ReplyCode.FRAME_ERROR, text, 0, 0, true));
    }

    /**
     * Copies {@code length} bytes. Short ranges are copied in longs: the buffers' own bulk read of a direct buffer
     * allocates a view each time.
     */
    private static void copy(ByteBuf in, int index, byte[] target, int length) {
        if (length > BULK_COPY) {
            in.getBytes(index, target, 0, length);
            return;
        }
        int i = 0;
        for (; i <= length - Long.BYTES; i += Long.BYTES) {
            Utf8.LONGS.set(target, i, in.getLong(index + i));
        }
        for (; i < length; i++) {
            target[i] = in.getByte(index + i);
        }
    }

    private static ProtocolFaultException fault(int method, ReplyCode code, String text) {
        return new ProtocolFaultException(ProtocolFault.at(method, code, text));
    }

    // ---- methods -----------------------------------------------------------------------------------------------

    /** How many methods have been decoded since this was asked last. */
    public int takeMethods() {
        int taken = methods;
        methods = 0;
        return taken;
    }

    private void method(int channel, ByteBuf in, int index, int size, FrameHandler handler) {
        methods++;
        if (size < METHOD_ID_LENGTH) {
            throw fault(0, ReplyCode.SYNTAX_ERROR, "a method frame without a method");
        }
        int method = in.getInt(index);
        requireRightChannel(method, channel);
        switch (method) {
            case MethodId.BASIC_PUBLISH -> publish(channel, in, index, size, handler);
            case MethodId.BASIC_ACK -> {
                int bits = tagAndBits(method, in, index, size);
                handler.onAck(channel, tag(in, index), (bits & 1) != 0);
            }
            case MethodId.BASIC_NACK -> {
                int bits = tagAndBits(method, in, index, size);
                handler.onNack(channel, tag(in, index), (bits & 1) != 0, (bits & 2) != 0);
            }
            case MethodId.BASIC_REJECT -> {
                int bits = tagAndBits(method, in, index, size);
                handler.onReject(channel, tag(in, index), (bits & 1) != 0);
            }
            default -> control(method, channel, in, index, size, handler);
        }
    }

    /** Connection methods are for channel 0, which has no others; a violation is a 503 (spec §4.2.3). */
    private static void requireRightChannel(int method, int channel) {
        boolean connectionMethod = MethodId.classOf(method) == MethodId.classOf(MethodId.CONNECTION_START);
        if (connectionMethod != (channel == 0)) {
            throw fault(method, ReplyCode.COMMAND_INVALID,
                    MethodId.name(method) + " may not come on channel " + channel);
        }
    }

    private static int tagAndBits(int method, ByteBuf in, int index, int size) {
        if (size != METHOD_ID_LENGTH + Long.BYTES + 1) {
            throw fault(method, ReplyCode.SYNTAX_ERROR, MethodId.name(method) + ": wrong length " + size);
        }
        return in.getByte(index + METHOD_ID_LENGTH + Long.BYTES);
    }

    private static long tag(ByteBuf in, int index) {
        return in.getLong(index + METHOD_ID_LENGTH);
    }

    private void publish(int channel, ByteBuf in, int index, int size, FrameHandler handler) {
        byte[] bytes;
        int from;
        if (in.hasArray()) {
            bytes = in.array();
            from = in.arrayOffset() + index;
        } else if (size <= SCRATCH) {
            bytes = scratch;
            from = 0;
            copy(in, index, bytes, size);
        } else {
            throw fault(MethodId.BASIC_PUBLISH, ReplyCode.SYNTAX_ERROR, "basic.publish: too many arguments");
        }
        ShortString exchange;
        ShortString routingKey;
        int bitsAt;
        try {
            int end = from + size;
            int exchangeAt = from + METHOD_ID_LENGTH + Short.BYTES;
            int routingKeyAt = FieldTable.shortStringEnd(bytes, exchangeAt, end);
            bitsAt = FieldTable.shortStringEnd(bytes, routingKeyAt, end);
            if (bitsAt + 1 != end) {
                throw ProtocolFaultException.syntax("the arguments have the wrong length");
            }
            exchange = strings.decode(bytes, exchangeAt + 1, routingKeyAt - exchangeAt - 1);
            routingKey = strings.decode(bytes, routingKeyAt + 1, bitsAt - routingKeyAt - 1);
        } catch (ProtocolFaultException e) {
            throw e.locatedAt(MethodId.BASIC_PUBLISH);
        }
        int bits = bytes[bitsAt];
        handler.onPublish(channel, exchange, routingKey, (bits & 1) != 0, (bits & 2) != 0);
    }

    private void control(int method, int channel, ByteBuf in, int index, int size, FrameHandler handler) {
        ClientMethod decoded;
        try {
            byte[] bytes = size <= SCRATCH ? scratch : new byte[size];
            copy(in, index, bytes, size);
            WireReader arguments = reader.over(bytes, METHOD_ID_LENGTH, size);
            decoded = channel == 0
                    ? MethodDecoder.connectionMethod(method, arguments)
                    : MethodDecoder.channelMethod(method, arguments);
            if (decoded == null) {
                throw notForUs(method);
            }
            arguments.finish();
        } catch (ProtocolFaultException e) {
            throw e.locatedAt(method);
        }
        switch (decoded) {
            case ConnectionMethod connectionMethod -> handler.onConnectionMethod(connectionMethod);
            case ChannelMethod channelMethod -> handler.onChannelMethod(channel, channelMethod);
        }
    }

    private static ProtocolFaultException notForUs(int method) {
        return MethodId.known(method)
                ? fault(method, ReplyCode.COMMAND_INVALID, MethodId.name(method) + " is not for a client to send")
                : fault(method, ReplyCode.NOT_IMPLEMENTED, "unknown " + MethodId.name(method));
    }

    // ---- content -----------------------------------------------------------------------------------------------

    private void header(int channel, ByteBuf in, int index, int size, FrameHandler handler) {
        requireContentChannel(channel);
        if (size < FrameFormat.CONTENT_HEADER_FIXED) {
            throw badHeader(ReplyCode.SYNTAX_ERROR, "a content header is cut short");
        }
        int contentClass = in.getUnsignedShort(index);
        if (contentClass != MethodId.classOf(MethodId.BASIC_PUBLISH)) {
            throw badHeader(ReplyCode.UNEXPECTED_FRAME, "a content header of class " + contentClass + ", not 60");
        }
        if (in.getShort(index + 2) != 0) {
            throw badHeader(ReplyCode.UNEXPECTED_FRAME, "a content header with a weight");
        }
        long bodySize = in.getLong(index + 4);
        if (bodySize < 0) {
            throw badHeader(ReplyCode.SYNTAX_ERROR,
                    "a body size of " + Long.toUnsignedString(bodySize) + " is not possible");
        }
        BasicProperties properties =
                properties(in, index + FrameFormat.CONTENT_HEADER_FIXED, size - FrameFormat.CONTENT_HEADER_FIXED);
        handler.onContentHeader(channel, bodySize, properties);
    }

    private BasicProperties properties(ByteBuf in, int index, int length) {
        if (lastProperties.sameBytes(in, index, length)) {
            return lastProperties;
        }
        byte[] bytes = new byte[length];
        copy(in, index, bytes, length);
        BasicProperties properties;
        try {
            properties = BasicProperties.of(bytes);
        } catch (ProtocolFaultException e) {
            throw e.locatedAt(MethodId.BASIC_PUBLISH);
        }
        if (length <= REMEMBERED_PROPERTIES) {
            lastProperties = properties;
        }
        return properties;
    }

    private static ProtocolFaultException badHeader(ReplyCode code, String text) {
        return fault(MethodId.BASIC_PUBLISH, code, text);
    }

    /** Content on channel 0 is a 504 (spec §4.2.6). */
    private static void requireContentChannel(int channel) {
        if (channel == 0) {
            throw fault(0, ReplyCode.CHANNEL_ERROR, "content on channel 0");
        }
    }

    /** Heartbeats are empty and on channel 0 (spec §4.2.7); RabbitMQ's test suite expects a 505 for others. */
    private static void heartbeat(int channel, int size, FrameHandler handler) {
        if (channel != 0 || size != 0) {
            throw fault(0, ReplyCode.UNEXPECTED_FRAME,
                    "a heartbeat of " + size + " bytes on channel " + channel);
        }
        handler.onHeartbeat();
    }
}
