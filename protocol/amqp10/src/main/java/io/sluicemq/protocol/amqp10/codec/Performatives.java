package io.sluicemq.protocol.amqp10.codec;

import io.netty.buffer.ByteBuf;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.ProtonBufferAllocator;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBufferAllocator;
import org.apache.qpid.protonj2.codec.CodecFactory;
import org.apache.qpid.protonj2.codec.Decoder;
import org.apache.qpid.protonj2.codec.DecoderState;
import org.apache.qpid.protonj2.codec.Encoder;
import org.apache.qpid.protonj2.codec.EncoderState;
import org.apache.qpid.protonj2.types.messaging.Section;
import org.apache.qpid.protonj2.types.security.SaslPerformative;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.Performative;

/** Reads and writes performatives by protonj2's codec. Owned by the connection's loop. */
public final class Performatives {

    private final Decoder decoder = CodecFactory.getDefaultDecoder();
    private final DecoderState decoderState = decoder.newDecoderState();
    private final Decoder saslDecoder = CodecFactory.getDefaultSaslDecoder();
    private final DecoderState saslDecoderState = saslDecoder.newDecoderState();
    private final Encoder encoder = CodecFactory.getDefaultEncoder();
    private final EncoderState encoderState = encoder.newEncoderState();
    private final Encoder saslEncoder = CodecFactory.getDefaultSaslEncoder();
    private final EncoderState saslEncoderState = saslEncoder.newEncoderState();
    private final ProtonBuffer scratch = ProtonBufferAllocator.defaultAllocator().allocate(256);

    /** Reads a performative, behind which the payload begins. */
    public Performative read(ProtonBuffer body) throws AmqpFault {
        return read(body, decoder, decoderState, Performative.class);
    }

    /** Reads a performative of the SASL exchange. */
    public SaslPerformative readSasl(ProtonBuffer body) throws AmqpFault {
        return read(body, saslDecoder, saslDecoderState, SaslPerformative.class);
    }

    /** Reads the body of a message to a coordinator, which may have other sections before it: its last one. */
    public Section<?> readBody(byte[] bytes, int length) throws AmqpFault {
        ProtonBuffer buffer = ProtonByteArrayBufferAllocator.wrapped(bytes, 0, length);
        Section<?> last = read(buffer, decoder, decoderState, Section.class);
        while (buffer.isReadable()) {
            last = read(buffer, decoder, decoderState, Section.class);
        }
        return last;
    }

    private static <T> T read(ProtonBuffer body, Decoder from, DecoderState state, Class<T> expected) throws AmqpFault {
        Nesting.check(body);
        Object value;
        try {
            value = from.readObject(body, state);
        } catch (RuntimeException e) {
            // Whatever bytes can provoke in the codec: it checks no field's type before it casts.
            throw AmqpFault.connection(AmqpError.DECODE_ERROR, "a frame whose body is not valid: " + e.getMessage());
        } finally {
            state.reset();
        }
        if (!expected.isInstance(value)) {
            throw AmqpFault.connection(AmqpError.DECODE_ERROR, "a frame whose body is no performative");
        }
        return expected.cast(value);
    }

    /**
     * Writes a frame with a performative and no payload, unless it is larger than {@code maxFrameBytes}.
     *
     * @return the size of the frame in bytes, written or not
     */
    public int write(ByteBuf out, int channel, Performative performative, int maxFrameBytes) {
        return write(out, FrameReader.TYPE_AMQP, channel, performative, encoder, encoderState, maxFrameBytes);
    }

    /** Writes a frame of the SASL exchange. */
    public void writeSasl(ByteBuf out, SaslPerformative performative) {
        write(out, FrameReader.TYPE_SASL, 0, performative, saslEncoder, saslEncoderState, Integer.MAX_VALUE);
    }

    private int write(
            ByteBuf out, int type, int channel, Object performative, Encoder with, EncoderState state,
            int maxFrameBytes) {
        scratch.clear();
        with.writeObject(scratch, state, performative);
        state.reset();
        int length = scratch.getReadableBytes();
        int size = FrameReader.HEAD_BYTES + length;
        if (size > maxFrameBytes) {
            return size;
        }
        out.writeInt(size);
        out.writeByte(2);
        out.writeByte(type);
        out.writeShort(channel);
        byte[] bytes = new byte[length];
        scratch.readBytes(bytes, 0, length);
        out.writeBytes(bytes);
        return size;
    }
}
