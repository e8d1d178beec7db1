package io.sluicemq.interop.slow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.qpid.QpidClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.jms.Connection;
import javax.jms.JMSException;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.Session;
import javax.jms.TextMessage;
import javax.jms.Topic;
import org.apache.qpid.AMQException;

/** A subscriber with Qpid JMS for AMQP 0-x, on 0-9-1. */
final class QpidSubscriber implements Subscriber {

    private static final long SOON = 10_000;

    private final Lab lab;
    private final Mode mode;
    private final String topic;
    private final String client;
    private final String name;
    private final Connection connection;
    private final BlockingQueue<JMSException> problems;
    private final Session session;
    private final Session other;
    private final MessageConsumer consumer;
    private final String queue;
    private Message last;

    QpidSubscriber(Lab lab, String topic, Mode mode, boolean durable) throws Exception {
        this.lab = lab;
        this.topic = topic;
        this.mode = mode;
        client = lab.name("client");
        name = lab.name("subscription");
        connection = QpidClient.open(lab, client, "maxprefetch='" + PREFETCH + "'");
        problems = QpidClient.problems(connection);
        session = connection.createSession(mode == Mode.TRANSACTED, acknowledgement(mode));
        other = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        Topic destination = topic(session);
        consumer = durable
                ? session.createDurableSubscriber(destination, name)
                : session.createConsumer(destination);
        queue = client + ":" + name;
        connection.start();
    }

    private Topic topic(Session of) throws JMSException {
        return of.createTopic("BURL:topic://amq.topic/" + topic + "/");
    }

    private static int acknowledgement(Mode mode) {
        return switch (mode) {
            case AUTO -> Session.AUTO_ACKNOWLEDGE;
            case CLIENT -> Session.CLIENT_ACKNOWLEDGE;
            case DUPS_OK -> Session.DUPS_OK_ACKNOWLEDGE;
            case TRANSACTED -> Session.SESSION_TRANSACTED;
            case INDIVIDUAL -> throw new IllegalArgumentException("this client has no such mode");
        };
    }

    @Override
    public List<Integer> take(int count) throws Exception {
        List<Integer> taken = hold(count);
        finish();
        return taken;
    }

    private void finish() throws JMSException {
        switch (mode) {
            case CLIENT -> last.acknowledge();
            case TRANSACTED -> session.commit();
            case AUTO, DUPS_OK, INDIVIDUAL -> {}
        }
    }

    @Override
    public List<Integer> hold(int count) throws Exception {
        List<Integer> numbers = new ArrayList<>();
        while (numbers.size() < count) {
            last = consumer.receive(SOON);
            assertThat(last).as("message %s of %s in time", numbers.size() + 1, count).isNotNull();
            numbers.add(Integer.valueOf(((TextMessage) last).getText()));
        }
        return numbers;
    }

    /** This client closes all sessions of its connection, and what they had. */
    @Override
    public void shouldHaveBeenCut() throws Exception {
        JMSException told = problems.poll(SOON, TimeUnit.MILLISECONDS);
        assertThat(told).as("what the ExceptionListener is told").isNotNull();
        assertThat(told.getClass()).isEqualTo(JMSException.class);
        assertThat(told.getErrorCode()).isEqualTo("506");
        assertThat(told).hasMessageContaining("Consuming too slow.");
        assertThat(told.getLinkedException()).isInstanceOf(AMQException.class)
                .hasMessageContaining("Consuming too slow.");
        if (mode == Mode.TRANSACTED) {
            assertThatThrownBy(session::commit).isInstanceOf(JMSException.class);
        }
        assertThatThrownBy(() -> session.createTextMessage("m")).isInstanceOf(JMSException.class);
        Lab.until("its other session is closed, too", () -> {
            try {
                other.getTransacted();
                return false;
            } catch (JMSException e) {
                return true;
            }
        });
    }

    @Override
    public void shouldBeUnharmed() throws Exception {
        assertThat(problems).isEmpty();
        assertThat(session.createTextMessage("m")).isNotNull();
    }

    @Override
    public void unsubscribe() throws Exception {
        Connection again = QpidClient.open(lab, client);
        Session next = again.createSession(false, Session.AUTO_ACKNOWLEDGE);
        assertThat(lab.queueExists(queue)).isTrue();
        next.unsubscribe(name);
        assertThat(lab.queueExists(queue)).isFalse();
        again.close();
    }

    @Override
    public String queue() {
        return queue;
    }

    @Override
    public void close() throws JMSException {
        connection.close();
    }
}
