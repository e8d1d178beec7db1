package io.sluicemq.campaign;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.impl.AMQImpl;
import com.rabbitmq.client.impl.Frame;
import com.rabbitmq.client.impl.LongStringHelper;
import com.rabbitmq.client.impl.Method;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;

/**
 * A socket that writes and reads AMQP 0-9-1 frames one by one, right or wrong, and knows no state: what a test or a
 * thousand idle connections need where a client library would be too well-behaved or too heavy. One thread uses it. Frames
 * and methods are encoded by the RabbitMQ client's own classes, so that no code of the broker checks itself.
 */
public final class RawAmqp implements AutoCloseable {

    /** The protocol header of AMQP 0-9-1 (specification 4.2.2). */
    public static final byte[] HEADER = {'A', 'M', 'Q', 'P', 0, 0, 9, 1};

    /** How long a read waits before it fails, in milliseconds. */
    private static final int READ_TIMEOUT_MILLIS = 5_000;

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;

    private RawAmqp(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 8192));
        this.out = new DataOutputStream(socket.getOutputStream());
    }

    /** Connects the socket and sends nothing. */
    public static RawAmqp dial(BrokerUnderTest broker) throws IOException {
        return dial(broker, 0);
    }

    /**
     * Connects the socket and sends nothing.
     *
     * @param receiveBufferBytes the size of the socket's receive buffer; 0 for the system's choice
     */
    public static RawAmqp dial(BrokerUnderTest broker, int receiveBufferBytes) throws IOException {
        Socket socket = new Socket();
        if (receiveBufferBytes > 0) {
            socket.setReceiveBufferSize(receiveBufferBytes);
        }
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(READ_TIMEOUT_MILLIS);
        socket.connect(new InetSocketAddress(broker.host(), broker.port()), READ_TIMEOUT_MILLIS);
        return new RawAmqp(socket);
    }

    /** Connects and opens the broker's virtual host with the limits that the broker offers and no heartbeats. */
    public static RawAmqp open(BrokerUnderTest broker) throws IOException {
        RawAmqp raw = dial(broker);
        AMQP.Connection.Tune offer = raw.authenticate(broker);
        raw.tuneAndOpen(broker, offer.getChannelMax(), offer.getFrameMax(), 0);
        return raw;
    }

    /** As {@link #open(BrokerUnderTest)} with limits of one's own. */
    public static RawAmqp open(BrokerUnderTest broker, int channelMax, int frameMax) throws IOException {
        RawAmqp raw = dial(broker);
        raw.authenticate(broker);
        raw.tuneAndOpen(broker, channelMax, frameMax, 0);
        return raw;
    }

    /** Goes from the protocol header to the broker's tune, with the broker's user by PLAIN. */
    public AMQP.Connection.Tune authenticate(BrokerUnderTest broker) throws IOException {
        send(HEADER);
        expect(0, AMQP.Connection.Start.class);
        send(0, startOk(Map.of(), "PLAIN", "\0" + broker.user() + "\0" + broker.password()));
        return expect(0, AMQP.Connection.Tune.class);
    }

    /** A start-ok in English. */
    public static AMQP.Connection.StartOk startOk(Map<String, Object> properties, String mechanism, String response) {
        return new AMQP.Connection.StartOk.Builder().clientProperties(properties).mechanism(mechanism)
                .response(LongStringHelper.asLongString(response)).locale("en_US").build();
    }

    /** Goes from the broker's tune to its open-ok. */
    public void tuneAndOpen(BrokerUnderTest broker, int channelMax, int frameMax, int heartbeatSeconds)
            throws IOException {
        send(0, new AMQP.Connection.TuneOk.Builder().channelMax(channelMax).frameMax(frameMax)
                .heartbeat(heartbeatSeconds).build());
        send(0, new AMQP.Connection.Open.Builder().virtualHost(broker.virtualHost()).build());
        expect(0, AMQP.Connection.OpenOk.class);
    }

    /** Opens a channel and waits for the answer. */
    public void openChannel(int channel) throws IOException {
        send(channel, new AMQP.Channel.Open.Builder().build());
        expect(channel, AMQP.Channel.OpenOk.class);
    }

    /** Sends bytes as they are. */
    public void send(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
    }

    /** Sends a frame. */
    public void send(Frame frame) throws IOException {
        frame.writeTo(out);
        out.flush();
    }

    /** A frame of one's own making. */
    public static Frame frame(int type, int channel, byte... payload) {
        return new Frame(type, channel, ByteBuffer.wrap(payload));
    }

    /** Sends a method's frame; a method is one that a builder in {@link AMQP} has made. */
    public void send(int channel, com.rabbitmq.client.Method method) throws IOException {
        send(((Method) method).toFrame(channel));
    }

    /** The bytes of a method's frame, to be sent together with others or damaged first. */
    public static byte[] bytes(int channel, com.rabbitmq.client.Method method) {
        try {
            return bytes(((Method) method).toFrame(channel));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The bytes of a frame. */
    public static byte[] bytes(Frame frame) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        frame.writeTo(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    /** Publishes through the default exchange, with the body in one frame. */
    public void publish(int channel, String routingKey, String body) throws IOException {
        byte[] content = body.getBytes(StandardCharsets.UTF_8);
        send(channel, new AMQP.Basic.Publish.Builder().exchange("").routingKey(routingKey).build());
        send(new AMQP.BasicProperties.Builder().build().toFrame(channel, content.length));
        send(frame(AMQP.FRAME_BODY, channel, content));
    }

    /**
     * Reads the next frame.
     *
     * @return null at the end of the stream, also if it was cut
     * @throws SocketTimeoutException if nothing came in time
     */
    public Frame read() throws IOException {
        try {
            int type = in.readUnsignedByte();
            int channel = in.readUnsignedShort();
            byte[] payload = in.readNBytes(in.readInt());
            int end = in.readUnsignedByte();
            if (end != AMQP.FRAME_END) {
                throw new AssertionError("A frame of type " + type + " ends with " + end);
            }
            return new Frame(type, channel, payload);
        } catch (EOFException | SocketException e) {
            return null;
        }
    }

    /** Reads the next frame that is no heartbeat. */
    public Frame readContent() throws IOException {
        Frame frame = read();
        while (frame != null && frame.getType() == AMQP.FRAME_HEARTBEAT) {
            frame = read();
        }
        return frame;
    }

    /** The method in a frame. */
    public static Method method(Frame frame) throws IOException {
        return AMQImpl.readMethodFrom(frame.getInputStream());
    }

    /** Reads the next frame, past heartbeats, which must be this method on this channel. */
    public <T extends com.rabbitmq.client.Method> T expect(int channel, Class<T> method) throws IOException {
        Frame frame = readContent();
        if (frame == null) {
            throw new AssertionError("The stream ended where " + method.getName() + " was due");
        }
        if (frame.getType() != AMQP.FRAME_METHOD) {
            throw new AssertionError("Expected " + method.getName() + " and read " + frame);
        }
        Method read = method(frame);
        if (frame.getChannel() != channel || !method.isInstance(read)) {
            throw new AssertionError("Expected " + method.getName() + " on channel " + channel + " and read " + read
                    + " on channel " + frame.getChannel());
        }
        return method.cast(read);
    }

    /** Reads past anything else up to this method on this channel. */
    public <T extends com.rabbitmq.client.Method> T skipTo(int channel, Class<T> method) throws IOException {
        for (Frame frame = readContent(); frame != null; frame = readContent()) {
            if (frame.getType() == AMQP.FRAME_METHOD && frame.getChannel() == channel) {
                Method read = method(frame);
                if (method.isInstance(read)) {
                    return method.cast(read);
                }
            }
        }
        throw new AssertionError("The stream ended before " + method.getName());
    }

    /** Reads as many bytes as given, or fewer at the end of the stream. */
    public byte[] readBytes(int count) throws IOException {
        try {
            return in.readNBytes(count);
        } catch (SocketException e) {
            return new byte[0];
        }
    }

    /** Reads what is left up to the end of the stream; fails if the other side keeps it open. */
    public byte[] readToEnd() throws IOException {
        try {
            return in.readAllBytes();
        } catch (SocketTimeoutException e) {
            throw new AssertionError("The broker keeps the connection open", e);
        } catch (SocketException e) {
            return new byte[0];
        }
    }

    /** How long a read waits from now on, in milliseconds. */
    public void readTimeout(int millis) throws IOException {
        socket.setSoTimeout(millis);
    }

    /** The local port, by which a log names the connection. */
    public int localPort() {
        return socket.getLocalPort();
    }

    /** Ends the stream without a word of the protocol, as a killed process does: with a reset. */
    public void cut() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    /** Ends the stream without a word of the protocol. */
    @Override
    public void close() throws IOException {
        socket.close();
    }

    /** Joins frames for one write. */
    public static byte[] join(byte[]... parts) {
        int length = Arrays.stream(parts).mapToInt(part -> part.length).sum();
        byte[] all = new byte[length];
        int at = 0;
        for (byte[] part : parts) {
            System.arraycopy(part, 0, all, at, part.length);
            at += part.length;
        }
        return all;
    }
}
