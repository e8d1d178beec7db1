package io.sluicemq.testkit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/**
 * While open, takes everything that is logged off the console, from DEBUG on where it is ours, and keeps it for the test to
 * look at. Safe from any thread; one at a time.
 */
public final class LogCapture extends AppenderBase<ILoggingEvent> implements AutoCloseable {

    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final Logger ours = (Logger) LoggerFactory.getLogger("io.sluicemq");
    private final Logger audit = (Logger) LoggerFactory.getLogger("audit");
    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
    private final List<Appender<ILoggingEvent>> others = new ArrayList<>();

    public LogCapture() {
        root.iteratorForAppenders().forEachRemaining(others::add);
        others.forEach(root::detachAppender);
        ours.setLevel(Level.DEBUG);
        audit.setLevel(Level.DEBUG);
        setContext(root.getLoggerContext());
        start();
        root.addAppender(this);
    }

    @Override
    protected void append(ILoggingEvent event) {
        event.prepareForDeferredProcessing();
        events.add(event);
    }

    /** What was logged at {@code level} or worse. */
    public List<ILoggingEvent> atLeast(Level level) {
        return events.stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(level))
                .toList();
    }

    /** The words of what was logged at {@code level} or worse. */
    public List<String> messages(Level level) {
        return atLeast(level).stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    /** What was logged with a stack trace. */
    public List<ILoggingEvent> withTrace() {
        return events.stream().filter(event -> event.getThrowableProxy() != null).toList();
    }

    @Override
    public void close() {
        root.detachAppender(this);
        others.forEach(root::addAppender);
        ours.setLevel(null);
        audit.setLevel(null);
    }
}
