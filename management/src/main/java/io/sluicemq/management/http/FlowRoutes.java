package io.sluicemq.management.http;

import io.sluicemq.api.operate.AddressView;
import io.sluicemq.api.operate.Event;
import io.sluicemq.api.operate.Operations;
import io.sluicemq.api.operate.Pressure;
import io.sluicemq.api.operate.ServerOperations;
import io.sluicemq.api.operate.ServerOperations.ReloadView;
import io.sluicemq.api.operate.ShortageView;
import io.sluicemq.api.users.Role;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Where messages wait and why, what has happened, and the settings that decide about it. */
final class FlowRoutes {

    private final Operations broker;
    private final Survey survey;
    private final ServerOperations server;

    private final Listing<AddressView> listing = new Listing<>(
            AddressView::address,
            Comparator.comparing(AddressView::virtualHost)
                    .thenComparing(AddressView::address)
                    .thenComparing(AddressView::kind))
            .key("vhost", AddressView::virtualHost)
            .key("address", AddressView::address)
            .key("kind", AddressView::kind)
            .key("used_bytes", AddressView::usedBytes)
            .key("used_messages", AddressView::usedMessages)
            .key("highest_bytes", AddressView::highestBytes)
            .key("credit_bytes", AddressView::creditBytes)
            .key("dropped_messages", AddressView::droppedMessages)
            .key("refused_messages", AddressView::refusedMessages)
            .key("waiting_producers", address -> address.waiting().size());

    FlowRoutes(Operations broker, Survey survey, ServerOperations server) {
        this.broker = broker;
        this.survey = survey;
        this.server = server;
    }

    List<Route> routes() {
        return List.of(
                Route.get("/api/addresses", Role.MONITOR,
                        "What addresses hold, who waits for them, and who could make room", this::addresses).paged(),
                Route.get("/api/addresses/{vhost}", Role.MONITOR, "The same of one virtual host", this::ofHost)
                        .paged(),
                Route.get("/api/addresses/{vhost}/{name}", Role.MONITOR,
                        "The same of one name, which may be a queue's and an exchange's", this::named),
                Route.get("/api/why", Role.MONITOR,
                        "Addresses that somebody waits for or that are full, and what all publishers wait for",
                        this::why)
                        .with("subject", "string",
                                "addresses of that name, and those that a connection waits for which has it in its"
                                        + " name"),
                Route.get("/api/events", Role.MONITOR, "What has happened of late, the latest first", this::events)
                        .with("kind", "string", "only events of that kind")
                        .with("count", "integer", "how many at most, 1 to 10000; 200 if nothing is said"),
                Route.get("/api/settings", Role.ADMINISTRATOR, "The settings in force, nothing secret",
                        this::settings),
                Route.get("/api/address-settings", Role.MONITOR,
                        "The limits of addresses that were set at run time and hold until the configuration is read"
                                + " again",
                        this::setAtRunTime),
                Route.put("/api/address-settings/{match}", Role.ADMINISTRATOR,
                        "Sets limits for addresses of a pattern, at once, until the configuration is read again",
                        "names and values as in the configuration's `address-settings`", this::limit),
                Route.post("/api/reload", Role.ADMINISTRATOR, "Reads the configuration again", "nothing",
                        this::reload));
    }

    // ---- addresses

    private Answer addresses(Call call) {
        List<AddressView> all = survey.addresses(call).stream()
                .filter(each -> call.login().user().mayUse(each.virtualHost()))
                .toList();
        return listing.page(call, all).answer(FlowRoutes::json, Columns.of(call));
    }

    private Answer ofHost(Call call) {
        String host = known(call);
        List<AddressView> all =
                survey.addresses(call).stream().filter(each -> each.virtualHost().equals(host)).toList();
        return listing.page(call, all).answer(FlowRoutes::json, Columns.of(call));
    }

    private String known(Call call) {
        String host = call.virtualHost();
        if (!broker.virtualHosts().contains(host)) {
            throw ApiError.notFound("no vhost '" + host + "'");
        }
        return host;
    }

    private Answer named(Call call) {
        String host = known(call);
        List<AddressView> found = call.await(broker.addresses(host, call.path("name"), false));
        if (found.isEmpty()) {
            throw ApiError.notFound("no address '" + call.path("name") + "' in vhost '" + host + "'");
        }
        ArrayNode all = Json.array();
        found.forEach(each -> all.add(json(each)));
        return Answer.of(all);
    }

    static ObjectNode json(AddressView address) {
        ObjectNode json = Json.object()
                .put("vhost", address.virtualHost())
                .put("address", address.address())
                .put("kind", address.kind())
                .put("used_bytes", address.usedBytes())
                .put("used_messages", address.usedMessages())
                .put("highest_bytes", address.highestBytes())
                .put("credit_bytes", address.creditBytes())
                .put("credit_messages", address.creditMessages())
                .put("dropped_messages", address.droppedMessages())
                .put("refused_messages", address.refusedMessages());
        json.set("limits", Shapes.limits(address.limits()));
        ArrayNode waiting = json.putArray("waiting");
        address.waiting().forEach(each -> waiting.addObject()
                .put("position", each.position())
                .put("connection", each.connection())
                .put("producer", each.producer())
                .put("limit", each.limit())
                .put("waiting_ms", each.waitingMillis())
                .put("parked_messages", each.parkedMessages())
                .put("parked_bytes", each.parkedBytes()));
        ArrayNode queues = json.putArray("queues");
        for (AddressView.Holder holder : address.queues()) {
            ObjectNode queue = queues.addObject()
                    .put("name", holder.name())
                    .put("messages_ready", holder.readyMessages())
                    .put("messages_delayed", holder.delayedMessages())
                    .put("messages_unacknowledged", holder.unsettledMessages())
                    .put("paused", holder.paused());
            rule(queue, holder.rule());
            ArrayNode takers = queue.putArray("consumers");
            holder.consumers().forEach(taker -> measure(
                    takers.addObject()
                            .put("connection", taker.connection())
                            .put("consumer_tag", taker.tag())
                            .put("messages_unacknowledged", taker.unsettledMessages())
                            .put("acknowledged_per_second", Shapes.rounded(taker.settledPerSecond()))
                            .put("slow", taker.slowMillis() >= 0),
                    taker));
        }
        return json;
    }

    /** When a consumer is too slow; a threshold that isn't there is null. */
    private static void rule(ObjectNode queue, AddressView.Rule rule) {
        if (rule == null) {
            queue.putNull("slow_consumer_rule");
            return;
        }
        ObjectNode json = queue.putObject("slow_consumer_rule").put("policy", rule.policy());
        Shapes.limit(json, "message_count", rule.maxMessages());
        Shapes.limit(json, "depth_bytes", rule.maxBytes());
        Shapes.limit(json, "message_age_ms", rule.maxAgeMillis());
        Shapes.limit(json, "messages_per_second", rule.minPerSecond());
    }

    /** How near a consumer is to that. */
    private static void measure(ObjectNode consumer, AddressView.Taker taker) {
        Shapes.limit(consumer, "slow_ms", taker.slowMillis());
        AddressView.Measure measure = taker.measure();
        if (measure == null) {
            consumer.putNull("measure");
            return;
        }
        ObjectNode json = consumer.putObject("measure")
                .put("messages", measure.messages())
                .put("bytes", measure.bytes())
                .put("oldest_ms", measure.oldestMillis());
        if (measure.perSecond() < 0) {
            json.putNull("messages_per_second");
        } else {
            json.put("messages_per_second", Shapes.rounded(measure.perSecond()));
        }
    }

    private Answer why(Call call) {
        CompletableFuture<Optional<ShortageView>> shortage = broker.shortage();
        String subject = call.query("subject");
        ObjectNode json = Json.object();
        int leftOut = 0;
        List<AddressView> found;
        if (subject == null) {
            Pressure pressure = survey.pressure(call);
            found = pressure.addresses();
            leftOut = call.visible(broker.virtualHosts()).stream()
                    .mapToInt(each -> pressure.leftOut().getOrDefault(each, 0))
                    .sum();
        } else {
            found = about(call, subject);
        }
        ArrayNode all = json.putArray("addresses");
        found.stream()
                .filter(each -> call.login().user().mayUse(each.virtualHost()))
                .sorted(Comparator.comparing((AddressView each) -> each.waiting().isEmpty())
                        .thenComparing(AddressView::virtualHost)
                        .thenComparing(AddressView::address))
                .limit(Listing.MOST_UNPAGED)
                .forEach(each -> all.add(json(each)));
        json.put("left_out", leftOut);
        call.await(shortage).ifPresentOrElse(
                lack -> json.putObject("shortage")
                        .put("reason", lack.reason())
                        .put("since_ms", lack.sinceMillis()),
                () -> json.putNull("shortage"));
        return Answer.of(json);
    }

    /** Addresses of that name, and those that a connection waits for which has it in its name. */
    private List<AddressView> about(Call call, String subject) {
        CompletableFuture<List<AddressView>> named = broker.addresses(null, subject, false);
        CompletableFuture<List<AddressView>> waited = broker.addresses(null, null, true);
        List<AddressView> found = new ArrayList<>(call.await(named));
        call.await(waited).stream()
                .filter(each -> !each.address().equals(subject))
                .filter(each -> each.waiting().stream().anyMatch(who -> who.connection().contains(subject)))
                .forEach(found::add);
        return found;
    }

    // ---- events

    private Answer events(Call call) {
        String kind = call.query("kind");
        int count = call.number("count", 1, 10_000, 200);
        if (kind != null && java.util.Arrays.stream(Event.Kind.values()).noneMatch(
                each -> Shapes.word(each).equals(kind))) {
            throw ApiError.badRequest("there is no kind of event '" + kind + "'");
        }
        ArrayNode all = Json.array();
        call.await(broker.events()).stream()
                .filter(each -> kind == null || Shapes.word(each.kind()).equals(kind))
                .filter(each -> each.virtualHost().isEmpty() || call.login().user().mayUse(each.virtualHost()))
                .limit(count)
                .forEach(each -> all.addObject()
                        .put("at", each.atMillis())
                        .put("kind", Shapes.word(each.kind()))
                        .put("vhost", each.virtualHost())
                        .put("subject", each.subject())
                        .put("text", each.text()));
        return Answer.of(all);
    }

    // ---- settings

    private Answer settings(Call call) {
        return Answer.of(Json.tree(server.settings()));
    }

    private Answer setAtRunTime(Call call) {
        ArrayNode all = Json.array();
        server.limitsSetAtRunTime().forEach(
                (match, limits) -> all.addObject().put("match", match).set("value", Json.tree(limits)));
        return Answer.of(all);
    }

    private Answer limit(Call call) {
        Map<String, String> limits = new LinkedHashMap<>();
        call.json().forEachEntry((name, value) -> limits.put(name, text(name, value)));
        if (limits.isEmpty()) {
            throw ApiError.badRequest("the body says no limit");
        }
        try {
            server.limitAddresses(call.actor(), call.path("match"), limits);
        } catch (IllegalArgumentException e) {
            throw ApiError.badRequest(e.getMessage());
        }
        broker.note(
                Event.Kind.RELOADED, "", call.path("match"),
                call.actor() + " set limits of addresses: " + limits);
        return Answer.of(204);
    }

    private static String text(String name, JsonNode value) {
        if (value.isString() || value.isNumber() || value.isBoolean()) {
            return value.asString();
        }
        throw ApiError.badRequest(name + " is " + value + ": expected a string or a number");
    }

    private Answer reload(Call call) {
        ReloadView reload;
        try {
            reload = server.reload(call.actor());
        } catch (IllegalArgumentException e) {
            throw ApiError.badRequest(e.getMessage());
        } catch (IllegalStateException e) {
            throw new ApiError(409, "conflict", e.getMessage());
        }
        return Answer.of(Json.tree(reload));
    }
}
