package io.sluicemq.campaign.full;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.MessageProperties;
import com.rabbitmq.client.ShutdownSignalException;
import io.sluicemq.campaign.EmbeddedBroker;
import java.io.IOException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A connection with the RabbitMQ client that publishes by a thread of its own, as fast as it may, until it is closed. Other
 * threads read what it counts.
 */
final class Publisher implements AutoCloseable {

    private final Connection connection;
    private final Channel channel;
    private final Thread thread;
    private final AtomicLong published = new AtomicLong();
    private final AtomicLong answered = new AtomicLong();
    private volatile long answeredAtNanos;
    private volatile boolean closing;
    private volatile Exception failure;

    private Publisher(Connection connection, Channel channel, String queue, int bytes, Mode mode) {
        this.connection = connection;
        this.channel = channel;
        this.thread = Thread.ofPlatform().name("publisher to " + queue).unstarted(() -> run(queue, bytes, mode));
    }

    /** How it publishes. */
    enum Mode {
        /** One at a time, each confirmed. */
        CONFIRMED,
        /** Without confirms. */
        UNCONFIRMED,
        /** Without confirms, persistent. */
        PERSISTENT
    }

    static Connection connect(EmbeddedBroker broker) throws IOException, TimeoutException {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost(broker.host());
        factory.setPort(broker.port());
        factory.setAutomaticRecoveryEnabled(false);
        return factory.newConnection();
    }

    /** Begins to publish to a queue over a connection of its own. */
    static Publisher start(EmbeddedBroker broker, String queue, int bytes, Mode mode)
            throws IOException, TimeoutException {
        return start(connect(broker), queue, bytes, mode);
    }

    /** Begins to publish to a queue over a channel of its own. */
    static Publisher start(Connection connection, String queue, int bytes, Mode mode) throws IOException {
        Publisher publisher = new Publisher(connection, connection.createChannel(), queue, bytes, mode);
        publisher.thread.start();
        return publisher;
    }

    private void run(String queue, int bytes, Mode mode) {
        byte[] body = new byte[bytes];
        BasicProperties properties =
                mode == Mode.PERSISTENT ? MessageProperties.MINIMAL_PERSISTENT_BASIC : MessageProperties.MINIMAL_BASIC;
        try {
            if (mode == Mode.CONFIRMED) {
                channel.confirmSelect();
            }
            while (!closing) {
                channel.basicPublish("", queue, properties, body);
                published.incrementAndGet();
                if (mode == Mode.CONFIRMED) {
                    channel.waitForConfirms();
                    answeredAtNanos = System.nanoTime();
                    answered.incrementAndGet();
                }
            }
        } catch (IOException | ShutdownSignalException | InterruptedException e) {
            if (!closing) {
                failure = e;
            }
        }
    }

    /** How many have left. */
    long published() {
        return published.get();
    }

    /** How many were confirmed, or refused. */
    long answered() {
        return answered.get();
    }

    /** When the last was confirmed, by {@link System#nanoTime}. */
    long answeredAtNanos() {
        return answeredAtNanos;
    }

    /** Why it has ended by itself; null if it has not. */
    Exception failure() {
        return failure;
    }

    /** Ends it, with its connection, whatever it waits for. */
    @Override
    public void close() {
        closing = true;
        connection.abort(1_000);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
