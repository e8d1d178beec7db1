package io.sluicemq.management.http;

import io.sluicemq.api.Client.BindingSpec;
import io.sluicemq.api.operate.Operations;
import io.sluicemq.api.users.Role;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Bindings. One is told from others between the same two by its {@code properties_key}: its routing key, and a hash of its arguments. */
final class BindingRoutes {

    private static final String TO_QUEUE = "/api/bindings/{vhost}/e/{source}/q/{destination}";
    private static final String TO_EXCHANGE = "/api/bindings/{vhost}/e/{source}/e/{destination}";
    private static final String BODY = "`routing_key`, `arguments`";

    private final Operations broker;

    /** A binding and where it is; source and key are empty, and the destination a queue, for one of the default exchange. */
    private record Placed(String virtualHost, BindingSpec binding) {}

    private final Listing<Placed> listing = new Listing<Placed>(
            placed -> placed.binding().destination(),
            Comparator.comparing(Placed::virtualHost)
                    .thenComparing(placed -> placed.binding().source())
                    .thenComparing(placed -> placed.binding().destination())
                    .thenComparing(placed -> placed.binding().toExchange())
                    .thenComparing(placed -> propertiesKey(placed.binding())))
            .key("vhost", Placed::virtualHost)
            .key("source", placed -> placed.binding().source())
            .key("destination", placed -> placed.binding().destination())
            .key("destination_type", placed -> placed.binding().toExchange() ? "exchange" : "queue")
            .key("routing_key", placed -> placed.binding().routingKey());

    BindingRoutes(Operations broker) {
        this.broker = broker;
    }

    List<Route> routes() {
        return List.of(
                Route.get("/api/bindings", Role.MONITOR, "All bindings", this::all).paged(),
                Route.get("/api/bindings/{vhost}", Role.MONITOR, "The bindings of a virtual host", this::ofHost)
                        .paged(),
                Route.get(TO_QUEUE, Role.MONITOR, "The bindings from an exchange to a queue",
                        call -> between(call, false)),
                Route.post(TO_QUEUE, Role.OPERATOR, "Binds a queue to an exchange", BODY, call -> bind(call, false)),
                Route.get(TO_QUEUE + "/{properties_key}", Role.MONITOR, "One of them", call -> one(call, false)),
                Route.delete(TO_QUEUE + "/{properties_key}", Role.OPERATOR, "Removes it",
                        call -> unbind(call, false)),
                Route.get(TO_EXCHANGE, Role.MONITOR, "The bindings from an exchange to another",
                        call -> between(call, true)),
                Route.post(TO_EXCHANGE, Role.OPERATOR, "Binds an exchange to another", BODY,
                        call -> bind(call, true)),
                Route.get(TO_EXCHANGE + "/{properties_key}", Role.MONITOR, "One of them", call -> one(call, true)),
                Route.delete(TO_EXCHANGE + "/{properties_key}", Role.OPERATOR, "Removes it",
                        call -> unbind(call, true)));
    }

    // ---- shapes

    static ObjectNode json(String virtualHost, BindingSpec binding) {
        ObjectNode json = Json.object()
                .put("source", binding.source())
                .put("vhost", virtualHost)
                .put("destination", binding.destination())
                .put("destination_type", binding.toExchange() ? "exchange" : "queue")
                .put("routing_key", binding.routingKey());
        json.set("arguments", Json.map(binding.arguments()));
        return json.put("properties_key", propertiesKey(binding));
    }

    /** The binding that every queue has. */
    static ObjectNode ofDefaultExchange(String virtualHost, String queue) {
        return json(virtualHost, new BindingSpec("", queue, false, queue, Map.of()));
    }

    static String propertiesKey(BindingSpec binding) {
        String key = URLEncoder.encode(binding.routingKey(), StandardCharsets.UTF_8).replace("+", "%20");
        if (binding.arguments().isEmpty()) {
            return key.isEmpty() ? "~" : key;
        }
        return key + "~" + hash(binding.arguments());
    }

    private static String hash(Map<String, Object> arguments) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(Json.bytes(Json.map(new TreeMap<>(arguments))));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(digest).substring(0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    // ---- lists

    private Answer all(Call call) {
        return list(call, call.visible(broker.virtualHosts()));
    }

    private Answer ofHost(Call call) {
        return list(call, List.of(call.virtualHost()));
    }

    private Answer list(Call call, List<String> hosts) {
        List<Placed> all = new ArrayList<>();
        for (String host : hosts) {
            broker.queues(host).forEach(queue -> all.add(new Placed(
                    host, new BindingSpec("", queue.name(), false, queue.name(), Map.of()))));
            broker.bindings(host).forEach(binding -> all.add(new Placed(host, binding)));
        }
        return listing.page(call, all)
                .answer(placed -> json(placed.virtualHost(), placed.binding()), Columns.of(call));
    }

    private List<BindingSpec> existing(Call call, boolean toExchange) {
        String host = call.virtualHost();
        String source = ExchangeRoutes.named(call.path("source"));
        String destination = call.path("destination");
        if (source.isEmpty() && !toExchange) {
            return broker.queue(host, destination)
                    .map(queue -> List.of(new BindingSpec("", destination, false, destination, Map.of())))
                    .orElse(List.of());
        }
        return broker.bindingsTo(host, destination, toExchange).stream()
                .filter(binding -> binding.source().equals(source))
                .toList();
    }

    private Answer between(Call call, boolean toExchange) {
        ArrayNode all = Json.array();
        existing(call, toExchange).forEach(binding -> all.add(json(call.path("vhost"), binding)));
        return Answer.of(all);
    }

    private BindingSpec find(Call call, boolean toExchange) {
        // The key is written as it is in a path, and may come encoded once more.
        String key = call.path("properties_key");
        return existing(call, toExchange).stream()
                .filter(binding -> isCalled(binding, key))
                .findFirst()
                .orElseThrow(() -> ApiError.notFound("no such binding"));
    }

    private static boolean isCalled(BindingSpec binding, String key) {
        return propertiesKey(binding).equals(key)
                || binding.arguments().isEmpty() && !key.isEmpty() && binding.routingKey().equals(key)
                || !binding.arguments().isEmpty()
                        && (binding.routingKey() + "~" + hash(binding.arguments())).equals(key);
    }

    private Answer one(Call call, boolean toExchange) {
        return Answer.of(json(call.path("vhost"), find(call, toExchange)));
    }

    // ---- acts

    private Answer bind(Call call, boolean toExchange) {
        String host = call.virtualHost();
        BindingSpec binding = new BindingSpec(
                ExchangeRoutes.named(call.path("source")), call.path("destination"), toExchange,
                call.text("routing_key", ""), call.arguments("arguments"));
        call.await(broker.bind(call.actor(), host, binding));
        return Answer.of(201).with("Location", propertiesKey(binding));
    }

    private Answer unbind(Call call, boolean toExchange) {
        BindingSpec binding = find(call, toExchange);
        call.await(broker.unbind(call.actor(), call.path("vhost"), binding));
        return Answer.of(204);
    }
}
