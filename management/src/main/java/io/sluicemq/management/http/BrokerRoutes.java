package io.sluicemq.management.http;

import io.sluicemq.api.Client.BindingSpec;
import io.sluicemq.api.operate.ExchangeView;
import io.sluicemq.api.operate.Operations;
import io.sluicemq.api.operate.Overview;
import io.sluicemq.api.operate.QueueFacts;
import io.sluicemq.api.operate.ServerOperations;
import io.sluicemq.api.operate.VirtualHostView;
import io.sluicemq.api.users.Role;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What there is to know of the broker as a whole: its numbers, virtual hosts, and what it would be made again from. */
final class BrokerRoutes {

    private final Operations broker;
    private final ServerOperations server;

    BrokerRoutes(Operations broker, ServerOperations server) {
        this.broker = broker;
        this.server = server;
    }

    List<Route> routes() {
        return List.of(
                Route.get("/api/overview", Role.MONITOR, "The broker's numbers", this::overview),
                Route.get("/api/nodes", Role.MONITOR, "This broker, as the one node that there is", this::nodes),
                Route.get("/api/nodes/{name}", Role.MONITOR, "This broker", this::node),
                Route.get("/api/whoami", Role.MONITOR, "Who the user is that asks", this::whoami),
                Route.get("/api/vhosts", Role.MONITOR, "All virtual hosts that the user may use", this::virtualHosts),
                Route.get("/api/vhosts/{vhost}", Role.MONITOR, "A virtual host", this::virtualHost),
                Route.get("/api/definitions", Role.ADMINISTRATOR,
                        "What there is and outlives the broker: virtual hosts, exchanges, queues, bindings",
                        this::definitions),
                Route.get("/api/definitions/{vhost}", Role.ADMINISTRATOR, "The same of one virtual host",
                        this::definitionsOfOne));
    }

    // ---- numbers

    private Answer overview(Call call) {
        Overview overview = call.await(broker.overview());
        ObjectNode json = Json.object()
                .put("product_name", "SluiceMQ")
                .put("product_version", server.version())
                .put("management_version", server.version())
                .put("cluster_name", server.nodeName())
                .put("node", server.nodeName())
                .put("started", server.startedMillis())
                .put("uptime", System.currentTimeMillis() - server.startedMillis());
        Map<String, Long> counters = overview.counters();
        json.putObject("object_totals")
                .put("connections", counters.get("connections"))
                .put("channels", counters.get("channels"))
                .put("queues", counters.get("queues"))
                .put("exchanges", exchanges(call))
                .put("consumers", counters.get("consumers"));
        long ready = counters.get("readyMessages");
        long unsettled = counters.get("unsettledMessages");
        json.putObject("queue_totals")
                .put("messages", ready + unsettled + counters.get("delayedMessages"))
                .put("messages_ready", ready)
                .put("messages_unacknowledged", unsettled)
                .put("messages_delayed", counters.get("delayedMessages"));
        json.set("message_stats", Shapes.stats(overview.rates()));
        json.putObject("memory")
                .put("message_bytes", overview.memoryBytes())
                .put("message_limit_bytes", overview.memoryLimitBytes());
        overview.shortage().ifPresentOrElse(
                shortage -> json.set("shortage", Json.tree(shortage)), () -> json.putNull("shortage"));
        json.set("counters", Json.tree(counters));
        json.set("loops", Json.tree(overview.loops()));
        ArrayNode listeners = json.putArray("listeners");
        server.listeners().forEach(each -> listeners.addObject()
                .put("node", server.nodeName())
                .put("name", each.name())
                .put("protocol", each.protocol())
                .put("ip_address", each.host())
                .put("port", each.port()));
        ArrayNode types = json.putArray("exchange_types");
        List.of("direct", "fanout", "headers", "topic")
                .forEach(type -> types.addObject().put("name", type).put("enabled", true));
        return Answer.of(json);
    }

    /** With the predeclared ones, as RabbitMQ counts them. */
    private int exchanges(Call call) {
        return call.visible(broker.virtualHosts()).stream().mapToInt(broker::exchangeCount).sum();
    }

    private ObjectNode nodeJson() {
        Runtime runtime = Runtime.getRuntime();
        return Json.object()
                .put("name", server.nodeName())
                .put("type", "disc")
                .put("running", true)
                .put("uptime", System.currentTimeMillis() - server.startedMillis())
                .put("processors", runtime.availableProcessors())
                .put("mem_used", runtime.totalMemory() - runtime.freeMemory())
                .put("mem_limit", runtime.maxMemory());
    }

    private Answer nodes(Call call) {
        return Answer.of(Json.array().add(nodeJson()));
    }

    private Answer node(Call call) {
        if (!call.path("name").equals(server.nodeName())) {
            throw ApiError.notFound("no node '" + call.path("name") + "': there is " + server.nodeName());
        }
        return Answer.of(nodeJson());
    }

    private Answer whoami(Call call) {
        ObjectNode json = Json.object().put("name", call.login().user().name());
        json.putArray("tags").add(call.login().word());
        return Answer.of(json);
    }

    // ---- virtual hosts

    private Answer virtualHosts(Call call) {
        List<CompletableFuture<Optional<VirtualHostView>>> views =
                call.visible(broker.virtualHosts()).stream().map(broker::virtualHost).toList();
        ArrayNode all = Json.array();
        views.forEach(view -> call.await(view).ifPresent(found -> all.add(json(found))));
        return Answer.of(all);
    }

    private Answer virtualHost(Call call) {
        String name = call.virtualHost();
        return Answer.of(json(call.await(broker.virtualHost(name))
                .orElseThrow(() -> ApiError.notFound("no vhost '" + name + "'"))));
    }

    private static ObjectNode json(VirtualHostView view) {
        ObjectNode json = Json.object()
                .put("name", view.name())
                .put("queues", view.queues())
                .put("exchanges", view.exchanges())
                .put("consumers", view.consumers())
                .put("messages", view.readyMessages() + view.unsettledMessages())
                .put("messages_ready", view.readyMessages())
                .put("messages_unacknowledged", view.unsettledMessages())
                .put("used_bytes", view.usedBytes())
                .put("used_messages", view.usedMessages());
        json.set("message_stats", Shapes.stats(view.rates()));
        json.set("limits", Shapes.limits(view.limits()));
        return json;
    }

    // ---- definitions

    private Answer definitions(Call call) {
        ObjectNode json = definitions(call.visible(broker.virtualHosts()), true);
        ArrayNode hosts = json.putArray("vhosts");
        call.visible(broker.virtualHosts()).forEach(each -> hosts.addObject().put("name", each));
        return Answer.of(json);
    }

    private Answer definitionsOfOne(Call call) {
        return Answer.of(definitions(List.of(call.virtualHost()), false));
    }

    private ObjectNode definitions(List<String> hosts, boolean named) {
        ObjectNode json = Json.object()
                .put("product_name", "SluiceMQ")
                .put("product_version", server.version());
        ArrayNode queues = json.putArray("queues");
        ArrayNode exchanges = json.putArray("exchanges");
        ArrayNode bindings = json.putArray("bindings");
        for (String host : hosts) {
            Set<String> kept = new HashSet<>();
            for (QueueFacts queue : broker.queues(host)) {
                if (queue.spec().durable() && queue.owner().isEmpty()) {
                    kept.add(queue.name());
                    at(queues.addObject(), host, named)
                            .put("name", queue.name())
                            .put("durable", true)
                            .put("auto_delete", queue.spec().autoDelete())
                            .set("arguments", Json.map(queue.spec().arguments()));
                }
            }
            Set<String> keptExchanges = new HashSet<>();
            for (ExchangeView exchange : broker.exchanges(host)) {
                if (exchange.spec().durable()) {
                    keptExchanges.add(exchange.spec().name());
                    if (!ExchangeRoutes.isPredeclared(exchange.spec().name())) {
                        at(exchanges.addObject(), host, named)
                                .put("name", exchange.spec().name())
                                .put("type", exchange.spec().type())
                                .put("durable", true)
                                .put("auto_delete", exchange.spec().autoDelete())
                                .put("internal", exchange.spec().internal())
                                .set("arguments", Json.map(exchange.spec().arguments()));
                    }
                }
            }
            for (BindingSpec binding : broker.bindings(host)) {
                boolean destinationKept = (binding.toExchange() ? keptExchanges : kept).contains(binding.destination());
                if (destinationKept && keptExchanges.contains(binding.source())) {
                    at(bindings.addObject(), host, named)
                            .put("source", binding.source())
                            .put("destination", binding.destination())
                            .put("destination_type", binding.toExchange() ? "exchange" : "queue")
                            .put("routing_key", binding.routingKey())
                            .set("arguments", Json.map(binding.arguments()));
                }
            }
        }
        return json;
    }

    private static ObjectNode at(ObjectNode json, String host, boolean named) {
        return named ? json.put("vhost", host) : json;
    }
}
