package io.sluicemq.cli.bench;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.ShutdownSignalException;
import java.util.concurrent.atomic.AtomicReference;

/** The first thing that went wrong in any thread of a run: it ends the run, what follows from it is not news. */
public final class FirstFailure {

    private final AtomicReference<BenchFailure> first = new AtomicReference<>();
    private final Runnable onFailure;

    /** @param onFailure run at each report, on the thread that makes it */
    FirstFailure(Runnable onFailure) {
        this.onFailure = onFailure;
    }

    /** Ends the run; only the first call counts. Any thread. */
    public void report(String message, Throwable cause) {
        first.compareAndSet(null, new BenchFailure(message, cause));
        onFailure.run();
    }

    void throwIfHappened() throws BenchFailure {
        BenchFailure failure = first.get();
        if (failure != null) {
            throw failure;
        }
    }

    /** What an exception of the client library says, in one line: the broker's own words where it gave any. */
    public static String reason(Throwable error) {
        for (Throwable each = error; each != null; each = each.getCause()) {
            if (each instanceof ShutdownSignalException signal) {
                if (signal.getReason() instanceof AMQP.Channel.Close close) {
                    return close.getReplyCode() + " " + close.getReplyText();
                }
                if (signal.getReason() instanceof AMQP.Connection.Close close) {
                    return close.getReplyCode() + " " + close.getReplyText();
                }
            }
        }
        Throwable root = error;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String message = root.getMessage();
        return message == null ? root.getClass().getSimpleName() : message.lines().findFirst().orElse("");
    }
}
