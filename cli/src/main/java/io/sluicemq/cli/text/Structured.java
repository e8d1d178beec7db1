package io.sluicemq.cli.text;

import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * JSON and YAML for programs that read what a command prints. What a terminal would obey is written by its code here, too: in both that means the
 * same character. Stateless.
 */
public final class Structured {

    private static final JsonMapper LINES = JsonMapper.builder().build();
    private static final JsonMapper INDENTED =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    /** What YAML takes for a text and nothing else, without quotes. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z_/][A-Za-z0-9_./@-]*");

    /** Words that YAML, of one version or another, takes for something else. */
    private static final Set<String> TAKEN =
            Set.of("true", "false", "null", "yes", "no", "on", "off", "y", "n", "_");

    private Structured() {}

    public static ObjectNode object() {
        return LINES.createObjectNode();
    }

    public static ArrayNode array() {
        return LINES.createArrayNode();
    }

    public static JsonNode text(String text) {
        return LINES.getNodeFactory().stringNode(text);
    }

    /** @throws tools.jackson.core.JacksonException if it is no JSON */
    public static JsonNode read(byte[] json) {
        return LINES.readTree(json);
    }

    /** @throws tools.jackson.core.JacksonException if it is no JSON */
    public static JsonNode read(String json) {
        return LINES.readTree(json);
    }

    /** JSON in one line, as it is sent. */
    public static byte[] bytes(JsonNode json) {
        return LINES.writeValueAsBytes(json);
    }

    /** JSON in one line. */
    public static String line(JsonNode json) {
        return Printable.document(LINES.writeValueAsString(json));
    }

    /** JSON over many lines. */
    public static String json(JsonNode json) {
        return Printable.document(INDENTED.writeValueAsString(json));
    }

    /** YAML, without a line break at its end. */
    public static String yaml(JsonNode json) {
        StringBuilder yaml = new StringBuilder();
        if (json.isContainer() && !json.isEmpty()) {
            block(json, 0, yaml);
        } else {
            yaml.append(scalar(json)).append('\n');
        }
        return Printable.document(yaml.substring(0, yaml.length() - 1));
    }

    private static void block(JsonNode json, int depth, StringBuilder yaml) {
        String indent = "  ".repeat(depth);
        boolean first = true;
        if (json instanceof ObjectNode object) {
            for (Map.Entry<String, JsonNode> each : object.properties()) {
                yaml.append(first ? "" : indent);
                first = false;
                yaml.append(quoted(each.getKey())).append(':');
                value(each.getValue(), depth + 1, yaml);
            }
        } else {
            for (JsonNode each : json) {
                yaml.append(first ? "" : indent).append('-');
                first = false;
                if (each.isContainer() && !each.isEmpty()) {
                    yaml.append(' ');
                    block(each, depth + 1, yaml); // its first line stands behind the hyphen
                } else {
                    yaml.append(' ').append(scalar(each)).append('\n');
                }
            }
        }
    }

    private static void value(JsonNode json, int depth, StringBuilder yaml) {
        if (json.isContainer() && !json.isEmpty()) {
            yaml.append('\n').append("  ".repeat(depth));
            block(json, depth, yaml);
        } else {
            yaml.append(' ').append(scalar(json)).append('\n');
        }
    }

    private static String scalar(JsonNode json) {
        return json.isString() ? quoted(json.asString()) : LINES.writeValueAsString(json);
    }

    /** A text; one that YAML could take for something else stands in quotes as in JSON, which mean the same there. */
    private static String quoted(String text) {
        return PLAIN.matcher(text).matches() && !TAKEN.contains(text.toLowerCase(java.util.Locale.ROOT))
                ? text
                : LINES.writeValueAsString(text);
    }
}
