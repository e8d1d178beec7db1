package io.sluicemq.cli.bench;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConfirmListener;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * One publishing thread with a channel of its own. The fields are the thread's, but for the counters, which it alone
 * writes and any thread reads, and the confirm window, where it meets the connection's thread.
 *
 * <p>One body array is used for all messages: the library has copied it when a publish returns.
 */
final class Producer implements Runnable {

    private static final BasicProperties TRANSIENT =
            new BasicProperties.Builder().deliveryMode(1).build();
    private static final BasicProperties PERSISTENT =
            new BasicProperties.Builder().deliveryMode(2).build();

    private final BenchPlan plan;
    private final int index;
    private final FirstFailure failure;
    private final Channel channel;
    private final String exchange;
    private final String[] routingKeys;
    private final long[] sequences;
    private final SingleWriterRecorder confirmMicros = Latency.recorder();
    private final ConfirmWindow confirms;
    private final AtomicLong published = new AtomicLong();
    private final AtomicLong returned = new AtomicLong();
    private final Thread thread;
    private Histogram interval;
    private long startNanos;
    private volatile boolean stopping;

    Producer(BenchPlan plan, int index, Topology topology, Connection connection, FirstFailure failure)
            throws BenchFailure {
        this.plan = plan;
        this.index = index;
        this.failure = failure;
        this.exchange = topology.exchange();
        // One copy of a message reaches all queues of an exchange, so there it has one stream of numbers.
        int[] queues =
                plan.exchangeKind() == ExchangeKind.DIRECT ? plan.queuesOf(index, plan.producers()) : new int[] {0};
        this.routingKeys = new String[queues.length];
        for (int i = 0; i < queues.length; i++) {
            routingKeys[i] = topology.routingKey(queues[i]);
        }
        this.sequences = new long[queues.length];
        try {
            this.channel = connection.createChannel();
            if (channel == null) {
                throw new BenchFailure("the broker allows no more channels on the connection of producer " + index);
            }
            if (plan.confirmWindow() > 0) {
                this.confirms = new ConfirmWindow(plan.confirmWindow(), confirmMicros);
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
            } else {
                this.confirms = null;
            }
            if (plan.mandatory()) {
                channel.addReturnListener(message -> returned.incrementAndGet());
            }
        } catch (IOException | ShutdownSignalException e) {
            throw new BenchFailure("cannot set up producer " + index + ": " + FirstFailure.reason(e), e);
        }
        channel.addShutdownListener(signal -> {
            if (!stopping && !signal.isHardError() && !signal.isInitiatedByApplication()) {
                failure.report(
                        "the broker closed the channel of producer " + index + ": " + FirstFailure.reason(signal),
                        signal);
            }
        });
        this.thread = Thread.ofPlatform().name("bench-producer-" + index).daemon().unstarted(this);
    }

    /** @param nanos {@link System#nanoTime()} at which a rated load begins */
    void start(long nanos) {
        startNanos = nanos;
        thread.start();
    }

    @Override
    public void run() {
        BasicProperties properties = plan.persistent() ? PERSISTENT : TRANSIENT;
        byte[] body = new byte[plan.size()];
        for (int i = MessageStamp.BYTES; i < body.length; i++) {
            body[i] = (byte) i;
        }
        SendSchedule schedule = plan.ratePerSecond() == 0
                ? null
                : new SendSchedule(plan.ratePerSecond(), startNanos, index, plan.producers());
        try {
            int target = 0;
            for (long n = 0; !stopping; n++) {
                long nanos = schedule == null ? 0 : awaitDue(schedule.dueNanos(n));
                if ((confirms != null && !confirms.awaitRoom()) || stopping) {
                    return;
                }
                if (schedule == null) {
                    nanos = System.nanoTime();
                }
                MessageStamp.write(body, nanos, index, sequences[target]++);
                if (confirms != null) {
                    confirms.sending(nanos);
                }
                channel.basicPublish(exchange, routingKeys[target], plan.mandatory(), properties, body);
                published.setRelease(n + 1);
                if (++target == routingKeys.length) {
                    target = 0;
                }
            }
        } catch (IOException | ShutdownSignalException e) {
            if (!stopping) {
                failure.report("producer " + index + " cannot publish: " + FirstFailure.reason(e), e);
            }
        }
    }

    private long awaitDue(long dueNanos) {
        long left = dueNanos - System.nanoTime();
        while (left > 0 && !stopping) {
            LockSupport.parkNanos(this, left);
            left = dueNanos - System.nanoTime();
        }
        return dueNanos;
    }

    /** Asks the thread to end after the message it is publishing. */
    void stop() {
        stopping = true;
        if (confirms != null) {
            confirms.stop();
        }
        LockSupport.unpark(thread);
    }

    /** @return whether the thread has ended within the time */
    boolean awaitEnd(long millis) throws InterruptedException {
        thread.join(Math.max(1, millis));
        return !thread.isAlive();
    }

    long published() {
        return published.getAcquire();
    }

    long confirmed() {
        return confirms == null ? 0 : confirms.acked();
    }

    long nacked() {
        return confirms == null ? 0 : confirms.nacked();
    }

    /** Messages that are owed an ack or a nack. */
    long unconfirmed() {
        // The answers first: read the other way round, messages published in between would be missing from the sum.
        long answered = confirmed() + nacked();
        return confirms == null ? 0 : Math.max(0, published() - answered);
    }

    long returned() {
        return returned.get();
    }

    /** Adds the times from publish to ack or nack since the last call; the run's thread alone calls it. */
    void drainConfirmMicros(Histogram into) {
        interval = confirmMicros.getIntervalHistogram(interval);
        into.add(interval);
    }
}
