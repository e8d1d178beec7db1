package io.sluicemq.interop.amqp10;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.campaign.BrokerUnderTest;
import io.sluicemq.interop.lab.Lab;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.apache.qpid.jms.JmsQueue;
import org.apache.qpid.jms.JmsTopic;

/** Opens connections of Qpid JMS to a lab's broker, and does what every test does with them. */
public final class JmsClient {

    /** How long something that comes may take, in milliseconds. */
    static final long SOON = 10_000;

    /** How long nothing comes before it is taken for granted that there is nothing, in milliseconds. */
    static final long NEVER = 150;

    private JmsClient() {}

    /** Where the broker is, with options such as {@code jms.prefetchPolicy.all=1}. */
    static String uri(BrokerUnderTest broker, String... options) {
        return "amqp://" + broker.host() + ":" + broker.port()
                + (options.length == 0 ? "" : "?" + String.join("&", options));
    }

    public static ConnectionFactory factory(Lab lab, String... options) {
        BrokerUnderTest broker = lab.broker();
        return new JmsConnectionFactory(broker.user(), broker.password(), uri(broker, options));
    }

    /** A started connection. */
    public static Connection connect(Lab lab, String... options) throws JMSException {
        Connection connection = open(lab, null, options);
        connection.start();
        return connection;
    }

    /** A connection with a client id, unless that is null, not started. */
    public static Connection open(Lab lab, String clientId, String... options) throws JMSException {
        Connection connection = factory(lab, options).createConnection();
        lab.closing(connection::close);
        if (clientId != null) {
            connection.setClientID(clientId);
        }
        return connection;
    }

    /** A connection through a port of this machine, not started, that is not closed when the test is over. */
    static Connection through(Lab lab, int port, String... options) throws JMSException {
        String uri = "amqp://127.0.0.1:" + port + (options.length == 0 ? "" : "?" + String.join("&", options));
        return new JmsConnectionFactory(lab.broker().user(), lab.broker().password(), uri).createConnection();
    }

    /** What the connection reports to its exception listener, from now on. */
    public static BlockingQueue<JMSException> problems(Connection connection) throws JMSException {
        BlockingQueue<JMSException> problems = new LinkedBlockingQueue<>();
        connection.setExceptionListener(problems::add);
        return problems;
    }

    /** A queue that is made when it is used, and deleted when the test is over. */
    static Queue queue(Lab lab) {
        return new JmsQueue(lab.forget(lab.name("queue")));
    }

    /** A topic nobody else uses. */
    static Topic topic(Lab lab) {
        return new JmsTopic(lab.name("topic"));
    }

    /** Sends texts to a destination, on a producer of its own. */
    static void send(Session session, Destination to, String... texts) throws JMSException {
        MessageProducer producer = session.createProducer(to);
        for (String text : texts) {
            producer.send(session.createTextMessage(text));
        }
        producer.close();
    }

    /** The next message, which must come soon. */
    static Message receive(MessageConsumer consumer) throws JMSException {
        Message message = consumer.receive(SOON);
        assertThat(message).as("a message within %s ms", SOON).isNotNull();
        return message;
    }

    static String text(Message message) throws JMSException {
        return ((TextMessage) message).getText();
    }

    /** The texts of the next messages. */
    static List<String> texts(MessageConsumer consumer, int count) throws JMSException {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            texts.add(text(receive(consumer)));
        }
        return texts;
    }

    /** The consumer must get nothing more. */
    static void shouldBeEmpty(MessageConsumer consumer) throws JMSException {
        assertThat(consumer.receive(NEVER)).isNull();
    }
}
