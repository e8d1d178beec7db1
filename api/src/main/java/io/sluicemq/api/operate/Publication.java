package io.sluicemq.api.operate;

import io.sluicemq.api.PortableMessage.Property;
import java.util.Map;

/**
 * A message that an operator publishes.
 *
 * @param exchange empty for the default exchange
 * @param priority from 0 to 255; null for none
 * @param ttlMillis milliseconds that it may wait; null for no limit
 * @param appId what its sender's application is called; null for nothing
 * @param properties by what they say, of the types that {@link Property} names
 * @param headers the application's, by name
 */
public record Publication(
        String exchange, String routingKey, boolean durable, Integer priority, Long ttlMillis, String appId,
        Map<Property, Object> properties, Map<String, Object> headers, byte[] body) {}
