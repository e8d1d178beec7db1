package io.sluicemq.campaign.many;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One producer and one consumer of one queue, as fast as they can with so many messages under way. The producer has a thread of its own; any
 * thread asks how many have arrived.
 */
final class Flow implements AutoCloseable {

    private static final String QUEUE = "flow";
    private static final int PREFETCH = 500;

    private final Connection producing;
    private final Connection consuming;
    private final AtomicLong received = new AtomicLong();
    private final Semaphore window;
    private final Thread thread;
    private volatile boolean ended;

    Flow(ConnectionFactory factory, int bytes, int underWay) throws IOException, TimeoutException {
        window = new Semaphore(underWay);
        consuming = factory.newConnection("flow, consumer");
        Channel channel = consuming.createChannel();
        channel.queueDeclare(QUEUE, false, false, false, null);
        channel.basicQos(PREFETCH);
        channel.basicConsume(QUEUE, false, (tag, delivery) -> {
            channel.basicAck(delivery.getEnvelope().getDeliveryTag(), false);
            received.incrementAndGet();
            window.release();
        }, tag -> {});
        producing = factory.newConnection("flow, producer");
        Channel sending = producing.createChannel();
        byte[] body = new byte[bytes];
        thread = Thread.ofPlatform().daemon().name("producer").start(() -> publish(sending, body));
    }

    private void publish(Channel channel, byte[] body) {
        try {
            while (!ended) {
                window.acquire();
                channel.basicPublish("", QUEUE, null, body);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            if (!ended) {
                throw new java.io.UncheckedIOException(e);
            }
        }
    }

    /** How many messages have arrived so far. */
    long received() {
        return received.get();
    }

    @Override
    public void close() throws IOException {
        ended = true;
        thread.interrupt();
        producing.close();
        consuming.close();
    }
}
