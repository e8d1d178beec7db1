package io.sluicemq.cli.operate;

import io.sluicemq.cli.http.Api;
import io.sluicemq.cli.http.ApiRefused;
import io.sluicemq.cli.text.Printable;
import io.sluicemq.cli.text.Table;
import io.sluicemq.cli.text.Table.Column;
import io.sluicemq.cli.text.Units;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What {@code top} shows: two lines about the broker, and a table of what is busiest. Remembers what it has seen before. For one thread. */
final class TopView {

    /** Lines before the first row. */
    static final int HEADING_LINES = 3;

    static final int USUAL_ROWS = 20;

    private static final String IN_RATE = "recv_rate";
    private static final String OUT_RATE = "send_rate";

    private static final Map<String, String> QUEUE_COLUMNS = Map.of(
            "in", "message_stats.publish_details.rate",
            "out", "message_stats.deliver_get_details.rate",
            "depth", "messages",
            "bytes", "message_bytes",
            "age", "oldest_message_age_ms",
            "waiting", "waiting_producers");
    private static final Map<String, String> CONNECTION_COLUMNS = Map.of("in", IN_RATE, "out", OUT_RATE);

    private final boolean ofQueues;
    private final String by;
    private final String column;

    /** What each connection had received and sent when it was seen last. */
    private Map<String, Seen> before = new HashMap<>();

    private record Seen(long received, long sent, long nanos) {}

    private TopView(boolean ofQueues, String by, String column) {
        this.ofQueues = ofQueues;
        this.by = by;
        this.column = column;
    }

    /** Null if they can't be sorted by that. */
    static TopView queues(String by) {
        return QUEUE_COLUMNS.containsKey(by) ? new TopView(true, by, QUEUE_COLUMNS.get(by)) : null;
    }

    /** Null if they can't be sorted by that. */
    static TopView connections(String by) {
        return CONNECTION_COLUMNS.containsKey(by) ? new TopView(false, by, CONNECTION_COLUMNS.get(by)) : null;
    }

    /** Whether its rates are what has changed since the look before. */
    boolean needsTwoLooks() {
        return !ofQueues;
    }

    /** Looks, and tells what it sees. */
    List<String> look(Api api, int rows) {
        JsonNode overview = api.get(Api.path("overview"));
        List<String> lines = new ArrayList<>();
        lines.add(LocalTime.now().truncatedTo(ChronoUnit.SECONDS) + "  " + api.access().url() + "  "
                + (ofQueues ? "queues" : "connections") + " by " + by + "  "
                + Units.count(overview.path("object_totals").path("queues").asLong(), "queue") + ", "
                + Units.count(overview.path("object_totals").path("connections").asLong(), "connection"));
        JsonNode shortage = overview.path("shortage");
        lines.add("in " + Cell.rate("message_stats.publish_details.rate").apply(overview) + "/s, out "
                + Cell.rate("message_stats.deliver_get_details.rate").apply(overview) + "/s, ready "
                + Cell.text("queue_totals.messages_ready").apply(overview) + ", memory "
                + Cell.bytes("memory.message_bytes").apply(overview) + " of "
                + Cell.bytes("memory.message_limit_bytes").apply(overview)
                + (shortage.isObject() ? "; publishers wait: " + shortage.path("reason").asString() : ""));
        lines.addAll((ofQueues ? queues(api, rows) : connections(api, rows)).lines());
        return lines.stream().map(Printable::text).toList();
    }

    private Table queues(Api api, int rows) {
        List<JsonNode> found = api.list(
                Api.path("queues"), Map.of("sort", column, "sort_reverse", "true"), rows).items();
        return table(found, List.of(
                cell(Column.text("QUEUE"), Cell.text("name")),
                cell(Column.text("VHOST"), Cell.text("vhost")),
                cell(Column.number("IN/S"), Cell.rate("message_stats.publish_details.rate")),
                cell(Column.number("OUT/S"), Cell.rate("message_stats.deliver_get_details.rate")),
                cell(Column.number("ACK/S"), Cell.rate("message_stats.ack_details.rate")),
                cell(Column.number("READY"), Cell.text("messages_ready")),
                cell(Column.number("UNACKED"), Cell.text("messages_unacknowledged")),
                cell(Column.number("BYTES"), Cell.bytes("message_bytes")),
                cell(Column.number("CONSUMERS"), Cell.text("consumers")),
                cell(Column.number("WAITING"), Cell.text("waiting_producers")),
                cell(Column.number("OLDEST"), Cell.millis("oldest_message_age_ms")),
                cell(Column.text("STATE"), Cell.text("state"))));
    }

    private Table connections(Api api, int rows) {
        long now = System.nanoTime();
        Map<String, Seen> seen = new HashMap<>();
        List<ObjectNode> all = new ArrayList<>();
        for (JsonNode each : all(api)) {
            if (!(each instanceof ObjectNode connection)) {
                continue;
            }
            String name = connection.path("name").asString();
            Seen present =
                    new Seen(connection.path("recv_oct").asLong(), connection.path("send_oct").asLong(), now);
            seen.put(name, present);
            Seen last = before.get(name);
            if (last != null && now > last.nanos()) {
                double seconds = (now - last.nanos()) / 1e9;
                connection.put(IN_RATE, Math.max(0, present.received() - last.received()) / seconds);
                connection.put(OUT_RATE, Math.max(0, present.sent() - last.sent()) / seconds);
            }
            all.add(connection);
        }
        before = seen;
        all.sort(Comparator.comparing((ObjectNode each) -> -each.path(column).asDouble(0))
                .thenComparing(each -> each.path("name").asString()));
        return table(all.stream().limit(rows).map(each -> (JsonNode) each).toList(), List.of(
                cell(Column.text("CONNECTION"), Cell.text("name")),
                cell(Column.text("USER"), Cell.text("user")),
                cell(Column.text("PROTOCOL"), Cell.text("protocol")),
                cell(Column.number("IN/S"), bytesRate(IN_RATE)),
                cell(Column.number("OUT/S"), bytesRate(OUT_RATE)),
                cell(Column.number("CHANNELS"), Cell.text("channels")),
                cell(Column.number("CONSUMERS"), Cell.text("consumers")),
                cell(Column.text("STATE"), Cell.text("state")),
                cell(Column.text("WAITS FOR"), Cell.text("waits_for"))));
    }

    /** All of them by one question if the broker tells so many at once; else those that have received most. */
    private static List<JsonNode> all(Api api) {
        String columns = "name,user,protocol,state,waits_for,channels,consumers,recv_oct,send_oct";
        try {
            return Kind.list(api.get(Api.path("connections"), Map.of("columns", columns)));
        } catch (ApiRefused e) {
            if (e.status() != 400) {
                throw e;
            }
            return api.list(
                    Api.path("connections"),
                    Map.of("columns", columns, "sort", "recv_oct", "sort_reverse", "true"), 500).items();
        }
    }

    private static Function<JsonNode, String> bytesRate(String name) {
        return json -> json.path(name).isNumber() ? Units.bytes(Math.round(json.path(name).asDouble())) : "-";
    }

    private static Kind.Shown cell(Column column, Function<JsonNode, String> value) {
        return new Kind.Shown(column, false, value);
    }

    private static Table table(List<JsonNode> items, List<Kind.Shown> columns) {
        Table table = new Table(columns.stream().map(Kind.Shown::column).toList());
        items.forEach(each -> table.add(columns.stream().map(column -> column.value().apply(each)).toList()));
        return table;
    }
}
