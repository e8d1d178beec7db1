package io.sluicemq.broker.engine;

import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.ConsumerRule;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.broker.queue.QueueOptions;
import io.sluicemq.broker.queue.SubscriptionKind;
import io.sluicemq.broker.routing.Binding;
import io.sluicemq.broker.routing.RoutingTable;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

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
    /** What queues are bound to; null while nothing is said about consumers of any. */
    private TopicBindings topics;

    /** @param table of a virtual host that has no queues yet */
    ConsumerRules(LoopContext home, AddressSettings settings, RoutingTable<QueueProxy> table) {
        this.home = home;
        know(settings, table);
    }

    private void know(AddressSettings next, RoutingTable<QueueProxy> table) {
        settings = next;
        topics = next.haveConsumerRules() ? new TopicBindings(next.topics(), table) : null;
    }

    /** Other settings hold. */
    void settings(AddressSettings next, RoutingTable<QueueProxy> table) {
        know(next, table);
        if (topics != null || !told.isEmpty()) {
            table.queues().forEach(this::look);
        }
    }

    /** Queues were put back at the start. */
    void restored(RoutingTable<QueueProxy> table) {
        settings(settings, table);
    }

    /** A queue is there. */
    void added(QueueProxy queue) {
        if (topics != null) {
            look(queue);
        }
    }

    /** There is a binding more. */
    void bound(Binding binding, RoutingTable<QueueProxy> table) {
        if (topics != null && binding.kind() == Binding.Kind.QUEUE) {
            topics.bound(binding, table);
            look(table.queue(binding.destination()));
        }
    }

    /** Bindings are gone; a queue that was bound by them may be, too. */
    void unbound(List<Binding> bindings, RoutingTable<QueueProxy> before, RoutingTable<QueueProxy> now) {
        if (topics == null) {
            return;
        }
        Set<QueueProxy> concerned = new LinkedHashSet<>();
        for (Binding binding : bindings) {
            QueueProxy queue = binding.kind() == Binding.Kind.QUEUE ? now.queue(binding.destination()) : null;
            if (queue != null) {
                topics.unbound(binding, before);
                concerned.add(queue);
            }
        }
        // When all of them are gone: no queue is told of what holds between one and the next.
        concerned.forEach(this::look);
    }

    /** A queue is gone. */
    void removed(QueueProxy queue) {
        told.remove(queue);
        if (topics != null) {
            topics.removed(queue.queue().name());
        }
    }

    private void look(QueueProxy proxy) {
        Told next = topics == null ? NOTHING : whatHolds(proxy.queue());
        if (next.equals(told.getOrDefault(proxy, NOTHING))) {
            return;
        }
        if (next.rule == null) {
            told.remove(proxy);
        } else {
            told.put(proxy, next);
        }
        proxy.run(home, () -> tell(proxy, next));
    }

    private Told whatHolds(Queue queue) {
        ConsumerRule byName = settings.consumerRuleByName(queue.name());
        ConsumerRule rule = byName != null ? byName : topics.rule(queue.name());
        return rule == null ? NOTHING : new Told(rule, kind(queue, topics.has(queue.name())));
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
