package io.sluicemq.broker.queue;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Death;
import io.sluicemq.api.Message;
import io.sluicemq.api.Producer;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.util.List;

/**
 * Where each message goes that comes to a queue: to a consumer at once, among the ready ones, in memory or in the log, or among those
 * that are delayed; or it is not taken. Owned by the queue's loop.
 *
 * <p>Invariant: a message that came is counted in the queue's account when it is taken, and otherwise in nothing; what is in the log of
 * one that is not taken is told to leave.
 */
@LoopOwned
final class Arrivals {

    private final Queue queue;
    private final QueueOptions options;
    private final PriorityMessages ready;
    private final Stock stock;
    private final Delays delays;
    private final Capacity capacity;
    private final Departures departures;
    private final Deliveries deliveries;
    private final Expirations expirations;
    private final Consumers consumers;
    private final Pace pace;
    private final Traffic traffic;
    private final QueueEffects effects;
    private final Loop loop;
    private Paging paging;

    Arrivals(
            Queue queue, PriorityMessages ready, Stock stock, Delays delays, Capacity capacity, Departures departures,
            Deliveries deliveries, Expirations expirations, Consumers consumers, Pace pace, Traffic traffic,
            QueueEffects effects, Loop loop) {
        this.queue = queue;
        this.options = queue.options();
        this.ready = ready;
        this.stock = stock;
        this.delays = delays;
        this.capacity = capacity;
        this.departures = departures;
        this.deliveries = deliveries;
        this.expirations = expirations;
        this.consumers = consumers;
        this.pace = pace;
        this.traffic = traffic;
        this.effects = effects;
        this.loop = loop;
    }

    /** From now on messages may wait in the log. */
    void include(Paging messages) {
        paging = messages;
    }

    /** As {@link Queue#enqueue}. */
    BrokerError enqueue(Message message, long position, int share, boolean reserved, Producer producer) {
        if (!isTaken(message, position, share, reserved)) {
            return null;
        }
        BrokerError refusal = capacity.refusal(message);
        if (refusal != null) {
            if (options.overflow() == QueueOptions.Overflow.REJECT_PUBLISH_DLX) {
                departures.deadLetter(message, Death.Reason.MAX_LENGTH, position, share, QueueEntry.NEVER, null);
            } else {
                departures.left(message);
                effects.dropped(Death.Reason.MAX_LENGTH);
                departures.unlog(position, share);
            }
            effects.notStored(message);
            return refusal;
        }
        add(message, position, share);
        if (producer != null && consumers.take() && ready.size() > 0 && !queue.isPaused()) {
            pace.waits(producer, ready.size(), stock.bodyBytes());
        }
        return null;
    }

    /** As {@link Queue#enqueuePromised}, of which the promise is kept by now. */
    void enqueuePromised(List<Message> messages, long[] positions, int[] shares, boolean reserved) {
        for (int i = 0; i < messages.size(); i++) {
            Message message = messages.get(i);
            if (isTaken(message, positions[i], shares[i], reserved)) {
                add(message, positions[i], shares[i]);
            }
        }
    }

    /** Counts a message; false if it is not for this queue, or not any more, or there is no room for it. */
    private boolean isTaken(Message message, long position, int share, boolean reserved) {
        if (!capacity.counts(message, reserved)) {
            departures.unlog(position, share);
            return false;
        }
        if (queue.isRemoved() || isOwnersOwn(message)) {
            departures.left(message);
            effects.notStored(message);
            departures.unlog(position, share);
            return false;
        }
        return true;
    }

    private boolean isOwnersOwn(Message message) {
        return options.noLocal() && queue.owner() != null && message.publisher() == queue.owner();
    }

    private void add(Message message, long position, int share) {
        traffic.in();
        long expiresAt = expirations.expiresAt(message);
        if (message.notBeforeMillis() != 0 && message.notBeforeMillis() > loop.currentTimeMillis()) {
            delays.add(ready.level(message.priority()), message, position, share, expiresAt);
            effects.delayed(1);
        } else {
            append(message, position, share, expiresAt, false);
        }
    }

    /** @param waited whether it has waited until now, so that it may have expired */
    private void append(Message message, long position, int share, long expiresAt, boolean waited) {
        int level = ready.level(message.priority());
        if (deliveries.giveBeforeOthers(message, level, position, share, expiresAt, waited)) {
            return;
        }
        if (paging != null && paging.takes(level, position, share, message, expiresAt)) {
            stock.came(message.body().length, expiresAt);
            if (expiresAt != QueueEntry.NEVER) {
                expirations.watchBacklog();
            }
            capacity.dropOverflow();
            deliveries.dispatchNewInLog();
            return;
        }
        QueueEntry entry = new QueueEntry(queue, message, ready.takeSequence(level), expiresAt);
        entry.position = position;
        entry.share = share;
        entry.waited = waited;
        effects.stored(message);
        stock.append(entry);
        deliveries.dispatchNew();
        if (entry.isReady()) {
            entry.waited = true;
            if (entry.expiresAtMillis != QueueEntry.NEVER) {
                expirations.watch(entry);
            }
            capacity.dropOverflow();
            if (paging != null) {
                paging.trim();
            }
        }
    }

    // ---- delayed messages

    /** A message is delayed no more. */
    void due(Delayed entry) {
        effects.delayed(-1);
        if (entry.message != null) {
            append(entry.message, QueueEntry.NOT_LOGGED, 0, entry.expiresAtMillis, true);
            return;
        }
        paging.due(entry);
        stock.came(entry.bodyBytes, entry.expiresAtMillis);
    }

    /** Those that were due are delayed no more. */
    void dueEnded() {
        if (!queue.isRemoved()) {
            expirations.watchBacklog();
            deliveries.dispatchNew();
            capacity.dropOverflow();
            // If the limits were lowered meanwhile: these could not be dropped then.
            capacity.makeRoom(0, 0);
        }
    }
}
