package io.sluicemq.broker.engine;

import io.sluicemq.broker.flow.Account;
import io.sluicemq.broker.queue.Queue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

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

    /** The numbers of all loops together. */
    public BrokerCounters counters() {
        Tally sum = new Tally();
        for (int i = 0; i < engine.loops(); i++) {
            sum.add(engine.context(i).tally);
        }
        return sum.toCounters();
    }
}
