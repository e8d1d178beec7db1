package io.sluicemq.broker.queue;

import io.sluicemq.api.ConsumerSink;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.flow.Account;
import io.sluicemq.broker.flow.ConsumerPolicy;
import io.sluicemq.broker.flow.ConsumerRule;
import io.sluicemq.broker.flow.EffectiveLimits;
import io.sluicemq.broker.queue.SlowConsumer.Action;
import io.sluicemq.broker.queue.SlowConsumer.End;
import io.sluicemq.broker.queue.SlowConsumer.Measure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Finds the consumers of a queue that are too slow by its rule, and does what the rule says. {@link #check} looks at them all, once a
 * period; between two looks a {@link ConsumerWatch} each sees what the consumer does. One is too slow that had something to deal with
 * all the time since the last look, was beyond a threshold whenever it had dealt with something, and is not about to catch up.
 *
 * <p>Owned by the queue's loop. Invariant: there is a watch for each consumer as long as there is a rule; producers are held by it only
 * while a consumer is told of as slow.
 */
@LoopOwned
final class SlowConsumers {

    /** How many unsettled messages are looked at for the oldest: those that were delivered first. */
    private static final int MOST_LOOKS = 1024;

    /** Between two lines about what a queue has dropped to make room. */
    private static final long CYCLED_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Queue queue;
    private final PriorityMessages ready;
    private final Departures departures;
    private final Consumers consumers;
    private final Groups groups;
    private final Unsettled unsettled;
    private final Account account;
    private final QueueEffects effects;
    private final Loop loop;
    private final EffectiveLimits limits;
    private final Ages ages;
    private final Cycled cycled = new Cycled();
    private final UnattendedSubscription unattended;
    private ConsumerRule rule;
    private SubscriptionKind kind = SubscriptionKind.NONE;
    private long checkedNanos;
    private long periodNanos;
    private long arrivedBefore;
    private long arrived;
    /** How many consumers take all messages in turn. */
    private long sharing;

    SlowConsumers(
            Queue queue, PriorityMessages ready, Settlements settlements, Departures departures, Consumers consumers,
            Groups groups, Unsettled unsettled, Account account, QueueEffects effects, Loop loop) {
        this.queue = queue;
        this.ready = ready;
        this.departures = departures;
        this.consumers = consumers;
        this.groups = groups;
        this.unsettled = unsettled;
        this.account = account;
        this.effects = effects;
        this.loop = loop;
        this.limits = new EffectiveLimits(account);
        this.ages = new Ages(ready, effects, loop);
        this.unattended =
                new UnattendedSubscription(queue, ready, settlements, unsettled, ages, effects, loop);
    }

    /** The limits of the queue's address, which its rule may change. */
    EffectiveLimits limits() {
        return limits;
    }

    ConsumerRule rule() {
        return rule;
    }

    // ---- what holds

    /** Another rule holds from now on, null for none: what was seen until now counts no more. */
    void rule(ConsumerRule next, SubscriptionKind subscription) {
        kind = subscription;
        if (next == null ? rule == null : next.equals(rule)) {
            if (rule != null && kind == SubscriptionKind.NONE) {
                nobodyIsMissed();
            }
            return;
        }
        stop(End.OTHER_RULE);
        rule = next;
        limits.rule(next);
        checkedNanos = loop.nanoTime();
        arrivedBefore = arrivals();
        for (QueueConsumer consumer : consumers.all()) {
            added(consumer);
        }
    }

    /** It is no subscription any more, so that nobody need be attached to it. */
    private void nobodyIsMissed() {
        boolean missed = unattended.isTooSlow();
        unattended.ends(rule, End.OTHER_RULE);
        if (missed) {
            letGoIfCaughtUp();
        }
    }

    /** Nobody is looked at any more. */
    void stop(End end) {
        Cycled.Report left = cycled.take(loop.nanoTime(), 0);
        if (left != null) {
            effects.cycled(
                    queue, left.messages(), left.bytes(),
                    TimeUnit.NANOSECONDS.toMillis(loop.nanoTime() - left.sinceNanos()), left.lackedMessages(),
                    left.lackedBytes());
        }
        for (QueueConsumer consumer : consumers.all()) {
            ended(consumer, end);
        }
        if (rule != null) {
            unattended.ends(rule, end);
        }
        rule = null;
    }

    void added(QueueConsumer consumer) {
        if (rule != null) {
            consumer.watch = new ConsumerWatch(rule);
            consumer.watch.free = true;
            if (!consumer.browses()) {
                unattended.ends(rule, End.ATTENDED);
            }
        }
    }

    /** A consumer has ended, and is among the consumers no more; returns whether the queue goes with it. */
    boolean removed(QueueConsumer consumer) {
        boolean lastWasCut = consumer.watch != null && consumer.watch.cut && !consumers.take();
        boolean goes = lastWasCut && goes();
        if (lastWasCut && !goes && kind == SubscriptionKind.DURABLE && consumer.watch.slow) {
            // What it leaves behind is no other fact than that it was too slow.
            consumer.watch.slow = !unattended.takesOver(rule, consumer.watch.slowSinceNanos);
        }
        ended(consumer, End.GONE);
        if (rule != null) {
            letGoIfCaughtUp();
        }
        return goes;
    }

    private void ended(QueueConsumer consumer, End end) {
        if (consumer.watch != null && consumer.watch.slow) {
            told(consumer, end, measure(consumer, false));
        }
        consumer.watch = null;
    }

    private void told(QueueConsumer consumer, End end, Measure measure) {
        consumer.watch.slow = false;
        effects.slowEnded(event(consumer, measure, List.of(), consumer.watch.slowSinceNanos), end);
    }

    /** Whether the rule has the queue deleted. */
    private boolean goes() {
        return rule.policy() == ConsumerPolicy.DELETE
                && (kind == SubscriptionKind.TRANSIENT || kind == SubscriptionKind.DURABLE && rule.deletesDurable());
    }

    /** A consumer has settled something, or its socket has taken some, and what there was for it is given to it. */
    void looked(QueueConsumer consumer) {
        if (consumer.watch != null && isFree(consumer)) {
            consumer.watch.free = true;
        }
    }

    /** Whether a consumer has nothing to deal with, or nothing can be given to it for reasons that are not its own. */
    private boolean isFree(QueueConsumer consumer) {
        return consumer.unsettled() == 0 && consumer.isWindowOpen()
                && (ready.size() == 0 || consumer.canTake() || consumer.isOutOfLimit());
    }

    // ---- the look

    /** Looks at all consumers. */
    void check() {
        if (rule == null || queue.isRemoved()) {
            return;
        }
        long now = loop.nanoTime();
        periodNanos = Math.max(1, now - checkedNanos);
        checkedNanos = now;
        long all = arrivals();
        arrived = all - arrivedBefore;
        arrivedBefore = all;
        sharing = sharing();
        findOldest();
        for (QueueConsumer consumer : new ArrayList<>(consumers.all())) {
            // What follows for one may end others, or the queue.
            if (consumer.watch != null && rule != null) {
                check(consumer);
            }
        }
        if (rule != null && !consumers.take() && kind != SubscriptionKind.NONE) {
            if (unattended.look(rule, periodNanos)) {
                actUnattended();
            }
        }
        letGoIfCaughtUp();
        tellCycled(now);
    }

    /** The queue has dropped messages to make room. */
    void dropped(long messages, long bytes) {
        if (rule != null && rule.cycles()) {
            cycled.dropped(messages, bytes, loop.nanoTime());
        }
    }

    private void tellCycled(long now) {
        Cycled.Report report = cycled.take(now, CYCLED_NANOS);
        if (report != null) {
            effects.cycled(
                    queue, report.messages(), report.bytes(), TimeUnit.NANOSECONDS.toMillis(now - report.sinceNanos()),
                    report.lackedMessages(), report.lackedBytes());
        }
        if (ready.size() == 0) {
            cycled.emptied();
        }
    }

    private long arrivals() {
        long sum = 0;
        for (int level = 0; level < ready.levels(); level++) {
            sum += ready.nextSequence(level);
        }
        return sum;
    }

    private void findOldest() {
        for (QueueConsumer consumer : consumers.all()) {
            if (consumer.watch != null) {
                consumer.watch.oldestHeldMillis = Long.MAX_VALUE;
            }
        }
        if (rule.maxAgeMillis() == ConsumerRule.NONE) {
            return;
        }
        QueueEntry entry = unsettled.oldest();
        for (int looks = 0; entry != null && looks < MOST_LOOKS; looks++) {
            ConsumerWatch watch = entry.consumer.watch;
            if (watch != null) {
                watch.oldestHeldMillis = Math.min(watch.oldestHeldMillis, Ages.sinceMillis(entry.message));
            }
            entry = entry.after;
        }
    }

    private void check(QueueConsumer consumer) {
        ConsumerWatch watch = consumer.watch;
        watch.countsWaiting = !consumer.filters() && !groups.anyReady();
        Measure measure = measure(consumer, true);
        boolean free = isFree(consumer) || consumer.isStopped();
        boolean judged = watch.begun && !watch.free && !free && watch.hasHeld(consumer) && !consumer.browses()
                && consumers.takesPart(consumer) && !departures.tooManyLettersWait();
        List<String> exceeded = judged ? exceeded(consumer, measure) : List.of();
        boolean hadNothing = watch.free || free;
        watch.begin(consumer, ready, free);
        if (watch.cut) {
            return;
        }
        if (isSendingLarge(consumer)) {
            ask(consumer, measure, exceeded, hadNothing);
        } else {
            watch.sentBytes = -1;
            judge(consumer, measure, exceeded, hadNothing);
        }
    }

    /** Whether a message that is larger than its window is on its way to its socket. */
    private static boolean isSendingLarge(QueueConsumer consumer) {
        return consumer.unwrittenBytes() > 2L * QueueConsumer.WINDOW_BYTES;
    }

    /** Of one that is being sent a large message it matters whether its bytes move, which its client's loop knows. */
    private void ask(QueueConsumer consumer, Measure measure, List<String> exceeded, boolean hadNothing) {
        ConsumerWatch watch = consumer.watch;
        if (watch.asked) {
            return;
        }
        watch.asked = true;
        ConsumerSink sink = consumer.sink();
        loop.send(consumer.clientLoop(), () -> {
            long sent = sink.sentBytes();
            consumer.clientLoop().send(loop, () -> {
                watch.asked = false;
                if (consumer.watch != watch) {
                    return; // it has ended, or another rule holds
                }
                boolean moves = watch.sentBytes < 0 || watch.sentBytes != sent;
                watch.sentBytes = sent;
                judge(consumer, measure, moves ? List.of() : exceeded, hadNothing);
                letGoIfCaughtUp();
            });
        });
    }

    private Measure measure(QueueConsumer consumer, boolean withRate) {
        ConsumerWatch watch = consumer.watch;
        long oldest = watch.oldestHeldMillis;
        if (rule.maxAgeMillis() != ConsumerRule.NONE && watch.countsWaiting) {
            oldest = Math.min(oldest, ages.oldestReadyMillis());
        }
        return new Measure(
                watch.messages(consumer, ready), watch.bytes(consumer, ready), ages.ageMillis(oldest),
                withRate && watch.begun ? watch.doneSince(consumer) * 1e9 / periodNanos : -1);
    }

    /** The thresholds that a consumer has exceeded since the last look, in words. */
    private List<String> exceeded(QueueConsumer consumer, Measure measure) {
        ConsumerWatch watch = consumer.watch;
        long done = watch.doneSince(consumer);
        Thresholds thresholds = new Thresholds(rule);
        // If all did as this one: so of several only those are slow that do less than their part.
        long pace = watch.countsWaiting ? sharing * done - arrived : done;
        List<String> exceeded = thresholds.exceeded(measure, watch.lowMessages, watch.lowBytes, pace);
        if (thresholds.isBelowRate(done, periodNanos)) {
            exceeded.add(thresholds.belowRate(measure));
        }
        return exceeded;
    }

    private long sharing() {
        long sharing = 0;
        for (QueueConsumer consumer : consumers.all()) {
            if (!consumer.browses() && !consumer.filters() && !consumer.isStopped() && consumers.takesPart(consumer)) {
                sharing++;
            }
        }
        return sharing;
    }

    // ---- what follows

    /** @param hadNothing whether it had nothing to deal with at some moment since the last look */
    private void judge(QueueConsumer consumer, Measure measure, List<String> exceeded, boolean hadNothing) {
        ConsumerWatch watch = consumer.watch;
        if (exceeded.isEmpty()) {
            // Held producers make the queue short, so only one that has run out of messages shows that it has caught up.
            if (watch.slow && (hadNothing || rule.policy() != ConsumerPolicy.FLOW)) {
                told(consumer, End.RECOVERED, measure);
            }
            return;
        }
        boolean begins = !watch.slow;
        if (begins) {
            watch.slow = true;
            watch.slowSinceNanos = checkedNanos - periodNanos;
            watch.slowBy = String.join(", ", exceeded);
            effects.slow(event(consumer, measure, exceeded, watch.slowSinceNanos), actionOn(consumer));
        }
        switch (rule.policy()) {
            case DELETE -> cut(consumer);
            case FLOW -> hold(begins, measure, consumer);
            case CYCLE, NOTIFY -> {}
        }
    }

    private Action actionOn(QueueConsumer consumer) {
        return switch (rule.policy()) {
            case DELETE ->
                kind == SubscriptionKind.DURABLE && !rule.deletesDurable() ? Action.CUT_AND_KEEP : Action.CUT;
            case FLOW -> Action.HOLD;
            case CYCLE, NOTIFY -> Action.NONE;
        };
    }

    private void cut(QueueConsumer consumer) {
        consumer.watch.cut = true;
        ConsumerSink sink = consumer.sink();
        ConsumerSink.Cut cut = rule.cut();
        // As an event of its own: on this loop it would end the consumer while it is being looked at.
        loop.execute(() -> loop.send(consumer.clientLoop(), () -> sink.tooSlow(cut)));
    }

    /** Holds producers; while the oldest is too old for less and less, so that it is not for ever. */
    private void hold(boolean begins, Measure measure, QueueConsumer consumer) {
        long used = Math.max(1, account.usedMessages());
        boolean tooOld = rule.maxAgeMillis() != ConsumerRule.NONE && measure.oldestMillis() > rule.maxAgeMillis();
        if (begins && !limits.isHolding()) {
            limits.hold(used, inWords(consumer));
        } else if (tooOld) {
            limits.hold(Math.max(1, used / 2), inWords(consumer));
        }
    }

    private void letGoIfCaughtUp() {
        if (!limits.isHolding()) {
            return;
        }
        for (QueueConsumer consumer : consumers.all()) {
            if (consumer.watch != null && consumer.watch.slow) {
                limits.heldFor(inWords(consumer)); // it may have been another until now
                return;
            }
        }
        if (unattended.isTooSlow()) {
            limits.heldFor(unattended.inWords());
        } else {
            limits.letGo();
        }
    }

    /** What producers wait for while they are held, as a noun. */
    private String inWords(QueueConsumer consumer) {
        return "consumer '" + consumer.spec().tag() + "' of " + consumer.client() + ", which is too slow since "
                + Ages.timeOf(consumer.watch.slowSinceNanos, loop) + " by " + consumer.watch.slowBy
                + " (policy flow)";
    }

    private SlowConsumer event(
            QueueConsumer consumer, Measure measure, List<String> exceeded, long sinceNanos) {
        int others = consumers.size() - (consumer.hasEnded() ? 0 : 1);
        return new SlowConsumer(
                queue.name(), account.virtualHost(), consumer.client(), consumer.spec().tag(), rule, measure, exceeded,
                TimeUnit.NANOSECONDS.toMillis(loop.nanoTime() - sinceNanos), others);
    }

    private void actUnattended() {
        Action action = switch (rule.policy()) {
            case DELETE -> !goes() ? Action.KEEP : queue.owner() != null ? Action.KEEP_FOR_OWNER : Action.DELETE;
            case FLOW -> Action.HOLD;
            case CYCLE, NOTIFY -> Action.NONE;
        };
        unattended.found(rule, action);
        switch (action) {
            case DELETE -> queue.remove();
            case HOLD -> limits.hold(Math.max(1, account.usedMessages()), unattended.inWords());
            case CUT, CUT_AND_KEEP, KEEP, KEEP_FOR_OWNER, NONE -> {}
        }
    }

    // ---- for people

    /** {@link #measureNow} of consumers will be asked. */
    void prepareMeasures() {
        if (rule != null) {
            findOldest();
        }
    }

    /** How much a consumer has to do at this moment, and how much it has done since the last look; null if nobody looks. */
    Measure measureNow(QueueConsumer consumer) {
        if (consumer.watch == null || rule == null) {
            return null;
        }
        ConsumerWatch watch = consumer.watch;
        Measure now = measure(consumer, false);
        long sinceNanos = Math.max(1, loop.nanoTime() - checkedNanos);
        return new Measure(
                now.messages(), now.bytes(), now.oldestMillis(),
                watch.begun ? watch.doneSince(consumer) * 1e9 / sinceNanos : -1);
    }

    /** How long a consumer has been slow, in milliseconds; negative if it isn't. */
    long slowMillis(QueueConsumer consumer) {
        return consumer.watch == null || !consumer.watch.slow
                ? -1
                : TimeUnit.NANOSECONDS.toMillis(loop.nanoTime() - consumer.watch.slowSinceNanos);
    }
}
