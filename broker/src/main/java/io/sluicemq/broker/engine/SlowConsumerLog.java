package io.sluicemq.broker.engine;

import io.sluicemq.api.operate.Event;
import io.sluicemq.base.LogEvent;
import io.sluicemq.base.LogLimit;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.flow.ConsumerRule;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.broker.queue.SlowConsumer;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells in the log of consumers that are too slow, and what of: a bounded number of lines, since clients may cause them at will.
 * Owned by its loop.
 */
@LoopOwned
final class SlowConsumerLog {

    private static final Logger LOG = LoggerFactory.getLogger(SlowConsumerLog.class);

    private final Loop loop;
    private final EventRing events;
    /** How often one was found, by what was done about it. */
    private final long[] byAction = new long[SlowConsumer.Action.values().length];
    private final LogLimit found = new LogLimit(TimeUnit.SECONDS.toNanos(10), 50);
    private final LogLimit ended = new LogLimit(TimeUnit.SECONDS.toNanos(10), 50);
    private final LogLimit cycled = new LogLimit(TimeUnit.SECONDS.toNanos(10), 10);

    /** @param events what people are told besides, without a limit but its own */
    SlowConsumerLog(Loop loop, EventRing events) {
        this.loop = loop;
        this.events = events;
    }

    void count(SlowConsumer.Action action) {
        byAction[action.ordinal()]++;
    }

    /** How often one was found too slow of which this was done. */
    long found(SlowConsumer.Action action) {
        return byAction[action.ordinal()];
    }

    void slow(SlowConsumer consumer, SlowConsumer.Action action) {
        events.add(
                Event.Kind.SLOW_CONSUMER, consumer.virtualHost(), consumer.queue(),
                who(consumer, "is") + " is too slow: " + String.join(", ", consumer.exceeded()) + ": " + words(action));
        long times = found.take(loop.nanoTime());
        if (times > 0) {
            LogEvent.CONSUMER_SLOW.log(LOG,
                    "{} is too slow since {} ms: {}; {} messages and {} bytes wait for it or are held by"
                            + " it{}{}{}: {}{}",
                    who(consumer, "is"), consumer.sinceMillis(), String.join(", ", consumer.exceeded()),
                    consumer.measure().messages(), consumer.measure().bytes(), age(consumer), rate(consumer),
                    consumer.others() == 0 ? "" : ", and " + consumer.others() + " other consumers are there",
                    words(action), more(times));
        }
    }

    void ended(SlowConsumer consumer, SlowConsumer.End end) {
        long times = ended.take(loop.nanoTime());
        if (times > 0) {
            LogEvent.CONSUMER_NOT_SLOW.log(LOG,
                    "{} is not too slow any more, after {} ms: {}{}", who(consumer, "was"), consumer.sinceMillis(),
                    switch (end) {
                        case RECOVERED -> "it has caught up, or was stopped by its client";
                        case GONE -> "it has gone";
                        case ATTENDED -> "somebody is attached to it";
                        case OTHER_RULE -> "another rule holds";
                    }, more(times));
        }
    }

    void cycled(Queue queue, long messages, long bytes, long sinceMillis, long lackedMessages, long lackedBytes) {
        long times = cycled.take(loop.nanoTime());
        if (times > 0) {
            LogEvent.QUEUE_CYCLES.log(LOG,
                    "{} has dropped its oldest messages to make room, {} with {} bytes in {} ms; to drop none"
                            + " it would have needed room for {} messages and {} bytes more{}",
                    queue, messages, bytes, sinceMillis, lackedMessages, lackedBytes,
                    times == 1 ? "" : " (so did others, " + (times - 1) + " times since the last such line)");
        }
    }

    private static String more(long times) {
        return times == 1 ? "" : " (so it was " + (times - 1) + " more times since the last such line)";
    }

    private static String who(SlowConsumer consumer, String verb) {
        String where = "queue '" + consumer.queue() + "' in vhost '" + consumer.virtualHost() + "'";
        return consumer.client() == null
                ? "the subscription of " + where + ", to which nobody " + verb + " attached,"
                : "consumer '" + consumer.tag() + "' of " + where + ", of " + client(consumer.client()) + ",";
    }

    private static String client(Object client) {
        return client instanceof ConnectedClient connected ? connected.description() : client.toString();
    }

    private static String age(SlowConsumer consumer) {
        return consumer.rule().maxAgeMillis() == ConsumerRule.NONE
                ? ""
                : ", the oldest for " + consumer.measure().oldestMillis() + " ms";
    }

    private static String rate(SlowConsumer consumer) {
        return consumer.measure().perSecond() < 0
                ? ""
                : String.format(Locale.ROOT, ", it deals with %.1f a second", consumer.measure().perSecond());
    }

    private static String words(SlowConsumer.Action action) {
        return switch (action) {
            case NONE -> "nothing is done about it";
            case CUT -> "it is cut";
            case CUT_AND_KEEP -> "it is cut, and its subscription kept, as delete-persistent is not set";
            case HOLD -> "producers of the queue are held until it has caught up";
            case DELETE -> "the queue is deleted";
            case KEEP -> "the queue is kept, as delete-persistent is not set";
            case KEEP_FOR_OWNER -> "the queue is kept, since the client that it belongs to is connected";
        };
    }
}
