package io.sluicemq.campaign;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.LoggerFactory;

/** What an embedded broker has written to its log above INFO. Its loops write here, anybody reads. */
public final class BrokerLog implements AutoCloseable {

    private static final String BROKER = "io.sluicemq";

    /**
     * A line of the log.
     *
     * @param text level, logger and message
     * @param trace whether an exception with its stack trace came with it
     */
    public record Line(String text, boolean trace) {}

    private final ConcurrentLinkedQueue<Line> lines = new ConcurrentLinkedQueue<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
                lines.add(new Line(event.getLevel() + " " + event.getLoggerName() + ": " + event.getFormattedMessage(),
                        event.getThrowableProxy() != null));
            }
        }
    };

    private BrokerLog() {}

    /** Starts to keep what is written. */
    static BrokerLog listen() {
        BrokerLog log = new BrokerLog();
        Logger logger = logger();
        log.appender.setContext(logger.getLoggerContext());
        log.appender.start();
        logger.addAppender(log.appender);
        return log;
    }

    private static Logger logger() {
        // While another thread is the first to log, there is a stand-in.
        while (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext)) {
            Thread.onSpinWait();
        }
        return (Logger) LoggerFactory.getLogger(BROKER);
    }

    /** The lines so far, the oldest first. */
    public List<Line> lines() {
        return List.copyOf(lines);
    }

    /** The lines since the last call of this method. */
    public List<Line> takeLines() {
        List<Line> taken = new java.util.ArrayList<>();
        for (Line line = lines.poll(); line != null; line = lines.poll()) {
            taken.add(line);
        }
        return taken;
    }

    @Override
    public void close() {
        logger().detachAppender(appender);
        appender.stop();
    }
}
