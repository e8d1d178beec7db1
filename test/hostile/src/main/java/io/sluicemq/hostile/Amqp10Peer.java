package io.sluicemq.hostile;

import io.sluicemq.protocol.amqp10.codec.Frames;
import io.sluicemq.protocol.amqp10.codec.Frames.Frame;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Begin;
import org.apache.qpid.protonj2.types.transport.Close;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.Open;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.Transfer;

/** A client of AMQP 1.0 on a socket that writes any bytes. For one thread at a time in each direction. */
public final class Amqp10Peer implements AutoCloseable {

    private static final int READ_LIMIT_MILLIS = 20_000;

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;

    private Amqp10Peer(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        this.out = socket.getOutputStream();
    }

    /**
     * Connects and says nothing.
     *
     * @param receiveBufferBytes how much the kernel takes for a peer that does not read; 0 for the system's choice
     */
    public static Amqp10Peer dial(int port, int receiveBufferBytes) throws IOException {
        Socket socket = new Socket();
        if (receiveBufferBytes > 0) {
            socket.setReceiveBufferSize(receiveBufferBytes);
        }
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(READ_LIMIT_MILLIS);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), READ_LIMIT_MILLIS);
        return new Amqp10Peer(socket);
    }

    /** Connects as guest, and begins a session on channel 0. */
    public static Amqp10Peer open(int port, int receiveBufferBytes) throws IOException {
        Amqp10Peer peer = dial(port, receiveBufferBytes);
        peer.send(
                Frames.SASL, Frames.plain("guest", "guest"), Frames.AMQP,
                Frames.frame(0, new Open().setContainerId("peer " + peer.socket.getLocalPort())),
                Frames.frame(0, begin()));
        peer.skipTo(Begin.class);
        return peer;
    }

    public static Begin begin() {
        return new Begin().setNextOutgoingId(0).setIncomingWindow(0x7FFF_FFFFL).setOutgoingWindow(0x7FFF_FFFFL);
    }

    public static Attach sender(int handle, String address) {
        return new Attach()
                .setName("sender " + handle).setHandle(handle).setRole(Role.SENDER).setInitialDeliveryCount(0)
                .setSource(new Source()).setTarget(new Target().setAddress(address));
    }

    public static Attach receiver(int handle, String address) {
        return new Attach()
                .setName("receiver " + handle).setHandle(handle).setRole(Role.RECEIVER)
                .setSource(new Source().setAddress(address)).setTarget(new Target());
    }

    public static Flow credit(int handle, long credit) {
        return new Flow()
                .setNextIncomingId(0).setIncomingWindow(0x7FFF_FFFFL).setNextOutgoingId(0)
                .setOutgoingWindow(0x7FFF_FFFFL).setHandle(handle).setDeliveryCount(0).setLinkCredit(credit);
    }

    public static Transfer transfer(int handle, long id) {
        return new Transfer().setHandle(handle).setDeliveryId(id)
                .setDeliveryTag(ByteBuffer.allocate(8).putLong(id).array());
    }

    /** Attaches a sender and waits until it has credit. */
    public Amqp10Peer attachSender(int handle, String address) throws IOException {
        send(Frames.frame(0, sender(handle, address)));
        skipTo(Attach.class);
        skipTo(Flow.class);
        return this;
    }

    /** Sends bytes as they are. Blocks while the broker takes none. */
    public void send(byte[]... parts) throws IOException {
        out.write(parts.length == 1 ? parts[0] : Frames.join(parts));
        out.flush();
    }

    /** Reads the next frame or header; null at the end of the stream, cleanly or by a reset. */
    public Frame read() throws IOException {
        try {
            byte[] head = new byte[8];
            in.readFully(head);
            int size = ByteBuffer.wrap(head).getInt();
            if (head[0] == 'A' && head[1] == 'M') {
                return Frames.next(ByteBuffer.wrap(head));
            }
            byte[] frame = new byte[size];
            System.arraycopy(head, 0, frame, 0, 8);
            in.readFully(frame, 8, size - 8);
            return Frames.next(ByteBuffer.wrap(frame));
        } catch (EOFException | SocketException e) {
            return null;
        }
    }

    /** Reads past anything else up to a performative of this kind. */
    public <T> T skipTo(Class<T> type) throws IOException {
        for (Frame frame = read(); frame != null; frame = read()) {
            if (type.isInstance(frame.performative())) {
                return type.cast(frame.performative());
            }
        }
        throw new AssertionError("the stream ended before a " + type.getSimpleName());
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

    /** Closes in order. */
    public void bye() throws IOException {
        send(Frames.frame(0, new Close()));
        skipTo(Close.class);
        close();
    }

    /** Ends the stream by a reset; no effect if it is closed. */
    public void cut() throws IOException {
        if (!socket.isClosed()) {
            socket.setSoLinger(true, 0);
            socket.close();
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
