package io.sluicemq.protocol.amqp091;

import io.sluicemq.base.LogLimit;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * What one connection says in the log: lines that name it, at a bounded rate whatever its peer does. What was left out is
 * counted and told with the next line. Owned by the connection's loop.
 */
@LoopOwned
final class ConnectionLog {

    /** Where lines go that are not left out. */
    interface Output {
        void line(Level level, String format, Object[] arguments);
    }

    private static final Logger LOG = LoggerFactory.getLogger(ConnectionSession.class);
    private static final int LINES_PER_PERIOD = 5;
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Loop loop;
    private final String connection;
    private final Output output;
    /** What bounds the lines while the peer is in no virtual host, as it may come again and again; then null. */
    private LogLimit strangers;
    private long periodStart;
    private int lines;
    private long leftOut;

    /** @param strangers of all connections together whose peers are in no virtual host yet; on any loop */
    ConnectionLog(Loop loop, String connection, LogLimit strangers) {
        this(loop, connection, strangers, ConnectionLog::write);
    }

    ConnectionLog(Loop loop, String connection, Output output) {
        this(loop, connection, null, output);
    }

    private ConnectionLog(Loop loop, String connection, LogLimit strangers, Output output) {
        this.loop = loop;
        this.connection = connection;
        this.strangers = strangers;
        this.output = output;
        this.periodStart = loop.nanoTime();
    }

    /** By the methods that SLF4J has had for long: where the broker is embedded, an application may bring an older one. */
    private static void write(Level level, String format, Object... arguments) {
        if (level == Level.WARN) {
            LOG.warn(format, arguments);
        } else {
            LOG.info(format, arguments);
        }
    }

    void warn(String format, Object... arguments) {
        log(Level.WARN, format, arguments);
    }

    void info(String format, Object... arguments) {
        log(Level.INFO, format, arguments);
    }

    /** A line that is not limited, for those who look for it. */
    void debug(String format, Object... arguments) {
        LOG.debug(connection + ": " + format, arguments);
    }

    /** The peer has come into a virtual host. */
    void known() {
        strangers = null;
    }

    private void log(Level level, String format, Object[] arguments) {
        long now = loop.nanoTime();
        if (strangers != null) {
            long times = strangers.take(now);
            if (times > 0) {
                String others = times == 1 ? "" : " (" + (times - 1) + " lines of others left out)";
                output.line(level, connection + others + ": " + format, arguments);
            }
            return;
        }
        if (now - periodStart >= PERIOD_NANOS) {
            periodStart = now;
            lines = 0;
        }
        if (lines == LINES_PER_PERIOD) {
            leftOut++;
            return;
        }
        lines++;
        String prefix = leftOut == 0 ? connection : connection + " (" + leftOut + " lines left out)";
        leftOut = 0;
        output.line(level, prefix + ": " + format, arguments);
    }
}
