package io.sluicemq.broker.engine;

import io.sluicemq.api.Delivery;
import io.sluicemq.api.Message;
import io.sluicemq.api.PortableMessage;
import io.sluicemq.api.operate.MessageView;
import java.util.Arrays;

/** Shows messages to operators. Stateless. */
final class MessageViews {

    /** What is gathered for one answer has bodies of about so many bytes at most. */
    static final long MOST_BYTES = 16L << 20;

    private MessageViews() {}

    static MessageView of(Delivery delivery, int mostBodyBytes) {
        Message message = delivery.message();
        PortableMessage portable = message.format().portable(message);
        byte[] bytes = message.body();
        int from = 0;
        int length = bytes.length;
        if (portable.body() instanceof PortableMessage.Body.Data data) {
            bytes = data.bytes();
            from = data.from();
            length = data.length();
        }
        return new MessageView(
                message.format().name(), message.exchange(), message.routingKey(), delivery.redelivered(),
                delivery.deliveryCount(), message.durable(), portable,
                Arrays.copyOfRange(bytes, from, from + Math.min(length, mostBodyBytes)), length, delivery.remaining(),
                message.publishedMillis(), message.deaths());
    }
}
