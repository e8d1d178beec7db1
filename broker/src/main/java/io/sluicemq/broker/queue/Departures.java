package io.sluicemq.broker.queue;

import io.sluicemq.api.Charge;
import io.sluicemq.api.Completion;
import io.sluicemq.api.Death;
import io.sluicemq.api.Message;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.flow.Account;

/**
 * How messages leave a queue for good: they are counted no more in its account and wherever else they count, let go of in memory,
 * and leave the log; or become dead letters, which do all that when they are where they belong. Owned by the queue's loop.
 *
 * <p>Invariant: a message that was counted is told to leave once in each of these.
 */
@LoopOwned
final class Departures {

    private final Queue queue;
    private final QueueOptions options;
    private final PriorityMessages ready;
    private final Stock stock;
    private final Expirations expirations;
    private final LoggedMessages logged;
    private final QueueEffects effects;
    private final Loop loop;
    private final Account account;

    Departures(
            Queue queue, PriorityMessages ready, Stock stock, Expirations expirations, LoggedMessages logged,
            QueueEffects effects, Loop loop, Account account) {
        this.queue = queue;
        this.options = queue.options();
        this.ready = ready;
        this.stock = stock;
        this.expirations = expirations;
        this.logged = logged;
        this.effects = effects;
        this.loop = loop;
        this.account = account;
    }

    /**
     * An entry has left.
     *
     * @param already whether it has left the log by a record that was written before
     * @param completion has an obligation met when that is final; may be null
     */
    void ended(QueueEntry entry, boolean already, Completion completion) {
        entry.gone();
        ended(entry.message);
        unlog(entry, already, completion);
    }

    /** A consumer is given an entry that is settled by that. */
    void endedAsDelivered(QueueEntry entry) {
        ended(entry.message);
        unlog(entry, false, null);
    }

    private void ended(Message message) {
        left(message);
        effects.released(message);
    }

    /** A message that was counted is counted no more. */
    void left(Message message) {
        left(message.sizeBytes(), message.charge());
    }

    /**
     * A message of so many bytes that was counted is counted no more.
     *
     * @param charge what it counted for beside this; null for nothing
     */
    void left(int sizeBytes, Charge charge) {
        account.left(loop, sizeBytes, 1);
        if (charge != null) {
            charge.left(loop);
        }
    }

    /** A message leaves that was not counted here, but elsewhere. */
    void uncharge(Message message) {
        if (message.charge() != null) {
            message.charge().left(loop);
        }
    }

    /** A message was read that counts as one of another size: of one that was recovered that may not have been known. */
    void recount(Message message, int counted) {
        int more = message.sizeBytes() - counted;
        if (more > 0) {
            account.stored(more, 0);
        } else if (more < 0) {
            account.left(loop, -more, 0);
        }
    }

    /** What is at this position leaves the log, if it is there. */
    void unlog(long position, int share) {
        if (position != QueueEntry.NOT_LOGGED) {
            effects.unlog(queue, position, share, null);
        }
    }

    private void unlog(QueueEntry entry, boolean already, Completion completion) {
        if (!entry.isLogged()) {
            if (completion != null) {
                completion.met(loop);
            }
        } else if (already) {
            effects.unlogged(entry.position, entry.share, completion);
        } else {
            effects.unlog(queue, entry.position, entry.share, completion);
        }
    }

    // ---- dead letters

    /** A ready entry in memory leaves for another reason than a consumer. */
    void leave(QueueEntry entry, Death.Reason reason) {
        stock.remove(entry);
        bury(entry, reason, null);
        expirations.left(entry);
    }

    /** An entry that is not among the ready ones any more becomes a dead letter, or is dropped. */
    void bury(QueueEntry entry, Death.Reason reason, Completion completion) {
        entry.gone();
        effects.released(entry.message);
        deadLetter(entry.message, reason, entry.position, entry.share, entry.expiresAtMillis, completion);
    }

    /** A message that memory does not hold, or no longer, becomes a dead letter, or is dropped. */
    void deadLetter(
            Message message, Death.Reason reason, long position, int share, long expiresAtMillis,
            Completion completion) {
        // What a length limit pushes out can't wait for room without end: producers push out more.
        if (options.hasLetters(reason) && (reason != Death.Reason.MAX_LENGTH || !tooManyLettersWait())) {
            logged.dying(
                    ready.level(message.priority()), position, share, message.header().length, message.body().length,
                    expiresAtMillis);
            effects.deadLetter(queue, message, reason, position, share, completion);
            return;
        }
        left(message);
        effects.dropped(reason);
        if (position != QueueEntry.NOT_LOGGED) {
            effects.unlog(queue, position, share, completion);
        } else if (completion != null) {
            completion.met(loop);
        }
    }

    /** Whether so many dead letters wait for room that consumers must not cause more. */
    boolean tooManyLettersWait() {
        return options.hasLetters() && effects.lettersWaiting(queue) >= Queue.MOST_LETTERS;
    }
}
