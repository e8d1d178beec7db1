package io.sluicemq.cli.operate;

import io.sluicemq.cli.http.Api;
import io.sluicemq.cli.text.Table.Column;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/** The kinds of things that a broker lists: what they are called, where the API has them, and their columns. Immutable. */
enum Kind {

    QUEUES("queue", "q") {
        @Override
        void columns() {
            text("NAME", Cell.text("name"));
            text("STATE", Cell.text("state"));
            number("READY", Cell.text("messages_ready"));
            number("UNACKED", Cell.text("messages_unacknowledged"));
            number("BYTES", Cell.bytes("message_bytes"));
            number("CONSUMERS", Cell.text("consumers"));
            number("WAITING", Cell.text("waiting_producers"));
            number("IN/S", Cell.rate("message_stats.publish_details.rate"));
            number("OUT/S", Cell.rate("message_stats.deliver_get_details.rate"));
            number("OLDEST", Cell.millis("oldest_message_age_ms"));
            wideNumber("DELAYED", Cell.text("messages_delayed"));
            wideNumber("MEMORY", Cell.bytes("memory"));
            wideNumber("USED", Cell.bytes("used_bytes"));
            wideText("POLICY", Cell.text("limits.policy"));
            wideNumber("MAX BYTES", Cell.bytes("limits.max_size_bytes"));
            wideNumber("MAX MESSAGES", Cell.text("limits.max_messages"));
            wideNumber("DROPPED", Cell.text("dropped_messages"));
            wideNumber("REFUSED", Cell.text("refused_messages"));
            wideText("DURABLE", Cell.flag("durable"));
            wideText("ARGUMENTS", Cell.text("arguments"));
        }
    },

    EXCHANGES("exchange", "x") {
        @Override
        void columns() {
            text("NAME", json -> json.path("name").asString().isEmpty() ? "amq.default" : Cell.text(json.path("name")));
            text("TYPE", Cell.text("type"));
            number("BINDINGS", Cell.text("bindings"));
            text("DURABLE", Cell.flag("durable"));
            wideText("AUTO-DELETE", Cell.flag("auto_delete"));
            wideText("INTERNAL", Cell.flag("internal"));
            wideText("ARGUMENTS", Cell.text("arguments"));
        }
    },

    BINDINGS("binding", "b") {
        @Override
        void columns() {
            text("SOURCE",
                    json -> json.path("source").asString().isEmpty() ? "amq.default" : Cell.text(json.path("source")));
            text("KIND", Cell.text("destination_type"));
            text("DESTINATION", Cell.text("destination"));
            text("KEY", Cell.text("routing_key"));
            text("ARGUMENTS", Cell.text("arguments"));
        }

        @Override
        List<JsonNode> named(Api api, String name) {
            return list(api.get(Api.path("queues", api.virtualHost(), name, "bindings")));
        }
    },

    CONNECTIONS("connection", "conn") {
        @Override
        void columns() {
            text("NAME", Cell.text("name"));
            text("USER", Cell.text("user"));
            text("PROTOCOL", Cell.text("protocol"));
            text("STATE", Cell.text("state"));
            number("CHANNELS", Cell.text("channels"));
            number("CONSUMERS", Cell.text("consumers"));
            text("WAITS FOR", Cell.text("waits_for"));
            wideText("PRODUCT", Cell.text("product"));
            wideText("ID", Cell.text("container_id"));
            wideNumber("RECEIVED", Cell.bytes("recv_oct"));
            wideNumber("SENT", Cell.bytes("send_oct"));
            wideText("SINCE", Cell.time("connected_at"));
        }

        @Override
        String listPath(String host) {
            return Api.path("vhosts", host, "connections");
        }

        @Override
        List<JsonNode> named(Api api, String name) {
            return List.of(ConnectionName.find(api, name));
        }
    },

    CHANNELS("channel", "ch") {
        @Override
        void columns() {
            text("NAME", Cell.text("name"));
            text("USER", Cell.text("user"));
            text("STATE", Cell.text("state"));
            number("CONSUMERS", Cell.text("consumer_count"));
            number("UNACKED", Cell.text("messages_unacknowledged"));
            number("UNCONFIRMED", Cell.text("messages_unconfirmed"));
            number("PREFETCH", Cell.text("prefetch_count"));
            text("WAITS FOR", Cell.text("waits_for"));
            wideText("CONFIRMS", Cell.flag("confirm"));
            wideText("TRANSACTIONAL", Cell.flag("transactional"));
            wideNumber("PARKED", Cell.bytes("parked_bytes"));
            wideNumber("LINKS", json -> Integer.toString(json.path("links").size()));
        }

        @Override
        String listPath(String host) {
            return Api.path("vhosts", host, "channels");
        }

        @Override
        List<JsonNode> named(Api api, String name) {
            return List.of(api.get(Api.path("channels", name)));
        }
    },

    CONSUMERS("consumer", "c") {
        @Override
        void columns() {
            text("QUEUE", Cell.text("queue.name"));
            text("TAG", Cell.text("consumer_tag"));
            text("CONNECTION", Cell.text("channel_details.connection_name"));
            number("PREFETCH", Cell.text("prefetch_count"));
            number("UNACKED", Cell.text("messages_unacknowledged"));
            number("ACKED", Cell.text("acknowledged"));
            number("SLOW FOR", Cell.millis("slow_ms"));
            wideText("USER", Cell.text("channel_details.user"));
            wideText("ACKS", Cell.flag("ack_required"));
            wideText("BROWSES", Cell.flag("browses"));
            wideText("EXCLUSIVE", Cell.flag("exclusive"));
            wideNumber("PRIORITY", Cell.text("priority"));
            wideText("CREDIT", Cell.text("credit"));
        }

        @Override
        List<JsonNode> named(Api api, String name) {
            return list(api.get(Api.path("queues", api.virtualHost(), name)).path("consumer_details"));
        }
    },

    ADDRESSES("address", "a") {
        @Override
        void columns() {
            text("ADDRESS", Cell.text("address"));
            text("KIND", Cell.text("kind"));
            number("BYTES", Cell.bytes("used_bytes"));
            number("LIMIT", json -> Cell.bytes(
                    isPaging(json) ? "limits.page_limit_bytes" : "limits.max_size_bytes").apply(json));
            number("MESSAGES", Cell.text("used_messages"));
            number("LIMIT", json -> isPaging(json) ? "-" : Cell.text("limits.max_messages").apply(json));
            text("POLICY", Cell.text("limits.policy"));
            number("WAITING", json -> Integer.toString(json.path("waiting").size()));
            number("DROPPED", Cell.text("dropped_messages"));
            number("REFUSED", Cell.text("refused_messages"));
            wideNumber("HIGHEST", Cell.bytes("highest_bytes"));
            wideNumber("CREDIT", Cell.bytes("credit_bytes"));
            wideNumber("MEMORY LIMIT", json -> isPaging(json) ? Cell.bytes("limits.max_size_bytes").apply(json) : "-");
        }

        /** With page the other limits are of what is in memory, and the address may hold more. */
        private static boolean isPaging(JsonNode json) {
            return json.path("limits").path("policy").asString("").equals("page");
        }
    },

    VHOSTS("vhost", "vh") {
        @Override
        void columns() {
            text("NAME", Cell.text("name"));
            number("QUEUES", Cell.text("queues"));
            number("EXCHANGES", Cell.text("exchanges"));
            number("CONSUMERS", Cell.text("consumers"));
            number("READY", Cell.text("messages_ready"));
            number("UNACKED", Cell.text("messages_unacknowledged"));
            number("USED", Cell.bytes("used_bytes"));
            number("LIMIT", Cell.bytes("limits.max_size_bytes"));
            number("IN/S", Cell.rate("message_stats.publish_details.rate"));
            number("OUT/S", Cell.rate("message_stats.deliver_get_details.rate"));
            wideNumber("USED MESSAGES", Cell.text("used_messages"));
            wideNumber("MAX MESSAGES", Cell.text("limits.max_messages"));
            wideText("POLICY", Cell.text("limits.policy"));
        }
    },

    USERS("user", "u") {
        @Override
        void columns() {
            text("NAME", Cell.text("name"));
            text("ROLE", Cell.text("tags"));
            text("FROM", json -> json.path("loopback_only").asBoolean() ? "this machine" : "anywhere");
        }
    },

    EVENTS("event", "ev") {
        @Override
        void columns() {
            text("TIME", Cell.time("at"));
            text("KIND", Cell.text("kind"));
            text("VHOST", Cell.text("vhost"));
            text("SUBJECT", Cell.text("subject"));
            text("WHAT", Cell.text("text"));
        }

        @Override
        List<JsonNode> named(Api api, String name) {
            return list(api.get(Api.path("events"), Map.of("kind", name, "count", "10000")));
        }
    };

    /** A column: its heading, whether it is shown only if there is room for all, and what stands in it. */
    record Shown(Column column, boolean wide, Function<JsonNode, String> value) {}

    private final String one;
    private final String brief;
    private final List<Shown> shown = new ArrayList<>();

    Kind(String one, String brief) {
        this.one = one;
        this.brief = brief;
        columns();
    }

    /** Says which columns there are; called once. */
    abstract void columns();

    void text(String title, Function<JsonNode, String> value) {
        shown.add(new Shown(Column.text(title), false, value));
    }

    void number(String title, Function<JsonNode, String> value) {
        shown.add(new Shown(Column.number(title), false, value));
    }

    void wideText(String title, Function<JsonNode, String> value) {
        shown.add(new Shown(Column.text(title), true, value));
    }

    void wideNumber(String title, Function<JsonNode, String> value) {
        shown.add(new Shown(Column.number(title), true, value));
    }

    List<Shown> shown(boolean wide) {
        return shown.stream().filter(each -> wide || !each.wide()).toList();
    }

    /** The word for many of them. */
    String many() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The word for one of them. */
    String one() {
        return one;
    }

    /** By any of its words. */
    static Optional<Kind> called(String word) {
        String lower = word.toLowerCase(Locale.ROOT);
        return Arrays.stream(values())
                .filter(kind -> kind.many().equals(lower) || kind.one.equals(lower) || kind.brief.equals(lower))
                .findFirst();
    }

    /** Whether the broker sorts, filters and pages them; it has only a few of the others. */
    boolean isPaged() {
        return switch (this) {
            case QUEUES, EXCHANGES, BINDINGS, CONNECTIONS, CHANNELS, CONSUMERS, ADDRESSES -> true;
            case VHOSTS, USERS, EVENTS -> false;
        };
    }

    /** Where those of all virtual hosts are. */
    String listPath() {
        return Api.path(many());
    }

    /** Where those of a virtual host are. */
    String listPath(String host) {
        return isPaged() ? Api.path(many(), host) : listPath();
    }

    /** Those of a name; for bindings and consumers of a queue's. */
    List<JsonNode> named(Api api, String name) {
        if (!isPaged()) {
            return list(api.get(Api.path(many(), name)));
        }
        // The default exchange has no name, which a path can't have.
        String called = this == EXCHANGES && name.isEmpty() ? "amq.default" : name;
        return list(api.get(Api.path(many(), api.virtualHost(), called)));
    }

    static List<JsonNode> list(JsonNode answer) {
        return answer.isArray() ? answer.valueStream().toList() : List.of(answer);
    }
}
