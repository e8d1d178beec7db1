package io.sluicemq.bench;

import io.sluicemq.cli.BenchCommand;
import io.sluicemq.cli.bench.BenchFailure;
import io.sluicemq.cli.bench.BenchPlan;
import io.sluicemq.cli.bench.ConfirmWindow;
import io.sluicemq.cli.bench.ExchangeKind;
import io.sluicemq.cli.bench.FirstFailure;
import io.sluicemq.cli.bench.LoadClient;
import io.sluicemq.cli.bench.Subscriber;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.api.core.client.ClientConsumer;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientProducer;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSessionFactory;
import org.apache.activemq.artemis.api.core.client.SendAcknowledgementHandler;
import org.apache.activemq.artemis.api.core.client.ServerLocator;
import org.apache.activemq.artemis.api.core.client.SessionFailureListener;

/**
 * The load by the client of Artemis in its own protocol, Core, as {@link io.sluicemq.cli.bench.AmqpClient} has it in
 * AMQP: sends that do not wait, with an acknowledgement for each that comes later; one acknowledgement for many
 * deliveries. Runs in a process of its own, with the libraries of the broker's distribution. Owned by the thread of the
 * run; callbacks run on the library's threads.
 */
public final class ArtemisClient implements LoadClient {

    /** What the client's windows count for a message beside its body, at most. */
    private static final int OVERHEAD_BYTES = 256;

    private final BenchPlan plan;
    private final FirstFailure failure;
    private final ServerLocator locator;
    private final String user;
    private final String password;
    private final String prefix = String.format("sluicemq-bench-%08x", ThreadLocalRandom.current().nextInt());
    private final List<ClientSessionFactory> connections = new ArrayList<>();
    private ClientSessionFactory forProducers;
    private ClientSessionFactory forConsumers;
    private ClientSession control;
    private int queuesDeclared;
    private volatile boolean stopping;

    ArtemisClient(BenchPlan plan, FirstFailure failure) throws BenchFailure {
        this.plan = plan;
        this.failure = failure;
        String[] login = plan.uri().getUserInfo() == null ? new String[0] : plan.uri().getUserInfo().split(":", 2);
        if (login.length != 2) {
            throw new BenchFailure("--uri needs user and password");
        }
        this.user = login[0];
        this.password = login[1];
        try {
            this.locator = ActiveMQClient.createServerLocator(
                    "tcp://" + plan.uri().getHost() + ":" + plan.uri().getPort());
        } catch (Exception e) {
            throw new BenchFailure("--uri: " + FirstFailure.reason(e), e);
        }
        locator.setBlockOnDurableSend(false)
                .setBlockOnNonDurableSend(false)
                .setBlockOnAcknowledge(false)
                .setReconnectAttempts(0)
                .setInitialConnectAttempts(1)
                // Without the window the library calls an acknowledgement handler at once, whatever became of the message.
                .setConfirmationWindowSize(bytes(plan.confirmWindow()))
                .setConsumerWindowSize(bytes(plan.prefetch()));
        if (plan.confirmWindow() > 0) {
            // What is in flight is bounded by the window of confirms; asking for credit would only cost.
            locator.setProducerWindowSize(-1);
        }
    }

    /** {@code sluicemq bench} by this client. */
    public static void main(String[] arguments) {
        System.exit(BenchCommand.commandLine(ArtemisClient::new).execute(arguments));
    }

    /** A window of so many messages; -1 is the library's word for none. */
    private int bytes(int messages) {
        return messages == 0 ? -1 : Math.toIntExact((long) messages * (plan.size() + OVERHEAD_BYTES));
    }

    private boolean isDirect() {
        return plan.exchangeKind() == ExchangeKind.DIRECT;
    }

    private String queue(int index) {
        return prefix + "-" + index;
    }

    private String address(int queue) {
        return isDirect() ? queue(queue) : prefix + ".news";
    }

    private ClientSessionFactory connect() throws ActiveMQException {
        try {
            ClientSessionFactory connection = locator.createSessionFactory();
            connections.add(connection);
            return connection;
        } catch (ActiveMQException e) {
            throw e;
        } catch (Exception e) {
            throw new ActiveMQException(e.getMessage());
        }
    }

    private ClientSession session(ClientSessionFactory connection, String whose, boolean automaticAcks)
            throws ActiveMQException {
        ClientSession session = connection.createSession(user, password, false, true, true, automaticAcks, 0);
        session.addFailureListener(new SessionFailureListener() {
            @Override
            public void connectionFailed(ActiveMQException reason, boolean failedOver) {
                if (!stopping) {
                    failure.report("the connection of " + whose + " was lost: " + reason.getMessage(), reason);
                }
            }

            @Override
            public void connectionFailed(ActiveMQException reason, boolean failedOver, String target) {
                connectionFailed(reason, failedOver);
            }

            @Override
            public void beforeReconnect(ActiveMQException reason) {
                connectionFailed(reason, false);
            }
        });
        return session;
    }

    @Override
    public void declare() throws BenchFailure {
        try {
            control = session(connect(), "control", false);
            RoutingType routing = isDirect() ? RoutingType.ANYCAST : RoutingType.MULTICAST;
            for (int i = 0; i < plan.queues(); i++) {
                control.createQueue(QueueConfiguration.of(queue(i))
                        .setAddress(address(i))
                        .setRoutingType(routing)
                        .setDurable(plan.durable()));
                queuesDeclared = i + 1;
            }
        } catch (ActiveMQException e) {
            throw new BenchFailure("cannot declare the queues of the run: " + FirstFailure.reason(e), e);
        }
    }

    @Override
    public void delete() throws BenchFailure {
        try {
            // A queue that has consumers is not deleted.
            for (ClientSessionFactory connection : connections.subList(1, connections.size())) {
                connection.close();
            }
            while (queuesDeclared > 0) {
                control.deleteQueue(queue(queuesDeclared - 1));
                queuesDeclared--;
            }
        } catch (ActiveMQException e) {
            throw new BenchFailure(
                    "could not delete the queues " + prefix + "-* of the run: " + FirstFailure.reason(e), e);
        }
    }

    @Override
    public Sender sender(int producer, ConfirmWindow confirms, Runnable returned) throws BenchFailure {
        try {
            if (forProducers == null || !plan.sharedConnections()) {
                forProducers = connect();
            }
            ClientSession session = session(forProducers, "producer " + producer, false);
            int[] targets = plan.targetsOf(producer);
            ClientProducer[] producers = new ClientProducer[targets.length];
            for (int i = 0; i < targets.length; i++) {
                producers[i] = session.createProducer(address(targets[i]));
            }
            session.start();
            Answers answers = confirms == null ? null : new Answers(confirms);
            boolean durable = plan.persistent();
            return (target, body) -> {
                ClientMessage message = session.createMessage(durable);
                message.getBodyBuffer().writeBytes(body);
                try {
                    producers[target].send(message, answers);
                } catch (ActiveMQException e) {
                    throw new IOException(e);
                }
            };
        } catch (ActiveMQException e) {
            throw new BenchFailure("cannot set up producer " + producer + ": " + FirstFailure.reason(e), e);
        }
    }

    @Override
    public void receive(int consumer, Subscriber subscriber) throws BenchFailure {
        try {
            if (forConsumers == null || !plan.sharedConnections()) {
                forConsumers = connect();
            }
            ClientSession session = session(forConsumers, "consumer " + consumer, plan.ackEvery() == 0);
            int[] queues = plan.queuesOf(consumer, plan.consumers());
            for (int i = 0; i < queues.length; i++) {
                int queue = i;
                byte[] body = new byte[plan.size()];
                ClientConsumer each = session.createConsumer(queue(queues[i]));
                each.setMessageHandler(message -> {
                    // All of the run's bodies have one size; another one is not of this run.
                    int size = message.getBodyBuffer().readableBytes();
                    byte[] read = size == body.length ? body : new byte[size];
                    message.getBodyBuffer().readBytes(read);
                    if (subscriber.take(queue, read)) {
                        acknowledge(consumer, message);
                    }
                });
            }
            session.start();
        } catch (ActiveMQException e) {
            throw new BenchFailure("cannot set up consumer " + consumer + ": " + FirstFailure.reason(e), e);
        }
    }

    /** Acknowledges a message with those before it; it would be the library's to log what goes wrong in a handler. */
    private void acknowledge(int consumer, ClientMessage message) {
        try {
            message.acknowledge();
        } catch (ActiveMQException e) {
            if (!stopping) {
                failure.report("consumer " + consumer + " cannot acknowledge: " + FirstFailure.reason(e), e);
            }
        }
    }

    @Override
    public void expectEnd() {
        stopping = true;
    }

    @Override
    public long blockedEvents() {
        return 0;
    }

    @Override
    public int blockedNow() {
        return 0;
    }

    @Override
    public void close() {
        stopping = true;
        locator.close();
    }

    /** The broker's answers to one session's sends: they come in the order of the sends, so counting tells which. */
    private static final class Answers implements SendAcknowledgementHandler {
        private final ConfirmWindow confirms;
        private long answered;

        Answers(ConfirmWindow confirms) {
            this.confirms = confirms;
        }

        @Override
        public void sendAcknowledged(Message message) {
            confirms.ack(++answered, false, System.nanoTime());
        }

        @Override
        public void sendFailed(Message message, Exception reason) {
            confirms.nack(++answered, false, System.nanoTime());
        }
    }
}
