package io.sluicemq.base;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The audit log: who has changed something, and who was refused something; the logger {@value #LOGGER}, so that it can have a file of
 * its own. One line a fact, without secrets, and without characters that would make two of it. One such object belongs to one kind of
 * refusals and bounds how many lines there are of them: the others are counted, and told with the next line. Any thread.
 */
public final class Audit {

    /** Its name. */
    public static final String LOGGER = "audit";

    private static final Logger LOG = LoggerFactory.getLogger(LOGGER);
    private static final int LINES = 20;
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int MAX_CHARACTERS = 500;

    private final LogLimit limit = new LogLimit(INTERVAL_NANOS, LINES);
    private final LogEvent event;
    private final String kind;

    /** @param kind what is refused, a word: {@code access} */
    public Audit(LogEvent event, String kind) {
        this.event = event;
        this.kind = kind;
    }

    /**
     * Somebody was refused something.
     *
     * @param nowNanos the time, always by the same clock
     */
    public void refused(String what, long nowNanos) {
        long times = limit.take(nowNanos);
        if (times > 0) {
            event.log(LOG, "refused {}: {}{}", kind, Printable.of(what, MAX_CHARACTERS),
                    times == 1 ? "" : " (and " + (times - 1) + " more refused since the last such line)");
        }
    }

    /**
     * Somebody has changed something.
     *
     * @param who as exactly as is known
     */
    public static void changed(LogEvent event, String who, String what) {
        event.log(LOG, "{}: {}", Printable.of(who, MAX_CHARACTERS), Printable.of(what, MAX_CHARACTERS));
    }
}
