package io.sluicemq.interop.slow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.interop.amqp10.JmsClient;
import io.sluicemq.interop.lab.Lab;
import jakarta.jms.Connection;
import jakarta.jms.IllegalStateException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.ResourceAllocationException;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import jakarta.jms.TransactionRolledBackException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.jms.JmsTopic;

/**
 * A subscriber with Qpid JMS for AMQP 1.0, that has a message listener, since this client tells the connection's ExceptionListener of
 * the end of consumers with one only. The listener waits for the test before it takes a message.
 */
final class JmsSubscriber implements Subscriber {

    private static final long SOON = 10_000;
    /** A mode of this client that JMS does not have. */
    private static final int INDIVIDUAL_ACKNOWLEDGE = 101;

    private final Lab lab;
    private final Mode mode;
    private final JmsTopic topic;
    private final String client;
    private final String name;
    private final boolean durable;
    private final Connection connection;
    private final BlockingQueue<JMSException> problems;
    private final Session session;
    private final MessageConsumer consumer;
    private final Semaphore permits = new Semaphore(0);
    private final BlockingQueue<Message> taken = new LinkedBlockingQueue<>();
    private final List<Message> held = new ArrayList<>();

    JmsSubscriber(Lab lab, String topic, Mode mode, boolean durable) throws Exception {
        this.lab = lab;
        this.topic = new JmsTopic(topic);
        this.mode = mode;
        this.durable = durable;
        client = lab.name("client");
        name = lab.name("subscription");
        lab.closing(this::letListenerEnd); // before the connection, whose close waits for it
        connection = JmsClient.open(lab, client, "jms.prefetchPolicy.all=" + PREFETCH);
        problems = JmsClient.problems(connection);
        session = connection.createSession(acknowledgement(mode));
        consumer = durable
                ? session.createDurableSubscriber(this.topic, name)
                : session.createConsumer(this.topic);
        consumer.setMessageListener(message -> {
            permits.acquireUninterruptibly();
            taken.add(message);
        });
        connection.start();
    }

    private static int acknowledgement(Mode mode) {
        return switch (mode) {
            case AUTO -> Session.AUTO_ACKNOWLEDGE;
            case CLIENT -> Session.CLIENT_ACKNOWLEDGE;
            case DUPS_OK -> Session.DUPS_OK_ACKNOWLEDGE;
            case TRANSACTED -> Session.SESSION_TRANSACTED;
            case INDIVIDUAL -> INDIVIDUAL_ACKNOWLEDGE;
        };
    }

    @Override
    public List<Integer> take(int count) throws Exception {
        List<Integer> numbers = hold(count);
        switch (mode) {
            case CLIENT -> held.getLast().acknowledge();
            case INDIVIDUAL -> {
                for (Message each : held) {
                    each.acknowledge();
                }
            }
            case TRANSACTED -> session.commit();
            case AUTO, DUPS_OK -> {}
        }
        held.clear();
        return numbers;
    }

    @Override
    public List<Integer> hold(int count) throws Exception {
        permits.release(count);
        List<Integer> numbers = new ArrayList<>();
        while (numbers.size() < count) {
            Message next = taken.poll(SOON, TimeUnit.MILLISECONDS);
            assertThat(next).as("message %s of %s in time", numbers.size() + 1, count).isNotNull();
            held.add(next);
            numbers.add(Integer.valueOf(((TextMessage) next).getText()));
        }
        return numbers;
    }

    /**
     * Only the link ends: its session goes on. While a message listener is busy, this client tells nobody. When it has returned, it
     * may get what else is in the client's hands, which is given back by then.
     */
    @Override
    public void shouldHaveBeenCut() throws Exception {
        Lab.until("its link is detached", () -> lab.counters().consumers() == 1);
        letListenerEnd();
        JMSException told = problems.poll(SOON, TimeUnit.MILLISECONDS);
        assertThat(told).as("what the ExceptionListener is told").isNotNull();
        assertThat(told.getClass()).isEqualTo(ResourceAllocationException.class);
        assertThat(told).hasMessage("Consuming too slow. [condition = amqp:resource-limit-exceeded]");
        assertThatThrownBy(consumer::getMessageSelector).isInstanceOf(IllegalStateException.class)
                .hasStackTraceContaining("Consuming too slow.");
        if (mode == Mode.TRANSACTED) {
            assertThatThrownBy(session::commit).isInstanceOf(TransactionRolledBackException.class)
                    .hasMessageStartingWith("Consuming too slow.");
        }
        MessageConsumer next = session.createConsumer(topic);
        assertThat(next.receiveNoWait()).isNull();
        next.close();
    }

    private void letListenerEnd() {
        permits.release(1_000);
    }

    @Override
    public void shouldBeUnharmed() throws Exception {
        assertThat(problems).isEmpty();
        assertThat(consumer.getMessageSelector()).isNull();
    }

    @Override
    public void unsubscribe() throws Exception {
        Connection again = JmsClient.open(lab, client);
        again.createSession().unsubscribe(name);
        again.close();
    }

    @Override
    public String queue() {
        return durable ? "subscription:" + client + ":" + name : null;
    }

    @Override
    public void close() throws JMSException {
        letListenerEnd();
        connection.close();
    }
}
