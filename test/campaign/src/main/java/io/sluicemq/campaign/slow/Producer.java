package io.sluicemq.campaign.slow;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.MessageProperties;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Publishes numbered messages at a steady rate by a thread of its own, until it is closed; what it can't publish in time, since it is
 * held, it leaves out. Other threads read what it counts.
 */
final class Producer implements AutoCloseable {

    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Connection connection;
    private final Channel channel;
    private final Thread thread;
    private volatile boolean closing;
    private volatile long published;

    Producer(Connection connection, String key, int perSecond, int bytes) throws IOException {
        this.connection = connection;
        this.channel = connection.createChannel();
        this.thread = Thread.ofPlatform().name("producer").start(() -> run(key, perSecond, bytes));
    }

    private void run(String key, int perSecond, int bytes) {
        long start = System.nanoTime();
        long step = 0;
        try {
            while (!closing) {
                long due = (step + 1) * STEP_NANOS * perSecond / TimeUnit.SECONDS.toNanos(1)
                        - step * STEP_NANOS * perSecond / TimeUnit.SECONDS.toNanos(1);
                for (long i = 0; i < due && !closing; i++) {
                    byte[] body = ByteBuffer.allocate(Math.max(Long.BYTES, bytes)).putLong(published).array();
                    channel.basicPublish("amq.topic", key, MessageProperties.MINIMAL_BASIC, body);
                    published++;
                }
                step++;
                long ahead = start + step * STEP_NANOS - System.nanoTime();
                if (ahead > 0) {
                    LockSupport.parkNanos(ahead);
                } else if (-ahead > TimeUnit.SECONDS.toNanos(1)) {
                    start -= ahead; // it was held: what it did not publish meanwhile is not made up for
                }
            }
        } catch (IOException | AlreadyClosedException e) {
            if (!closing) {
                throw new IllegalStateException("the producer was not to notice anything", e);
            }
        }
    }

    /** How many have left. */
    long published() {
        return published;
    }

    /** Ends it, whatever it waits for. */
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
