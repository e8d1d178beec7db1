package io.sluicemq.broker.engine;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Producer;
import io.sluicemq.base.Loop;
import io.sluicemq.broker.flow.Account;
import io.sluicemq.broker.flow.FullPolicy;
import java.util.Arrays;
import java.util.function.Predicate;

/**
 * What is to come into queues, all of it or nothing: one publish, a dead letter, a transaction's messages. It knows what room it
 * needs in which accounts. Owned by the loop that it comes from.
 */
abstract class Arrival {

    private static final Account[] NO_ACCOUNTS = {};

    private QueueProxy[] targets;
    /** Accounts of exchanges, which count it beside its queues. */
    private final Account[] commons;
    private boolean[] reserved = {};
    private long seq;
    private long sinceNanos;

    /**
     * @param targets the queues
     * @param commons accounts of exchanges, in which messages count once for all their queues
     */
    Arrival(QueueProxy[] targets, Account... commons) {
        this.targets = targets;
        this.commons = commons;
    }

    final QueueProxy[] targets() {
        return targets;
    }

    /** Bytes that it takes in the account of one of its targets. */
    abstract long bytes(int target);

    /** Messages that it takes in the account of one of its targets. */
    abstract long messages(int target);

    /** Bytes that it takes in the account of an exchange. */
    abstract long commonBytes(Account exchange);

    /** Messages that it takes in the account of an exchange. */
    abstract long commonMessages(Account exchange);

    /** Bytes of memory that it takes while it waits, if nobody counts them otherwise. */
    abstract long memoryBytes();

    /** Whom to tell that it waits; null if nobody is to be told. */
    abstract Producer producer();

    /** It begins to wait. */
    abstract void waits();

    /** Room is reserved for it: in each target of which {@link #isReserved} says so. */
    abstract void admitted();

    /** It is refused, and nothing is reserved. */
    abstract void refused(BrokerError error);

    /** Whoever it comes from has gone, and nothing is reserved. */
    abstract void dropped();

    /** It is not to come into one of its targets, whose policy drops what is too much. */
    abstract void droppedFor(int target);

    /** Whether room was reserved in the account of a target. */
    final boolean isReserved(int target) {
        return reserved[target];
    }

    final void waitsSince(long sequence, long nowNanos) {
        seq = sequence;
        sinceNanos = nowNanos;
    }

    final long sequence() {
        return seq;
    }

    final long sinceNanos() {
        return sinceNanos;
    }

    /** How much it takes in an account, in bytes. */
    final long bytesIn(Account account) {
        if (account.kind() == Account.Kind.EXCHANGE) {
            return commonBytes(account);
        }
        long bytes = 0;
        for (int i = 0; i < targets.length; i++) {
            if (counts(i, account)) {
                bytes += bytes(i);
            }
        }
        return bytes;
    }

    /** How much it takes in an account, in messages. */
    final long messagesIn(Account account) {
        if (account.kind() == Account.Kind.EXCHANGE) {
            return commonMessages(account);
        }
        long messages = 0;
        for (int i = 0; i < targets.length; i++) {
            if (counts(i, account)) {
                messages += messages(i);
            }
        }
        return messages;
    }

    private boolean counts(int target, Account account) {
        Account own = targets[target].queue().account();
        return own == account || own.parent() == account;
    }

    /**
     * Reserves all that it needs, or nothing.
     *
     * @param pool what was granted to who asks; null for nothing
     * @return null if all is reserved, or an account that lacks room
     */
    final Account reserve(Loop here, Account.Pool pool) {
        for (int i = 0; i < commons.length; i++) {
            long messages = commonMessages(commons[i]);
            // Nothing has room anywhere, also where others wait.
            Account lacking =
                    messages == 0 ? null : commons[i].reserve(here, commonBytes(commons[i]), messages, pool);
            if (lacking != null) {
                giveBackCommons(here, i);
                return lacking;
            }
        }
        reserved = new boolean[targets.length];
        for (int i = 0; i < targets.length; i++) {
            Account account = targets[i].queue().account();
            if (account.isLimited()) {
                Account lacking = account.reserve(here, bytes(i), messages(i), pool);
                if (lacking != null) {
                    giveBack(here);
                    return lacking;
                }
                reserved[i] = true;
            }
        }
        return null;
    }

    /** Gives back what was reserved. */
    final void giveBack(Loop here) {
        for (int i = 0; i < targets.length; i++) {
            if (reserved[i]) {
                targets[i].queue().account().left(here, bytes(i), messages(i));
                reserved[i] = false;
            }
        }
        giveBackCommons(here, commons.length);
    }

    private void giveBackCommons(Loop here, int count) {
        for (int i = 0; i < count; i++) {
            commons[i].left(here, commonBytes(commons[i]), commonMessages(commons[i]));
        }
    }

    /** The account of an exchange in which a message counts; null if there is none. */
    static Account[] commons(Account exchange) {
        return exchange == null ? NO_ACCOUNTS : new Account[] {exchange};
    }

    /** Leaves out what counts in an account that is {@code full} and drops what is too much. */
    void dropFor(Account full) {
        int kept = 0;
        QueueProxy[] rest = new QueueProxy[targets.length];
        for (int i = 0; i < targets.length; i++) {
            if (full.kind() == Account.Kind.EXCHANGE || counts(i, full)) {
                droppedFor(i);
            } else {
                rest[kept++] = targets[i];
            }
        }
        targets = Arrays.copyOf(rest, kept);
    }

    /** Leaves out the other targets. */
    final void keep(Predicate<QueueProxy> wanted) {
        targets = Arrays.stream(targets).filter(wanted).toArray(QueueProxy[]::new);
    }

    /** Whether there can be room for it in an account when that is empty. */
    final boolean everFits(Account account) {
        return account.everFits(bytesIn(account), messagesIn(account));
    }

    /** What the account does with what it has no room for. */
    static FullPolicy policy(Account account) {
        return account.limits().policy() == FullPolicy.PAGE ? FullPolicy.BLOCK : account.limits().policy();
    }
}
