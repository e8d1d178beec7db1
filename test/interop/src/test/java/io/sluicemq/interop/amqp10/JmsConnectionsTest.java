package io.sluicemq.interop.amqp10;

import static io.sluicemq.interop.amqp10.JmsClient.SOON;
import static io.sluicemq.interop.amqp10.JmsClient.receive;
import static io.sluicemq.interop.amqp10.JmsClient.send;
import static io.sluicemq.interop.amqp10.JmsClient.text;
import static io.sluicemq.interop.amqp10.JmsClient.texts;
import static io.sluicemq.interop.lab.Lab.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Reported;
import io.sluicemq.interop.lab.Spec;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.DeliveryMode;
import jakarta.jms.InvalidClientIDException;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.apache.qpid.jms.JmsQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Connections of Qpid JMS: who may open them, how much they carry, how they end and how they are made anew. */
@ExtendWith(LabExtension.class)
@BeyondRabbitMq("speaks AMQP 1.0 with a plugin only")
class JmsConnectionsTest {

    private static final int TINY_MESSAGES = 70_000;

    @Test
    @Spec({"1.0 §2.7.1", "1.0 §2.4.1"})
    void shouldRefuseAClientIdThatIsInUse(Lab lab) throws Exception {
        String clientId = lab.name("client");
        Connection first = JmsClient.open(lab, clientId);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> JmsClient.open(lab, clientId)).isInstanceOf(InvalidClientIDException.class);
        }
        first.createSession().close();
        first.close();
        Connection second = JmsClient.open(lab, clientId);
        assertThat(second.getClientID()).isEqualTo(clientId);
        second.createSession().close();
    }

    @Test
    @Spec({"1.0 §5.3.3.6", "1.0 §2.7.1"})
    void shouldRefuseAWrongPasswordAndAnUnknownHost(Lab lab) {
        String uri = JmsClient.uri(lab.broker());
        assertThatThrownBy(() -> new JmsConnectionFactory("guest", "wrong", uri).createConnection().start())
                .isInstanceOf(JMSSecurityException.class);
        assertThatThrownBy(() -> new JmsConnectionFactory("nobody", "guest", uri).createContext().start())
                .isInstanceOf(jakarta.jms.JMSSecurityRuntimeException.class);
        assertThatThrownBy(() -> new JmsConnectionFactory("guest", "guest", uri + "?amqp.vhost=vhost:nowhere")
                .createConnection().start()).isInstanceOf(JMSException.class);
    }

    @Test
    @Spec({"1.0 §2.6.3", "1.0 §2.8.15"})
    void shouldSayThatADestinationIsNotThere(Lab lab) throws Exception {
        Session session = JmsClient.connect(lab).createSession();
        Queue nowhere = new JmsQueue("/queues/" + lab.name("nowhere"));
        assertThatThrownBy(() -> session.createConsumer(nowhere)).isInstanceOf(InvalidDestinationException.class);
        assertThatThrownBy(() -> session.createProducer(nowhere)).isInstanceOf(InvalidDestinationException.class);
        Queue queue = JmsClient.queue(lab);
        send(session, queue, "the session goes on");
        assertThat(lab.depth(queue.getQueueName())).isEqualTo(1);
    }

    @Test
    @Spec({"1.0 §2.5.1", "1.0 §2.5.5"})
    void shouldHaveManySessions(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        List<Session> sessions = new ArrayList<>();
        for (int i = 0; i < 250; i++) {
            Session session = connection.createSession();
            send(session, queue, Integer.toString(i));
            sessions.add(session);
        }
        for (Session each : sessions.subList(0, 200)) {
            each.close();
        }
        for (int i = 0; i < 200; i++) {
            connection.createSession().close();
        }
        assertThat(texts(sessions.get(249).createConsumer(queue), 250)).containsExactly(numbers(0, 249));
    }

    @Test
    @Spec({"1.0 §2.6.2", "1.0 §2.6.7"})
    void shouldHaveManyConsumersOnAConnection(Lab lab) throws Exception {
        Connection connection = JmsClient.connect(lab);
        List<Queue> queues = new ArrayList<>();
        AtomicInteger got = new AtomicInteger();
        BlockingQueue<String> wrong = new LinkedBlockingQueue<>();
        for (int i = 0; i < 10; i++) {
            Session session = connection.createSession();
            for (int j = 0; j < 20; j++) {
                Queue queue = JmsClient.queue(lab);
                queues.add(queue);
                session.createConsumer(queue).setMessageListener(message -> {
                    try {
                        if (!text(message).startsWith(queue.getQueueName() + " ")) {
                            wrong.add(text(message));
                        }
                        got.incrementAndGet();
                    } catch (JMSException e) {
                        wrong.add(e.toString());
                    }
                });
            }
        }
        Session session = connection.createSession();
        MessageProducer producer = session.createProducer(null);
        producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
        for (int i = 0; i < 4_000; i++) {
            Queue queue = queues.get(i % 200);
            producer.send(queue, session.createTextMessage(queue.getQueueName() + " " + i));
        }
        Lab.until("all are there", () -> got.get() == 4_000);
        assertThat(wrong).isEmpty();
    }

    @Test
    @Spec({"1.0 §2.6.2", "1.0 §2.6.6"})
    @Reported("rabbitmq/rabbitmq-server#2589")
    void shouldReopenLinksToAnAddressUsedBefore(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Topic topic = JmsClient.topic(lab);
        Queue other = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession();
        send(session, queue, numbers(1, 300));
        MessageConsumer going = session.createConsumer(other);
        MessageProducer publisher = session.createProducer(topic);
        for (int i = 1; i <= 300; i++) {
            MessageConsumer consumer = session.createConsumer(queue);
            assertThat(text(receive(consumer))).isEqualTo(Integer.toString(i));
            consumer.close();
            if (i % 3 == 0) {
                MessageConsumer one = session.createConsumer(topic);
                MessageConsumer two = session.createConsumer(topic);
                publisher.send(session.createTextMessage("news " + i));
                assertThat(text(receive(one))).isEqualTo("news " + i);
                assertThat(text(receive(two))).isEqualTo("news " + i);
                one.close();
                two.close();
                send(session, other, "other " + i);
                assertThat(text(receive(going))).isEqualTo("other " + i);
            }
        }
        assertThat(lab.depth(queue.getQueueName())).isZero();
    }

    @Test
    @Spec({"1.0 §2.5.6", "1.0 §2.8.10"})
    @Reported({"rabbitmq/rabbitmq-server#13574", "QPID-7739 (Broker-J)"})
    void shouldDeliverMoreMessagesThanSixteenBitsCount(Lab lab) throws Exception {
        Queue queue = new JmsQueue(lab.queue());
        Connection connection = JmsClient.connect(lab, "jms.prefetchPolicy.all=32767",
                "jms.presettlePolicy.presettleConsumers=true");
        Session session = connection.createSession();
        AtomicInteger got = new AtomicInteger();
        BlockingQueue<String> wrong = new LinkedBlockingQueue<>();
        session.createConsumer(queue).setMessageListener(message -> {
            try {
                int number = message.getIntProperty(ManyMessages.NUMBER);
                if (number != got.getAndIncrement()) {
                    wrong.add(number + " out of order");
                }
            } catch (JMSException e) {
                wrong.add(e.toString());
            }
        });
        ManyMessages.publish(lab, queue.getQueueName(), TINY_MESSAGES);
        await().atMost(Duration.ofSeconds(60)).until(() -> got.get() == TINY_MESSAGES || !wrong.isEmpty());
        assertThat(wrong).isEmpty();
    }

    // ---- JMS 2.0's simplified API

    @Test
    @Spec({"1.0 §2.4.1", "1.0 §2.6.12"})
    void shouldServeContexts(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Topic topic = JmsClient.topic(lab);
        ConnectionFactory factory = JmsClient.factory(lab);
        try (JMSContext context = factory.createContext();
                JMSContext transacted = context.createContext(JMSContext.SESSION_TRANSACTED)) {
            JMSConsumer subscriber = context.createConsumer(topic);
            context.createProducer().setProperty("a", 1).setPriority(6).setTimeToLive(60_000)
                    .setJMSCorrelationID("corr").send(queue, "text");
            context.createProducer().send(topic, Map.of("k", 5));
            context.createProducer().send(queue, new byte[] {1, 2});
            transacted.createProducer().send(queue, "dropped");
            transacted.rollback();
            transacted.createProducer().send(queue, "kept");
            transacted.commit();
            JMSConsumer consumer = transacted.createConsumer(queue);
            Message text = consumer.receive(SOON);
            assertThat(text.getBody(String.class)).isEqualTo("text");
            assertThat(text.getIntProperty("a")).isEqualTo(1);
            assertThat(text.getJMSPriority()).isEqualTo(6);
            assertThat(consumer.receiveBody(byte[].class, SOON)).containsExactly(1, 2);
            transacted.rollback();
            assertThat(consumer.receiveBody(String.class, SOON)).isEqualTo("text");
            assertThat(consumer.receiveBody(byte[].class, SOON)).containsExactly(1, 2);
            assertThat(consumer.receiveBody(String.class, SOON)).isEqualTo("kept");
            transacted.commit();
            assertThat(consumer.receiveNoWait()).isNull();
            assertThat(subscriber.receiveBody(Map.class, SOON).get("k")).isEqualTo(5);
            BlockingQueue<String> completed = new LinkedBlockingQueue<>();
            context.createProducer().setAsync(new jakarta.jms.CompletionListener() {
                @Override
                public void onCompletion(Message message) {
                    completed.add("done");
                }

                @Override
                public void onException(Message message, Exception exception) {
                    completed.add(exception.toString());
                }
            }).send(queue, "async");
            assertThat(completed.poll(SOON, TimeUnit.MILLISECONDS)).isEqualTo("done");
        }
    }

    // ---- ends

    @Test
    @Spec({"1.0 §2.8.16", "1.0 §2.4.3"})
    void shouldTellTheListenerThatTheBrokerHasGone(@TempDir Path data) throws Exception {
        Connection connection;
        BlockingQueue<JMSException> problems;
        try (EmbeddedBroker broker = EmbeddedBroker.start(builder -> builder.data(data.resolve("data")))) {
            connection = JmsClient.connect(Lab.at(broker));
            problems = JmsClient.problems(connection);
            connection.createSession().createConsumer(new JmsQueue("orders"));
        }
        JMSException problem = problems.poll(SOON, TimeUnit.MILLISECONDS);
        assertThat(problem).isNotNull();
        assertThat(problem.getMessage()).contains("amqp:connection:forced");
        connection.close();
    }

    @Test
    @Spec({"1.0 §2.8.15", "1.0 §2.6.5"})
    void shouldCloseConsumersOfAQueueThatIsDeleted(Lab lab) throws Exception {
        Queue queue = new JmsQueue(lab.queue());
        Connection connection = JmsClient.connect(lab);
        BlockingQueue<JMSException> problems = JmsClient.problems(connection);
        Session session = connection.createSession();
        MessageConsumer consumer = session.createConsumer(queue);
        lab.channel().queueDelete(queue.getQueueName());
        // Not by a receive: one that this client begins while it closes the consumer waits for an answer that can't come.
        Lab.until("it is closed", () -> {
            try {
                consumer.getMessageSelector();
                return false;
            } catch (jakarta.jms.IllegalStateException e) {
                return true;
            }
        });
        Queue other = JmsClient.queue(lab);
        send(session, other, "the session goes on");
        assertThat(text(receive(session.createConsumer(other)))).isEqualTo("the session goes on");
        assertThat(problems).isEmpty();
    }

    @Test
    @Spec({"1.0 §2.8.16", "1.0 §2.4.3"})
    void shouldBeReconnectedTo(@TempDir Path data) throws Exception {
        Queue queue = new JmsQueue("orders");
        EmbeddedBroker broker = EmbeddedBroker.start(builder -> builder.data(data.resolve("data")));
        int port = broker.port();
        try {
            var factory = new JmsConnectionFactory("guest", "guest", "failover:(amqp://127.0.0.1:" + port
                    + ")?failover.initialReconnectDelay=10&failover.reconnectDelay=20"
                    + "&failover.useReconnectBackOff=false");
            try (Connection connection = factory.createConnection()) {
                connection.start();
                Session session = connection.createSession(Session.CLIENT_ACKNOWLEDGE);
                Topic topic = session.createTemporaryTopic();
                MessageConsumer subscriber = session.createConsumer(topic);
                MessageConsumer consumer = session.createConsumer(queue);
                MessageProducer producer = session.createProducer(queue);
                producer.send(session.createTextMessage("1"));
                producer.send(session.createTextMessage("2"));
                Message first = receive(consumer);
                assertThat(text(first)).isEqualTo("1");
                broker.close();
                broker = EmbeddedBroker.start(builder -> builder.data(data.resolve("data")).port(port));
                producer.send(session.createTextMessage("3"));
                List<String> again = texts(consumer, 3);
                assertThat(again).containsExactly("1", "2", "3");
                send(session, topic, "to a temporary topic that was made anew");
                receive(subscriber).acknowledge();
            }
            Lab lab = Lab.at(broker);
            assertThat(lab.depth("orders")).isZero();
            lab.forget("orders");
            lab.leave();
        } finally {
            broker.close();
        }
    }

    @Test
    @Spec({"1.0 §2.4.3", "1.0 §4.4.2"})
    void shouldBeReconnectedToWithinATransaction(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        try (CuttableProxy proxy = CuttableProxy.to(lab.broker());
                Connection connection = new JmsConnectionFactory("guest", "guest",
                        "failover:(amqp://127.0.0.1:" + proxy.port() + ")?failover.initialReconnectDelay=10"
                                + "&failover.reconnectDelay=20&failover.useReconnectBackOff=false")
                        .createConnection()) {
            connection.start();
            Session session = connection.createSession(Session.SESSION_TRANSACTED);
            send(session, queue, "lost with the connection");
            proxy.cut();
            assertThatThrownBy(() -> {
                send(session, queue, "in doubt");
                session.commit();
            }).isInstanceOf(JMSException.class);
            session.rollback();
            send(session, queue, "kept");
            session.commit();
            MessageConsumer consumer = session.createConsumer(queue);
            assertThat(text(receive(consumer))).isEqualTo("kept");
            session.commit();
            assertThat(consumer.receiveNoWait()).isNull();
        }
    }
}
