package io.sluicemq.transport;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.sluicemq.base.Loop;
import io.sluicemq.base.TaskFailures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** A fixed set of {@link Loop loops} on Netty's threads. Safe from any thread. */
public final class NettyLoops implements AutoCloseable {

    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

    private final SocketKind kind;
    private final ByteBufAllocator allocator;
    private final List<NettyLoop> loops = new ArrayList<>();
    private final Threads threads = new Threads();
    private final MultiThreadIoEventLoopGroup group;

    /**
     * Starts {@code count} loops.
     *
     * @param kind must be {@linkplain SocketKind#isAvailable available}
     * @param failures told of every task that throws
     * @param longestRest how long a loop may rest where busy peers send on without an answer, so that it has fewer turns for
     *     the same work; zero for never
     */
    public NettyLoops(int count, SocketKind kind, TaskFailures failures, Duration longestRest) {
        this(count, kind, failures, longestRest, PooledByteBufAllocator.DEFAULT);
    }

    NettyLoops(
            int count, SocketKind kind, TaskFailures failures, Duration longestRest, ByteBufAllocator allocator) {
        this.kind = kind;
        this.allocator = allocator;
        group = new TurningGroup(count, threads, kind.handlerFactory(), longestRest.toNanos());
        for (EventExecutor eventLoop : group) {
            loops.add(new NettyLoop(loops.size(), (NettyLoop.TurningEventLoop) eventLoop, failures));
        }
    }

    /** The loops; each one's place is its {@link Loop#index}. */
    public List<Loop> all() {
        return List.copyOf(loops);
    }

    public Loop get(int index) {
        return loops.get(index);
    }

    /** How often a loop has rested so far, and for how long in all. */
    public record RestCount(long count, long nanos) {}

    /** The rests of each loop, by its index. Any thread. */
    public CompletableFuture<List<RestCount>> rests() {
        List<CompletableFuture<RestCount>> parts = new ArrayList<>();
        for (NettyLoop loop : loops) {
            CompletableFuture<RestCount> part = new CompletableFuture<>();
            loop.execute(() -> part.complete(new RestCount(loop.rests().count(), loop.rests().nanos())));
            parts.add(part);
        }
        return CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new))
                .thenApply(all -> parts.stream().map(CompletableFuture::join).toList());
    }

    /** Bytes of memory outside the heap that buffers of sockets take, be they in use or kept. */
    public long bufferBytes() {
        return allocator instanceof ByteBufAllocatorMetricProvider provider
                ? provider.metric().usedDirectMemory()
                : 0;
    }

    public int size() {
        return loops.size();
    }

    public SocketKind kind() {
        return kind;
    }

    /**
     * Ends the loops: what they have been given is run, sockets that are still open are closed, timers are dropped. Stop
     * the listeners first. Returns once all threads are gone, or after five seconds. Do not call it on a loop.
     */
    @Override
    public void close() {
        var ended = group.shutdownGracefully(0, CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        if (ended.awaitUninterruptibly(CLOSE_LIMIT.toMillis())) {
            threads.awaitEnd(CLOSE_LIMIT);
        }
    }

    NettyLoop loop(int index) {
        return loops.get(index);
    }

    ByteBufAllocator allocator() {
        return allocator;
    }

    /** The loops' threads, which live a moment longer than Netty says. Any thread. */
    private static final class Threads extends DefaultThreadFactory {

        private final Queue<Thread> begun = new ConcurrentLinkedQueue<>();

        Threads() {
            super("sluicemq-loop");
        }

        @Override
        public Thread newThread(Runnable task) {
            Thread thread = super.newThread(task);
            begun.add(thread);
            return thread;
        }

        void awaitEnd(Duration limit) {
            try {
                for (Thread thread : begun) {
                    thread.join(limit);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static final class TurningGroup extends MultiThreadIoEventLoopGroup {

        TurningGroup(int count, ThreadFactory threads, IoHandlerFactory handlers, long longestRest) {
            super(count, threads, handlers, longestRest);
        }

        @Override
        protected IoEventLoop newChild(Executor executor, IoHandlerFactory handlers, Object... args) {
            return new NettyLoop.TurningEventLoop(this, executor, handlers, (Long) args[0]);
        }
    }
}
