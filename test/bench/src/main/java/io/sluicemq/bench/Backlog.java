package io.sluicemq.bench;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConfirmListener;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import io.sluicemq.cli.bench.ConfirmWindow;
import io.sluicemq.cli.bench.FirstFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * Numbered persistent messages in durable queues, put there with confirms by {@link #fill} and taken out again by
 * {@link #drain}, which checks that all are there, once, whole and in order. Number n goes to queue n modulo the number
 * of queues; the body is the number and then bytes that follow from it. Owned by one thread; the client library's
 * threads bring confirms and deliveries.
 */
final class Backlog {

    private static final BasicProperties PERSISTENT =
            new BasicProperties.Builder().deliveryMode(2).build();
    private static final int PREFETCH = 500;
    private static final int ACK_EVERY = 50;
    private static final long TELL_EVERY_SECONDS = 5;
    private static final long STALLED_SECONDS = 15;
    private static final long HIGHEST_MICROS = 3_600_000_000L;

    private final int port;
    private final String[] names;
    private final int queues;
    private final int size;
    private final int window;

    /**
     * @param port   of the broker, on 127.0.0.1
     * @param size   bytes of a body, at least 8
     * @param window messages unconfirmed at most
     */
    Backlog(int port, int queues, int size, int window) {
        this.port = port;
        this.queues = queues;
        this.names = IntStream.range(0, queues).mapToObj(i -> "sluicemq-backlog-" + i).toArray(String[]::new);
        this.size = size;
        this.window = window;
    }

    /**
     * How fast messages went, and how slow in the slowest five seconds, if it took as long.
     *
     * @param slowestPerSecond the same as {@code perSecond} where it took less
     */
    record Pace(long messages, double seconds, double perSecond, double slowestPerSecond) {}

    private Connection connect() throws PeerFailure {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(port);
        factory.setAutomaticRecoveryEnabled(false);
        try {
            return factory.newConnection("sluicemq-backlog");
        } catch (IOException | TimeoutException e) {
            throw new PeerFailure("cannot connect: " + FirstFailure.reason(e), e);
        }
    }

    void declare() throws PeerFailure {
        try (Connection connection = connect()) {
            Channel channel = connection.createChannel();
            for (int i = 0; i < queues; i++) {
                channel.queueDeclare(names[i], true, false, false, null);
            }
        } catch (IOException | ShutdownSignalException e) {
            throw new PeerFailure("cannot declare the queues: " + FirstFailure.reason(e), e);
        }
    }

    /** What is ready in all queues. */
    long depth() throws PeerFailure {
        try (Connection connection = connect()) {
            Channel channel = connection.createChannel();
            long depth = 0;
            for (int i = 0; i < queues; i++) {
                depth += channel.queueDeclarePassive(names[i]).getMessageCount();
            }
            return depth;
        } catch (IOException | ShutdownSignalException e) {
            throw new PeerFailure("a queue is not there: " + FirstFailure.reason(e), e);
        }
    }

    private byte[] body(long number, byte[] body) {
        ByteBuffer.wrap(body).putLong(0, number);
        for (int i = Long.BYTES; i < body.length; i++) {
            body[i] = (byte) (number + i);
        }
        return body;
    }

    private boolean isWhole(byte[] body) {
        if (body.length != size) {
            return false;
        }
        long number = ByteBuffer.wrap(body).getLong(0);
        for (int i = Long.BYTES; i < body.length; i++) {
            if (body[i] != (byte) (number + i)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Publishes the numbers from {@code from} to {@code to - 1}; when it returns all are confirmed.
     *
     * @param progress is told now and then how many are published
     */
    Pace fill(long from, long to, LongConsumer progress) throws PeerFailure, InterruptedException {
        ConfirmWindow confirms = new ConfirmWindow(window, new SingleWriterRecorder(HIGHEST_MICROS, 2));
        AtomicReference<String> lost = new AtomicReference<>();
        try (Connection connection = connect()) {
            connection.addShutdownListener(signal -> {
                if (!signal.isInitiatedByApplication()) {
                    lost.compareAndSet(null, FirstFailure.reason(signal));
                    confirms.stop();
                }
            });
            Channel channel = connection.createChannel();
            channel.confirmSelect();
            channel.addConfirmListener(new ConfirmListener() {
                @Override
                public void handleAck(long tag, boolean multiple) {
                    confirms.ack(tag, multiple, System.nanoTime());
                }

                @Override
                public void handleNack(long tag, boolean multiple) {
                    confirms.nack(tag, multiple, System.nanoTime());
                }
            });
            Meter meter = new Meter(progress);
            byte[] body = new byte[size];
            for (long n = from; n < to && confirms.awaitRoom(); n++) {
                confirms.sending(System.nanoTime());
                channel.basicPublish("", names[(int) (n % queues)], PERSISTENT, body(n, body));
                meter.look(n + 1 - from);
            }
            // The last ones: room for a whole window is there when nothing is unconfirmed.
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(STALLED_SECONDS);
            while (confirms.acked() < to - from && lost.get() == null && confirms.nacked() == 0) {
                if (System.nanoTime() > end) {
                    throw new PeerFailure((to - from - confirms.acked()) + " messages were never confirmed");
                }
                TimeUnit.MILLISECONDS.sleep(1);
            }
            if (confirms.nacked() > 0) {
                throw new PeerFailure(confirms.nacked() + " messages were refused");
            }
            if (lost.get() != null) {
                throw new PeerFailure("the connection was lost while messages were published: " + lost.get());
            }
            return meter.pace(to - from);
        } catch (IOException | ShutdownSignalException e) {
            throw new PeerFailure("cannot publish: " + FirstFailure.reason(e), e);
        }
    }

    /**
     * Consumes all numbers below {@code expected}, with an ack for each 50, and leaves the queues empty.
     *
     * @throws PeerFailure if one is missing, comes twice, out of order or damaged, or if more are there
     */
    Pace drain(long expected, LongConsumer progress) throws PeerFailure, InterruptedException {
        AtomicLong received = new AtomicLong();
        AtomicReference<String> wrong = new AtomicReference<>();
        Meter meter = new Meter(progress);
        Pace pace;
        try (Connection connection = connect()) {
            connection.addShutdownListener(signal -> {
                if (!signal.isInitiatedByApplication()) {
                    wrong.compareAndSet(null, "the connection was lost: " + FirstFailure.reason(signal));
                }
            });
            Channel channel = connection.createChannel();
            channel.basicQos(PREFETCH);
            for (int i = 0; i < queues; i++) {
                channel.basicConsume(names[i], false, new Check(channel, i, expected, received, wrong));
            }
            long moved = System.nanoTime();
            long last = 0;
            while (last < expected && wrong.get() == null) {
                TimeUnit.MILLISECONDS.sleep(1);
                long now = received.getAcquire();
                if (now != last) {
                    moved = System.nanoTime();
                    last = now;
                    meter.look(now);
                } else if (System.nanoTime() - moved > TimeUnit.SECONDS.toNanos(STALLED_SECONDS)) {
                    throw new PeerFailure(String.format(
                            "%,d of %,d messages came, then none for %d s", now, expected, STALLED_SECONDS));
                }
            }
            pace = meter.pace(last);
            channel.close();
        } catch (IOException | TimeoutException | ShutdownSignalException e) {
            throw new PeerFailure("cannot consume: " + FirstFailure.reason(e), e);
        }
        if (wrong.get() != null) {
            throw new PeerFailure(wrong.get());
        }
        long left = depth();
        if (left > 0) {
            throw new PeerFailure(left + " messages are left that nobody published, or whose acks were lost");
        }
        return pace;
    }

    /** The consumer of one queue; the library's thread. It acknowledges by the count of all of the channel. */
    private final class Check extends DefaultConsumer {
        private final int queue;
        private final long expected;
        private final AtomicLong received;
        private final AtomicReference<String> wrong;
        private long next;

        Check(Channel channel, int queue, long expected, AtomicLong received, AtomicReference<String> wrong) {
            super(channel);
            this.queue = queue;
            this.expected = expected;
            this.received = received;
            this.wrong = wrong;
            this.next = queue;
        }

        @Override
        public void handleDelivery(String tag, Envelope envelope, BasicProperties properties, byte[] body)
                throws IOException {
            if (!isWhole(body)) {
                wrong.compareAndSet(null, "a message of " + names[queue] + " is damaged, where " + next + " was due");
                return;
            }
            long number = ByteBuffer.wrap(body).getLong(0);
            if (number != next) {
                wrong.compareAndSet(null, names[queue] + " gave message " + number + ", where " + next + " was due");
                return;
            }
            next += queues;
            long count = received.getPlain() + 1;
            if (count % ACK_EVERY == 0 || count == expected) {
                getChannel().basicAck(envelope.getDeliveryTag(), true);
            }
            received.setRelease(count);
        }

        @Override
        public void handleCancel(String tag) {
            wrong.compareAndSet(null, names[queue] + " is gone");
        }
    }

    /** Counts messages over time. Owned by the thread that moves them. */
    private static final class Meter {
        private final LongConsumer progress;
        private final long begun = System.nanoTime();
        private long told = begun;
        private long before;
        private double slowest = Double.MAX_VALUE;

        Meter(LongConsumer progress) {
            this.progress = progress;
        }

        void look(long messages) {
            long now = System.nanoTime();
            if (now - told >= TimeUnit.SECONDS.toNanos(TELL_EVERY_SECONDS)) {
                slowest = Math.min(slowest, (messages - before) / ((now - told) / 1e9));
                told = now;
                before = messages;
                progress.accept(messages);
            }
        }

        Pace pace(long messages) {
            double seconds = (System.nanoTime() - begun) / 1e9;
            double perSecond = messages / seconds;
            return new Pace(messages, seconds, perSecond, Math.min(slowest, perSecond));
        }
    }
}
