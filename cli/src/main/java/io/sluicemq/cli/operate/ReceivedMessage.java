package io.sluicemq.cli.operate;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import io.sluicemq.cli.text.Structured;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collection;
import java.util.Date;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A message that came by AMQP 0-9-1, in the shape in which the HTTP API has messages. Stateless. */
final class ReceivedMessage {

    private ReceivedMessage() {}

    static ObjectNode json(Envelope envelope, BasicProperties properties, byte[] body) {
        ObjectNode json = Structured.object()
                .put("exchange", envelope.getExchange())
                .put("routing_key", envelope.getRoutingKey())
                .put("redelivered", envelope.isRedeliver())
                .put("payload_bytes", body.length);
        ObjectNode all = json.putObject("properties");
        put(all, "delivery_mode", properties.getDeliveryMode());
        put(all, "priority", properties.getPriority());
        put(all, "content_type", properties.getContentType());
        put(all, "content_encoding", properties.getContentEncoding());
        put(all, "correlation_id", properties.getCorrelationId());
        put(all, "reply_to", properties.getReplyTo());
        put(all, "expiration", properties.getExpiration());
        put(all, "message_id", properties.getMessageId());
        put(all, "timestamp", properties.getTimestamp());
        put(all, "type", properties.getType());
        put(all, "user_id", properties.getUserId());
        put(all, "app_id", properties.getAppId());
        put(all, "headers", properties.getHeaders());
        String text = text(body);
        return json.put("payload", text != null ? text : Base64.getEncoder().encodeToString(body))
                .put("payload_encoding", text != null ? "string" : "base64");
    }

    private static void put(ObjectNode json, String name, Object value) {
        if (value != null) {
            json.set(name, of(value));
        }
    }

    private static JsonNode of(Object value) {
        return switch (value) {
            case Map<?, ?> map -> {
                ObjectNode object = Structured.object();
                map.forEach((name, each) -> {
                    if (each == null) {
                        object.putNull(name.toString());
                    } else {
                        object.set(name.toString(), of(each));
                    }
                });
                yield object;
            }
            case Collection<?> list -> {
                ArrayNode array = Structured.array();
                list.forEach(each -> {
                    if (each == null) {
                        array.addNull();
                    } else {
                        array.add(of(each));
                    }
                });
                yield array;
            }
            case Boolean bool -> Structured.object().booleanNode(bool);
            case Date time -> Structured.object().numberNode(time.getTime() / 1000);
            case Float number -> Structured.object().numberNode(number);
            case Double number -> Structured.object().numberNode(number);
            case Number number -> Structured.object().numberNode(number.longValue());
            case byte[] bytes -> Structured.text(Base64.getEncoder().encodeToString(bytes));
            default -> Structured.text(value.toString());
        };
    }

    private static String text(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
