package io.sluicemq.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ServerChannel;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.sluicemq.api.Protocol;
import io.sluicemq.base.LogEvent;
import io.sluicemq.base.LogLimit;
import io.sluicemq.base.Published;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens on one port and hands each connection to a loop, one loop after the other; the connection finds out by its first
 * bytes which of the protocols its peer speaks. Connections are accepted on one of the loops; the public methods may be
 * called from any thread.
 */
public final class Listener {

    private static final Logger LOG = LoggerFactory.getLogger(Listener.class);
    private static final long REST_AFTER_FAILURE_MILLIS = 500;

    private final ServerChannel channel;
    private final Connections connections;
    /** With what new connections speak TLS; null for plain TCP. */
    private final Published<Tls> tls;

    private Listener(ServerChannel channel, Connections connections, Published<Tls> tls) {
        this.channel = channel;
        this.connections = connections;
        this.tls = tls;
    }

    /**
     * Binds the port and begins to accept. Blocks for that moment; not to be called on a loop.
     *
     * @param protocols what may be spoken on the port; who speaks none of them is invited to try the first
     * @throws ListenException if the port can't be bound
     */
    public static Listener open(NettyLoops loops, List<Protocol> protocols, ListenerOptions options)
            throws ListenException {
        if (protocols.isEmpty()) {
            throw new IllegalArgumentException("a listener needs a protocol");
        }
        Connections connections = new Connections(loops.all(), options);
        Published<Tls> tls = new Published<>(options.tls());
        ServerChannel channel = loops.kind().serverChannel();
        channel.config().setOption(ChannelOption.SO_REUSEADDR, true);
        channel.config().setOption(ChannelOption.SO_BACKLOG, options.backlog());
        channel.pipeline().addLast(new Acceptor(loops, List.copyOf(protocols), options, connections, tls));
        ChannelFuture bound = loops.loop(0).eventLoop().register(channel);
        InetSocketAddress address = new InetSocketAddress(options.host(), options.port());
        if (bound.awaitUninterruptibly().isSuccess()) {
            bound = channel.bind(address).awaitUninterruptibly();
        }
        if (!bound.isSuccess()) {
            channel.close().awaitUninterruptibly();
            throw new ListenException(options.host() + ":" + options.port(), bound.cause());
        }
        return new Listener(channel, connections, tls);
    }

    /** The address that is bound, with the port that was chosen where 0 was asked for. */
    public InetSocketAddress address() {
        return (InetSocketAddress) channel.localAddress();
    }

    /** With what it speaks TLS; null for plain TCP. */
    public Tls tls() {
        return tls.get();
    }

    /**
     * Has new connections speak TLS with this; those that are there go on as they are. To be called by one thread at a time.
     *
     * @throws IllegalStateException if it doesn't speak TLS
     */
    public void tls(Tls next) {
        if (tls.get() == null || next == null) {
            throw new IllegalStateException("whether a listener speaks TLS does not change");
        }
        tls.publish(next);
    }

    public ListenerCounters counters() {
        return connections.counters();
    }

    /** Accepts no more connections; those that are open go on. */
    public void stopAccepting() {
        channel.close().awaitUninterruptibly();
    }

    /**
     * Stops in order: accepts no more, asks every session to end, and cuts the connections that are still open after
     * {@code limit}.
     *
     * @param reason for the peers
     * @return completes, on any thread, when the port and the last connection are closed
     */
    public CompletableFuture<Void> stop(String reason, Duration limit) {
        var portClosed = new CompletableFuture<Void>();
        channel.close().addListener(done -> portClosed.complete(null));
        return CompletableFuture.allOf(portClosed, connections.stop(reason, limit));
    }

    /** Takes accepted sockets and gives them to the loops. Runs on the loop that accepts. */
    private static final class Acceptor extends ChannelInboundHandlerAdapter {

        private final NettyLoops loops;
        private final List<Protocol> protocols;
        private final ListenerOptions options;
        private final Connections connections;
        private final Published<Tls> tls;
        private final ReceiveBuffers receiveBuffers = new ReceiveBuffers();
        private final WriteBufferWaterMark waterMark;
        private final LogLimit failures = new LogLimit(TimeUnit.SECONDS.toNanos(10));
        private int next;

        Acceptor(
                NettyLoops loops, List<Protocol> protocols, ListenerOptions options, Connections connections,
                Published<Tls> tls) {
            this.tls = tls;
            this.loops = loops;
            this.protocols = protocols;
            this.options = options;
            this.connections = connections;
            this.waterMark = new WriteBufferWaterMark(options.lowWaterBytes(), options.highWaterBytes());
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            DuplexChannel accepted = (DuplexChannel) message;
            if (!connections.admit(accepted.localAddress(), accepted.remoteAddress())) {
                accepted.unsafe().closeForcibly();
                return;
            }
            NettyLoop loop = loops.loop(next);
            next = (next + 1) % loops.size();
            try {
                configure(accepted);
            } catch (ChannelException e) { // the peer may be gone already
                lose(accepted, e);
                return;
            }
            Tls current = tls.get();
            SslHandler handler = current == null ? null : current.handler(loops.allocator());
            if (handler != null) {
                accepted.pipeline().addLast(handler);
            }
            accepted.pipeline()
                    .addLast(new Connection(loop, loop.rests(), accepted, handler, protocols, options, connections,
                            loop.failures()));
            loop.eventLoop().register(accepted).addListener(registered -> {
                if (!registered.isSuccess()) {
                    lose(accepted, registered.cause());
                }
            });
        }

        private void lose(Channel accepted, Throwable cause) {
            LOG.debug("an accepted connection is lost: {}", cause.toString());
            accepted.unsafe().closeForcibly();
            connections.lost();
        }

        private void configure(Channel accepted) {
            accepted.config().setAllocator(loops.allocator());
            accepted.config().setRecvByteBufAllocator(receiveBuffers);
            accepted.config().setWriteBufferWaterMark(waterMark);
            accepted.config().setOption(ChannelOption.TCP_NODELAY, true);
            accepted.config().setOption(ChannelOption.SO_KEEPALIVE, true);
            accepted.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        }

        /** Accepting fails when the process has no file descriptor left: rest, for at once it would fail again. */
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            long times = failures.take(System.nanoTime());
            if (times > 0) {
                LogEvent.ACCEPT_FAILED.log(LOG, "accepting connections failed {} times: {}", times, cause.toString());
            }
            context.channel().config().setAutoRead(false);
            context.executor().schedule(
                    () -> context.channel().config().setAutoRead(true), REST_AFTER_FAILURE_MILLIS,
                    TimeUnit.MILLISECONDS);
        }
    }
}
