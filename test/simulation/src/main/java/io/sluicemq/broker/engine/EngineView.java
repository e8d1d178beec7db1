package io.sluicemq.broker.engine;

import io.sluicemq.broker.flow.Account;
import io.sluicemq.broker.flow.Ticket;
import io.sluicemq.broker.queue.Queue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the simulation sees of an engine between two turns, when no loop runs and all may be looked at. It changes nothing, and
 * has no turn run.
 */
public final class EngineView {

    private final BrokerEngine engine;
    /** Known since a client was there. */
    private VirtualHost host;

    /** @param engine has one virtual host */
    public EngineView(BrokerEngine engine) {
        this.engine = engine;
    }

    private VirtualHost host() {
        for (int i = 0; host == null && i < engine.loops(); i++) {
            for (ConnectedClient client : engine.context(i).clients) {
                host = client.host();
            }
        }
        return host;
    }

    /** All queues that there are. */
    public List<Queue> queues() {
        List<Queue> all = new ArrayList<>();
        for (int i = 0; i < engine.loops(); i++) {
            all.addAll(engine.context(i).queues);
        }
        return all;
    }

    /** The accounts of exchanges; none before a client has come. */
    public Collection<Account> exchanges() {
        return host() == null ? List.of() : host().exchangeAccounts().values();
    }

    /** The virtual host's account; null if it has none, or if no client has come yet. */
    public Account virtualHost() {
        return host() == null ? null : host().account();
    }

    /** What is reserved in an account for messages that clients have credit for: bytes and messages. */
    public long[] credit(Account account) {
        long[] sum = {0, 0};
        for (int i = 0; i < engine.loops(); i++) {
            long[] held = engine.context(i).credits.heldIn(account);
            sum[0] += held[0];
            sum[1] += held[1];
        }
        return sum;
    }

    /** Whether a publish waits for room in the log. */
    public boolean waitsForLog() {
        for (int i = 0; i < engine.loops(); i++) {
            if (engine.context(i).isParking()) {
                return true;
            }
        }
        return false;
    }

    /** Whether dead letters of a queue wait, for room in their addresses or in the log. */
    public boolean lettersWait(Queue queue) {
        return host() != null && host().effects(queue.loop().index()).deadLettersWait(queue);
    }

    /**
     * Something that waits for room in its addresses.
     *
     * @param holder stands for it in gates
     * @param internal whether it is a dead letter
     * @param queues the names of those it is for
     * @param accounts those in which it counts
     * @param publishes how many messages it is: none if it is a link that waits for credit
     * @param bytes of memory that it takes
     * @param behind whether it stands behind another and asks for nothing
     * @param mustBeBehind whether it has to, as an earlier one of the same producer waits for one of its queues
     * @param aside whether it has left the gates to others for a moment
     */
    public record Waiting(
            Ticket.Holder holder,
            boolean internal,
            Set<String> queues,
            Set<Account> accounts,
            int publishes,
            long bytes,
            boolean behind,
            boolean mustBeBehind,
            boolean aside) {

        public String connection() {
            return holder.connection();
        }

        public String producer() {
            return holder.producer();
        }
    }

    /** All that waits, what is of one producer in the order in which it came. When no loop has anything to do. */
    public List<Waiting> waiting() {
        List<Waiting> all = new ArrayList<>();
        for (int i = 0; i < engine.loops(); i++) {
            engine.context(i).clients.forEach(client -> add(client.entrance(), all));
            if (host() != null) {
                add(host().effects(i).entrance(), all);
            }
        }
        return all;
    }

    /** What waits of one client. Between two turns, or in a turn of its loop. */
    public List<Waiting> waiting(String connection) {
        List<Waiting> all = new ArrayList<>();
        for (int i = 0; i < engine.loops(); i++) {
            for (ConnectedClient client : engine.context(i).clients) {
                if (client.toString().equals(connection)) {
                    add(client.entrance(), all);
                }
            }
        }
        return all;
    }

    private void add(Entrance entrance, List<Waiting> all) {
        Map<Lane, Set<QueueProxy>> before = new IdentityHashMap<>();
        for (Waiter waiter : entrance.waiting()) {
            Arrival arrival = waiter.arrival();
            Set<String> queues = new HashSet<>();
            Set<Account> accounts = new HashSet<>();
            exchanges().stream().filter(each -> arrival.commonMessages(each) > 0).forEach(accounts::add);
            Set<QueueProxy> taken = before.computeIfAbsent(waiter.lane(), lane -> new HashSet<>());
            boolean mustBeBehind = false;
            for (QueueProxy target : arrival.targets()) {
                Account account = target.queue().account();
                queues.add(target.queue().name());
                accounts.add(account);
                if (account.parent() != null) {
                    accounts.add(account.parent());
                }
                mustBeBehind |= !taken.add(target);
            }
            all.add(new Waiting(
                    waiter, entrance.isInternal(), queues, accounts, arrival.publishes(), arrival.memoryBytes(),
                    waiter.isBehind(),
                    mustBeBehind,
                    waiter.mayTry()));
        }
    }

    /** The numbers of all loops together. */
    public BrokerCounters counters() {
        Tally sum = new Tally();
        for (int i = 0; i < engine.loops(); i++) {
            sum.add(engine.context(i).tally);
        }
        return sum.toCounters();
    }
}
