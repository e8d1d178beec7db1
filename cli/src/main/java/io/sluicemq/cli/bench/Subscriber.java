package io.sluicemq.cli.bench;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * One consuming channel and its subscription to each of its queues. The library runs the callbacks of a channel one at
 * a time, so what they write has one writer; the counters may be read by any thread.
 */
final class Subscriber {

    private final BenchPlan plan;
    private final int index;
    private final FirstFailure failure;
    private final Channel channel;
    private final List<SequenceCheck> checks = new ArrayList<>();
    private final SingleWriterRecorder latencyMicros = Latency.recorder();
    private final AtomicLong consumed = new AtomicLong();
    private final AtomicLong foreign = new AtomicLong();
    private Histogram interval;
    private int unacked;
    private volatile boolean stopping;

    Subscriber(BenchPlan plan, int index, Topology topology, Connection connection, FirstFailure failure)
            throws BenchFailure {
        this.plan = plan;
        this.index = index;
        this.failure = failure;
        try {
            this.channel = connection.createChannel();
            if (channel == null) {
                throw new BenchFailure("the broker allows no more channels on the connection of consumer " + index);
            }
            if (plan.prefetch() > 0) {
                channel.basicQos(plan.prefetch());
            }
            for (int queue : plan.queuesOf(index, plan.consumers())) {
                SequenceCheck check = new SequenceCheck(plan.producers(), isAlone(queue));
                checks.add(check);
                channel.basicConsume(topology.queue(queue), plan.ackEvery() == 0, new Callback(check));
            }
        } catch (IOException | ShutdownSignalException e) {
            throw new BenchFailure("cannot set up consumer " + index + ": " + FirstFailure.reason(e), e);
        }
        channel.addShutdownListener(signal -> {
            if (!stopping && !signal.isHardError() && !signal.isInitiatedByApplication()) {
                failure.report(
                        "the broker closed the channel of consumer " + index + ": " + FirstFailure.reason(signal),
                        signal);
            }
        });
    }

    /** Consumers queue, queue + queues, … share a queue: the second of them exists or not. */
    private boolean isAlone(int queue) {
        return queue + plan.queues() >= plan.consumers();
    }

    /** From now on a cancelled subscription is no failure. */
    void expectEnd() {
        stopping = true;
    }

    long consumed() {
        return consumed.getAcquire();
    }

    /** Deliveries that the load tool never published. */
    long foreign() {
        return foreign.getAcquire();
    }

    /** Exact once the channel is closed. */
    long missing() {
        return checks.stream().mapToLong(SequenceCheck::missing).sum();
    }

    /** Exact once the channel is closed. */
    long late() {
        return checks.stream().mapToLong(SequenceCheck::late).sum();
    }

    /** Adds the latencies recorded since the last call; the run's thread alone calls it. */
    void drainLatencyMicros(Histogram into) {
        interval = latencyMicros.getIntervalHistogram(interval);
        into.add(interval);
    }

    /** The subscription to one queue. */
    private final class Callback extends DefaultConsumer {
        private final SequenceCheck check;

        Callback(SequenceCheck check) {
            super(channel);
            this.check = check;
        }

        @Override
        public void handleDelivery(String tag, Envelope envelope, BasicProperties properties, byte[] body)
                throws IOException {
            long nowNanos = System.nanoTime();
            int producer = body.length < MessageStamp.BYTES ? Integer.MAX_VALUE : MessageStamp.producer(body);
            if (producer < plan.producers()) {
                latencyMicros.recordValue(Latency.micros(nowNanos - MessageStamp.nanos(body)));
                check.observe(producer, MessageStamp.sequence(body));
            } else {
                foreign.setRelease(foreign.getPlain() + 1);
            }
            if (plan.ackEvery() > 0 && ++unacked >= plan.ackEvery()) {
                channel.basicAck(envelope.getDeliveryTag(), true);
                unacked = 0;
            }
            consumed.setRelease(consumed.getPlain() + 1);
        }

        @Override
        public void handleCancel(String tag) {
            if (!stopping) {
                failure.report("the broker cancelled consumer " + index + ": its queue is gone", null);
            }
        }
    }
}
