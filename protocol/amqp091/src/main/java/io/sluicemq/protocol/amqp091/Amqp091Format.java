package io.sluicemq.protocol.amqp091;

import io.sluicemq.api.Death;
import io.sluicemq.api.Message;
import io.sluicemq.api.MessageFormat;
import io.sluicemq.protocol.amqp091.codec.BasicProperties;
import java.util.List;
import java.util.Map;

/**
 * How to read a message whose header is that of AMQP 0-9-1: property flags and properties as they came, without
 * the BCC header. Stateless.
 */
public final class Amqp091Format implements MessageFormat {

    /** The one instance. */
    public static final Amqp091Format INSTANCE = new Amqp091Format();

    private Amqp091Format() {}

    @Override
    public String name() {
        return "amqp-0-9-1";
    }

    @Override
    public Map<String, Object> headers(Message message) {
        return BasicProperties.of(message.header()).headers();
    }

    @Override
    public List<Death> claimedDeaths(Message message) {
        return ClaimedDeaths.of(BasicProperties.of(message.header()).header(DeliveryHeaders.X_DEATH));
    }

    @Override
    public String originalExpiration(Message message) {
        return BasicProperties.of(message.header()).expiration();
    }
}
