package io.sluicemq.interop.amqp10;

import static io.sluicemq.interop.amqp10.JmsClient.receive;
import static io.sluicemq.interop.amqp10.JmsClient.send;
import static io.sluicemq.interop.amqp10.JmsClient.shouldBeEmpty;
import static io.sluicemq.interop.amqp10.JmsClient.text;
import static io.sluicemq.interop.amqp10.JmsClient.texts;
import static io.sluicemq.interop.lab.Lab.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Spec;
import jakarta.jms.Connection;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How Qpid JMS receives from queues and acknowledges: by itself, for a session, one by one, and not at all. */
@ExtendWith(LabExtension.class)
@BeyondRabbitMq("speaks AMQP 1.0 with a plugin only")
class JmsAcknowledgeTest {

    /** What Qpid JMS adds to the modes of JMS. */
    private static final int INDIVIDUAL = 101;
    private static final String DELIVERY_COUNT = "JMSXDeliveryCount";

    private static void acknowledge(int mode, Message message) throws Exception {
        if (mode == Session.CLIENT_ACKNOWLEDGE || mode == INDIVIDUAL) {
            message.acknowledge();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Session.AUTO_ACKNOWLEDGE, Session.CLIENT_ACKNOWLEDGE, Session.DUPS_OK_ACKNOWLEDGE, INDIVIDUAL})
    @Spec({"1.0 §2.6.12", "1.0 §3.4.2"})
    void shouldRemoveWhatIsAcknowledged(int mode, Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession(mode);
        send(session, queue, numbers(1, 50));
        MessageConsumer consumer = session.createConsumer(queue);
        for (int i = 1; i <= 50; i++) {
            Message message = receive(consumer);
            assertThat(text(message)).isEqualTo(Integer.toString(i));
            assertThat(message.getJMSRedelivered()).isFalse();
            assertThat(message.getIntProperty(DELIVERY_COUNT)).isEqualTo(1);
            acknowledge(mode, message);
        }
        assertThat(consumer.receiveNoWait()).isNull();
        connection.close();
        assertThat(lab.depth(queue.getQueueName())).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {Session.AUTO_ACKNOWLEDGE, Session.CLIENT_ACKNOWLEDGE, Session.DUPS_OK_ACKNOWLEDGE, INDIVIDUAL})
    @Spec({"1.0 §2.6.9", "1.0 §2.6.12", "1.0 §3.4.2"})
    void shouldRemoveWhatAListenerHasTaken(int mode, Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.open(lab, null);
        Session sending = connection.createSession();
        send(sending, queue, numbers(1, 200));
        Session session = connection.createSession(mode);
        BlockingQueue<String> got = new LinkedBlockingQueue<>();
        BlockingQueue<Exception> failures = new LinkedBlockingQueue<>();
        session.createConsumer(queue).setMessageListener(message -> {
            try {
                got.add(text(message));
                acknowledge(mode, message);
            } catch (Exception e) {
                failures.add(e);
            }
        });
        assertThat(got).as("the connection is not started").isEmpty();
        connection.start();
        Lab.until("all are there", () -> got.size() == 200);
        connection.close();
        assertThat(failures).isEmpty();
        assertThat(got).containsExactly(numbers(1, 200));
        assertThat(lab.depth(queue.getQueueName())).isZero();
    }

    @Test
    @Spec("1.0 §3.4.5")
    void shouldDeliverAgainWhatASessionRecovers(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession(Session.CLIENT_ACKNOWLEDGE);
        send(session, queue, numbers(1, 5));
        MessageConsumer consumer = session.createConsumer(queue);
        receive(consumer);
        receive(consumer).acknowledge();
        assertThat(texts(consumer, 2)).containsExactly("3", "4");

        session.recover();

        for (int i = 3; i <= 5; i++) {
            Message message = receive(consumer);
            assertThat(text(message)).isEqualTo(Integer.toString(i));
            assertThat(message.getJMSRedelivered()).isEqualTo(i < 5);
            assertThat(message.getIntProperty(DELIVERY_COUNT)).isEqualTo(i < 5 ? 2 : 1);
            if (i == 5) {
                message.acknowledge();
            }
        }
        connection.close();
        assertThat(lab.depth(queue.getQueueName())).isZero();
    }

    @Test
    @Spec("1.0 §3.4.4")
    void shouldDeliverAgainWhatAListenerFailsOn(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession();
        send(session, queue, numbers(1, 3));
        BlockingQueue<String> got = new LinkedBlockingQueue<>();
        session.createConsumer(queue).setMessageListener(message -> {
            String text;
            try {
                // The client releases it, which says that it was not delivered (part 3, §3.4.4).
                text = text(message) + (message.getJMSRedelivered() ? " again" : "");
            } catch (jakarta.jms.JMSException e) {
                text = e.toString();
            }
            got.add(text);
            if (text.equals("2") && got.stream().filter("2"::equals).count() < 3) {
                throw new IllegalStateException("not yet");
            }
        });
        Lab.until("all are there", () -> got.size() == 5);
        connection.close();
        assertThat(got).containsExactlyInAnyOrder("1", "2", "2", "2", "3");
        assertThat(lab.depth(queue.getQueueName())).isZero();
    }

    @Test
    @Spec({"1.0 §2.6.12", "1.0 §3.4.2"})
    void shouldKeepWhatIsNotAcknowledgedOneByOne(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession(INDIVIDUAL);
        send(session, queue, numbers(1, 6));
        MessageConsumer consumer = session.createConsumer(queue);
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            messages.add(receive(consumer));
        }
        messages.get(3).acknowledge();
        messages.get(1).acknowledge();
        session.close();

        MessageConsumer next = connection.createSession().createConsumer(queue);
        assertThat(texts(next, 4)).containsExactly("1", "3", "5", "6");
        shouldBeEmpty(next);
    }

    @ParameterizedTest
    @ValueSource(ints = {Session.CLIENT_ACKNOWLEDGE, INDIVIDUAL, Session.SESSION_TRANSACTED})
    @Spec({"1.0 §2.5.5", "1.0 §2.6.6"})
    void shouldGiveBackInOrderWhatAClosedSessionHasNotAcknowledged(int mode, Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        send(connection.createSession(), queue, numbers(1, 100));
        for (int i = 0; i < 5; i++) {
            Session session = connection.createSession(mode);
            MessageConsumer consumer = session.createConsumer(queue);
            assertThat(texts(consumer, 10)).containsExactly(numbers(1, 10));
            session.close();
        }
        MessageConsumer next = connection.createSession().createConsumer(queue);
        assertThat(texts(next, 100)).containsExactly(numbers(1, 100));
        shouldBeEmpty(next);
    }

    @Test
    @Spec("1.0 §2.6.6")
    void shouldAcknowledgeAfterItsConsumerWasClosed(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession(Session.CLIENT_ACKNOWLEDGE);
        send(session, queue, numbers(1, 4));
        MessageConsumer consumer = session.createConsumer(queue);
        receive(consumer);
        Message second = receive(consumer);
        consumer.close();

        second.acknowledge();

        MessageConsumer next = connection.createSession().createConsumer(queue);
        assertThat(texts(next, 2)).containsExactly("3", "4");
        shouldBeEmpty(next);
    }

    @Test
    @Spec("1.0 §2.6.6")
    void shouldGiveBackWhatWasOnlyPrefetched(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession();
        send(session, queue, numbers(1, 500));
        MessageConsumer consumer = session.createConsumer(queue);
        assertThat(texts(consumer, 3)).containsExactly("1", "2", "3");
        consumer.close();
        consumer = session.createConsumer(queue);
        Message fourth = receive(consumer);
        assertThat(text(fourth)).isEqualTo("4");
        assertThat(fourth.getJMSRedelivered()).isFalse();
        assertThat(texts(consumer, 496)).containsExactly(numbers(5, 500));
    }

    @Test
    @Spec("1.0 §2.6.6")
    void shouldTellThatAMessageWasSentToAClientThatHasVanished(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession(Session.CLIENT_ACKNOWLEDGE);
        send(session, queue, "m");
        try (CuttableProxy proxy = CuttableProxy.to(lab.broker())) {
            Connection cut = JmsClient.through(lab, proxy.port());
            lab.closing(cut::close);
            cut.start();
            receive(cut.createSession(Session.CLIENT_ACKNOWLEDGE).createConsumer(queue));
            proxy.cut();
            Message again = receive(session.createConsumer(queue));
            assertThat(again.getJMSRedelivered()).isTrue();
            assertThat(again.getIntProperty(DELIVERY_COUNT)).isEqualTo(2);
            again.acknowledge();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    @Spec("1.0 §2.6.7")
    void shouldReceiveWithLittleOrNoPrefetch(int prefetch, Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab, "jms.prefetchPolicy.all=" + prefetch);
        Session session = connection.createSession();
        MessageConsumer one = session.createConsumer(queue);
        MessageConsumer two = connection.createSession().createConsumer(queue);
        assertThat(one.receiveNoWait()).isNull();
        shouldBeEmpty(one);
        send(session, queue, numbers(1, 40));
        List<String> got = new ArrayList<>();
        if (prefetch == 0) {
            // Nothing is sent to one that doesn't ask.
            assertThat(text(two.receiveNoWait())).isEqualTo("1");
            for (int i = 2; i <= 40; i++) {
                got.add(text(i % 3 == 0 ? one.receiveNoWait() : receive(i % 2 == 0 ? one : two)));
            }
            assertThat(got).containsExactly(numbers(2, 40));
        } else {
            for (int i = 1; i <= 40; i++) {
                Message message = one.receive(JmsClient.NEVER);
                got.add(text(message == null ? receive(two) : message));
            }
            assertThat(got).containsExactlyInAnyOrder(numbers(1, 40));
        }
        assertThat(one.receiveNoWait()).isNull();
        assertThat(two.receiveNoWait()).isNull();
    }

    @Test
    @Spec("1.0 §2.6.7")
    void shouldDrainWhileOthersHoldTheMessages(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab, "jms.prefetchPolicy.all=0");
        Session session = connection.createSession(Session.CLIENT_ACKNOWLEDGE);
        send(session, queue, "m");
        MessageConsumer holding = session.createConsumer(queue);
        receive(holding);
        Session other = connection.createSession();
        MessageConsumer selective = other.createConsumer(queue, "a = 1");
        MessageConsumer any = other.createConsumer(queue);
        for (int i = 0; i < 20; i++) {
            assertThat(selective.receiveNoWait()).isNull();
            assertThat(any.receiveNoWait()).isNull();
        }
        session.close();
        assertThat(text(receive(any))).isEqualTo("m");
    }

    @Test
    @Spec("1.0 §2.6.7")
    void shouldStopAndStart(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession();
        MessageConsumer consumer = session.createConsumer(queue);
        send(session, queue, numbers(1, 20));
        assertThat(texts(consumer, 5)).containsExactly(numbers(1, 5));
        for (int i = 6; i <= 20; i++) {
            connection.stop();
            assertThat(consumer.receiveNoWait()).isNull();
            connection.start();
            assertThat(text(receive(consumer))).isEqualTo(Integer.toString(i));
        }
    }

    @Test
    @Spec("1.0 §2.6.7")
    void shouldShareAQueueAmongItsConsumers(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab, "jms.prefetchPolicy.all=5");
        List<BlockingQueue<String>> got = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            BlockingQueue<String> mine = new LinkedBlockingQueue<>();
            got.add(mine);
            connection.createSession().createConsumer(queue).setMessageListener(message -> {
                try {
                    mine.add(text(message));
                } catch (jakarta.jms.JMSException e) {
                    throw new IllegalStateException(e);
                }
            });
        }
        send(connection.createSession(), queue, numbers(1, 400));
        Lab.until("all are there", () -> got.stream().mapToInt(BlockingQueue::size).sum() == 400);
        assertThat(got).allSatisfy(mine -> assertThat(mine.size()).isPositive());
        assertThat(got.stream().flatMap(BlockingQueue::stream)).containsExactlyInAnyOrder(numbers(1, 400));
    }
}
