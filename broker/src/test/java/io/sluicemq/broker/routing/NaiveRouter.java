package io.sluicemq.broker.routing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The rules of routing written down as plainly as can be: lists, and every binding asked. What the tables are measured against.
 */
final class NaiveRouter {

    final Map<String, ExchangeSpec> exchanges = new LinkedHashMap<>();
    final Set<String> queues = new LinkedHashSet<>();
    final List<Binding> bindings = new ArrayList<>();

    NaiveRouter() {
        for (var exchange : RoutingTable.<TestQueue>withDefaults().exchanges()) {
            exchanges.put(exchange.name(), exchange.spec());
        }
    }

    NaiveRouter copy() {
        NaiveRouter copy = new NaiveRouter();
        copy.exchanges.putAll(exchanges);
        copy.queues.addAll(queues);
        copy.bindings.addAll(bindings);
        return copy;
    }

    boolean declare(ExchangeSpec spec) {
        return exchanges.putIfAbsent(spec.name(), spec) == null;
    }

    boolean bind(Binding binding) {
        boolean possible = exchanges.containsKey(binding.source())
                && (binding.kind() == Binding.Kind.QUEUE
                        ? queues.contains(binding.destination())
                        : exchanges.containsKey(binding.destination()));
        return possible && !bindings.contains(binding) && bindings.add(binding);
    }

    boolean unbind(Binding binding) {
        boolean removed = bindings.remove(binding);
        if (removed) {
            deleteIfUnused(binding.source());
        }
        return removed;
    }

    boolean deleteExchange(String name) {
        if (exchanges.remove(name) == null) {
            return false;
        }
        bindings.removeIf(binding -> binding.source().equals(name));
        unbindAll(Binding.Kind.EXCHANGE, name);
        return true;
    }

    boolean removeQueue(String name) {
        if (!queues.remove(name)) {
            return false;
        }
        unbindAll(Binding.Kind.QUEUE, name);
        return true;
    }

    private void unbindAll(Binding.Kind kind, String destination) {
        List<Binding> going = bindings.stream()
                .filter(binding -> binding.kind() == kind && binding.destination().equals(destination))
                .toList();
        bindings.removeAll(going);
        going.forEach(binding -> deleteIfUnused(binding.source()));
    }

    private void deleteIfUnused(String exchange) {
        ExchangeSpec spec = exchanges.get(exchange);
        if (spec != null
                && spec.autoDelete()
                && bindings.stream().noneMatch(binding -> binding.source().equals(exchange))) {
            deleteExchange(exchange);
        }
    }

    Set<String> route(String exchange, List<String> keys, Map<String, Object> headers) {
        Set<String> reached = new HashSet<>();
        route(exchange, keys, headers, new HashSet<>(), reached);
        return reached;
    }

    private void route(
            String exchange, List<String> keys, Map<String, Object> headers, Set<String> passed, Set<String> reached) {
        ExchangeSpec spec = exchanges.get(exchange);
        if (spec == null || !passed.add(exchange)) {
            return;
        }
        if (exchange.isEmpty()) {
            keys.stream().filter(queues::contains).forEach(reached::add);
            return;
        }
        List<Binding> matching = bindings.stream()
                .filter(binding -> binding.source().equals(exchange))
                .filter(binding -> keys.stream().anyMatch(key -> matches(spec.type(), binding, key, headers)))
                .toList();
        for (Binding binding : matching) {
            switch (binding.kind()) {
                case QUEUE -> reached.add(binding.destination());
                case EXCHANGE -> route(binding.destination(), keys, headers, passed, reached);
            }
        }
        if (matching.isEmpty() && spec.alternate() != null) {
            route(spec.alternate(), keys, headers, passed, reached);
        }
    }

    private static boolean matches(ExchangeType type, Binding binding, String key, Map<String, Object> headers) {
        return switch (type) {
            case DIRECT -> binding.routingKey().equals(key);
            case FANOUT -> true;
            case TOPIC -> topicMatches(words(binding.routingKey()), words(key));
            case HEADERS -> headersMatch(binding.arguments().asMap(), headers);
        };
    }

    static boolean topicMatches(String pattern, String key) {
        return topicMatches(words(pattern), words(key));
    }

    private static List<String> words(String key) {
        return key.isEmpty() ? List.of() : Arrays.asList(key.split("\\.", -1));
    }

    private static boolean topicMatches(List<String> pattern, List<String> key) {
        if (pattern.isEmpty()) {
            return key.isEmpty();
        }
        List<String> restOfPattern = pattern.subList(1, pattern.size());
        if (pattern.getFirst().equals("#")) {
            for (int taken = 0; taken <= key.size(); taken++) {
                if (topicMatches(restOfPattern, key.subList(taken, key.size()))) {
                    return true;
                }
            }
            return false;
        }
        return !key.isEmpty()
                && (pattern.getFirst().equals("*") || pattern.getFirst().equals(key.getFirst()))
                && topicMatches(restOfPattern, key.subList(1, key.size()));
    }

    private static boolean headersMatch(Map<String, Object> criteria, Map<String, Object> headers) {
        Object match = criteria.getOrDefault("x-match", "all");
        boolean withX = match.toString().endsWith("-with-x");
        boolean all = true;
        boolean any = false;
        for (Map.Entry<String, Object> criterion : criteria.entrySet()) {
            String name = criterion.getKey();
            if (name.equals("x-match") || name.startsWith("x-") && !withX) {
                continue;
            }
            boolean met = headers.containsKey(name)
                    && (criterion.getValue() == null || same(criterion.getValue(), headers.get(name)));
            all &= met;
            any |= met;
        }
        return match.toString().startsWith("all") ? all : any;
    }

    private static boolean same(Object one, Object other) {
        return one instanceof Number a && other instanceof Number b
                ? a.doubleValue() == b.doubleValue()
                : one.equals(other);
    }
}
