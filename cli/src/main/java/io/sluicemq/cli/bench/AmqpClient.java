package io.sluicemq.cli.bench;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConfirmListener;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;

/**
 * AMQP 0-9-1 by the RabbitMQ Java client. Owned by the thread of the run; callbacks run on the library's threads, those
 * of a channel one at a time.
 */
public final class AmqpClient implements LoadClient {

    private static final BasicProperties TRANSIENT =
            new BasicProperties.Builder().deliveryMode(1).build();
    private static final BasicProperties PERSISTENT =
            new BasicProperties.Builder().deliveryMode(2).build();

    private final BenchPlan plan;
    private final FirstFailure failure;
    private final Clients clients;
    private final Topology topology;
    private Connection control;
    private Connection forProducers;
    private Connection forConsumers;
    private volatile boolean stopping;

    public AmqpClient(BenchPlan plan, FirstFailure failure) throws BenchFailure {
        this.plan = plan;
        this.failure = failure;
        this.clients = new Clients(plan, failure);
        this.topology = new Topology(plan);
    }

    @Override
    public void declare() throws BenchFailure {
        control = clients.connect("control");
        topology.declare(control);
    }

    @Override
    public void delete() throws BenchFailure {
        if (control != null) {
            topology.delete(control);
        }
    }

    @Override
    public Sender sender(int producer, ConfirmWindow confirms, Runnable returned) throws BenchFailure {
        if (forProducers == null || !plan.sharedConnections()) {
            forProducers = clients.connect(plan.sharedConnections() ? "producers" : "producer " + producer);
        }
        String exchange = topology.exchange();
        int[] targets = plan.targetsOf(producer);
        String[] routingKeys = new String[targets.length];
        for (int i = 0; i < targets.length; i++) {
            routingKeys[i] = topology.routingKey(targets[i]);
        }
        BasicProperties properties = plan.persistent() ? PERSISTENT : TRANSIENT;
        boolean mandatory = plan.mandatory();
        try {
            Channel channel = channel(forProducers, "producer " + producer);
            if (confirms != null) {
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
            }
            if (mandatory) {
                channel.addReturnListener(message -> returned.run());
            }
            return (target, body) -> channel.basicPublish(exchange, routingKeys[target], mandatory, properties, body);
        } catch (IOException | ShutdownSignalException e) {
            throw new BenchFailure("cannot set up producer " + producer + ": " + FirstFailure.reason(e), e);
        }
    }

    @Override
    public void receive(int consumer, Subscriber subscriber) throws BenchFailure {
        if (forConsumers == null || !plan.sharedConnections()) {
            forConsumers = clients.connect(plan.sharedConnections() ? "consumers" : "consumer " + consumer);
        }
        try {
            Channel channel = channel(forConsumers, "consumer " + consumer);
            if (plan.prefetch() > 0) {
                channel.basicQos(plan.prefetch());
            }
            int[] queues = plan.queuesOf(consumer, plan.consumers());
            for (int i = 0; i < queues.length; i++) {
                channel.basicConsume(
                        topology.queue(queues[i]), plan.ackEvery() == 0,
                        new Callback(channel, consumer, i, subscriber));
            }
        } catch (IOException | ShutdownSignalException e) {
            throw new BenchFailure("cannot set up consumer " + consumer + ": " + FirstFailure.reason(e), e);
        }
    }

    private Channel channel(Connection connection, String whose) throws IOException, BenchFailure {
        Channel channel = connection.createChannel();
        if (channel == null) {
            throw new BenchFailure("the broker allows no more channels on the connection of " + whose);
        }
        channel.addShutdownListener(signal -> {
            if (!stopping && !signal.isHardError() && !signal.isInitiatedByApplication()) {
                failure.report("the broker closed the channel of " + whose + ": " + FirstFailure.reason(signal),
                        signal);
            }
        });
        return channel;
    }

    @Override
    public void expectEnd() {
        stopping = true;
        clients.expectEnd();
    }

    @Override
    public long blockedEvents() {
        return clients.blockedEvents();
    }

    @Override
    public int blockedNow() {
        return clients.blockedNow();
    }

    @Override
    public void close() {
        stopping = true;
        clients.close();
    }

    /** The subscription to one queue; the library's thread. */
    private final class Callback extends DefaultConsumer {
        private final int consumer;
        private final int queue;
        private final Subscriber subscriber;

        Callback(Channel channel, int consumer, int queue, Subscriber subscriber) {
            super(channel);
            this.consumer = consumer;
            this.queue = queue;
            this.subscriber = subscriber;
        }

        @Override
        public void handleDelivery(String tag, Envelope envelope, BasicProperties properties, byte[] body)
                throws IOException {
            if (subscriber.take(queue, body)) {
                getChannel().basicAck(envelope.getDeliveryTag(), true);
            }
        }

        @Override
        public void handleCancel(String tag) {
            if (!stopping) {
                failure.report("the broker cancelled consumer " + consumer + ": its queue is gone", null);
            }
        }
    }
}
