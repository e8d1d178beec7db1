package io.sluicemq.cli.operate;

import io.sluicemq.cli.text.Structured;
import io.sluicemq.cli.text.Units;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.function.Function;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** What of an answer stands in a column, as people read it; a hyphen if the answer doesn't know. Stateless. */
final class Cell {

    private static final String NOTHING = "-";
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneId.systemDefault());

    private Cell() {}

    /** A value of an object, or, by a path with dots, of one within. */
    static JsonNode at(JsonNode json, String path) {
        JsonNode at = json;
        for (String name : path.split("\\.")) {
            at = at.path(name);
        }
        return at;
    }

    static Function<JsonNode, String> text(String path) {
        return json -> text(at(json, path));
    }

    /** A value by itself. */
    static String text(JsonNode value) {
        if (value.isMissingNode() || value.isNull()) {
            return NOTHING;
        }
        if (value.isArray()) {
            return value.isEmpty()
                    ? NOTHING
                    : value.valueStream().map(Cell::text).collect(Collectors.joining(","));
        }
        if (value.isObject()) {
            return value.isEmpty()
                    ? NOTHING
                    : value.propertyStream()
                            .map(each -> each.getKey() + "=" + nested(each.getValue()))
                            .collect(Collectors.joining(","));
        }
        String text = value.asString();
        return text.isEmpty() ? NOTHING : text;
    }

    private static String nested(JsonNode value) {
        return value.isContainer() ? Structured.line(value) : value.asString();
    }

    static Function<JsonNode, String> bytes(String path) {
        return json -> isNumber(json, path) ? Units.bytes(at(json, path).asLong()) : NOTHING;
    }

    static Function<JsonNode, String> millis(String path) {
        return json -> isNumber(json, path) ? Units.millis(at(json, path).asLong()) : NOTHING;
    }

    static Function<JsonNode, String> rate(String path) {
        return json -> isNumber(json, path) ? Units.rate(at(json, path).asDouble()) : NOTHING;
    }

    static Function<JsonNode, String> time(String path) {
        return json -> isNumber(json, path) ? time(at(json, path).asLong()) : NOTHING;
    }

    static String time(long millis) {
        return TIME.format(Instant.ofEpochMilli(millis));
    }

    /** {@code yes} or {@code no}. */
    static Function<JsonNode, String> flag(String path) {
        return json -> at(json, path).asBoolean(false) ? "yes" : "no";
    }

    private static boolean isNumber(JsonNode json, String path) {
        return at(json, path).isNumber();
    }
}
