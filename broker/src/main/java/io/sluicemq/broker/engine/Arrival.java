package io.sluicemq.broker.engine;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Producer;
import io.sluicemq.base.Loop;
import io.sluicemq.broker.flow.Account;
import io.sluicemq.broker.flow.FullPolicy;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

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
    /** At whose gates it has had its turn. Who needs room in several accounts could otherwise go from one to another for ever. */
    private Set<Account> turns = Set.of();
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

    /** It begins to wait: in a line the first of which waits for room in {@code where}. */
    abstract void waits(Account where);

    /** Room is reserved for it: in each target of which {@link #isReserved} says so. */
    abstract void admitted();

    /** It is refused, and nothing is reserved. */
    abstract void refused(BrokerError error);

    /** It is refused, as it has waited as long as it may for room in an account; nothing is reserved. */
    abstract void heldTooLong(Account account);

    /** Whoever it comes from has gone, and nothing is reserved. */
    abstract void dropped();

    /** It is not to come into one of its targets, as {@code full} drops what is too much: the target's account, or its parent. */
    abstract void droppedFor(int target, Account full);

    /** What of it comes by an exchange is dropped, as that drops what is too much; returns the targets that are left. */
    abstract QueueProxy[] droppedFor(Account exchange);

    /** Asked when an account has no room: whether it has made some that is as good as its own. */
    boolean makesRoomIn(Account full) {
        return false;
    }

    /** Whether room was reserved in the account of a target. */
    final boolean isReserved(int target) {
        return reserved[target];
    }

    final void waitsSince(long sequence, long nowNanos) {
        seq = sequence;
        sinceNanos = nowNanos;
    }

    /** It has had its turn at the gate of an account. */
    final void hadTurn(Account account) {
        if (turns.isEmpty()) {
            turns = Collections.newSetFromMap(new IdentityHashMap<>(2));
        }
        turns.add(account);
    }

    final long sequence() {
        return seq;
    }

    final long sinceNanos() {
        return sinceNanos;
    }

    /** How much it takes in the account of one of its targets, in bytes. */
    long bytesFor(QueueProxy target) {
        return bytesIn(target.queue().account());
    }

    /** How much it takes in the account of one of its targets, in messages. */
    long messagesFor(QueueProxy target) {
        return messagesIn(target.queue().account());
    }

    /** How much it would take at most in an account that it waits for, in bytes. */
    long wantedBytes(Account account) {
        return bytesIn(account);
    }

    /** How much it would take at most in an account that it waits for, in messages. */
    long wantedMessages(Account account) {
        return messagesIn(account);
    }

    /** How many publishes it is. */
    int publishes() {
        return 1;
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
    Account reserve(Loop here, Account.Pool pool) {
        for (int i = 0; i < commons.length; i++) {
            if (isIn(commons[i])) {
                Account lacking = commons[i].reserve(
                        here, commonBytes(commons[i]), commonMessages(commons[i]), pool, turns);
                if (lacking != null) {
                    giveBackCommons(here, i, pool);
                    return lacking;
                }
            }
        }
        reserved = new boolean[targets.length];
        for (int i = 0; i < targets.length; i++) {
            Account account = targets[i].queue().account();
            if (account.isLimited()) {
                Account lacking = account.reserve(here, bytes(i), messages(i), pool, turns);
                if (lacking != null) {
                    giveBack(here, pool);
                    return lacking;
                }
                reserved[i] = true;
            }
        }
        return null;
    }

    /** Whether any of it counts in the account of an exchange: nothing does if all of that was dropped, or if it reaches no queue. */
    boolean isIn(Account exchange) {
        return commonMessages(exchange) > 0;
    }

    /** Gives back what was reserved. */
    final void giveBack(Loop here, Account.Pool pool) {
        for (int i = 0; i < targets.length; i++) {
            if (reserved[i]) {
                targets[i].queue().account().unreserve(here, bytes(i), messages(i), pool);
                reserved[i] = false;
            }
        }
        giveBackCommons(here, commons.length, pool);
    }

    private void giveBackCommons(Loop here, int count, Account.Pool pool) {
        for (int i = 0; i < count; i++) {
            if (isIn(commons[i])) {
                commons[i].unreserve(here, commonBytes(commons[i]), commonMessages(commons[i]), pool);
            }
        }
    }

    /** The account of an exchange in which a message counts; null if there is none. */
    static Account[] commons(Account exchange) {
        return exchange == null ? NO_ACCOUNTS : new Account[] {exchange};
    }

    /** Leaves out the targets whose account is {@code full} and drops what is too much. */
    final void dropFor(Account full) {
        if (full.kind() == Account.Kind.EXCHANGE) {
            targets = droppedFor(full);
            return;
        }
        int kept = 0;
        QueueProxy[] rest = new QueueProxy[targets.length];
        for (int i = 0; i < targets.length; i++) {
            if (counts(i, full)) {
                droppedFor(i, full);
            } else {
                rest[kept++] = targets[i];
            }
        }
        targets = Arrays.copyOf(rest, kept);
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
