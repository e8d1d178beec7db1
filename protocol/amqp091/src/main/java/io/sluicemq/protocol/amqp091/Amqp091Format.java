package io.sluicemq.protocol.amqp091;

import io.sluicemq.api.Death;
import io.sluicemq.api.Message;
import io.sluicemq.api.MessageFormat;
import io.sluicemq.api.PortableMessage;
import io.sluicemq.api.operate.Publication;
import io.sluicemq.api.value.UnsignedInteger;
import io.sluicemq.protocol.amqp091.codec.BasicProperties;
import io.sluicemq.protocol.amqp091.codec.BasicProperty;
import io.sluicemq.protocol.amqp091.conversion.FromPortable;
import io.sluicemq.protocol.amqp091.conversion.ToPortable;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;

/**
 * How to read a message whose header is that of AMQP 0-9-1: property flags and properties as they came, without
 * the BCC header. Stateless.
 */
public final class Amqp091Format implements MessageFormat {

    /** The one instance. */
    public static final Amqp091Format INSTANCE = new Amqp091Format();

    private static final String APP_ID = "x-basic-app-id";
    private static final int DEFAULT_PRIORITY = 4;
    private static final long MILLIS_A_SECOND = 1000;

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

    /**
     * Jakarta Messaging §3.8.1.1. A priority that isn't there counts as the default that JMS clients then see (§3.4.10). Decimals
     * and unsigned integers of headers are numbers; what else JMS has no type for compares with nothing.
     */
    @Override
    public Object selectable(Message message, String identifier) {
        BasicProperties properties = BasicProperties.of(message.header());
        return switch (identifier) {
            case "JMSPriority" -> properties.has(BasicProperty.PRIORITY) ? properties.priority() : DEFAULT_PRIORITY;
            case "JMSDeliveryMode" -> message.durable() ? "PERSISTENT" : "NON_PERSISTENT";
            case "JMSTimestamp" -> properties.has(BasicProperty.TIMESTAMP) ? millis(properties.timestamp()) : null;
            case "JMSMessageID" -> properties.messageId();
            case "JMSCorrelationID" -> properties.correlationId();
            case "JMSType" -> properties.type();
            default -> switch (properties.header(identifier)) {
                case UnsignedInteger unsigned -> unsigned.value();
                case BigDecimal decimal -> decimal.doubleValue();
                case null -> null;
                case Object value -> value;
            };
        };
    }

    /** Milliseconds of so many seconds; null if there are none in a long. */
    private static Long millis(long seconds) {
        return Math.abs(seconds) > Long.MAX_VALUE / MILLIS_A_SECOND ? null : (Long) (seconds * MILLIS_A_SECOND);
    }

    /**
     * A message of this format.
     *
     * @throws IllegalArgumentException if what it says does not fit into this format: a name that is too long, a header's value
     */
    public static Message message(Publication publication) {
        Map<String, Object> annotations =
                publication.appId() == null ? Map.of() : Map.of(APP_ID, publication.appId());
        PortableMessage portable = new PortableMessage(
                publication.priority(), publication.properties(), annotations, publication.headers(), List.of(),
                new PortableMessage.Body.Data(publication.body()));
        FromPortable.Content content = FromPortable.of(
                portable, publication.durable(),
                publication.ttlMillis() == null ? null : Long.toString(publication.ttlMillis()));
        return new Message(
                INSTANCE, publication.exchange(), publication.routingKey(), List.of(), content.properties().bytes(),
                publication.body(), publication.durable(),
                publication.priority() == null ? 0 : publication.priority(),
                publication.ttlMillis() == null ? Message.NO_TTL : publication.ttlMillis(), null);
    }

    @Override
    public PortableMessage portable(Message message) {
        return ToPortable.of(message);
    }
}
