package io.sluicemq.protocol.amqp091;

import java.util.LinkedHashMap;
import java.util.Map;

/** What the broker tells clients about itself in connection.start. Stateless. */
final class ServerProperties {

    /**
     * Qpid JMS asks a broker for exchange.bound, which this one answers, only if its product has "qpid" in it; other
     * clients do not look.
     */
    private static final String PRODUCT = "SluiceMQ (with Qpid extensions)";

    private ServerProperties() {}

    static Map<String, Object> of(String version) {
        Map<String, Object> capabilities = new LinkedHashMap<>();
        capabilities.put("publisher_confirms", true);
        capabilities.put("exchange_exchange_bindings", true);
        capabilities.put("basic.nack", true);
        capabilities.put("consumer_cancel_notify", true);
        capabilities.put("connection.blocked", true);
        capabilities.put("consumer_priorities", true);
        capabilities.put("authentication_failure_close", true);
        capabilities.put("per_consumer_qos", true);
        capabilities.put("direct_reply_to", true);
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("capabilities", capabilities);
        properties.put("product", PRODUCT);
        properties.put("version", version);
        properties.put("platform", "Java");
        return properties;
    }
}
