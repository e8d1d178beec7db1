package io.sluicemq.protocol.amqp10.codec;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.ProtonBufferAllocator;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBufferAllocator;
import org.apache.qpid.protonj2.codec.CodecFactory;
import org.apache.qpid.protonj2.codec.Decoder;
import org.apache.qpid.protonj2.codec.Encoder;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.security.SaslInit;

/** What a client writes, and what it reads of a stream, with no state and no mercy: any frame, whether it is right or not. */
public final class Frames {

    public static final byte[] AMQP = {'A', 'M', 'Q', 'P', 0, 1, 0, 0};
    public static final byte[] SASL = {'A', 'M', 'Q', 'P', 3, 1, 0, 0};

    private static final byte[] NONE = {};

    private Frames() {}

    /** A frame that was read; a header is one without a performative, and type −1. */
    public record Frame(int type, int channel, Object performative, byte[] payload, int size) {

        public boolean isHeader() {
            return type < 0;
        }

        public boolean isEmpty() {
            return type == 0 && performative == null;
        }
    }

    public static byte[] frame(int channel, Object performative) {
        return frame(channel, performative, NONE);
    }

    public static byte[] frame(int channel, Object performative, byte[] payload) {
        return raw(0, channel, join(encode(performative), payload));
    }

    public static byte[] sasl(Object performative) {
        Encoder encoder = CodecFactory.getDefaultSaslEncoder();
        ProtonBuffer buffer = ProtonBufferAllocator.defaultAllocator().allocate();
        encoder.writeObject(buffer, encoder.newEncoderState(), performative);
        return raw(1, 0, bytes(buffer));
    }

    /** A frame with any body. */
    public static byte[] raw(int type, int channel, byte... body) {
        return head(8 + body.length, 2, type, channel, body);
    }

    /** A frame with any head. */
    public static byte[] head(int size, int offset, int type, int channel, byte... body) {
        return ByteBuffer.allocate(8 + body.length)
                .putInt(size).put((byte) offset).put((byte) type).putShort((short) channel).put(body)
                .array();
    }

    public static byte[] empty() {
        return raw(0, 0);
    }

    public static byte[] plain(String user, String password) {
        byte[] response = ("\0" + user + "\0" + password).getBytes(StandardCharsets.UTF_8);
        return sasl(new SaslInit()
                .setMechanism(Symbol.valueOf("PLAIN"))
                .setInitialResponse(ProtonByteArrayBufferAllocator.wrapped(response)));
    }

    /** A value, a section or a performative as bytes. */
    public static byte[] encode(Object value) {
        Encoder encoder = CodecFactory.getDefaultEncoder();
        ProtonBuffer buffer = ProtonBufferAllocator.defaultAllocator().allocate();
        encoder.writeObject(buffer, encoder.newEncoderState(), value);
        return bytes(buffer);
    }

    private static byte[] bytes(ProtonBuffer buffer) {
        byte[] bytes = new byte[buffer.getReadableBytes()];
        buffer.readBytes(bytes, 0, bytes.length);
        return bytes;
    }

    public static byte[] join(byte[]... parts) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            joined.writeBytes(part);
        }
        return joined.toByteArray();
    }

    /** All frames and headers of a stream that ends with a whole one. */
    public static List<Frame> read(byte[] stream) {
        List<Frame> frames = new ArrayList<>();
        ByteBuffer in = ByteBuffer.wrap(stream);
        while (in.hasRemaining()) {
            frames.add(next(in));
        }
        return frames;
    }

    /** The next frame or header, which must be there completely. */
    public static Frame next(ByteBuffer in) {
        int size = in.getInt(in.position());
        if (size == ByteBuffer.wrap(AMQP).getInt()) {
            byte[] header = new byte[8];
            in.get(header);
            return new Frame(-1, 0, null, header, 8);
        }
        in.getInt();
        int offset = in.get() & 0xFF;
        int type = in.get() & 0xFF;
        int channel = in.getShort() & 0xFFFF;
        byte[] body = new byte[size - 4 * offset];
        in.position(in.position() + 4 * offset - 8);
        in.get(body);
        if (body.length == 0) {
            return new Frame(type, channel, null, body, size);
        }
        Decoder decoder = type == 1 ? CodecFactory.getDefaultSaslDecoder() : CodecFactory.getDefaultDecoder();
        ProtonBuffer buffer = ProtonByteArrayBufferAllocator.wrapped(body);
        Object performative = decoder.readObject(buffer, decoder.newDecoderState());
        return new Frame(type, channel, performative, bytes(buffer), size);
    }
}
