package io.sluicemq.hostile;

import io.sluicemq.protocol.amqp091.codec.RawFrame;
import io.sluicemq.protocol.amqp091.codec.RawFrames;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;

/**
 * A socket that sends whatever it is told, right or wrong, and reads frames one by one. It knows no state and answers
 * nothing of itself. Used by one thread.
 */
public final class RawPeer implements AutoCloseable {

    private static final int READ_LIMIT_MILLIS = 20_000;

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    private RawPeer(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
    }

    /** Connects and says nothing. */
    public static RawPeer dial(int port) throws IOException {
        return dial(port, 0);
    }

    /**
     * Connects and says nothing.
     *
     * @param receiveBufferBytes how much the kernel takes for a peer that does not read; 0 for the system's choice
     */
    public static RawPeer dial(int port, int receiveBufferBytes) throws IOException {
        Socket socket = new Socket();
        if (receiveBufferBytes > 0) {
            socket.setReceiveBufferSize(receiveBufferBytes);
        }
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(READ_LIMIT_MILLIS);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), READ_LIMIT_MILLIS);
        return new RawPeer(socket);
    }

    /** Connects, logs in as guest and opens the virtual host {@code /} with the broker's limits and no heartbeats. */
    public static RawPeer open(int port) throws IOException {
        return open(port, 0, 2047, 131_072, 0);
    }

    /** As {@link #open(int)} with limits of one's own. */
    public static RawPeer open(int port, int receiveBufferBytes, int channelMax, int frameMax, int heartbeat)
            throws IOException {
        RawPeer peer = dial(port, receiveBufferBytes);
        peer.send(RawFrames.protocolHeader());
        peer.expect(0, 10, 10);
        peer.send(RawFrames.startOkPlain("guest", "guest"));
        peer.expect(0, 10, 30);
        peer.send(RawFrames.tuneOk(channelMax, frameMax, heartbeat), RawFrames.connectionOpen("/"));
        peer.expect(0, 10, 41);
        return peer;
    }

    /** As {@link #open(int)}, and opens channel 1. */
    public static RawPeer withChannel(int port) throws IOException {
        return open(port).channel(1);
    }

    /** Opens a channel and waits for the answer. */
    public RawPeer channel(int number) throws IOException {
        send(RawFrames.channelOpen(number));
        expect(number, 20, 11);
        return this;
    }

    /** Declares a queue with no arguments, deleted with this connection only if it is exclusive. */
    public RawPeer queue(int channel, String name) throws IOException {
        send(RawFrames.queueDeclare(channel, name, none -> {}, false, false, false, false, false));
        expect(channel, 50, 11);
        return this;
    }

    /** Sends bytes as they are. Blocks while the broker takes none. */
    public void send(byte[]... parts) throws IOException {
        out.write(parts.length == 1 ? parts[0] : RawFrames.join(parts));
        out.flush();
    }

    /** Reads the next frame; null at the end of the stream, cleanly or by a reset. */
    public RawFrame read() throws IOException {
        try {
            return RawFrame.read(in);
        } catch (EOFException | SocketException e) {
            return null;
        }
    }

    /** Reads the next frame, past heartbeats, which must be this method on this channel. */
    public RawFrame expect(int channel, int classId, int methodId) throws IOException {
        RawFrame frame = read();
        while (frame != null && frame.type() == 8) {
            frame = read();
        }
        if (frame == null || frame.channel() != channel || !frame.isMethod(classId, methodId)) {
            throw new AssertionError(
                    "expected method " + classId + "." + methodId + " on channel " + channel + ", read " + frame);
        }
        return frame;
    }

    /** Reads past anything else up to this method on this channel. */
    public RawFrame skipTo(int channel, int classId, int methodId) throws IOException {
        RawFrame frame = read();
        while (frame != null && !(frame.channel() == channel && frame.isMethod(classId, methodId))) {
            frame = read();
        }
        if (frame == null) {
            throw new AssertionError("the stream ended before method " + classId + "." + methodId);
        }
        return frame;
    }

    /** Reads past anything else to the connection.close, and returns its code; 0 if the stream ended without. */
    public int connectionCloseCode() throws IOException {
        for (RawFrame frame = read(); frame != null; frame = read()) {
            if (frame.isMethod(10, 50)) {
                return frame.closeCode();
            }
        }
        return 0;
    }

    /** Reads past anything else to the close of a channel, and returns its code. */
    public int channelCloseCode(int channel) throws IOException {
        return skipTo(channel, 20, 40).closeCode();
    }

    /** Reads up to the end of the stream; fails if the broker keeps it open. */
    public void readToEnd() throws IOException {
        byte[] sink = new byte[8192];
        try {
            while (in.read(sink) >= 0) {}
        } catch (SocketTimeoutException e) {
            throw new AssertionError("the broker keeps the connection open", e);
        } catch (SocketException e) {
            // Cut is an end too.
        }
    }

    /** Declares the queue passively and returns how many messages are ready in it. */
    public long depth(int channel, String queue) throws IOException {
        send(RawFrames.queueDeclare(channel, queue, none -> {}, true));
        ByteBuffer answer = skipTo(channel, 50, 11).arguments();
        RawFrame.shortString(answer);
        return answer.getInt() & 0xFFFFFFFFL;
    }

    /** Closes in order: connection.close, close-ok. */
    public void bye() throws IOException {
        send(RawFrames.connectionClose(200, "bye"));
        skipTo(0, 10, 51);
        close();
    }

    /** How long a read waits from now on, in milliseconds. */
    public RawPeer readLimit(int millis) throws IOException {
        socket.setSoTimeout(millis);
        return this;
    }

    /** Sends the end of the stream and can still read. */
    public void shutdownOutput() throws IOException {
        socket.shutdownOutput();
    }

    /** The port by which the broker's log names this peer. */
    public int localPort() {
        return socket.getLocalPort();
    }

    /** Ends the stream by a reset, as a machine that lost its power does once it is back. */
    public void cut() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
