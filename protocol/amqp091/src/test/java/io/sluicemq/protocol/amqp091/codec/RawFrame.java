package io.sluicemq.protocol.amqp091.codec;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * One frame as it was read, for clients in tests that look at single frames. Shares no code with the codec.
 *
 * @param type    1 method, 2 content header, 3 body, 8 heartbeat
 * @param channel the channel
 * @param payload the payload
 */
public record RawFrame(int type, int channel, byte[] payload) {

    /** Reads one frame, blocking; null at the end of the stream between frames. */
    public static RawFrame read(InputStream in) throws IOException {
        int type = in.read();
        if (type < 0) {
            return null;
        }
        DataInputStream data = new DataInputStream(in);
        int channel = data.readUnsignedShort();
        byte[] payload = new byte[data.readInt()];
        data.readFully(payload);
        if (data.readUnsignedByte() != 0xCE) {
            throw new IOException("a frame without frame-end");
        }
        return new RawFrame(type, channel, payload);
    }

    /** All frames in {@code bytes}, which hold nothing else. */
    public static List<RawFrame> all(byte[] bytes) {
        List<RawFrame> frames = new ArrayList<>();
        try (InputStream in = new ByteArrayInputStream(bytes)) {
            for (RawFrame frame = read(in); frame != null; frame = read(in)) {
                frames.add(frame);
            }
        } catch (EOFException e) {
            throw new AssertionError("the last frame is cut short", e);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return frames;
    }

    /** Whether this is a frame of that method. */
    public boolean isMethod(int classId, int methodId) {
        return type == 1 && method() == (classId << 16 | methodId);
    }

    /** Class id and method id in one int, 0 if this is not a method. */
    public int method() {
        return type == 1 ? ByteBuffer.wrap(payload).getInt() : 0;
    }

    /** The arguments of a method, at their first byte. */
    public ByteBuffer arguments() {
        return ByteBuffer.wrap(payload, 4, payload.length - 4).slice();
    }

    /** Reads a short string and moves on. */
    public static String shortString(ByteBuffer in) {
        byte[] bytes = new byte[in.get() & 0xFF];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** The reply code of a connection.close or channel.close, −1 for anything else. */
    public int closeCode() {
        return isMethod(10, 50) || isMethod(20, 40) ? arguments().getShort() & 0xFFFF : -1;
    }

    @Override
    public String toString() {
        return "frame type " + type + " channel " + channel + " " + HexFormat.of().formatHex(payload);
    }
}
