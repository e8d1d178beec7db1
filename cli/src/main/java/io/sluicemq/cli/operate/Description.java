package io.sluicemq.cli.operate;

import io.sluicemq.cli.admin.AddressAnswer;
import io.sluicemq.cli.admin.WhyText;
import io.sluicemq.cli.http.Api;
import io.sluicemq.cli.http.ApiRefused;
import io.sluicemq.cli.text.Printable;
import io.sluicemq.cli.text.Structured;
import io.sluicemq.cli.text.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** All that a broker knows of one thing, in sections: for people as lines, for programs as the answers that it was made of. For one thread. */
final class Description {

    private static final int KEY_WIDTH = 20;

    private final ObjectNode json = Structured.object();
    private final List<String> lines = new ArrayList<>();

    private Description() {}

    ObjectNode json() {
        return json;
    }

    List<String> lines() {
        return lines;
    }

    // ---- kinds

    static Description queue(Api api, String name) {
        Description all = new Description();
        JsonNode queue = all.ask(api, "queue", Api.path("queues", api.virtualHost(), name));
        JsonNode bindings = all.ask(api, "bindings", Api.path("queues", api.virtualHost(), name, "bindings"));
        all.fact("Queue", Cell.text("name"), queue);
        all.fact("Virtual host", Cell.text("vhost"), queue);
        all.fact("State", Cell.text("state"), queue);
        all.fact("Durable", Cell.flag("durable"), queue);
        all.fact("Auto-delete", Cell.flag("auto_delete"), queue);
        all.fact("Exclusive", json -> json.path("exclusive").asBoolean()
                ? "to " + Cell.text(json.path("owner"))
                : "no", queue);
        all.fact("Arguments", Cell.text("arguments"), queue);
        all.section("Messages");
        all.fact("Ready", json -> json.path("messages_ready").asLong() + ", "
                + Cell.bytes("message_bytes_ready").apply(json), queue);
        all.fact("Unacknowledged", json -> json.path("messages_unacknowledged").asLong() + ", "
                + Cell.bytes("message_bytes_unacknowledged").apply(json), queue);
        all.fact("Delayed", Cell.text("messages_delayed"), queue);
        all.fact("In memory", json -> json.path("messages_ram").asLong() + ", "
                + Cell.bytes("memory").apply(json), queue);
        all.fact("In the log only", Cell.text("messages_in_log_only"), queue);
        all.fact("Oldest", Cell.millis("oldest_message_age_ms"), queue);
        all.fact("Dropped", Cell.text("dropped_messages"), queue);
        all.fact("Refused", Cell.text("refused_messages"), queue);
        all.rates(queue);
        all.consumers(queue.path("consumer_details"));
        all.bindings("Bindings that lead to it", bindings);
        all.address(api, name, "queue");
        return all;
    }

    static Description exchange(Api api, String name) {
        Description all = new Description();
        String called = name.isEmpty() ? "amq.default" : name;
        JsonNode exchange = all.ask(api, "exchange", Api.path("exchanges", api.virtualHost(), called));
        JsonNode from = all.ask(api, "bindings_from",
                Api.path("exchanges", api.virtualHost(), called, "bindings", "source"));
        JsonNode to = all.ask(api, "bindings_to",
                Api.path("exchanges", api.virtualHost(), called, "bindings", "destination"));
        all.fact("Exchange", json -> called, exchange);
        all.fact("Virtual host", Cell.text("vhost"), exchange);
        all.fact("Type", Cell.text("type"), exchange);
        all.fact("Durable", Cell.flag("durable"), exchange);
        all.fact("Auto-delete", Cell.flag("auto_delete"), exchange);
        all.fact("Internal", Cell.flag("internal"), exchange);
        all.fact("Arguments", Cell.text("arguments"), exchange);
        all.bindings("Bindings that lead away", from);
        all.bindings("Bindings that lead to it", to);
        all.address(api, called, "exchange");
        return all;
    }

    static Description connection(Api api, String name) {
        Description all = new Description();
        JsonNode connection = ConnectionName.find(api, name);
        all.json.set("connection", connection);
        all.fact("Connection", Cell.text("name"), connection);
        all.fact("Virtual host", Cell.text("vhost"), connection);
        all.fact("User", Cell.text("user"), connection);
        all.fact("Protocol", Cell.text("protocol"), connection);
        all.fact("Product", Cell.text("product"), connection);
        all.fact("Id", Cell.text("container_id"), connection);
        all.fact("State", Cell.text("state"), connection);
        all.fact("Waits for", Cell.text("waits_for"), connection);
        all.fact("Since", Cell.time("connected_at"), connection);
        all.fact("Received", Cell.bytes("recv_oct"), connection);
        all.fact("Sent", Cell.bytes("send_oct"), connection);
        all.fact("Heartbeat", json -> json.path("timeout").asLong() + " s", connection);
        all.fact("Frames up to", Cell.bytes("frame_max"), connection);
        all.fact("Told by the client", Cell.text("client_properties"), connection);
        all.section("Channels");
        all.table(Kind.CHANNELS, connection.path("channel_details").valueStream().toList());
        all.links(connection.path("channel_details"));
        String full = connection.path("name").asString();
        String host = connection.path("vhost").asString();
        List<JsonNode> consumers = api.list(Api.path("consumers", host), Map.of(), Long.MAX_VALUE).items().stream()
                .filter(each -> each.path("channel_details").path("connection_name").asString().equals(full))
                .toList();
        consumers.forEach(all.json.putArray("consumers")::add);
        all.section("Consumers");
        all.table(Kind.CONSUMERS, consumers);
        JsonNode why = all.ask(api, "why", Api.path("why"), Map.of("subject", full));
        all.section("What it waits for");
        if (why.path("addresses").isEmpty() && why.path("shortage").isNull()) {
            all.lines.add("  nothing");
        } else {
            WhyText.lines(AddressAnswer.overHttp(why), full).forEach(line -> all.lines.add("  " + line));
        }
        return all;
    }

    static Description address(Api api, String name) {
        Description all = new Description();
        JsonNode found = all.ask(api, "addresses", Api.path("addresses", api.virtualHost(), name));
        all.lines.addAll(WhyText.lines(AddressAnswer.overHttp(found.valueStream().toList()), name));
        return all;
    }

    // ---- sections

    private JsonNode ask(Api api, String as, String path) {
        return ask(api, as, path, Map.of());
    }

    private JsonNode ask(Api api, String as, String path, Map<String, String> query) {
        JsonNode answer = api.get(path, query);
        json.set(as, answer);
        return answer;
    }

    private void section(String title) {
        lines.add("");
        lines.add(title + ":");
    }

    private void fact(String key, Function<JsonNode, String> value, JsonNode of) {
        String indent = lines.stream().anyMatch(String::isEmpty) ? "  " : "";
        lines.add(indent + String.format("%-" + (KEY_WIDTH - indent.length()) + "s", key + ":")
                + Printable.text(value.apply(of)));
    }

    private void rates(JsonNode of) {
        section("Rates");
        fact("In", stat("publish"), of);
        fact("Out", stat("deliver_get"), of);
        fact("Acknowledged", stat("ack"), of);
    }

    private static Function<JsonNode, String> stat(String name) {
        return json -> Cell.rate("message_stats." + name + "_details.rate").apply(json) + " a second, "
                + Cell.text("message_stats." + name).apply(json) + " since its start";
    }

    private void consumers(JsonNode consumers) {
        section("Consumers");
        table(Kind.CONSUMERS, consumers.valueStream().toList());
    }

    private void bindings(String title, JsonNode bindings) {
        section(title);
        table(Kind.BINDINGS, bindings.valueStream().toList());
    }

    private void table(Kind kind, List<JsonNode> items) {
        if (items.isEmpty()) {
            lines.add("  none");
            return;
        }
        List<Kind.Shown> shown = kind.shown(true);
        Table table = new Table(shown.stream().map(Kind.Shown::column).toList());
        items.forEach(each -> table.add(shown.stream().map(column -> column.value().apply(each)).toList()));
        table.lines().forEach(line -> lines.add("  " + line));
    }

    private void links(JsonNode channels) {
        List<JsonNode> links = channels.valueStream().flatMap(each -> each.path("links").valueStream()).toList();
        if (links.isEmpty()) {
            return;
        }
        section("Links");
        Table table = new Table(List.of(
                Table.Column.text("NAME"), Table.Column.text("ROLE"), Table.Column.text("ADDRESS"),
                Table.Column.number("CREDIT")));
        links.forEach(each -> table.add(List.of(
                Cell.text(each.path("name")), Cell.text(each.path("role")), Cell.text(each.path("address")),
                Cell.text(each.path("credit")))));
        table.lines().forEach(line -> lines.add("  " + line));
    }

    /** Who waits for it and why, what it may hold, and how near its consumers are to thresholds. */
    private void address(Api api, String name, String kind) {
        List<JsonNode> found;
        try {
            found = api.get(Api.path("addresses", api.virtualHost(), name)).valueStream()
                    .filter(each -> each.path("kind").asString().equals(kind))
                    .toList();
        } catch (ApiRefused e) {
            if (e.status() != 404) {
                throw e;
            }
            found = List.of(); // nothing was ever counted for it
        }
        found.forEach(json.putArray("address")::add);
        if (!found.isEmpty()) {
            section("As an address");
            WhyText.lines(AddressAnswer.overHttp(found), name).forEach(line -> lines.add("  " + line));
        }
    }
}
