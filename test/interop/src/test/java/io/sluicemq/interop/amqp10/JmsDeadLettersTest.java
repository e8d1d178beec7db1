package io.sluicemq.interop.amqp10;

import static io.sluicemq.interop.amqp10.JmsClient.receive;
import static io.sluicemq.interop.amqp10.JmsClient.send;
import static io.sluicemq.interop.amqp10.JmsClient.text;
import static io.sluicemq.interop.amqp10.JmsClient.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.Spec;
import io.sluicemq.server.AddressSetting;
import io.sluicemq.server.config.Amqp10Section;
import jakarta.jms.Connection;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import org.apache.qpid.jms.JmsQueue;
import org.apache.qpid.jms.JmsTopic;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Messages that nobody takes from queues that Qpid JMS has made by naming them, where address-settings say what becomes of them. */
class JmsDeadLettersTest {

    private static final int ATTEMPTS = 3;

    private EmbeddedBroker broker;
    private Connection connection;

    @BeforeEach
    void start() throws Exception {
        broker = EmbeddedBroker.start(builder -> builder.addressSettings(
                AddressSetting.match("#").maxDeliveryAttempts(ATTEMPTS).deadLetterAddress("DLQ"),
                AddressSetting.match("orders").expiryAddress("stale")));
        connection = JmsClient.connect(Lab.at(broker));
    }

    @AfterEach
    void stop() throws Exception {
        connection.close();
        broker.close();
    }

    /** Rolls back what it gets until it gets no more. */
    private void takesNothing(Session session, MessageConsumer consumer) throws Exception {
        for (int i = 1; i <= ATTEMPTS; i++) {
            Message message = receive(consumer);
            assertThat(message.getIntProperty("JMSXDeliveryCount")).isEqualTo(i);
            session.rollback();
        }
        JmsClient.shouldBeEmpty(consumer);
    }

    private MessageConsumer consumer(String queue) throws Exception {
        return connection.createSession().createConsumer(new JmsQueue(queue));
    }

    @Test
    @Spec("1.0 §3.2.1")
    void shouldMoveWhatIsDeliveredTooOftenToTheDeadLetterAddress() throws Exception {
        Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
        MessageConsumer consumer = session.createConsumer(new JmsQueue("orders"));
        send(session, new JmsQueue("orders"), "bad");
        session.commit();

        takesNothing(session, consumer);

        Message letter = receive(consumer("DLQ"));
        assertThat(text(letter)).isEqualTo("bad");
    }

    @Test
    @Spec("1.0 §3.2.1")
    void shouldMoveWhatASubscriptionIsGivenTooOften() throws Exception {
        Topic topic = new JmsTopic("news");
        Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
        MessageConsumer consumer = session.createConsumer(topic);
        send(session, topic, "bad");
        session.commit();

        takesNothing(session, consumer);

        assertThat(text(receive(consumer("DLQ")))).isEqualTo("bad");
    }

    @Test
    @Spec("1.0 §3.2.1")
    void shouldMoveWhatHasExpiredToTheExpiryAddress() throws Exception {
        Session session = connection.createSession();
        MessageProducer producer = session.createProducer(new JmsQueue("orders"));
        producer.setTimeToLive(1);
        producer.send(session.createTextMessage("late"));

        Message letter = receive(consumer("stale"));
        assertThat(text(letter)).isEqualTo("late");
        JmsClient.shouldBeEmpty(consumer("DLQ"));
    }

    @Test
    @Spec("1.0 §3.2.1")
    void shouldMoveWhatHasExpiredToTheDeadLetterAddressWhereThereIsNoOther() throws Exception {
        Session session = connection.createSession();
        MessageProducer producer = session.createProducer(new JmsQueue("invoices"));
        producer.setTimeToLive(1);
        producer.send(session.createTextMessage("late"));

        assertThat(texts(consumer("DLQ"), 1)).containsExactly("late");
    }

    @Test
    void shouldMakeNoQueuesWhereThatIsNotWanted() throws Exception {
        try (EmbeddedBroker strict =
                EmbeddedBroker.start(builder -> builder.amqp10(Amqp10Section.AUTO_CREATE_QUEUES, false));
                Connection other = JmsClient.connect(Lab.at(strict))) {
            Session session = other.createSession();
            assertThatThrownBy(() -> session.createProducer(new JmsQueue("orders")))
                    .isInstanceOf(InvalidDestinationException.class)
                    .hasMessageContaining("orders");
            MessageConsumer consumer = session.createConsumer(new JmsTopic("news"));
            send(session, new JmsTopic("news"), "free");
            assertThat(text(receive(consumer))).isEqualTo("free");
        }
    }
}
