package io.sluicemq.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import io.sluicemq.api.Authenticator;
import io.sluicemq.api.LateBytes;
import io.sluicemq.api.Protocol;
import io.sluicemq.api.ProtocolSession;
import io.sluicemq.api.Wire;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.base.TaskFailures;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.cert.X509Certificate;
import java.util.ArrayDeque;
import java.util.List;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.security.auth.x500.X500Principal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection: finds out which protocol its peer speaks, feeds that protocol's session with what arrives, and carries
 * what the session writes. Owned by its loop.
 *
 * <p>Input is handed on as it was read; only what a session leaves (a partial frame, or all of it while it pauses) is kept.
 * Output of a turn gathers in one buffer and leaves at the turn's end by one flush; of much output a part leaves in each turn. An
 * idle connection holds no buffer.
 *
 * <p>The socket is read from while the session has not paused and the peer takes our output; never mind why it stopped, what
 * was kept is delivered before what comes after it, and never from within a call of the session.
 *
 * <p>Invariants: {@code kept} is null or readable; {@code out} is non-null only while a turn's end is due; the session is
 * called by one call at a time, and not after {@link ProtocolSession#closed}.
 */
@LoopOwned
final class Connection extends ChannelInboundHandlerAdapter implements Wire {

    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

    /** More first bytes than any protocol needs to know its own. */
    private static final int MAX_FIRST_BYTES = 512;

    /** A turn's output goes to the channel in pieces of about this size, so that buffers need not grow beyond it. */
    private static final int CHUNK_BYTES = 64 * 1024;

    /**
     * What leaves in a turn, in bytes and but for a little, as long as the peer takes it: others of the loop have their chance before
     * there is more, however fast this one's peer is.
     */
    static final int TURN_BYTES = 512 * 1024;

    /** Room for one more frame behind a chunk, so that the buffer need not grow for it. */
    private static final int MAX_OUT_BYTES = CHUNK_BYTES + 16 * 1024;

    private static final int MIN_OUT_BYTES = 512;

    /** The state, in the kernel's numbers, of a socket whose peer has sent its last byte. */
    private static final int TCP_CLOSE_WAIT = 8;

    private final Loop loop;
    private final Rests rests;
    private final DuplexChannel channel;
    /** What speaks TLS below this; null if nothing does. */
    private final SslHandler tls;

    private final List<Protocol> protocols;
    private final ListenerOptions options;
    private final Connections connections;
    private final TaskFailures failures;
    private final Runnable endOfTurn = this::endTurn;
    private ChannelHandlerContext context;
    private String name;
    private Authenticator.Peer peer;
    private Loop.Timer timeLimit;
    private ProtocolSession session;

    /** What the loop's rests know this by. */
    private int period;

    private ByteBuf kept;
    private boolean delivering;
    private boolean redeliveryDue;
    private boolean paused;
    private boolean held;
    private boolean inputEnded;
    private boolean registering;

    private ByteBuf out;
    private int outBytesExpected = MIN_OUT_BYTES;
    private boolean endOfTurnDue;
    private boolean transferring;
    /** What the channel was given since the last end of a turn. If that is {@link #TURN_BYTES} or more, the next end is due. */
    private long turnBytes;
    /** Output, none of it with the channel yet: buffers, and large output that is made when the channel takes it. */
    private final ArrayDeque<Object> waiting = new ArrayDeque<>(0);

    private long waitingBytes;
    /** How much of the first in {@link #waiting} has gone, if that is large output. */
    private long waitingPosition;
    private boolean toldWritable = true;

    private long receivedBytes;
    private long sentBytes;
    private boolean authenticated;
    private boolean closing;
    private boolean finishing;
    private boolean lastBytesSent;
    private boolean closed;

    Connection(
            Loop loop,
            Rests rests,
            DuplexChannel channel,
            SslHandler tls,
            List<Protocol> protocols,
            ListenerOptions options,
            Connections connections,
            TaskFailures failures) {
        this.loop = loop;
        this.rests = rests;
        this.channel = channel;
        this.tls = tls;
        this.protocols = protocols;
        this.options = options;
        this.connections = connections;
        this.failures = failures;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    @Override
    public void channelActive(ChannelHandlerContext active) {
        name = Addresses.text(channel.remoteAddress()) + " -> " + Addresses.text(channel.localAddress());
        peer = new Authenticator.Peer(
                Addresses.text(channel.remoteAddress()), Addresses.isLoopback(channel.remoteAddress()));
        timeLimit = loop.schedule(options.firstBytesLimit().toNanos(), this::firstBytesOverdue);
        if (!connections.joined(this)) {
            abort();
        }
    }

    // ---------------------------------------------------------------------------------------------- input

    @Override
    public void channelRead(ChannelHandlerContext reading, Object message) {
        ByteBuf in = (ByteBuf) message;
        connections.read(in.readableBytes());
        receivedBytes += in.readableBytes();
        if (closing) {
            in.release();
            return;
        }
        kept = kept == null ? in : Tails.join(kept, in);
        deliver();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext reading) {
        trimKept();
    }

    /** Hands what is kept to the session, unless it must wait; what it leaves is kept. */
    private void deliver() {
        if (delivering || redeliveryDue || paused || held || kept == null) {
            return;
        }
        delivering = true;
        try {
            if (session != null || findProtocol()) {
                session.input(kept);
            }
        } catch (RuntimeException | Error e) {
            fail(e);
        } finally {
            delivering = false;
        }
        if (closing || !kept.isReadable()) {
            releaseKept();
        }
    }

    /** Keeps a large buffer no longer for the few bytes that are left in it. */
    private void trimKept() {
        if (kept != null && !delivering) {
            kept = Tails.trim(kept, channel.alloc());
        }
    }

    /** Not while the session reads it: then {@link #deliver} does it. */
    private void releaseKept() {
        if (kept != null && !delivering) {
            kept.release();
            kept = null;
        }
    }

    @Override
    public void commands(int count) {
        period = rests.read(count, period);
    }

    @Override
    public boolean isReading() {
        loop.assertCurrent();
        return !paused && !held;
    }

    @Override
    public void pauseReading() {
        loop.assertCurrent();
        paused = true;
        adjustReading();
    }

    @Override
    public void resumeReading() {
        loop.assertCurrent();
        if (paused) {
            paused = false;
            redeliver();
        }
    }

    /** Delivers what was kept in a turn to come, and then reads on. */
    private void redeliver() {
        if (kept == null) {
            continueReading();
        } else if (!redeliveryDue) {
            redeliveryDue = true;
            loop.execute(() -> {
                redeliveryDue = false;
                if (!closing) {
                    deliver();
                    trimKept();
                    continueReading();
                }
            });
        }
    }

    private void continueReading() {
        adjustReading();
        if (inputEnded) {
            endInput();
        }
    }

    private void adjustReading() {
        boolean wanted = !paused && !held && !redeliveryDue || closing;
        if (registering || inputEnded || !channel.isOpen() || channel.config().isAutoRead() == wanted) {
            return;
        }
        if (wanted && isForgottenByEpoll()) {
            registerAgain();
        } else {
            channel.config().setAutoRead(wanted);
        }
    }

    /**
     * When a peer half-closes a socket that is not being read from, Netty (4.2.18) takes the socket out of epoll's set but
     * believes it to be there, and closes the channel when it is to be read from again: what the peer had sent would be lost.
     */
    private boolean isForgottenByEpoll() {
        return channel instanceof EpollSocketChannel socket && socket.tcpInfo().state() == TCP_CLOSE_WAIT;
    }

    private void registerAgain() {
        registering = true;
        EventLoop home = channel.eventLoop();
        channel.deregister().addListener(out -> {
            registering = false;
            if (channel.isOpen()) {
                channel.config().setAutoRead(!paused && !held && !redeliveryDue || closing);
                home.register(channel);
            } else {
                // Netty does not tell of the end of a channel that is closed while it is not registered.
                ended();
            }
        });
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext triggered, Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE
                || event instanceof SslCloseCompletionEvent end && end.isSuccess()) {
            inputEnded = true;
            endInput();
        } else if (event instanceof SslHandshakeCompletionEvent handshake && handshake.isSuccess()) {
            peer = new Authenticator.Peer(peer.address(), peer.loopback(), certificate());
        }
    }

    /** The subject of the peer's certificate, which has been verified; null if it has sent none. */
    private X500Principal certificate() {
        try {
            return ((X509Certificate) tls.engine().getSession().getPeerCertificates()[0]).getSubjectX500Principal();
        } catch (SSLPeerUnverifiedException e) {
            return null;
        }
    }

    /** The peer sends no more. What it sent before still counts, so a session that has paused is waited for. */
    private void endInput() {
        if (lastBytesSent) {
            closeSocket();
        } else if (!paused && !held && !redeliveryDue) {
            if (session == null && kept != null) {
                refuseProtocol();
            }
            close();
        }
    }

    // ---------------------------------------------------------------------------------------------- protocol

    /** Whether there is a session now. */
    private boolean findProtocol() {
        boolean undecided = false;
        for (Protocol protocol : protocols) {
            Protocol.Match match = protocol.match(kept);
            if (match == Protocol.Match.YES) {
                timeLimit.cancel();
                session = protocol.open(this);
                LOG.debug("{}: speaks {}", name, protocol.name());
                return true;
            }
            undecided |= match == Protocol.Match.NEED_MORE;
        }
        if (!undecided || kept.readableBytes() > MAX_FIRST_BYTES) {
            refuseProtocol();
        }
        return false;
    }

    private void refuseProtocol() {
        LOG.debug("{}: speaks no protocol that is known here", name);
        connections.unknownProtocol();
        out().writeBytes(protocols.getFirst().invitation());
        close();
    }

    private void firstBytesOverdue() {
        if (session == null) {
            LOG.debug("{}: did not say what it speaks within {}", name, options.firstBytesLimit());
            abort();
        }
    }

    // ---------------------------------------------------------------------------------------------- output

    @Override
    public ByteBuf out() {
        loop.assertCurrent();
        if (out != null) {
            if (out.readableBytes() < CHUNK_BYTES) {
                return out;
            }
            transfer();
        }
        requestEndOfTurn();
        out = channel.alloc().directBuffer(outBytesExpected);
        return out;
    }

    @Override
    public void write(LateBytes bytes) {
        loop.assertCurrent();
        if (out != null) {
            transfer();
        }
        requestEndOfTurn();
        if (lastBytesSent) {
            return;
        }
        if (bytes.length() > 0) {
            waiting.addLast(bytes);
            waitingBytes += bytes.length();
            pump();
            holdInput();
        }
    }

    /** Gives the channel of what waits as much as it takes for now, and as a turn may. */
    private void pump() {
        while (!waiting.isEmpty() && channel.isWritable() && turnBytes < TURN_BYTES) {
            if (waiting.peekFirst() instanceof ByteBuf bytes) {
                waiting.removeFirst();
                waitingBytes -= bytes.readableBytes();
                send(bytes, bytes.readableBytes());
            } else {
                sendPiece((LateBytes) waiting.peekFirst());
            }
        }
    }

    private void sendPiece(LateBytes bytes) {
        int length = (int) Math.min(CHUNK_BYTES, bytes.length() - waitingPosition);
        ByteBuf piece = channel.alloc().directBuffer(length, length);
        try {
            bytes.copy(waitingPosition, piece.nioBuffer(0, length));
        } catch (RuntimeException | Error e) {
            piece.release();
            throw e;
        }
        piece.writerIndex(length);
        waitingPosition += length;
        waitingBytes -= length;
        if (waitingPosition == bytes.length()) {
            waiting.removeFirst();
            waitingPosition = 0;
        }
        send(piece, length);
    }

    private void releaseWaiting() {
        waiting.forEach(ReferenceCountUtil::release);
        waiting.clear();
        waitingBytes = 0;
        waitingPosition = 0;
    }

    @Override
    public boolean isWritable() {
        loop.assertCurrent();
        int gathered = out == null ? 0 : out.readableBytes();
        return waiting.isEmpty()
                && turnBytes + gathered < TURN_BYTES
                && channel.bytesBeforeUnwritable() > gathered;
    }

    /** Whether the channel takes more, with nothing waiting before it. */
    private boolean hasRoom() {
        return waiting.isEmpty() && channel.isWritable();
    }

    private void requestEndOfTurn() {
        if (!endOfTurnDue) {
            endOfTurnDue = true;
            loop.atTurnEnd(endOfTurn);
        }
    }

    /** Gives the buffer at hand to the channel, and the channel's bytes to the socket. */
    private void transfer() {
        ByteBuf bytes = out;
        out = null;
        int length = bytes.readableBytes();
        outBytesExpected = expected(length);
        if (length == 0 || lastBytesSent) {
            bytes.release();
        } else if (waiting.isEmpty()) {
            send(bytes, length);
        } else {
            waiting.addLast(bytes);
            waitingBytes += length;
            holdInput();
        }
    }

    private void send(Object bytes, long length) {
        connections.written(length);
        sentBytes += length;
        turnBytes += length;
        if (turnBytes >= TURN_BYTES) {
            requestEndOfTurn();
        }
        transferring = true;
        context.writeAndFlush(bytes, channel.voidPromise());
        transferring = false;
        holdInput();
    }

    private int expected(int length) {
        int enough = Math.max(MIN_OUT_BYTES, Math.min(MAX_OUT_BYTES, Integer.highestOneBit(length + length / 4) * 2));
        return enough >= outBytesExpected ? enough : Math.max(enough, outBytesExpected / 2);
    }

    private void endTurn() {
        endOfTurnDue = false;
        turnBytes = 0;
        try {
            pump();
            if (out != null) {
                transfer();
            }
        } catch (RuntimeException | Error e) {
            fail(e); // a part of something may be out, and nobody would send the rest
            return;
        }
        if (closing) {
            if (!endOfTurnDue) {
                finish();
            }
            return;
        }
        useRoom();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext changed) {
        if (transferring) {
            return;
        }
        pump();
        if (closing) {
            if (!endOfTurnDue) {
                finish();
            }
            return;
        }
        useRoom();
    }

    /** Lets the session and the peer go on as far as there is room; what waited may have gone without a word of the channel's. */
    private void useRoom() {
        tellWritable();
        if (hasRoom()) {
            tell(ProtocolSession::flushed);
            if (held) {
                held = false;
                redeliver();
            }
        }
    }

    private void tellWritable() {
        if (toldWritable != hasRoom()) {
            toldWritable = !toldWritable;
            tell(ProtocolSession::writabilityChanged);
        }
    }

    /** Stops reading from a peer that takes none of the answers. */
    private void holdInput() {
        if (!held && !hasRoom()
                && waitingBytes + channel.bytesBeforeWritable()
                        > options.outputLimitBytes() - options.lowWaterBytes()) {
            held = true;
            adjustReading();
        }
    }

    // ---------------------------------------------------------------------------------------------- the end

    @Override
    public void authenticated() {
        loop.assertCurrent();
        if (!authenticated && !closed) {
            authenticated = true;
            connections.authenticated();
        }
    }

    boolean isAuthenticated() {
        return authenticated;
    }

    /** The broker stops. */
    void shutdown(String reason) {
        if (session == null) {
            abort();
        } else {
            tell(ending -> ending.shutdown(reason));
        }
    }

    @Override
    public void close() {
        loop.assertCurrent();
        if (closing) {
            return;
        }
        closing = true;
        timeLimit.cancel();
        timeLimit = loop.schedule(options.closeLimit().toNanos(), this::closeOverdue);
        releaseKept();
        requestEndOfTurn();
    }

    private void closeOverdue() {
        if (!closed) {
            LOG.debug("{}: did not close its side within {}", name, options.closeLimit());
            releaseWaiting();
            closeSocket();
        }
    }

    /** Waits until the last bytes are out, then tells the peer that no more will come, and waits for it to close. */
    private void finish() {
        if (finishing || lastBytesSent || !waiting.isEmpty()) {
            return;
        }
        finishing = true;
        ChannelFuture last = tls == null ? context.writeAndFlush(Unpooled.EMPTY_BUFFER) : tls.closeOutbound();
        last.addListener(sent -> {
            lastBytesSent = true;
            if (!sent.isSuccess() || inputEnded) {
                closeSocket();
            } else {
                // To close a socket with unread input would reset it, and the peer might lose our last bytes.
                channel.shutdownOutput();
                adjustReading();
            }
        });
    }

    @Override
    public void abort() {
        loop.assertCurrent();
        closing = true;
        lastBytesSent = true;
        timeLimit.cancel();
        releaseKept();
        releaseWaiting();
        closeSocket();
    }

    /** At once; by the handler of TLS it would first have to take leave of a peer that may not listen. */
    private void closeSocket() {
        if (tls == null) {
            channel.close();
        } else {
            ChannelHandlerContext below = channel.pipeline().context(tls);
            if (below != null) { // else the channel is closed
                below.close();
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext inactive) {
        ended();
    }

    private void ended() {
        if (closed) {
            return;
        }
        closing = true;
        lastBytesSent = true;
        closed = true;
        timeLimit.cancel();
        releaseKept();
        releaseWaiting();
        connections.left(this);
        if (session != null) {
            failures.guard(session::closed);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext caught, Throwable cause) {
        if (cause instanceof DecoderException) { // only TLS is decoded below this
            if (!lastBytesSent) {
                Throwable reason = cause.getCause() == null ? cause : cause.getCause();
                connections.tlsFailed(name, reason);
                abort();
            } // else the peer says what nobody listens to any more
        } else if (cause instanceof IOException || cause instanceof UncheckedIOException) {
            if (!lastBytesSent) {
                LOG.debug("{}: {}", name, cause.toString());
            }
            abort();
        } else {
            fail(cause);
        }
    }

    private interface Call {
        void to(ProtocolSession session);
    }

    private void tell(Call call) {
        if (session == null || closing) {
            return;
        }
        try {
            call.to(session);
        } catch (RuntimeException | Error e) {
            fail(e);
        }
    }

    /** The broker's code is at fault, and there is no telling what state the session is in; or memory has run out. */
    private void fail(Throwable e) {
        if (e instanceof OutOfMemoryError lack) {
            connections.memoryLacked(name, lack);
        } else {
            failures.record(e);
        }
        abort();
    }

    // ---------------------------------------------------------------------------------------------- for people

    @Override
    public Loop loop() {
        return loop;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Authenticator.Peer peer() {
        return peer;
    }

    @Override
    public long receivedBytes() {
        return receivedBytes;
    }

    @Override
    public long sentBytes() {
        return sentBytes;
    }

    @Override
    public String toString() {
        return name;
    }
}
