package io.sluicemq.transport;

import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.util.concurrent.RejectedExecutionHandlers;
import io.netty.util.concurrent.ScheduledFuture;
import io.sluicemq.base.Loop;
import io.sluicemq.base.TaskFailures;
import io.sluicemq.base.Turn;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A {@link Loop} on a Netty event loop. A turn is: sockets that are ready, then tasks and timers that wait, then the turn's
 * end. The end is itself a task, queued when a turn first collects something: so it comes after the sockets that were ready
 * and after the batches that had arrived by then, but not after all that keep arriving, which bounds a turn.
 *
 * <p>Invariant: an end that is asked for while a turn ends is queued only after sockets had their chance.
 */
final class NettyLoop implements Loop {

    private static final Logger LOG = LoggerFactory.getLogger(NettyLoop.class);

    private final int index;
    private final TurningEventLoop eventLoop;
    private final TaskFailures failures;
    private final Turn turn;
    private boolean ending;
    private long executed;

    NettyLoop(int index, TurningEventLoop eventLoop, TaskFailures failures) {
        this.index = index;
        this.eventLoop = eventLoop;
        this.failures = failures;
        this.turn = new Turn(this, this::requestEnd, failures);
        eventLoop.end = this::end;
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public boolean isCurrent() {
        return eventLoop.inEventLoop();
    }

    /**
     * {@inheritDoc}
     *
     * @throws RejectedExecutionException once the loops have been closed
     */
    @Override
    public void execute(Runnable task) {
        eventLoop.execute(() -> {
            executed++;
            failures.guard(task);
        });
    }

    @Override
    public void send(Loop target, Runnable item) {
        if (target == this) {
            item.run();
        } else {
            turn.send(target, item);
        }
    }

    @Override
    public void atTurnEnd(Runnable hook) {
        turn.atEnd(hook);
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        assertCurrent();
        ScheduledFuture<?> future = eventLoop.schedule(() -> failures.guard(task), Math.max(0, delayNanos),
                TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public long currentTimeMillis() {
        return System.currentTimeMillis();
    }

    EventLoop eventLoop() {
        return eventLoop;
    }

    Rests rests() {
        return eventLoop.rests;
    }

    TaskFailures failures() {
        return failures;
    }

    /** How many tasks given to {@link #execute} have run: each is at most one wake-up. Call on this loop only. */
    long executed() {
        return executed;
    }

    private void requestEnd() {
        if (ending) {
            eventLoop.endAfterSockets();
        } else {
            eventLoop.execute(eventLoop.end);
        }
    }

    private void end() {
        ending = true;
        try {
            turn.end();
        } catch (RejectedExecutionException e) {
            LOG.debug("loop {} drops a batch: its target has ended, the loops are being closed", index);
        } finally {
            ending = false;
        }
    }

    /** Netty's loop, taught to queue a turn's end after the next look at the sockets. */
    static final class TurningEventLoop extends SingleThreadIoEventLoop {

        /** Tasks run this long at most before sockets have their chance. */
        private static final long TASK_QUANTUM_MILLIS = 2;

        private Runnable end;
        private final Rests rests;
        private boolean endPostponed;

        TurningEventLoop(IoEventLoopGroup group, Executor executor, IoHandlerFactory handlers, long longestRest) {
            super(
                    group,
                    executor,
                    handlers,
                    Integer.MAX_VALUE,
                    RejectedExecutionHandlers.reject(),
                    TASK_QUANTUM_MILLIS);
            rests = new Rests(longestRest, System.nanoTime());
        }

        private void endAfterSockets() {
            endPostponed = true;
        }

        /** Keeps the loop from waiting for sockets while an end is due. */
        @Override
        protected boolean hasTasks() {
            return endPostponed || super.hasTasks();
        }

        /**
         * {@inheritDoc}
         *
         * <p>Rests before, if that is of use. A task of another thread's, or a timer, waits for the end of a rest, which is
         * why those are short; it needs no wake-up then.
         */
        @Override
        protected int runIo() {
            if (!hasTasks()) {
                long rest = rests.next(System.nanoTime());
                if (rest > 0) {
                    LockSupport.parkNanos(rest);
                }
            }
            int handled = super.runIo();
            if (endPostponed) {
                endPostponed = false;
                execute(end);
            }
            return handled;
        }
    }
}
