package io.sluicemq.interop.amqp10;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import jakarta.jms.Connection;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What Qpid JMS for AMQP 1.0 does with queues. */
@ExtendWith(LabExtension.class)
class JmsTest {

    @Test
    void shouldSendAndReceive(Lab lab) throws Exception {
        var factory = new JmsConnectionFactory("guest", "guest", "amqp://127.0.0.1:" + lab.broker().port());
        try (Connection connection = factory.createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue(lab.forget(lab.name("orders")));
            MessageProducer producer = session.createProducer(queue);
            producer.send(session.createTextMessage("hello"));
            MessageConsumer consumer = session.createConsumer(queue);
            assertThat(((TextMessage) consumer.receive(5000)).getText()).isEqualTo("hello");
        }
    }
}
