package io.sluicemq.management.http;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client.ExchangeSpec;
import io.sluicemq.api.operate.ExchangeView;
import io.sluicemq.api.operate.Operations;
import io.sluicemq.api.users.Role;
import java.util.Comparator;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Exchanges: what they are, and publishing to them. The default exchange, whose name is empty, is called {@code amq.default} in a path. */
final class ExchangeRoutes {

    private static final String ONE = "/api/exchanges/{vhost}/{name}";
    private static final String DEFAULT = "amq.default";

    private final Operations broker;

    private final Listing<ExchangeView> listing = new Listing<ExchangeView>(
            exchange -> exchange.spec().name(),
            Comparator.comparing(ExchangeView::virtualHost).thenComparing(exchange -> exchange.spec().name()))
            .key("name", exchange -> exchange.spec().name())
            .key("vhost", ExchangeView::virtualHost)
            .key("type", exchange -> exchange.spec().type())
            .key("durable", exchange -> exchange.spec().durable())
            .key("auto_delete", exchange -> exchange.spec().autoDelete())
            .key("internal", exchange -> exchange.spec().internal())
            .key("bindings", ExchangeView::bindings);

    ExchangeRoutes(Operations broker) {
        this.broker = broker;
    }

    List<Route> routes() {
        return List.of(
                Route.get("/api/exchanges", Role.MONITOR, "All exchanges", this::all).paged(),
                Route.get("/api/exchanges/{vhost}", Role.MONITOR, "The exchanges of a virtual host", this::ofHost)
                        .paged(),
                Route.get(ONE, Role.MONITOR, "An exchange", this::one),
                Route.put(ONE, Role.OPERATOR, "Declares an exchange",
                        "`type`, `durable` (true), `auto_delete` (false), `internal` (false), `arguments`",
                        this::declare),
                Route.delete(ONE, Role.OPERATOR, "Deletes an exchange", this::delete)
                        .with("if-unused", "boolean", "only if no binding leads away from it"),
                Route.get(ONE + "/bindings/source", Role.MONITOR, "The bindings that lead away from an exchange",
                        this::bindingsFrom),
                Route.get(ONE + "/bindings/destination", Role.MONITOR, "The bindings that lead to an exchange",
                        this::bindingsTo),
                Route.post(ONE + "/publish", Role.OPERATOR, "Publishes a message",
                        "`routing_key`, `payload`, `payload_encoding` (string or base64), `properties`",
                        this::publish));
    }

    /** What an exchange is called that a path or a body names. */
    static String named(String name) {
        return name.equals(DEFAULT) ? "" : name;
    }

    static boolean isPredeclared(String name) {
        return name.isEmpty() || name.startsWith("amq.");
    }

    private static String name(Call call) {
        return named(call.path("name"));
    }

    private ExchangeView find(Call call) {
        return broker.exchange(call.virtualHost(), name(call))
                .orElseThrow(() -> ApiError.notFound(
                        "no exchange '" + call.path("name") + "' in vhost '" + call.path("vhost") + "'"));
    }

    private Answer all(Call call) {
        return list(call, call.visible(broker.virtualHosts()).stream()
                .flatMap(each -> broker.exchanges(each).stream())
                .toList());
    }

    private Answer ofHost(Call call) {
        return list(call, broker.exchanges(call.virtualHost()));
    }

    private Answer list(Call call, List<ExchangeView> all) {
        return listing.page(call, all).answer(ExchangeRoutes::json, Columns.of(call));
    }

    private Answer one(Call call) {
        return Answer.of(json(find(call)));
    }

    private static ObjectNode json(ExchangeView exchange) {
        ExchangeSpec spec = exchange.spec();
        ObjectNode json = Json.object()
                .put("name", spec.name())
                .put("vhost", exchange.virtualHost())
                .put("type", spec.type())
                .put("durable", spec.durable())
                .put("auto_delete", spec.autoDelete())
                .put("internal", spec.internal())
                .put("bindings", exchange.bindings());
        json.set("arguments", Json.map(spec.arguments()));
        return json;
    }

    private Answer declare(Call call) {
        String host = call.virtualHost();
        boolean there = broker.exchange(host, name(call)).isPresent();
        if (!there) {
            ApiError.refuseReserved(BrokerError.Kind.EXCHANGE, name(call));
        }
        call.await(broker.declareExchange(
                call.actor(), host,
                new ExchangeSpec(
                        name(call), call.text("type", "direct"), call.flag("durable", true),
                        call.flag("auto_delete", false), call.flag("internal", false),
                        call.arguments("arguments"))));
        return Answer.of(there ? 204 : 201);
    }

    private Answer delete(Call call) {
        ExchangeView found = find(call);
        call.await(broker.deleteExchange(
                call.actor(), found.virtualHost(), found.spec().name(), call.flag("if-unused")));
        return Answer.of(204);
    }

    private Answer bindingsFrom(Call call) {
        ExchangeView found = find(call);
        ArrayNode all = Json.array();
        broker.bindings(found.virtualHost()).stream()
                .filter(binding -> binding.source().equals(found.spec().name()))
                .forEach(binding -> all.add(BindingRoutes.json(found.virtualHost(), binding)));
        return Answer.of(all);
    }

    private Answer bindingsTo(Call call) {
        ExchangeView found = find(call);
        ArrayNode all = Json.array();
        broker.bindingsTo(found.virtualHost(), found.spec().name(), true)
                .forEach(binding -> all.add(BindingRoutes.json(found.virtualHost(), binding)));
        return Answer.of(all);
    }

    private Answer publish(Call call) {
        String host = call.virtualHost();
        int reached = call.await(
                broker.publish(call.actor(), host, MessageShapes.publication(call, name(call))));
        return Answer.of(Json.object().put("routed", reached > 0).put("queues", reached));
    }
}
