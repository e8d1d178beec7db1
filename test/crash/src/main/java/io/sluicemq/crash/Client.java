package io.sluicemq.crash;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * Something that a thread does with a connection of its own until the broker goes away. Its choices come from its seed;
 * how its steps mix with those of others is up to the machine.
 */
interface Client {

    /** Works with a connection until it breaks, which it tells by what the AMQP client throws. */
    void run(Connection connection, Random random) throws IOException, TimeoutException, InterruptedException;

    /** Connects. The connection is not made again when it breaks. */
    static Connection connect(int port) throws IOException, TimeoutException {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(port);
        factory.setAutomaticRecoveryEnabled(false);
        factory.setRequestedHeartbeat(0);
        return factory.newConnection();
    }

    /** How long a consumer thinks about a message: often not at all, else so long that messages gather. */
    static long anyPause(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> 300_000;
            case 1 -> 3_000_000;
            default -> 0;
        };
    }

    /** Waits a moment; throws what a command would if the channel is closed. */
    static void pause(Channel channel, long nanos) {
        LockSupport.parkNanos(nanos);
        if (!channel.isOpen()) {
            ShutdownSignalException reason = channel.getCloseReason();
            throw reason == null
                    ? new IllegalStateException("the channel is closed")
                    : new AlreadyClosedException(reason);
        }
    }
}
