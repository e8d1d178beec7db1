package io.sluicemq.interop.amqp10;

import static io.sluicemq.interop.amqp10.JmsClient.receive;
import static io.sluicemq.interop.amqp10.JmsClient.send;
import static io.sluicemq.interop.amqp10.JmsClient.shouldBeEmpty;
import static io.sluicemq.interop.amqp10.JmsClient.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Reported;
import io.sluicemq.interop.lab.Spec;
import jakarta.jms.Connection;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.QueueRequestor;
import jakarta.jms.QueueSession;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TemporaryTopic;
import jakarta.jms.TextMessage;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.apache.qpid.jms.JmsQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Temporary queues and topics with Qpid JMS: requests and replies, who may use them, and when they end. */
@ExtendWith(LabExtension.class)
@BeyondRabbitMq("speaks AMQP 1.0 with a plugin only")
class JmsTemporaryTest {

    /** Answers each request, wherever the reply is to go. */
    private static void serve(Lab lab, Queue requests) throws Exception {
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession();
        MessageProducer replies = session.createProducer(null);
        session.createConsumer(requests).setMessageListener(request -> {
            try {
                Message reply = session.createTextMessage("re: " + text(request));
                reply.setJMSCorrelationID(request.getJMSMessageID());
                replies.send(request.getJMSReplyTo(), reply);
            } catch (JMSException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @Test
    @Spec({"1.0 §3.5.10", "1.0 §3.5.9", "1.0 §3.2.4"})
    void shouldAnswerRequestsToTemporaryQueues(Lab lab) throws Exception {
        Queue requests = JmsClient.queue(lab);
        serve(lab, requests);
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession();
        MessageProducer producer = session.createProducer(requests);
        TemporaryQueue replies = session.createTemporaryQueue();
        MessageConsumer consumer = session.createConsumer(replies);
        for (int i = 0; i < 50; i++) {
            TextMessage request = session.createTextMessage("question " + i);
            request.setJMSReplyTo(replies);
            producer.send(request);
            Message reply = receive(consumer);
            assertThat(text(reply)).isEqualTo("re: question " + i);
            assertThat(reply.getJMSCorrelationID()).isEqualTo(request.getJMSMessageID());
            assertThat(reply.getJMSDestination()).isEqualTo(replies);
        }
        consumer.close();
        replies.delete();
    }

    @Test
    @Spec({"1.0 §3.5.10", "1.0 §3.5.9"})
    void shouldAnswerRequestsToTemporaryTopics(Lab lab) throws Exception {
        Queue requests = JmsClient.queue(lab);
        serve(lab, requests);
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession();
        TemporaryTopic replies = session.createTemporaryTopic();
        MessageConsumer one = session.createConsumer(replies);
        MessageConsumer two = session.createConsumer(replies);
        TextMessage request = session.createTextMessage("question");
        request.setJMSReplyTo(replies);
        session.createProducer(requests).send(request);
        assertThat(text(receive(one))).isEqualTo("re: question");
        Message second = receive(two);
        assertThat(text(second)).isEqualTo("re: question");
        assertThat(second.getJMSDestination()).isEqualTo(replies);
    }

    @Test
    @Spec("1.0 §3.5.10")
    void shouldServeTheQueueRequestor(Lab lab) throws Exception {
        Queue requests = JmsClient.queue(lab);
        serve(lab, requests);
        JmsConnectionFactory factory = (JmsConnectionFactory) JmsClient.factory(lab);
        var connection = factory.createQueueConnection();
        lab.closing(connection::close);
        connection.start();
        QueueSession session = connection.createQueueSession(false, Session.AUTO_ACKNOWLEDGE);
        QueueRequestor requestor = new QueueRequestor(session, requests);
        for (int i = 0; i < 10; i++) {
            assertThat(text(requestor.request(session.createTextMessage("q" + i)))).isEqualTo("re: q" + i);
        }
        requestor.close();
    }

    @Test
    @Spec({"1.0 §3.5.10", "1.0 §3.5.11"})
    void shouldEndTemporaryQueuesWithTheirConnection(Lab lab) throws Exception {
        Connection connection = JmsClient.connect(lab);
        long before = lab.counters().queues();
        Session session = connection.createSession();
        TemporaryQueue deleted = session.createTemporaryQueue();
        TemporaryQueue left = session.createTemporaryQueue();
        send(session, left, "m");
        assertThat(lab.counters().queues()).isEqualTo(before + 2);
        deleted.delete();
        assertThat(lab.counters().queues()).isEqualTo(before + 1);
        assertThatThrownBy(() -> send(session, deleted, "m")).isInstanceOf(JMSException.class);
        session.close();
        assertThat(lab.counters().queues()).as("it is the connection's").isEqualTo(before + 1);
        TemporaryTopic topic = connection.createSession().createTemporaryTopic();
        assertThat(lab.exchangeExists(topic.getTopicName())).isTrue();
        connection.close();
        assertThat(lab.counters().queues()).isEqualTo(before);
        assertThat(lab.exchangeExists(topic.getTopicName())).isFalse();
    }

    @Test
    @Spec({"1.0 §3.5.10", "1.0 §2.6.3"})
    @Reported("QPID-8164 (Broker-J)")
    void shouldLetNobodyElseReceiveFromATemporaryQueue(Lab lab) throws Exception {
        Connection owner = JmsClient.connect(lab);
        Session owning = owner.createSession();
        TemporaryQueue temporary = owning.createTemporaryQueue();
        Connection other = JmsClient.connect(lab);
        Session session = other.createSession();
        // By its name alone, as the client itself refuses it by its kind.
        Queue named = new JmsQueue(temporary.getQueueName());
        assertThatThrownBy(() -> session.createConsumer(named)).isInstanceOf(JMSException.class);
        assertThatThrownBy(() -> session.createBrowser(named).getEnumeration().hasMoreElements())
                .isInstanceOf(JMSException.class);
        MessageProducer producer = session.createProducer(temporary);
        producer.send(session.createTextMessage("from another"));
        assertThat(text(receive(owning.createConsumer(temporary)))).isEqualTo("from another");
        owner.close();
        assertThatThrownBy(() -> producer.send(session.createTextMessage("too late")))
                .isInstanceOf(JMSException.class);
        assertThatThrownBy(() -> session.createProducer(temporary)).isInstanceOf(InvalidDestinationException.class);
        assertThatThrownBy(() -> session.createProducer(null).send(named, session.createMessage()))
                .isInstanceOf(InvalidDestinationException.class);
        assertThat(lab.queueExists(temporary.getQueueName())).isFalse();
    }

    @Test
    @Spec("1.0 §3.5.10")
    void shouldRefuseToDeleteWhatIsUsed(Lab lab) throws Exception {
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession();
        TemporaryQueue queue = session.createTemporaryQueue();
        MessageConsumer consumer = session.createConsumer(queue);
        assertThatThrownBy(queue::delete).isInstanceOf(JMSException.class);
        send(session, queue, "m");
        assertThat(text(receive(consumer))).isEqualTo("m");
        shouldBeEmpty(consumer);
        consumer.close();
        queue.delete();
        for (int i = 0; i < 100; i++) {
            session.createTemporaryQueue().delete();
            session.createTemporaryTopic().delete();
        }
    }
}
