package io.sluicemq.broker.engine;

import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.flow.Account;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The credit lines of one loop, and in which accounts they hold room. Owned by the loop.
 *
 * <p>Invariant: a line stands under an account as long as it holds room there, and that account counts it.
 */
@LoopOwned
final class Credits {

    private static final Credit[] NONE = {};

    private final Set<Credit> all = new LinkedHashSet<>(0);
    private final Map<Account, Set<Credit>> holders = new IdentityHashMap<>(0);
    private final Set<Credit> awaitingResources = new LinkedHashSet<>(0);

    void opened(Credit line) {
        all.add(line);
    }

    void closed(Credit line) {
        all.remove(line);
        awaitingResources.remove(line);
    }

    /** A line is about to reserve room in an account. */
    void holds(Account account, Credit line) {
        account.creditLines(1);
        holders.computeIfAbsent(account, key -> new LinkedHashSet<>(2)).add(line);
    }

    /** A line holds nothing in an account any more. */
    void holdsNoMore(Account account, Credit line) {
        account.creditLines(-1);
        Set<Credit> lines = holders.get(account);
        lines.remove(line);
        if (lines.isEmpty()) {
            holders.remove(account);
        }
    }

    /** How much is reserved in an account by lines of this loop: bytes and messages. */
    long[] heldIn(Account account) {
        long[] sum = {0, 0};
        for (Credit line : holders.getOrDefault(account, Set.of())) {
            sum[0] += line.heldBytes(account);
            sum[1] += line.heldMessages(account);
        }
        return sum;
    }

    /** The accounts in which lines of this loop hold room. */
    List<Account> accounts() {
        return List.copyOf(holders.keySet());
    }

    /** How many lines there are. */
    int size() {
        return all.size();
    }

    /** What is to be run on this loop when somebody waits for room in an account, or its limits have changed. */
    Runnable recalling(Account account) {
        return () -> recall(account);
    }

    private void recall(Account account) {
        Set<Credit> lines = holders.get(account);
        if (lines != null) {
            for (Credit line : lines.toArray(NONE)) {
                line.recall(account);
            }
        }
    }

    /** The table of a virtual host is another. */
    void routesChanged(VirtualHost host) {
        for (Credit line : all.toArray(NONE)) {
            if (line.host() == host) {
                line.routesChanged();
            }
        }
    }

    /** A line asks anew when memory and disk have room. */
    void awaitResources(Credit line) {
        awaitingResources.add(line);
    }

    void awaitsResourcesNoMore(Credit line) {
        awaitingResources.remove(line);
    }

    /** Memory and disk have room. */
    void resourcesRecovered() {
        if (!awaitingResources.isEmpty()) {
            Credit[] lines = awaitingResources.toArray(NONE);
            awaitingResources.clear();
            for (Credit line : lines) {
                line.resourcesRecovered();
            }
        }
    }
}
