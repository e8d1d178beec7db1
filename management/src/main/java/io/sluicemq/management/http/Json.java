package io.sluicemq.management.http;

import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** JSON as the HTTP API reads and writes it. Stateless. */
public final class Json {

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(64).build())
            .build())
            .build();

    private Json() {}

    public static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    static ArrayNode array() {
        return MAPPER.createArrayNode();
    }

    static byte[] bytes(JsonNode json) {
        return MAPPER.writeValueAsBytes(json);
    }

    /** A record, a list, a map of plain values. */
    static JsonNode tree(Object value) {
        return MAPPER.valueToTree(value);
    }

    /** Reads an object; nothing at all counts as an empty one. */
    static ObjectNode read(byte[] bytes) {
        if (bytes.length == 0) {
            return object();
        }
        try {
            if (MAPPER.readTree(bytes) instanceof ObjectNode object) {
                return object;
            }
        } catch (JacksonException e) {
            throw ApiError.badRequest("the body is not JSON: " + e.getOriginalMessage());
        }
        throw ApiError.badRequest("the body is not a JSON object");
    }

    /** What a value of a client's looks like; what JSON has no type for becomes a string. */
    static JsonNode value(Object value) {
        return switch (value) {
            case null -> MAPPER.nullNode();
            case String text -> MAPPER.getNodeFactory().stringNode(text);
            case Boolean bool -> MAPPER.getNodeFactory().booleanNode(bool);
            case Byte number -> MAPPER.getNodeFactory().numberNode(number.longValue());
            case Short number -> MAPPER.getNodeFactory().numberNode(number.longValue());
            case Integer number -> MAPPER.getNodeFactory().numberNode(number.longValue());
            case Long number -> MAPPER.getNodeFactory().numberNode(number);
            case Float number -> decimal(number.doubleValue());
            case Double number -> decimal(number);
            case byte[] bytes ->
                MAPPER.getNodeFactory().stringNode(Base64.getEncoder().encodeToString(bytes));
            case Map<?, ?> map -> map(map);
            case Collection<?> list -> {
                ArrayNode array = array();
                list.forEach(each -> array.add(value(each)));
                yield array;
            }
            default -> MAPPER.getNodeFactory().stringNode(value.toString());
        };
    }

    private static JsonNode decimal(double number) {
        return Double.isFinite(number)
                ? MAPPER.getNodeFactory().numberNode(number)
                : MAPPER.getNodeFactory().stringNode(Double.toString(number));
    }

    static ObjectNode map(Map<?, ?> map) {
        ObjectNode object = object();
        map.forEach((name, value) -> object.set(String.valueOf(name), value(value)));
        return object;
    }

    /** A value as clients of protocols send it: numbers without a fraction are Integer or Long, others Double. */
    static Object plain(JsonNode node) {
        return switch (node.getNodeType()) {
            case STRING -> node.asString();
            case BOOLEAN -> node.asBoolean();
            case NUMBER -> {
                if (node.isIntegralNumber()) {
                    if (!node.canConvertToLong()) {
                        throw ApiError.badRequest("the number " + node + " is too large");
                    }
                    yield node.canConvertToInt() ? (Object) node.asInt() : (Object) node.asLong();
                }
                yield node.asDouble();
            }
            case ARRAY -> {
                List<Object> list = new ArrayList<>();
                node.forEach(each -> list.add(plain(each)));
                yield list;
            }
            case OBJECT -> plainMap(node);
            default -> null;
        };
    }

    static Map<String, Object> plainMap(JsonNode node) {
        Map<String, Object> map = new LinkedHashMap<>();
        node.forEachEntry((name, value) -> map.put(name, plain(value)));
        return map;
    }
}
