package io.sluicemq.crash;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A consumer that keeps its deliveries for one thread that takes them. The connection's threads fill it. */
final class Inbox extends DefaultConsumer {

    /** What came. */
    record Delivery(long tag, boolean redelivered, byte[] body) {}

    private final LinkedBlockingQueue<Delivery> deliveries = new LinkedBlockingQueue<>();

    Inbox(Channel channel) {
        super(channel);
    }

    @Override
    public void handleDelivery(String consumerTag, Envelope envelope, BasicProperties properties, byte[] body) {
        deliveries.add(new Delivery(envelope.getDeliveryTag(), envelope.isRedeliver(), body));
    }

    /** The next one; null if none comes in time. */
    Delivery next(long millis) throws InterruptedException {
        return deliveries.poll(millis, TimeUnit.MILLISECONDS);
    }
}
