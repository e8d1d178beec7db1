package io.sluicemq.api.operate;

import io.sluicemq.api.Death;
import io.sluicemq.api.PortableMessage;
import java.util.List;

/**
 * A message as an operator sees it.
 *
 * @param format the name of its sender's format
 * @param message what its sender said; its body is that of {@link #body}, or a value where the sender has sent one
 * @param body the body's bytes, or the first of them
 * @param bodyBytes how long the body is
 * @param remaining how many messages were ready behind it when it was taken
 * @param deaths its dead-letter history, the latest first
 */
public record MessageView(
        String format, String exchange, String routingKey, boolean redelivered, int deliveryCount, boolean durable,
        PortableMessage message, byte[] body, int bodyBytes, long remaining, long publishedMillis,
        List<Death> deaths) {}
