package io.sluicemq.cli.bench;

import com.rabbitmq.client.BlockedListener;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.impl.ForgivingExceptionHandler;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Opens and closes the connections of a run, all alike. Owned by the thread of the run; the listeners it hangs on the
 * connections run on the library's threads and only count or report.
 */
final class Clients implements AutoCloseable {

    private static final int CONNECT_MILLIS = 5_000;
    private static final int ANSWER_MILLIS = 20_000;
    private static final int CLOSE_MILLIS = 2_000;

    private final BenchPlan plan;
    private final FirstFailure failure;
    private final ConnectionFactory factory;
    private final List<Connection> open = new ArrayList<>();
    private final AtomicLong blockedEvents = new AtomicLong();
    private final AtomicInteger blockedNow = new AtomicInteger();
    private volatile boolean closing;

    Clients(BenchPlan plan, FirstFailure failure) throws BenchFailure {
        this.plan = plan;
        this.failure = failure;
        this.factory = new ConnectionFactory();
        try {
            factory.setUri(plan.uri());
            if (plan.trust() != null) {
                // By itself the client would take any certificate, and tell the password to whoever has one.
                factory.useSslProtocol(plan.trust());
                factory.enableHostnameVerification();
            }
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new BenchFailure("--uri: " + FirstFailure.reason(e), e);
        }
        factory.setConnectionTimeout(CONNECT_MILLIS);
        factory.setHandshakeTimeout(ANSWER_MILLIS);
        factory.setChannelRpcTimeout(ANSWER_MILLIS);
        factory.setShutdownTimeout(CLOSE_MILLIS);
        // A lost connection ends the run: figures of a run that was put together again would mean nothing.
        factory.setAutomaticRecoveryEnabled(false);
        factory.setTopologyRecoveryEnabled(false);
        factory.setExceptionHandler(new Reporting());
        if (plan.dispatch() == Dispatch.DIRECT) {
            factory.setSharedExecutor(new CallerRuns());
        }
        if (plan.io() == ClientIo.NETTY) {
            factory.netty();
        }
    }

    Connection connect(String name) throws BenchFailure {
        Connection connection;
        try {
            connection = factory.newConnection("sluicemq-bench " + name);
        } catch (IOException | TimeoutException e) {
            throw new BenchFailure("cannot connect to " + plan.displayUri() + ": " + FirstFailure.reason(e), e);
        }
        open.add(connection);
        connection.addShutdownListener(signal -> {
            if (!closing && !signal.isInitiatedByApplication()) {
                failure.report("the connection of " + name + " was lost: " + FirstFailure.reason(signal), signal);
            }
        });
        connection.addBlockedListener(new BlockedListener() {
            @Override
            public void handleBlocked(String reason) {
                blockedEvents.incrementAndGet();
                blockedNow.incrementAndGet();
            }

            @Override
            public void handleUnblocked() {
                blockedNow.decrementAndGet();
            }
        });
        return connection;
    }

    /** Times the broker has said connection.blocked. */
    long blockedEvents() {
        return blockedEvents.get();
    }

    /** Connections that are blocked at the moment. */
    int blockedNow() {
        return blockedNow.get();
    }

    /** From now on a connection that ends is no failure. */
    void expectEnd() {
        closing = true;
    }

    @Override
    public void close() {
        expectEnd();
        for (Connection connection : open.reversed()) {
            connection.abort(CLOSE_MILLIS);
        }
        open.clear();
    }

    /** What the library would only log ends the run. */
    private final class Reporting extends ForgivingExceptionHandler {
        @Override
        public void handleUnexpectedConnectionDriverException(Connection connection, Throwable error) {
            log("the connection to the broker was lost", error);
        }

        @Override
        protected void log(String message, Throwable error) {
            if (!closing) {
                failure.report(message + ": " + FirstFailure.reason(error), error);
            }
        }
    }

    /** Runs each task on the thread that hands it in, which for deliveries is the one that read the socket. */
    private static final class CallerRuns extends AbstractExecutorService {
        private volatile boolean shutdown;

        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public void shutdown() {
            shutdown = true;
        }

        @Override
        public List<Runnable> shutdownNow() {
            shutdown = true;
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return shutdown;
        }

        @Override
        public boolean isTerminated() {
            return shutdown;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return shutdown;
        }
    }
}
