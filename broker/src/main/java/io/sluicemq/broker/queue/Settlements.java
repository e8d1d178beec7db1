package io.sluicemq.broker.queue;

import io.sluicemq.api.Completion;
import io.sluicemq.api.Death;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;

/**
 * The deliveries of a queue that consumers have not settled, and what becomes of each when they do: it is gone, or a dead letter, or
 * back in its place, which may be among those that wait in the log. Owned by the queue's loop.
 *
 * <p>Invariant: it counts each from its delivery until it is settled, also when its consumer has ended or its queue is removed.
 */
@LoopOwned
final class Settlements {

    private final Queue queue;
    private final QueueOptions options;
    private final PriorityMessages ready;
    private final Stock stock;
    private final Departures departures;
    private final Expirations expirations;
    private final Consumers consumers;
    private final Groups groups;
    private final Refusals refusals;
    private final LoggedMessages logged;
    private final Unsettled held;
    private final QueueEffects effects;
    private final Loop loop;
    private final Traffic traffic;
    private Paging paging;
    private int unsettled;
    private long unsettledBytes;

    Settlements(
            Queue queue, PriorityMessages ready, Stock stock, Departures departures, Expirations expirations,
            Consumers consumers, Groups groups, Refusals refusals, LoggedMessages logged, Traffic traffic,
            QueueEffects effects, Loop loop) {
        this.queue = queue;
        this.options = queue.options();
        this.ready = ready;
        this.stock = stock;
        this.departures = departures;
        this.expirations = expirations;
        this.consumers = consumers;
        this.groups = groups;
        this.refusals = refusals;
        this.logged = logged;
        this.held = logged.unsettled();
        this.traffic = traffic;
        this.effects = effects;
        this.loop = loop;
    }

    /** From now on messages may wait in the log. */
    void include(Paging messages) {
        paging = messages;
    }

    int unsettled() {
        return unsettled;
    }

    long unsettledBytes() {
        return unsettledBytes;
    }

    /** A consumer has an entry and is to settle it. */
    void awaits(QueueEntry entry) {
        held.add(entry);
        unsettled++;
        unsettledBytes += entry.message.sizeBytes();
        effects.changed(0, 0, 1);
        if (entry.isLogged() && logged.delivered(entry)) {
            effects.deliveredFirst(queue);
        }
    }

    /**
     * A delivery has ended; the messages that are ready then are to be given out.
     *
     * @param completion has an obligation met when that is final; may be null
     * @param committed whether the log has its end already
     * @return whether it is ready again
     */
    boolean settled(QueueEntry entry, Outcome outcome, Completion completion, boolean committed) {
        QueueConsumer consumer = entry.consumer;
        consumer.settledOne(entry.message.sizeBytes());
        held.remove(entry);
        unsettled--;
        unsettledBytes -= entry.message.sizeBytes();
        effects.changed(0, 0, -1);
        if (queue.isRemoved()) {
            // The record of the queue's end may still be on its way to the disk.
            departures.ended(entry, true, completion);
            return false;
        }
        boolean stays = switch (outcome) {
            case ACCEPTED -> {
                traffic.acknowledged();
                effects.acknowledged();
                departures.ended(entry, committed, completion);
                yield false;
            }
            case REJECTED -> {
                departures.bury(entry, Death.Reason.REJECTED, completion);
                yield false;
            }
            case UNDELIVERABLE -> {
                departures.bury(entry, Death.Reason.DELIVERY_LIMIT, completion);
                yield false;
            }
            case REQUEUED, REQUEUED_ELSEWHERE -> mayTryAgain(entry, completion);
            case RELEASED, RELEASED_ELSEWHERE -> true;
            case RETURNED, RETURNED_ELSEWHERE -> {
                entry.acquired = true;
                yield true;
            }
        };
        if (stays) {
            if (isForOthers(outcome)) {
                refusals.refused(entry, consumer);
            }
            giveBack(entry);
            if (completion != null) {
                completion.met(loop);
            }
        }
        if (entry.inGroup) {
            groups.settled(entry, consumer);
        }
        if (consumer.watch != null) {
            consumer.watch.settled(!stays, consumer, ready);
        }
        if (!consumer.hasEnded()) {
            consumers.offer(consumer);
        }
        return stays;
    }

    private static boolean isForOthers(Outcome outcome) {
        return outcome == Outcome.REQUEUED_ELSEWHERE || outcome == Outcome.RELEASED_ELSEWHERE
                || outcome == Outcome.RETURNED_ELSEWHERE;
    }

    /** A delivery has failed; returns whether there may be another, or else the message is buried. */
    private boolean mayTryAgain(QueueEntry entry, Completion completion) {
        entry.redelivered = true;
        entry.deliveryCount++;
        if (options.countsDeliveries() && entry.deliveryCount > options.deliveryLimit()) {
            departures.bury(entry, Death.Reason.DELIVERY_LIMIT, completion);
            return false;
        }
        if (options.countsDeliveries() && entry.isLogged()) {
            effects.deliveryFailed(queue, entry.position, entry.deliveryCount);
        }
        return true;
    }

    private void giveBack(QueueEntry entry) {
        entry.returned();
        if (ready.belongsInLog(entry)) {
            giveBackToLog(entry);
            return;
        }
        stock.restore(entry);
        consumers.cameBack(entry, ready.level(entry), groups.anyReady());
        if (entry.expiresAtMillis != QueueEntry.NEVER) {
            expirations.watch(entry);
        }
    }

    /** One that a consumer who doesn't take all has had, from behind others that wait in the log, returns to its place. */
    private void giveBackToLog(QueueEntry entry) {
        int level = ready.level(entry);
        stock.came(entry);
        consumers.cameBack(entry, level, groups.anyReady());
        queue.deliveries().cameBackInLog(level, entry.sequence);
        paging.takeBack(entry);
        expirations.watchBacklog();
    }
}
