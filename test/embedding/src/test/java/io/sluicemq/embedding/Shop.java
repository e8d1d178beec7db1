package io.sluicemq.embedding;

import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.MessageProperties;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** An application that the examples test: it knows nothing of the broker but its address. */
final class Shop {

    private final ConnectionFactory factory = new ConnectionFactory();

    Shop(String amqpUri) throws Exception {
        factory.setUri(amqpUri);
    }

    /** Sends an order and waits until the broker has it. */
    void order(String what) throws Exception {
        try (var connection = factory.newConnection();
                var channel = connection.createChannel()) {
            channel.queueDeclare("orders", true, false, false, null);
            channel.confirmSelect();
            channel.basicPublish(
                    "", "orders", MessageProperties.PERSISTENT_TEXT_PLAIN, what.getBytes(StandardCharsets.UTF_8));
            channel.waitForConfirmsOrDie(10_000);
        }
    }

    /** The next order, or null. */
    String next() throws Exception {
        try (var connection = factory.newConnection();
                var channel = connection.createChannel()) {
            var message = channel.basicGet("orders", true);
            return message == null ? null : new String(message.getBody(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("the shop has no queue", e);
        }
    }
}
