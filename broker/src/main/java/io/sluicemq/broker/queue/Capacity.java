package io.sluicemq.broker.queue;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Death;
import io.sluicemq.api.Message;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.flow.Account;
import java.util.List;

/**
 * Keeps a queue within its length limit and its account within the policy ring: refuses what comes, or drops the oldest ready messages
 * of the lowest priority. Messages that are delayed count, too, for what is refused; none of them is dropped, and those that are
 * unsettled are neither counted by the length limit nor dropped. Owned by the queue's loop.
 *
 * <p>Invariant: a queue whose limit drops has no more ready messages than that, but for those of which the first is being read to
 * become a dead letter, and while a turn is to come that goes on with dropping: no more than {@value #SLICE} are dropped in one. Until
 * then what comes makes room for as much as it takes itself.
 */
@LoopOwned
final class Capacity {

    /** So many are dropped in one turn. */
    static final int SLICE = 4096;

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
    private final Loop loop;
    /** Whether a turn is to come that goes on with dropping. */
    private boolean goesOn;

    private Paging paging;
    private SlowConsumers slowConsumers;

    Capacity(
            QueueOptions options, LengthLimit limit, PriorityMessages ready, Stock stock, Delays delays,
            Departures departures, Expirations expirations, Deliveries deliveries, QueueEffects effects,
            Account account, Loop loop) {
        this.loop = loop;
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

    /**
     * Drops what is too much of what is there, when limits have changed or the queue begins: what it begins with may be more than it
     * may hold, since what was unsettled is ready again, or the log had not come to know what was dropped.
     */
    void fit() {
        makeRoom(0, 0);
        dropOverflow();
    }

    /**
     * With the policy ring: drops the oldest ready messages to make room for so much; returns whether there is room, or as much more
     * than before.
     */
    boolean makeRoom(int bytes, int messages) {
        boolean stopped = false;
        boolean enough = false;
        int slice = goesOn ? 0 : SLICE;
        long dropped = 0;
        long before = account.usedBytes();
        while (ready.size() > 0 && account.overflowsWith(bytes, messages)) {
            enough = dropped >= slice && dropped >= messages && before - account.usedBytes() >= bytes;
            if (enough) {
                goOn();
                break;
            }
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
        return enough || !account.overflowsWith(bytes, messages);
    }

    private void goOn() {
        if (!goesOn) {
            goesOn = true;
            loop.execute(() -> {
                goesOn = false;
                fit();
            });
        }
    }

    /** Drops what is too much, unless what is too much is refused. */
    void dropOverflow() {
        if (limit.refuses()) {
            return;
        }
        for (int left = SLICE; ready.size() > 0 && limit.isExceededBy(ready.size(), stock.bodyBytes()); left--) {
            if (left == 0) {
                goOn();
                return;
            }
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
