package io.sluicemq.broker.engine;

import io.sluicemq.broker.journal.TopologyRecord;
import io.sluicemq.broker.journal.TopologyRecord.Bound;
import io.sluicemq.broker.journal.TopologyRecord.ExchangeDeclared;
import io.sluicemq.broker.routing.Arguments;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/** A virtual host's topology as the log has it. Used by the thread that recovers. */
final class RecoveredHost {

    /** What makes two bindings one. */
    private record BindingKey(
            String source, String destination, boolean toExchange, String routingKey, Arguments arguments) {}

    private final Map<String, ExchangeDeclared> exchanges = new LinkedHashMap<>();
    private final Map<String, RecoveredQueue> queues = new LinkedHashMap<>();
    private final Map<BindingKey, Bound> bindings = new LinkedHashMap<>();

    void declared(ExchangeDeclared exchange) {
        exchanges.putIfAbsent(exchange.name(), exchange);
    }

    void deleted(TopologyRecord.ExchangeDeleted exchange) {
        exchanges.remove(exchange.name());
    }

    void declared(RecoveredQueue queue) {
        queues.put(queue.spec().name(), queue);
    }

    void deleted(RecoveredQueue queue) {
        queues.remove(queue.spec().name(), queue);
    }

    /** The queue of that name, or null. */
    RecoveredQueue named(String name) {
        return queues.get(name);
    }

    void bound(Bound binding) {
        bindings.putIfAbsent(
                new BindingKey(
                        binding.source(), binding.destination(), binding.toExchange(), binding.routingKey(),
                        Arguments.of(binding.arguments())),
                binding);
    }

    void unbound(TopologyRecord.Unbound binding) {
        bindings.remove(new BindingKey(
                binding.source(), binding.destination(), binding.toExchange(), binding.routingKey(),
                Arguments.of(binding.arguments())));
    }

    Collection<ExchangeDeclared> exchanges() {
        return exchanges.values();
    }

    Collection<RecoveredQueue> queues() {
        return queues.values();
    }

    Collection<Bound> bindings() {
        return bindings.values();
    }
}
