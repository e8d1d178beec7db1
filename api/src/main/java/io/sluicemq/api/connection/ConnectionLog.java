package io.sluicemq.api.connection;

import io.sluicemq.base.LogEvent;
import io.sluicemq.base.LogLimit;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/**
 * What one connection says in the log: lines that name it, at a bounded rate whatever its peer does. What was left out is
 * counted and told with the next line. Owned by the connection's loop.
 */
@LoopOwned
public final class ConnectionLog {

    /** Where lines go that are not left out. */
    public interface Output {
        void line(LogEvent event, String format, Object[] arguments);
    }

    private static final int LINES_PER_PERIOD = 5;
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Loop loop;
    private final String connection;
    private final Output output;
    private final Logger logger;
    /** What bounds the lines while the peer is in no virtual host, as it may come again and again; then null. */
    private LogLimit strangers;
    private long periodStart;
    private int lines;
    private long leftOut;

    /** @param strangers of all connections together whose peers are in no virtual host yet; on any loop */
    public ConnectionLog(Loop loop, String connection, LogLimit strangers, Logger logger) {
        this(loop, connection, strangers, logger,
                (event, format, arguments) -> event.log(logger, format, arguments));
    }

    /** One of a peer that is in a virtual host. */
    public ConnectionLog(Loop loop, String connection, Logger logger, Output output) {
        this(loop, connection, null, logger, output);
    }

    private ConnectionLog(Loop loop, String connection, LogLimit strangers, Logger logger, Output output) {
        this.loop = loop;
        this.connection = connection;
        this.strangers = strangers;
        this.output = output;
        this.logger = logger;
        this.periodStart = loop.nanoTime();
    }

    /** A line, as {@link LogEvent#log} writes it, unless there were too many of late. */
    public void line(LogEvent event, String format, Object... arguments) {
        long now = loop.nanoTime();
        if (strangers != null) {
            long times = strangers.take(now);
            if (times > 0) {
                String others = times == 1 ? "" : " (" + (times - 1) + " lines of others left out)";
                output.line(event, connection + others + ": " + format, arguments);
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
        output.line(event, prefix + ": " + format, arguments);
    }

    /** A line that is not limited, for those who look for it. */
    public void debug(String format, Object... arguments) {
        logger.debug(connection + ": " + format, arguments);
    }

    /** The peer has come into a virtual host. */
    public void known() {
        strangers = null;
    }
}
