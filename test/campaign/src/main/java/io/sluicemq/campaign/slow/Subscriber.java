package io.sluicemq.campaign.slow;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A transient subscription whose application takes some time for each message. The client's thread runs it; other threads read
 * what it has experienced.
 */
final class Subscriber extends DefaultConsumer implements AutoCloseable {

    private final Connection connection;
    private final long nanosEach;
    private final long sinceNanos;
    private volatile long got;
    private volatile long missed;
    private volatile String end;
    private volatile long endMillis;
    private long last = -1;

    /** @param millisEach how long a message takes */
    Subscriber(Connection connection, String key, int prefetch, long millisEach) throws IOException {
        super(connection.createChannel());
        this.connection = connection;
        this.nanosEach = TimeUnit.MILLISECONDS.toNanos(millisEach);
        this.sinceNanos = System.nanoTime();
        Channel channel = getChannel();
        String queue = channel.queueDeclare().getQueue();
        channel.queueBind(queue, "amq.topic", key);
        channel.basicQos(prefetch);
        channel.basicConsume(queue, false, this);
    }

    @Override
    public void handleDelivery(String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body)
            throws IOException {
        long number = ByteBuffer.wrap(body).getLong();
        if (last >= 0) {
            missed += number - last - 1;
        }
        last = number;
        got++;
        if (nanosEach > 0) {
            LockSupport.parkNanos(nanosEach);
        }
        if (getChannel().isOpen()) {
            getChannel().basicAck(envelope.getDeliveryTag(), false);
        }
    }

    @Override
    public void handleShutdownSignal(String tag, ShutdownSignalException signal) {
        if (signal.getReason() instanceof AMQP.Channel.Close close) {
            endMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sinceNanos);
            end = close.getReplyCode() + " " + close.getReplyText();
        }
    }

    /** How many messages it has got. */
    long got() {
        return got;
    }

    /** How many were left out between those. */
    long missed() {
        return missed;
    }

    /** Code and text with which the broker has closed its channel; null if it has not. */
    String end() {
        return end;
    }

    /** When that was, in milliseconds since it subscribed. */
    long endMillis() {
        return endMillis;
    }

    @Override
    public void close() {
        connection.abort(1_000);
    }
}
