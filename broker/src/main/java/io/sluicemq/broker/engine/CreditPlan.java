package io.sluicemq.broker.engine;

import io.sluicemq.broker.flow.Account;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.broker.flow.SharedCharge;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Where a credit line reserves room for its messages: in each queue's account, with what that is a part of, and in the
 * exchange's, as far as these have a limit and have producers wait. Where what is too much is refused or dropped nothing is
 * reserved: a producer without credit would never learn of it. Immutable.
 */
final class CreditPlan {

    private static final int[] NO_WEIGHTS = {};

    private final Route route;
    private final Account exchange;
    private final Account heldExchange;
    private final boolean[] reserved;
    private final QueueProxy[] held;
    /** All accounts in which room is reserved, each once; and how often a message counts there. */
    private final Account[] accounts;

    private final int[] weights;
    /** By target, the limits of its account, and of what that is a part of; then those of the exchange. */
    private final AddressLimits[] limits;
    /** Whether room is reserved wherever it must be. */
    private final boolean complete;

    /** @param exchange the account of the exchange that the messages come by; null if it has no limit */
    CreditPlan(Route route, Account exchange) {
        QueueProxy[] targets = route.targets();
        this.route = route;
        this.exchange = exchange;
        this.limits = limits(route, exchange);
        this.reserved = new boolean[targets.length];
        List<QueueProxy> chosen = new ArrayList<>(targets.length);
        boolean all = true;
        for (int i = 0; i < targets.length; i++) {
            Account account = targets[i].queue().account();
            if (account.isLimited()) {
                reserved[i] = waits(account) && (account.parent() == null || waits(account.parent()));
                all &= reserved[i];
                if (reserved[i]) {
                    chosen.add(targets[i]);
                }
            }
        }
        this.held = chosen.toArray(QueueProxy[]::new);
        this.heldExchange = exchange != null && targets.length > 0 && waits(exchange) ? exchange : null;
        this.complete = all && (heldExchange == exchange || targets.length == 0);
        List<Account> distinct = new ArrayList<>(held.length + 1);
        int[] counts = held.length == 0 ? NO_WEIGHTS : new int[held.length * 2];
        for (QueueProxy target : held) {
            Account account = target.queue().account();
            count(account, distinct, counts);
            if (account.parent() != null) {
                count(account.parent(), distinct, counts);
            }
        }
        if (heldExchange != null) {
            distinct.add(heldExchange);
            counts = Arrays.copyOf(counts, Math.max(counts.length, distinct.size()));
            counts[distinct.size() - 1] = 1;
        }
        this.accounts = distinct.toArray(Account[]::new);
        this.weights = counts;
    }

    private static void count(Account account, List<Account> distinct, int[] counts) {
        int index = distinct.indexOf(account);
        if (index < 0) {
            index = distinct.size();
            distinct.add(account);
        }
        counts[index]++;
    }

    /** Whether those wait for whom there is no room in an account. */
    static boolean waits(Account account) {
        return account.limits().policy() != FullPolicy.RING && Arrival.policy(account) == FullPolicy.BLOCK;
    }

    private static AddressLimits[] limits(Route route, Account exchange) {
        QueueProxy[] targets = route.targets();
        AddressLimits[] found = new AddressLimits[targets.length * 2 + 1];
        for (int i = 0; i < targets.length; i++) {
            Account account = targets[i].queue().account();
            found[2 * i] = account.limits();
            found[2 * i + 1] = account.parent() == null ? null : account.parent().limits();
        }
        found[targets.length * 2] = exchange == null ? null : exchange.limits();
        return found;
    }

    /** Whether nothing is to be reserved. */
    boolean isEmpty() {
        return accounts.length == 0;
    }

    /** The targets in whose accounts room is reserved. */
    QueueProxy[] held() {
        return held;
    }

    /** The account of the exchange, if room is reserved there; else null. */
    Account heldExchange() {
        return heldExchange;
    }

    /** All accounts in which room is reserved, each once. */
    Account[] accounts() {
        return accounts;
    }

    /** By target of the route, whether room is reserved for it. */
    boolean[] reserved() {
        return reserved;
    }

    boolean holdsIn(Account account) {
        for (Account each : accounts) {
            if (each == account) {
                return true;
            }
        }
        return false;
    }

    /** What messages of so many bytes in all count for in one of the accounts, in bytes. */
    long bytesIn(Account account, long bytes, long messages) {
        return account == heldExchange
                ? bytes + messages * SharedCharge.bytes(0, route.size())
                : bytes * weights[List.of(accounts).indexOf(account)];
    }

    /** What so many messages count for in one of the accounts, in messages. */
    long messagesIn(Account account, long messages) {
        return account == heldExchange ? messages : messages * weights[List.of(accounts).indexOf(account)];
    }

    /** Whether a message that goes there counts where this reserves room, and nowhere else where it would have to. */
    boolean covers(Route other, Account otherExchange) {
        if (!complete || otherExchange != exchange || !leadsTo(other)) {
            return false;
        }
        QueueProxy[] targets = other.targets();
        for (int i = 0; i < targets.length; i++) {
            if (targets[i].queue().account().isLimited() != reserved[i]) {
                return false;
            }
        }
        return true;
    }

    /** Whether a route is to the same queues. */
    private boolean leadsTo(Route other) {
        return other == route || Arrays.equals(other.targets(), route.targets());
    }

    /** Whether it is still what it would be for messages that go there. */
    boolean isFor(Route other, Account otherExchange) {
        return otherExchange == exchange && leadsTo(other) && isAsLimited();
    }

    /** Whether the limits are those that it was made for. */
    boolean isAsLimited() {
        QueueProxy[] targets = route.targets();
        for (int i = 0; i < targets.length; i++) {
            Account account = targets[i].queue().account();
            Account parent = account.parent();
            if (limits[2 * i] != account.limits() || limits[2 * i + 1] != (parent == null ? null : parent.limits())) {
                return false;
            }
        }
        return exchange == null || limits[targets.length * 2] == exchange.limits();
    }
}
