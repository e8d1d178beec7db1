package io.sluicemq.management.http;

import io.sluicemq.api.Death;
import io.sluicemq.api.PortableMessage;
import io.sluicemq.api.PortableMessage.Property;
import io.sluicemq.api.operate.MessageView;
import io.sluicemq.api.operate.Publication;
import io.sluicemq.api.value.Binary;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.EnumMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Messages as RabbitMQ's API shows and takes them, whatever protocol they come by. Stateless. */
final class MessageShapes {

    private static final String APP_ID = "x-basic-app-id";

    private MessageShapes() {}

    // ---- shown

    static ObjectNode json(MessageView message, boolean base64) {
        ObjectNode json = Json.object()
                .put("payload_bytes", message.bodyBytes())
                .put("redelivered", message.redelivered())
                .put("exchange", message.exchange())
                .put("routing_key", message.routingKey())
                .put("message_count", message.remaining())
                .put("delivery_count", message.deliveryCount())
                .put("format", message.format());
        if (message.publishedMillis() > 0) {
            json.put("published", message.publishedMillis());
        } else {
            json.putNull("published");
        }
        json.set("properties", properties(message));
        String text = base64 ? null : text(message.body(), message.body().length < message.bodyBytes());
        json.put("payload", text != null ? text : Base64.getEncoder().encodeToString(message.body()));
        json.put("payload_encoding", text != null ? "string" : "base64");
        return json;
    }

    /** Bytes as text, if they are UTF-8; null if not. */
    private static String text(byte[] bytes, boolean cut) {
        // What was cut may end within a character, of at most four bytes.
        for (int less = 0; less < (cut ? Math.min(4, bytes.length + 1) : 1); less++) {
            try {
                return StandardCharsets.UTF_8.newDecoder()
                        .decode(ByteBuffer.wrap(bytes, 0, bytes.length - less))
                        .toString();
            } catch (CharacterCodingException e) {
                continue; // perhaps with one byte less
            }
        }
        return null;
    }

    private static ObjectNode properties(MessageView view) {
        PortableMessage message = view.message();
        ObjectNode json = Json.object().put("delivery_mode", view.durable() ? 2 : 1);
        if (message.priority() != null) {
            json.put("priority", message.priority());
        }
        message.properties().forEach((property, value) -> {
            switch (property) {
                case MESSAGE_ID -> json.set("message_id", Json.value(value));
                case USER_ID ->
                    json.put("user_id", value instanceof Binary binary
                            ? new String(binary.bytes(), StandardCharsets.UTF_8)
                            : value.toString());
                case TO -> json.set("to", Json.value(value));
                case SUBJECT -> json.set("type", Json.value(value));
                case REPLY_TO -> json.set("reply_to", Json.value(value));
                case CORRELATION_ID -> json.set("correlation_id", Json.value(value));
                case CONTENT_TYPE -> json.set("content_type", Json.value(value));
                case CONTENT_ENCODING -> json.set("content_encoding", Json.value(value));
                case EXPIRY_TIME -> json.set("absolute_expiry_time", Json.value(value));
                case CREATION_TIME ->
                    json.put("timestamp", value instanceof Instant time ? time.getEpochSecond() : 0);
                case GROUP_ID -> json.set("group_id", Json.value(value));
                case GROUP_SEQUENCE -> json.set("group_sequence", Json.value(value));
                case REPLY_TO_GROUP_ID -> json.set("reply_to_group_id", Json.value(value));
            }
        });
        Object appId = message.annotations().get(APP_ID);
        if (appId != null) {
            json.set("app_id", Json.value(appId));
        }
        ObjectNode headers = Json.map(message.headers());
        if (!view.deaths().isEmpty()) {
            headers.set("x-death", deaths(view));
        }
        json.set("headers", headers);
        return json;
    }

    private static ArrayNode deaths(MessageView view) {
        ArrayNode all = Json.array();
        for (Death death : view.deaths()) {
            ObjectNode json = all.addObject()
                    .put("queue", death.queue())
                    .put("reason", death.reason().word())
                    .put("count", death.count())
                    .put("exchange", death.exchange())
                    .put("time", death.firstTimeMillis() / 1000);
            ArrayNode keys = json.putArray("routing-keys");
            death.routingKeys().forEach(keys::add);
        }
        return all;
    }

    // ---- taken

    /** What a body asks to be published, by its {@code properties}, {@code routing_key}, {@code payload} and {@code payload_encoding}. */
    static Publication publication(Call call, String exchange) {
        JsonNode given = call.json().path("properties");
        if (!given.isMissingNode() && !given.isObject() && !(given.isArray() && given.isEmpty())) {
            throw ApiError.badRequest("properties is " + given + ": expected an object");
        }
        Map<Property, Object> properties = new EnumMap<>(Property.class);
        Reading reading = new Reading();
        given.forEachEntry((name, value) -> reading.read(call, name, value, properties));
        return new Publication(
                exchange, call.text("routing_key", ""), reading.durable, reading.priority, reading.ttlMillis,
                reading.appId, properties, reading.headers, payload(call));
    }

    private static byte[] payload(Call call) {
        String payload = call.text("payload");
        return switch (call.text("payload_encoding", "string")) {
            case "string" -> payload.getBytes(StandardCharsets.UTF_8);
            case "base64" -> {
                try {
                    yield Base64.getDecoder().decode(payload);
                } catch (IllegalArgumentException e) {
                    throw ApiError.badRequest("payload is not base64");
                }
            }
            default ->
                throw ApiError.badRequest("payload_encoding is '" + call.text("payload_encoding")
                        + "': expected string or base64");
        };
    }

    /** What was read of the properties beside those that are passed on as they are. */
    private static final class Reading {

        private boolean durable;
        private Integer priority;
        private Long ttlMillis;
        private String appId;
        private Map<String, Object> headers = Map.of();

        void read(Call call, String name, JsonNode value, Map<Property, Object> properties) {
            switch (name) {
                case "delivery_mode" -> durable = number(name, value, 1, 2) == 2;
                case "priority" -> priority = (int) number(name, value, 0, 255);
                case "expiration" -> ttlMillis = number(name, value, 0, 0xFFFF_FFFFL);
                case "timestamp" ->
                    properties.put(
                            Property.CREATION_TIME,
                            Instant.ofEpochSecond(number(name, value, 0, 253_402_300_799L)));
                case "content_type" -> properties.put(Property.CONTENT_TYPE, text(name, value));
                case "content_encoding" -> properties.put(Property.CONTENT_ENCODING, text(name, value));
                case "correlation_id" -> properties.put(Property.CORRELATION_ID, text(name, value));
                case "reply_to" -> properties.put(Property.REPLY_TO, text(name, value));
                case "message_id" -> properties.put(Property.MESSAGE_ID, text(name, value));
                case "type" -> properties.put(Property.SUBJECT, text(name, value));
                case "app_id" -> appId = text(name, value);
                case "user_id" -> {
                    if (!text(name, value).equals(call.login().user().name())) {
                        throw ApiError.badRequest("user_id is '" + text(name, value) + "', but the user is '"
                                + call.login().user().name() + "'");
                    }
                    properties.put(
                            Property.USER_ID, new Binary(value.asString().getBytes(StandardCharsets.UTF_8)));
                }
                case "headers" -> {
                    if (!value.isObject()) {
                        throw ApiError.badRequest("headers is " + value + ": expected an object");
                    }
                    headers = Json.plainMap(value);
                }
                default -> throw ApiError.badRequest("there is no property " + name);
            }
        }

        private static String text(String name, JsonNode value) {
            if (!value.isString() || value.asString().getBytes(StandardCharsets.UTF_8).length > 255) {
                throw ApiError.badRequest(name + " is " + value + ": expected a string of at most 255 bytes");
            }
            return value.asString();
        }

        private static long number(String name, JsonNode value, long least, long most) {
            long number = least - 1;
            if (value.isIntegralNumber() && value.canConvertToLong()) {
                number = value.asLong();
            } else if (value.isString() && value.asString().matches("\\d{1,18}")) {
                number = Long.parseLong(value.asString());
            }
            if (number < least || number > most) {
                throw ApiError.badRequest(
                        name + " is " + value + ": expected a number from " + least + " to " + most);
            }
            return number;
        }
    }
}
