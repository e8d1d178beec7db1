package io.sluicemq.broker.queue;

import io.sluicemq.broker.flow.ConsumerRule;
import io.sluicemq.broker.queue.SlowConsumer.Measure;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Which thresholds of a rule a measure exceeds, in words with both numbers. Immutable. */
record Thresholds(ConsumerRule rule) {

    /** Who would be within its threshold after so many periods more, going on as in the last, catches up. */
    private static final int CATCHES_UP_PERIODS = 10;

    /** Of a subscription that nobody is attached to: its size and age, at this moment. */
    List<String> exceeded(Measure measure) {
        return exceeded(measure, Long.MAX_VALUE, Long.MAX_VALUE, 0);
    }

    /**
     * Of a consumer, over a period: only what it was beyond at all times, and won't have made up for before long.
     *
     * @param lowMessages the least that waited for it or was held by it in that period
     * @param lowBytes bytes, likewise
     * @param pace by how many messages that would become fewer in such a period, if it and all who share the queue with it went
     *     on as it did; negative if it would become more
     */
    List<String> exceeded(Measure measure, long lowMessages, long lowBytes, long pace) {
        List<String> exceeded = new ArrayList<>();
        if (isBeyond(rule.maxMessages(), measure.messages(), lowMessages)
                && !catchesUp(measure.messages() - rule.maxMessages(), pace)) {
            exceeded.add("message-count " + measure.messages() + " > " + rule.maxMessages());
        }
        if (isBeyond(rule.maxBytes(), measure.bytes(), lowBytes)
                && !catchesUp(messagesIn(measure, measure.bytes() - rule.maxBytes()), pace)) {
            exceeded.add("depth " + measure.bytes() + " > " + rule.maxBytes() + " bytes");
        }
        if (isBeyond(rule.maxAgeMillis(), measure.oldestMillis(), Long.MAX_VALUE)
                && !catchesUp(measure.messages(), pace)) {
            exceeded.add("message-age " + measure.oldestMillis() + " > " + rule.maxAgeMillis() + " ms");
        }
        return exceeded;
    }

    /** Whether a consumer that has dealt with so many messages in a period was too slow by the rate. */
    boolean isBelowRate(long done, long periodNanos) {
        return rule.minPerSecond() != ConsumerRule.NONE
                && done < rule.minPerSecond() * TimeUnit.NANOSECONDS.toMicros(periodNanos)
                        / TimeUnit.SECONDS.toMicros(1);
    }

    String belowRate(Measure measure) {
        return String.format(Locale.ROOT, "rate %.1f < %d a second", measure.perSecond(), rule.minPerSecond());
    }

    private static boolean isBeyond(long threshold, long measured, long lowest) {
        return threshold != ConsumerRule.NONE && measured > threshold && lowest > threshold;
    }

    private static boolean catchesUp(long messages, long pace) {
        return pace > 0 && messages <= CATCHES_UP_PERIODS * pace;
    }

    /** About how many messages so many bytes are. */
    private static long messagesIn(Measure measure, long bytes) {
        return (long) Math.ceil((double) measure.messages() * bytes / Math.max(1, measure.bytes()));
    }
}
