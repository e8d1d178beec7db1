package io.sluicemq.broker.engine;

import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.flow.ConsumerRule;
import io.sluicemq.broker.flow.TopicRules;
import io.sluicemq.broker.routing.Binding;
import io.sluicemq.broker.routing.Exchange;
import io.sluicemq.broker.routing.ExchangeType;
import io.sluicemq.broker.routing.RoutingTable;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * How many bindings from topic exchanges each queue of a virtual host has, by the first rule about topics that covers each: so that a
 * binding that comes or goes costs its own key alone, however many the queue has. Owned by the topology's loop.
 *
 * <p>Invariant: what it has of a queue is what a count of the queue's bindings in the table would be, when a change of that was told.
 */
@LoopOwned
final class TopicBindings {

    /** The bindings of one queue; there is none of these for a queue without. */
    private static final class Counts {

        private long all;
        /** Those that a rule covers, by the place of the first such. */
        private final TreeMap<Integer, Long> byRule = new TreeMap<>();

        void add(int rule, long more) {
            all += more;
            if (rule != TopicRules.NO_RULE) {
                byRule.merge(rule, more, (before, by) -> before + by == 0 ? null : Long.valueOf(before + by));
            }
        }
    }

    private final TopicRules rules;
    private final Map<String, Counts> queues = new HashMap<>();

    /** Counts what is there. */
    TopicBindings(TopicRules rules, RoutingTable<?> table) {
        this.rules = rules;
        for (Exchange<?> exchange : table.exchanges()) {
            if (exchange.type() == ExchangeType.TOPIC) {
                exchange.bindings().forEach(this::count);
            }
        }
    }

    private void count(Binding binding) {
        if (binding.kind() == Binding.Kind.QUEUE) {
            queues.computeIfAbsent(binding.destination(), name -> new Counts())
                    .add(rules.firstCovering(binding.routingKey()), 1);
        }
    }

    /** @param table one that has the binding's source */
    void bound(Binding binding, RoutingTable<?> table) {
        if (isOfTopics(binding, table)) {
            count(binding);
        }
    }

    /** @param before a table that had the binding */
    void unbound(Binding binding, RoutingTable<?> before) {
        Counts counts = queues.get(binding.destination());
        if (counts != null && binding.kind() == Binding.Kind.QUEUE && isOfTopics(binding, before)) {
            counts.add(rules.firstCovering(binding.routingKey()), -1);
            if (counts.all == 0) {
                queues.remove(binding.destination());
            }
        }
    }

    /** A queue is gone, and its bindings with it. */
    void removed(String queue) {
        queues.remove(queue);
    }

    private static boolean isOfTopics(Binding binding, RoutingTable<?> table) {
        return table.exchange(binding.source()).type() == ExchangeType.TOPIC;
    }

    /** Whether a queue is bound to any topic exchange. */
    boolean has(String queue) {
        return queues.containsKey(queue);
    }

    /** What is said about the topics that a queue is bound to; null for nothing. */
    ConsumerRule rule(String queue) {
        Counts counts = queues.get(queue);
        return counts == null || counts.byRule.isEmpty()
                ? null
                : rules.rules().get(counts.byRule.firstKey()).consumer();
    }
}
