package io.sluicemq.protocol.amqp091;

import io.sluicemq.api.Death;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Message;
import io.sluicemq.api.value.Timestamp;
import io.sluicemq.protocol.amqp091.codec.BasicProperties;
import io.sluicemq.protocol.amqp091.codec.BasicPropertiesEditor;
import io.sluicemq.protocol.amqp091.codec.BasicProperty;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The property bytes of a delivery: the sender's own, unless the broker has something to tell beside them, which is
 * then rendered in RabbitMQ's form: the dead-letter history ({@code x-death}, {@code x-first-death-*}, {@code
 * x-last-death-*}; the expiration is gone with the time-to-live it set) and {@code x-delivery-count}. Stateless.
 */
final class DeliveryHeaders {

    /** The header that holds the dead-letter history. */
    static final String X_DEATH = "x-death";

    private DeliveryHeaders() {}

    static byte[] of(Delivery delivery) {
        Message message = delivery.message();
        return message.deaths().isEmpty() && !failedBefore(delivery)
                ? message.header()
                : rendered(BasicProperties.of(message.header()), message.deaths(), delivery);
    }

    /** The property bytes of a delivery whose message is converted to these properties, and has this history. */
    static byte[] of(BasicProperties converted, List<Death> deaths, Delivery delivery) {
        return deaths.isEmpty() && !failedBefore(delivery) ? converted.bytes() : rendered(converted, deaths, delivery);
    }

    private static boolean failedBefore(Delivery delivery) {
        return delivery.counted() && delivery.deliveryCount() > 0;
    }

    private static byte[] rendered(BasicProperties properties, List<Death> deaths, Delivery delivery) {
        BasicPropertiesEditor editor = properties.edit();
        if (!deaths.isEmpty()) {
            addDeaths(deaths, editor);
        }
        if (failedBefore(delivery)) {
            editor.setHeader("x-delivery-count", (long) delivery.deliveryCount());
        }
        return editor.build().bytes();
    }

    private static void addDeaths(List<Death> deaths, BasicPropertiesEditor editor) {
        List<Map<String, Object>> history = new ArrayList<>(deaths.size());
        Death first = deaths.getLast();
        for (Death death : deaths) {
            history.add(table(death));
            if (death.firstTimeMillis() < first.firstTimeMillis()) {
                first = death;
            }
        }
        Death last = deaths.getFirst();
        editor.remove(BasicProperty.EXPIRATION)
                .setHeader(X_DEATH, history)
                .setHeader("x-first-death-exchange", first.exchange())
                .setHeader("x-first-death-queue", first.queue())
                .setHeader("x-first-death-reason", first.reason().word())
                .setHeader("x-last-death-exchange", last.exchange())
                .setHeader("x-last-death-queue", last.queue())
                .setHeader("x-last-death-reason", last.reason().word());
    }

    private static Map<String, Object> table(Death death) {
        Map<String, Object> table = new LinkedHashMap<>();
        table.put("count", death.count());
        table.put("reason", death.reason().word());
        table.put("queue", death.queue());
        table.put("time", new Timestamp(death.firstTimeMillis() / 1000));
        table.put("exchange", death.exchange());
        table.put("routing-keys", death.routingKeys());
        if (death.originalExpiration() != null) {
            table.put("original-expiration", death.originalExpiration());
        }
        return table;
    }
}
