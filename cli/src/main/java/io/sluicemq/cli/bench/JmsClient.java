package io.sluicemq.cli.bench;

import jakarta.jms.BytesMessage;
import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageListener;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.qpid.jms.JmsConnectionFactory;

/**
 * AMQP 1.0 by Qpid JMS: with confirms, sends with a completion listener; else sends that do not wait. Owned by the thread of the
 * run; callbacks run on the library's threads, those of a session one at a time.
 *
 * <p>A broker that makes queues when they are used needs no more; at others they are declared by AMQP 0-9-1, on the same port.
 */
public final class JmsClient implements LoadClient {

    /** The largest prefetch of the library. */
    private static final int MAX_PREFETCH = 32_767;

    private static final int PORT = 5672;
    private static final int TLS_PORT = 5671;

    private final BenchPlan plan;
    private final FirstFailure failure;
    private final JmsConnectionFactory factory;
    private final Clients declaring;
    private final Topology topology;
    private final String prefix = String.format("sluicemq-bench-%08x", ThreadLocalRandom.current().nextInt());
    private final List<Connection> connections = new ArrayList<>();
    private com.rabbitmq.client.Connection control;
    private Connection forProducers;
    private Connection forConsumers;
    private volatile boolean stopping;

    public JmsClient(BenchPlan plan, FirstFailure failure) throws BenchFailure {
        if (plan.exchangeKind() == ExchangeKind.FANOUT || plan.mandatory() || plan.io() != ClientIo.SOCKET) {
            throw new BenchFailure("--exchange-type fanout, --mandatory and --io are of AMQP 0-9-1 alone");
        }
        this.plan = plan;
        this.failure = failure;
        // Whether it can be declared shows when that is tried: what that client reports is no failure of the run.
        this.declaring = new Clients(plan, new FirstFailure(() -> {
        }));
        this.topology = new Topology(plan);
        String[] login = plan.uri().getUserInfo() == null
                ? new String[] {"guest", "guest"}
                : plan.uri().getUserInfo().split(":", 2);
        int prefetch = plan.prefetch() == 0 ? MAX_PREFETCH : Math.min(MAX_PREFETCH, plan.prefetch());
        boolean tls = plan.trust() != null;
        int port = plan.uri().getPort() >= 0 ? plan.uri().getPort() : tls ? TLS_PORT : PORT;
        this.factory = new JmsConnectionFactory(
                login[0],
                login.length == 2 ? login[1] : "",
                (tls ? "amqps://" : "amqp://") + plan.uri().getHost() + ":" + port + "?jms.prefetchPolicy.all="
                        + prefetch
                        + "&jms.forceAsyncSend=" + (plan.confirmWindow() == 0)
                        + "&jms.presettlePolicy.presettleConsumers=" + (plan.ackEvery() == 0));
        if (tls) {
            factory.setSslContext(plan.trust());
        }
    }

    private Connection connect(String whose) throws JMSException {
        Connection connection = factory.createConnection();
        connection.setExceptionListener(error -> {
            if (!stopping) {
                failure.report("the client of " + whose + " reports " + FirstFailure.reason(error), error);
            }
        });
        connection.start();
        connections.add(connection);
        return connection;
    }

    private Destination destination(Session session, int queue) throws JMSException {
        return plan.exchangeKind() == ExchangeKind.DIRECT
                ? session.createQueue(control == null ? prefix + "-" + queue : topology.queue(queue))
                : session.createTopic(prefix + ".news");
    }

    @Override
    public void declare() throws BenchFailure {
        if (plan.exchangeKind() != ExchangeKind.DIRECT) {
            return;
        }
        try {
            control = declaring.connect("control");
        } catch (BenchFailure e) {
            // It speaks no AMQP 0-9-1: then its queues come with their first use, or the run fails with that.
            return;
        }
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
        try {
            if (forProducers == null || !plan.sharedConnections()) {
                forProducers = connect("producer " + producer);
            }
            Session session = forProducers.createSession(false, Session.AUTO_ACKNOWLEDGE);
            int[] targets = plan.targetsOf(producer);
            MessageProducer[] producers = new MessageProducer[targets.length];
            for (int i = 0; i < targets.length; i++) {
                producers[i] = session.createProducer(destination(session, targets[i]));
                producers[i].setDeliveryMode(plan.persistent() ? DeliveryMode.PERSISTENT : DeliveryMode.NON_PERSISTENT);
                producers[i].setDisableMessageTimestamp(true);
            }
            long[] tag = {0};
            return (target, body) -> {
                try {
                    BytesMessage message = session.createBytesMessage();
                    message.writeBytes(body);
                    if (confirms == null) {
                        producers[target].send(message);
                    } else {
                        producers[target].send(message, new Answer(confirms, ++tag[0]));
                    }
                } catch (JMSException e) {
                    throw new IOException(e);
                }
            };
        } catch (JMSException e) {
            throw new BenchFailure("cannot set up producer " + producer + ": " + FirstFailure.reason(e), e);
        }
    }

    @Override
    public void receive(int consumer, Subscriber subscriber) throws BenchFailure {
        try {
            if (forConsumers == null || !plan.sharedConnections()) {
                forConsumers = connect("consumer " + consumer);
            }
            int[] queues = plan.queuesOf(consumer, plan.consumers());
            for (int i = 0; i < queues.length; i++) {
                Session session = forConsumers.createSession(
                        false, plan.ackEvery() == 0 ? Session.AUTO_ACKNOWLEDGE : Session.CLIENT_ACKNOWLEDGE);
                MessageConsumer from = session.createConsumer(destination(session, queues[i]));
                from.setMessageListener(new Listener(i, subscriber));
            }
        } catch (JMSException e) {
            throw new BenchFailure("cannot set up consumer " + consumer + ": " + FirstFailure.reason(e), e);
        }
    }

    @Override
    public void expectEnd() {
        stopping = true;
        declaring.expectEnd();
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
        for (Connection connection : connections.reversed()) {
            try {
                connection.close();
            } catch (JMSException e) {
                failure.report("a connection could not be closed: " + FirstFailure.reason(e), e);
            }
        }
        declaring.close();
    }

    /** What has become of one message; the library's thread. */
    private record Answer(ConfirmWindow confirms, long tag) implements CompletionListener {

        @Override
        public void onCompletion(Message message) {
            confirms.ack(tag, false, System.nanoTime());
        }

        @Override
        public void onException(Message message, Exception refusal) {
            confirms.nack(tag, false, System.nanoTime());
        }
    }

    /** What comes from one queue; the library's thread. */
    private final class Listener implements MessageListener {
        private final int queue;
        private final Subscriber subscriber;

        Listener(int queue, Subscriber subscriber) {
            this.queue = queue;
            this.subscriber = subscriber;
        }

        @Override
        public void onMessage(Message message) {
            try {
                BytesMessage bytes = (BytesMessage) message;
                byte[] body = new byte[(int) bytes.getBodyLength()];
                bytes.readBytes(body);
                if (subscriber.take(queue, body)) {
                    message.acknowledge();
                }
            } catch (JMSException e) {
                if (!stopping) {
                    failure.report("a delivery could not be taken: " + FirstFailure.reason(e), e);
                }
            }
        }
    }
}
