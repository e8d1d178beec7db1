package io.sluicemq.broker.queue;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Death;
import io.sluicemq.api.Message;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.flow.Account;
import java.util.List;

/**
 * Keeps a queue within its length limit and its account within the policy ring: refuses what comes, or drops the oldest ready messages
 * of the lowest priority. Messages that are delayed count, too, for what is refused; none of them is dropped, and those that are
 * unsettled are neither counted by the length limit nor dropped. Owned by the queue's loop.
 *
 * <p>Invariant: a queue whose limit drops has no more ready messages than that, but for those of which the first is being read to
 * become a dead letter.
 */
@LoopOwned
final class Capacity {

    private final QueueOptions options;
    private final LengthLimit limit;
    private final PriorityMessages ready;
    private final Stock stock;
    private final Delays delays;
    private final Departures departures;
    private final Expirations expirations;
    private final Deliveries deliveries;
    private final QueueEffects effects;
    private final Account account;
    private Paging paging;
    private SlowConsumers slowConsumers;

    Capacity(
            QueueOptions options, LengthLimit limit, PriorityMessages ready, Stock stock, Delays delays,
            Departures departures, Expirations expirations, Deliveries deliveries, QueueEffects effects,
            Account account) {
        this.options = options;
        this.limit = limit;
        this.ready = ready;
        this.stock = stock;
        this.delays = delays;
        this.departures = departures;
        this.expirations = expirations;
        this.deliveries = deliveries;
        this.effects = effects;
        this.account = account;
    }

    /** From now on messages may wait in the log. */
    void include(Paging messages) {
        paging = messages;
    }

    /** They are told of what is dropped. */
    void tell(SlowConsumers told) {
        slowConsumers = told;
    }

    // ---- what comes

    /** Counts a message that has come, if it was not reserved; false if it is dropped, as others can't make room for it. */
    boolean counts(Message message, boolean reserved) {
        int bytes = reserved ? 0 : message.sizeBytes();
        int messages = reserved ? 0 : 1;
        if (!account.overflowsWith(bytes, messages)
                || !account.overflowsWith(bytes - ready.sizeBytes(), messages - ready.size())
                        && makeRoom(bytes, messages)) {
            if (!reserved) {
                account.stored(bytes, messages);
            }
            return true;
        }
        if (reserved) {
            departures.left(message);
        } else {
            departures.uncharge(message);
        }
        effects.droppedByPolicy();
        account.droppedByPolicy();
        slowConsumers.dropped(1, message.sizeBytes());
        effects.notStored(message);
        return false;
    }

    /** Why a message that has come is refused by the length limit; null if it is not. */
    BrokerError refusal(Message message) {
        return refusal(1, message.body().length);
    }

    private BrokerError refusal(int messages, long bodyBytes) {
        return limit.refuses()
                && limit.isExceededBy(
                        ready.size() + delays.size() + (long) messages,
                        stock.bodyBytes() + delays.bodyBytes() + bodyBytes)
                                ? limit.error()
                                : null;
    }

    /** Promises room for messages, or says why not. */
    BrokerError promise(List<Message> messages) {
        BrokerError refusal = refusal(messages.size(), LengthLimit.bodyBytes(messages));
        if (refusal == null && limit.refuses()) {
            limit.promise(messages);
        }
        return refusal;
    }

    void withdraw(List<Message> messages) {
        if (limit.refuses()) {
            limit.withdraw(messages);
        }
    }

    // ---- what is there

    /** With the policy ring: drops the oldest ready messages to make room for so much; returns whether there is room. */
    boolean makeRoom(int bytes, int messages) {
        boolean stopped = false;
        long dropped = 0;
        long before = account.usedBytes();
        while (ready.size() > 0 && account.overflowsWith(bytes, messages)) {
            int level = ready.lowest();
            QueueEntry entry = ready.first(level);
            if (entry == null) {
                paging.stopLoading(level);
                stopped = true;
                paging.dropFirst(level, effects::droppedOldest);
            } else {
                stock.remove(entry);
                departures.ended(entry, false, null);
                expirations.left(entry);
                effects.droppedOldest();
            }
            account.droppedByPolicy();
            dropped++;
        }
        if (dropped > 0) {
            slowConsumers.dropped(dropped, Math.max(0, before - account.usedBytes()));
        }
        if (stopped) {
            deliveries.readingStopped();
        }
        return !account.overflowsWith(bytes, messages);
    }

    /** Drops what is too much, unless what is too much is refused. */
    void dropOverflow() {
        if (limit.refuses()) {
            return;
        }
        while (ready.size() > 0 && limit.isExceededBy(ready.size(), stock.bodyBytes())) {
            // The first to go is the oldest of the lowest priority.
            int level = ready.lowest();
            QueueEntry entry = ready.first(level);
            if (entry != null) {
                departures.leave(entry, Death.Reason.MAX_LENGTH);
            } else if (paging.isLoading(level) || options.hasLetters(Death.Reason.MAX_LENGTH)) {
                // It goes when it has been read.
                paging.load(level);
                return;
            } else {
                paging.dropFirst(level, () -> effects.dropped(Death.Reason.MAX_LENGTH));
            }
        }
    }
}
