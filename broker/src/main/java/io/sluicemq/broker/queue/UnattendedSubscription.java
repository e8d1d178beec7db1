package io.sluicemq.broker.queue;

import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.flow.ConsumerRule;
import io.sluicemq.broker.queue.SlowConsumer.Action;
import io.sluicemq.broker.queue.SlowConsumer.End;
import io.sluicemq.broker.queue.SlowConsumer.Measure;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Whether a subscription that nobody is attached to is beyond a threshold, for all of a period and without getting shorter: somebody
 * may take its messages one by one, without being a consumer. Owned by the queue's loop.
 *
 * <p>Invariant: what was told of as too slow is told of again when that ends. What a consumer has left behind that was cut was told of
 * with that: it is one fact until somebody has come for it.
 */
@LoopOwned
final class UnattendedSubscription {

    /** {@link #before}: it was not beyond any. */
    private static final long WITHIN = -1;

    private final Queue queue;
    private final PriorityMessages ready;
    private final Settlements settlements;
    private final Unsettled unsettled;
    private final Ages ages;
    private final QueueEffects effects;
    private final Loop loop;
    /** How many messages it had at the last look, if it was beyond a threshold then. */
    private long before = WITHIN;
    private boolean tooSlow;
    private long sinceNanos;
    /** By which thresholds, in words. */
    private String tooSlowBy;

    UnattendedSubscription(
            Queue queue, PriorityMessages ready, Settlements settlements, Unsettled unsettled, Ages ages,
            QueueEffects effects, Loop loop) {
        this.queue = queue;
        this.ready = ready;
        this.settlements = settlements;
        this.unsettled = unsettled;
        this.ages = ages;
        this.effects = effects;
        this.loop = loop;
    }

    boolean isTooSlow() {
        return tooSlow;
    }

    /** Somebody is attached, or it is not to be looked at any more. */
    void ends(ConsumerRule rule, End end) {
        before = WITHIN;
        if (tooSlow) {
            tooSlow = false;
            effects.slowEnded(event(rule, measure(rule), List.of()), end);
        }
    }

    /** What it has to deal with. */
    private Measure measure(ConsumerRule rule) {
        long oldest = Long.MAX_VALUE;
        if (rule.maxAgeMillis() != ConsumerRule.NONE) {
            QueueEntry held = unsettled.oldest(); // by who has gone
            oldest = Math.min(
                    ages.oldestReadyMillis(), held == null ? Long.MAX_VALUE : Ages.sinceMillis(held.message));
        }
        return new Measure(
                ready.size() + (long) settlements.unsettled(), ready.sizeBytes() + settlements.unsettledBytes(),
                ages.ageMillis(oldest), -1);
    }

    /**
     * Looks at it; returns whether it is found too slow by this look. Then {@link #found} is to follow.
     *
     * @param periodNanos how long ago it was looked at last
     */
    boolean look(ConsumerRule rule, long periodNanos) {
        Measure measure = measure(rule);
        if (new Thresholds(rule).exceeded(measure).isEmpty()) {
            ends(rule, End.RECOVERED);
            return false;
        }
        boolean stays = before != WITHIN && measure.messages() >= before;
        before = measure.messages();
        if (!stays || tooSlow) {
            return false;
        }
        tooSlow = true;
        sinceNanos = loop.nanoTime() - periodNanos;
        return true;
    }

    /** Tells what is done about it. */
    void found(ConsumerRule rule, Action action) {
        Measure measure = measure(rule);
        List<String> exceeded = new Thresholds(rule).exceeded(measure);
        tooSlowBy = String.join(", ", exceeded);
        effects.slow(event(rule, measure, exceeded), action);
    }

    /**
     * Its last consumer was cut, and this is what it has left behind: told of since then, unless nothing is left to tell of.
     *
     * @param slowSinceNanos since when the consumer was too slow
     */
    boolean takesOver(ConsumerRule rule, long slowSinceNanos) {
        Measure measure = measure(rule);
        List<String> exceeded = new Thresholds(rule).exceeded(measure);
        if (exceeded.isEmpty()) {
            return false;
        }
        tooSlow = true;
        tooSlowBy = String.join(", ", exceeded);
        sinceNanos = slowSinceNanos;
        before = measure.messages();
        return true;
    }

    /** What producers wait for while they are held, as a noun. */
    String inWords() {
        return "a consumer of the subscription, to which nobody is attached, and which is too long since "
                + Ages.timeOf(sinceNanos, loop) + " by " + tooSlowBy + " (policy flow)";
    }

    private SlowConsumer event(ConsumerRule rule, Measure measure, List<String> exceeded) {
        return new SlowConsumer(
                queue.name(), queue.account().virtualHost(), null, "", rule, measure, exceeded,
                TimeUnit.NANOSECONDS.toMillis(loop.nanoTime() - sinceNanos), 0);
    }
}
