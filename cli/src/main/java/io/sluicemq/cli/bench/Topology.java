package io.sluicemq.cli.bench;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The exchange and queues of one run, under names no other run has. Owned by the thread of the run.
 */
final class Topology {

    private final BenchPlan plan;
    private final String prefix = String.format("sluicemq-bench-%08x", ThreadLocalRandom.current().nextInt());
    private boolean exchangeDeclared;
    private int queuesDeclared;

    Topology(BenchPlan plan) {
        this.plan = plan;
    }

    String exchange() {
        return plan.exchangeKind() == ExchangeKind.DIRECT ? "" : prefix;
    }

    String queue(int index) {
        return prefix + "-" + index;
    }

    /** What a message for a queue is published with; with an exchange of its own the run has one key for all. */
    String routingKey(int queue) {
        return plan.exchangeKind() == ExchangeKind.DIRECT ? queue(queue) : prefix + ".news";
    }

    void declare(Connection connection) throws BenchFailure {
        try {
            Channel channel = connection.createChannel();
            if (plan.exchangeKind() != ExchangeKind.DIRECT) {
                String type = plan.exchangeKind() == ExchangeKind.FANOUT ? "fanout" : "topic";
                channel.exchangeDeclare(exchange(), type, plan.durable(), false, null);
                exchangeDeclared = true;
            }
            for (int i = 0; i < plan.queues(); i++) {
                // A transient queue goes with its last consumer, so that a run that is killed leaves nothing behind.
                channel.queueDeclare(queue(i), plan.durable(), false, !plan.durable(), plan.queueArguments());
                queuesDeclared = i + 1;
                if (exchangeDeclared) {
                    channel.queueBind(queue(i), exchange(), routingKey(i));
                }
            }
            channel.abort();
        } catch (IOException | ShutdownSignalException e) {
            throw new BenchFailure("cannot declare the queues of the run: " + FirstFailure.reason(e), e);
        }
    }

    /**
     * Deletes what was declared.
     *
     * @throws BenchFailure if the broker refuses, with what stays behind
     */
    void delete(Connection connection) throws BenchFailure {
        try {
            Channel channel = connection.createChannel();
            while (queuesDeclared > 0) {
                channel.queueDelete(queue(queuesDeclared - 1));
                queuesDeclared--;
            }
            if (exchangeDeclared) {
                channel.exchangeDelete(exchange());
                exchangeDeclared = false;
            }
            channel.abort();
        } catch (IOException | ShutdownSignalException e) {
            throw new BenchFailure(
                    "could not delete the queues " + prefix + "-* of the run: " + FirstFailure.reason(e), e);
        }
    }
}
