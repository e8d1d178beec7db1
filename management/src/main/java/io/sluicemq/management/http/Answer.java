package io.sluicemq.management.http;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * What a request is answered with. Immutable; the body's bytes are not copied.
 *
 * @param contentType null for an answer without a body
 * @param headers beside those that every answer has; one of the same name replaces that
 */
public record Answer(int status, String contentType, byte[] body, Map<String, String> headers) {

    private static final byte[] NOTHING = {};

    public static final String JSON = "application/json";

    /** 200 with JSON. */
    public static Answer of(JsonNode json) {
        return of(200, json);
    }

    public static Answer of(int status, JsonNode json) {
        return new Answer(status, JSON, Json.bytes(json), Map.of());
    }

    /** 200 with bytes of some type. */
    public static Answer of(String contentType, byte[] body) {
        return new Answer(200, contentType, body, Map.of());
    }

    /** 200 with text of some type, in UTF-8. */
    public static Answer of(String contentType, String text) {
        return of(contentType, text.getBytes(StandardCharsets.UTF_8));
    }

    /** One that says all by its status: 201 or 204. */
    public static Answer of(int status) {
        return new Answer(status, null, NOTHING, Map.of());
    }

    /** The usual form of an error: {@code {"error": …, "reason": …}}. */
    public static Answer error(int status, String error, String reason) {
        return of(status, Json.object().put("error", error).put("reason", reason));
    }

    /** The same with one more header. */
    public Answer with(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Answer(status, contentType, body, Map.copyOf(more));
    }
}
