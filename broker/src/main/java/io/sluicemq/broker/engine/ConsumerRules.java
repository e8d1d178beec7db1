package io.sluicemq.broker.engine;

import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.ConsumerRule;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.broker.queue.QueueOptions;
import io.sluicemq.broker.queue.SubscriptionKind;
import io.sluicemq.broker.routing.Binding;
import io.sluicemq.broker.routing.Exchange;
import io.sluicemq.broker.routing.ExchangeType;
import io.sluicemq.broker.routing.RoutingTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which rule about slow consumers holds for which queue of a virtual host: by its name, or by what it is bound to. Each queue is told
 * when that changes. Owned by the topology's loop.
 *
 * <p>Invariant: what a queue has been told last is what follows of the table and the settings, when a change of either has ended.
 */
@LoopOwned
final class ConsumerRules {

    private record Told(ConsumerRule rule, SubscriptionKind kind) {}

    private static final Told NOTHING = new Told(null, SubscriptionKind.NONE);

    private final LoopContext home;
    private final Map<QueueProxy, Told> told = new HashMap<>();
    private AddressSettings settings;
    private boolean any;

    ConsumerRules(LoopContext home, AddressSettings settings) {
        this.home = home;
        settings(settings);
    }

    private void settings(AddressSettings next) {
        settings = next;
        any = next.haveConsumerRules();
    }

    /** Other settings hold. */
    void settings(AddressSettings next, RoutingTable<QueueProxy> table) {
        settings(next);
        if (any || !told.isEmpty()) {
            table.queues().forEach(queue -> look(queue, table));
        }
    }

    /** Queues were put back at the start. */
    void restored(RoutingTable<QueueProxy> table) {
        settings(settings, table);
    }

    /** A queue is there, or is bound to something else than before. */
    void changed(String queue, RoutingTable<QueueProxy> table) {
        if (any) {
            QueueProxy proxy = table.queue(queue);
            if (proxy != null) {
                look(proxy, table);
            }
        }
    }

    /** A queue is gone. */
    void removed(QueueProxy queue) {
        told.remove(queue);
    }

    private void look(QueueProxy proxy, RoutingTable<QueueProxy> table) {
        Queue queue = proxy.queue();
        List<String> topics = topics(queue.name(), table);
        ConsumerRule rule = settings.consumerRuleOf(queue.name(), topics);
        Told next = rule == null ? NOTHING : new Told(rule, kind(queue, !topics.isEmpty()));
        if (next.equals(told.getOrDefault(proxy, NOTHING))) {
            return;
        }
        if (rule == null) {
            told.remove(proxy);
        } else {
            told.put(proxy, next);
        }
        proxy.run(home, () -> tell(proxy, next));
    }

    /** On the queue's loop. */
    private static void tell(QueueProxy proxy, Told next) {
        Queue queue = proxy.queue();
        if (queue.isRemoved()) {
            return;
        }
        queue.consumerRule(next.rule, next.kind);
        if (next.rule == null) {
            proxy.home().housekeeping.stop(queue);
        } else {
            proxy.home().housekeeping.every(next.rule.periodNanos(), queue, queue::checkConsumers);
        }
    }

    /** The keys by which a queue is bound to topic exchanges. */
    private static List<String> topics(String queue, RoutingTable<QueueProxy> table) {
        List<String> keys = new ArrayList<>();
        for (Binding binding : table.bindingsToQueue(queue)) {
            Exchange<QueueProxy> source = table.exchange(binding.source());
            if (source != null && source.type() == ExchangeType.TOPIC) {
                keys.add(binding.routingKey());
            }
        }
        keys.sort(null);
        return keys;
    }

    private static SubscriptionKind kind(Queue queue, boolean boundToTopics) {
        boolean made = queue.spec().arguments().containsKey(QueueSpec.SUBSCRIBES_TO);
        if (!made && !boundToTopics) {
            return SubscriptionKind.NONE;
        }
        QueueOptions options = queue.options();
        boolean passes = options.exclusive() || options.autoDelete() || options.deletedWithConnection()
                || options.expiresMillis() != QueueOptions.NONE || made && !queue.spec().durable();
        return passes ? SubscriptionKind.TRANSIENT : SubscriptionKind.DURABLE;
    }
}
