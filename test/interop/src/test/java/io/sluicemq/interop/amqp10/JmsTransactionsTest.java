package io.sluicemq.interop.amqp10;

import static io.sluicemq.interop.amqp10.JmsClient.receive;
import static io.sluicemq.interop.amqp10.JmsClient.send;
import static io.sluicemq.interop.amqp10.JmsClient.shouldBeEmpty;
import static io.sluicemq.interop.amqp10.JmsClient.text;
import static io.sluicemq.interop.amqp10.JmsClient.texts;
import static io.sluicemq.interop.lab.Lab.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Reported;
import io.sluicemq.interop.lab.Spec;
import io.sluicemq.server.AddressSetting;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import jakarta.jms.TransactionRolledBackException;
import java.util.Map;
import org.apache.qpid.jms.JmsQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Transacted sessions of Qpid JMS: what they send and acknowledge happens together or not at all. */
@ExtendWith(LabExtension.class)
@BeyondRabbitMq("has no transactions in AMQP 1.0")
class JmsTransactionsTest {

    private static final int ROUNDS = 5_000;

    private static Session transacted(Connection connection) throws JMSException {
        return connection.createSession(Session.SESSION_TRANSACTED);
    }

    @ParameterizedTest
    @ValueSource(ints = {DeliveryMode.PERSISTENT, DeliveryMode.NON_PERSISTENT})
    @Spec({"1.0 §4.4.1", "1.0 §4.4.4.1"})
    void shouldShowWhatWasSentAfterTheCommitAlone(int deliveryMode, Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        MessageConsumer watching = connection.createSession().createConsumer(queue);
        Session session = transacted(connection);
        MessageProducer producer = session.createProducer(queue);
        producer.setDeliveryMode(deliveryMode);
        for (String text : numbers(1, 20)) {
            producer.send(session.createTextMessage(text));
        }
        shouldBeEmpty(watching);
        session.rollback();
        for (String text : numbers(21, 40)) {
            producer.send(session.createTextMessage(text));
        }
        shouldBeEmpty(watching);
        session.commit();
        assertThat(texts(watching, 20)).containsExactly(numbers(21, 40));
        shouldBeEmpty(watching);
    }

    /** The producer sends by the anonymous relay, and has gone before it is known where its messages go. */
    @Test
    @Spec("1.0 §4.4.1")
    void shouldCommitWhatGoesToQueuesThatAreOnlyMadeForIt(Lab lab) throws Exception {
        Connection connection = JmsClient.connect(lab);
        Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
        for (int i = 0; i < 50; i++) {
            Queue queue = JmsClient.queue(lab);
            MessageProducer producer = session.createProducer(null);
            producer.send(queue, session.createTextMessage("here"));
            producer.close();
            session.commit();

            assertThat(text(receive(session.createConsumer(queue)))).isEqualTo("here");
            session.commit();
        }
    }

    @Test
    @Spec({"1.0 §4.4.2", "1.0 §4.4.4.2"})
    void shouldDeliverAgainWhatWasRolledBack(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        send(connection.createSession(), queue, numbers(1, 10));
        Session session = transacted(connection);
        MessageConsumer consumer = session.createConsumer(queue);
        assertThat(texts(consumer, 2)).containsExactly("1", "2");
        session.commit();
        for (int round = 1; round <= 4; round++) {
            for (int i = 3; i <= 6; i++) {
                Message message = receive(consumer);
                assertThat(text(message)).isEqualTo(Integer.toString(i));
                assertThat(message.getJMSRedelivered()).isEqualTo(round > 1);
                assertThat(message.getIntProperty("JMSXDeliveryCount")).isEqualTo(round);
            }
            session.rollback();
        }
        assertThat(texts(consumer, 8)).containsExactly(numbers(3, 10));
        session.commit();
        shouldBeEmpty(consumer);
        session.commit();
    }

    @ParameterizedTest
    @CsvSource({"false", "true"})
    @Spec({"1.0 §4.4.1", "1.0 §4.4.2", "1.0 §4.4.4"})
    @Reported("QPID-4710 (cpp)")
    void shouldRollBackOverSeveralLinks(boolean commits, Lab lab) throws Exception {
        Queue a = JmsClient.queue(lab);
        Queue b = JmsClient.queue(lab);
        Queue c = JmsClient.queue(lab);
        Queue d = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        Session plain = connection.createSession();
        send(plain, c, numbers(1, 10));
        send(plain, d, numbers(11, 20));
        Session session = transacted(connection);
        MessageProducer toA = session.createProducer(a);
        MessageProducer toB = session.createProducer(b);
        MessageConsumer fromC = session.createConsumer(c);
        MessageConsumer fromD = session.createConsumer(d);
        for (int i = 1; i <= 10; i++) {
            toA.send(session.createTextMessage("a" + i));
            assertThat(text(receive(fromC))).isEqualTo(Integer.toString(i));
            toB.send(session.createTextMessage("b" + i));
            assertThat(text(receive(fromD))).isEqualTo(Integer.toString(10 + i));
        }
        if (commits) {
            session.commit();
        } else {
            session.rollback();
        }
        session.close();
        assertThat(lab.depth(a.getQueueName())).isEqualTo(commits ? 10 : 0);
        assertThat(lab.depth(b.getQueueName())).isEqualTo(commits ? 10 : 0);
        Connection other = JmsClient.connect(lab);
        MessageConsumer elsewhereC = other.createSession().createConsumer(c);
        MessageConsumer elsewhereD = other.createSession().createConsumer(d);
        if (!commits) {
            for (int i = 1; i <= 10; i++) {
                Message message = receive(elsewhereC);
                assertThat(text(message)).isEqualTo(Integer.toString(i));
                assertThat(message.getJMSRedelivered()).isTrue();
                message = receive(elsewhereD);
                assertThat(text(message)).isEqualTo(Integer.toString(10 + i));
                assertThat(message.getIntProperty("JMSXDeliveryCount")).isGreaterThan(1);
            }
        }
        shouldBeEmpty(elsewhereC);
        shouldBeEmpty(elsewhereD);
    }

    @Test
    @Spec({"1.0 §4.3", "1.0 §4.4.4"})
    void shouldCommitAndRollBackNothing(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        Session session = transacted(connection);
        for (int i = 0; i < 50; i++) {
            session.commit();
            session.rollback();
        }
        send(session, queue, "m");
        session.commit();
        MessageConsumer consumer = session.createConsumer(queue);
        assertThat(text(receive(consumer))).isEqualTo("m");
        session.commit();
        shouldBeEmpty(consumer);
    }

    @ParameterizedTest
    @ValueSource(strings = {"session", "connection"})
    @Spec({"1.0 §4.2", "1.0 §4.4.2"})
    void shouldRollBackWhatWasOpenAtTheEnd(String ends, Lab lab) throws Exception {
        Queue from = JmsClient.queue(lab);
        Queue to = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        Connection other = JmsClient.connect(lab);
        send(other.createSession(), from, numbers(1, 10));
        Session session = transacted(connection);
        assertThat(texts(session.createConsumer(from), 5)).containsExactly(numbers(1, 5));
        send(session, to, numbers(1, 5));
        if (ends.equals("session")) {
            session.close();
        } else {
            connection.close();
        }
        MessageConsumer consumer = other.createSession().createConsumer(from);
        assertThat(texts(consumer, 10)).containsExactly(numbers(1, 10));
        assertThat(lab.depth(to.getQueueName())).isZero();
    }

    @Test
    @Spec({"1.0 §4.2", "1.0 §4.4.2"})
    void shouldRollBackWhatWasOpenWhenItsClientVanished(Lab lab) throws Exception {
        Queue from = JmsClient.queue(lab);
        Queue to = JmsClient.queue(lab);
        Connection other = JmsClient.connect(lab);
        send(other.createSession(), from, numbers(1, 10));
        try (CuttableProxy proxy = CuttableProxy.to(lab.broker())) {
            Connection connection = JmsClient.through(lab, proxy.port());
            lab.closing(connection::close);
            connection.start();
            Session session = transacted(connection);
            assertThat(texts(session.createConsumer(from), 5)).containsExactly(numbers(1, 5));
            send(session, to, numbers(1, 5));
            proxy.cut();
            assertThat(texts(other.createSession().createConsumer(from), 10)).containsExactly(numbers(1, 10));
            assertThat(lab.depth(to.getQueueName())).isZero();
            assertThatThrownBy(session::commit).isInstanceOf(JMSException.class);
        }
    }

    @Test
    @Spec({"1.0 §4.2", "1.0 §2.6.7"})
    @Reported("ARTEMIS-1039")
    void shouldCarryOutManySmallTransactions(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        // With each rollback this client gives back all that it has prefetched, and has it delivered again.
        Connection connection = JmsClient.connect(lab, "jms.prefetchPolicy.all=5");
        Session session = transacted(connection);
        MessageProducer producer = session.createProducer(queue);
        producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
        for (int i = 1; i <= ROUNDS; i++) {
            producer.send(session.createTextMessage(Integer.toString(i)));
            session.commit();
        }
        assertThat(lab.depth(queue.getQueueName())).isEqualTo(ROUNDS);
        MessageConsumer consumer = session.createConsumer(queue);
        int next = 1;
        for (int i = 0; i < ROUNDS; i++) {
            Message message = receive(consumer);
            assertThat(text(message)).isEqualTo(Integer.toString(next));
            if (i % 2 == 0) {
                session.rollback();
            } else {
                session.commit();
                next++;
            }
        }
        session.close();
        // What was on its way to the consumer comes back.
        Lab.until("the others are left", () -> lab.depth(queue.getQueueName()) == ROUNDS - ROUNDS / 2);
    }

    @Test
    @Spec({"1.0 §4.4.1", "1.0 §4.4.3"})
    void shouldHaveTransactionsOfSeveralSessionsAtATime(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        Session[] sessions = new Session[20];
        for (int i = 0; i < sessions.length; i++) {
            sessions[i] = transacted(connection);
            send(sessions[i], queue, Integer.toString(i));
        }
        for (int i = sessions.length - 1; i >= 0; i--) {
            if (i % 2 == 0) {
                sessions[i].commit();
            } else {
                sessions[i].rollback();
            }
        }
        MessageConsumer consumer = connection.createSession().createConsumer(queue);
        for (int i = sessions.length - 2; i >= 0; i -= 2) {
            assertThat(text(receive(consumer))).isEqualTo(Integer.toString(i));
        }
        shouldBeEmpty(consumer);
    }

    @Test
    @Spec("1.0 §4.4.1")
    void shouldPublishToTopicsWithTheCommit(Lab lab) throws Exception {
        Topic topic = JmsClient.topic(lab);
        Connection connection = JmsClient.connect(lab);
        MessageConsumer one = connection.createSession().createConsumer(topic);
        MessageConsumer two = connection.createSession().createConsumer(topic);
        Session session = transacted(connection);
        MessageProducer anonymous = session.createProducer(null);
        anonymous.send(topic, session.createTextMessage("dropped"));
        session.rollback();
        anonymous.send(topic, session.createTextMessage("kept"));
        shouldBeEmpty(one);
        session.commit();
        assertThat(text(receive(one))).isEqualTo("kept");
        assertThat(text(receive(two))).isEqualTo("kept");
        shouldBeEmpty(one);
    }

    @Test
    @Spec("1.0 §4.4.4.1")
    void shouldCommitAfterItsProducersAndConsumersWereClosed(Lab lab) throws Exception {
        Queue from = JmsClient.queue(lab);
        Queue to = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        send(connection.createSession(), from, numbers(1, 4));
        Session session = transacted(connection);
        MessageConsumer consumer = session.createConsumer(from);
        assertThat(texts(consumer, 2)).containsExactly("1", "2");
        send(session, to, "sent");
        consumer.close();
        session.commit();
        MessageConsumer left = connection.createSession().createConsumer(from);
        assertThat(texts(left, 2)).containsExactly("3", "4");
        shouldBeEmpty(left);
        assertThat(lab.depth(to.getQueueName())).isEqualTo(1);
    }

    @Test
    @Spec({"1.0 §4.4.4.1", "1.0 §4.3"})
    void shouldFailTheCommitOfWhatWasRefused(Lab lab) throws Exception {
        Queue full = JmsClient.queue(lab);
        Queue free = JmsClient.queue(lab);
        Queue from = JmsClient.queue(lab);
        lab.limit(AddressSetting.match(full.getQueueName()).maxMessages(10).fullPolicy(FullPolicy.FAIL));
        Connection connection = JmsClient.connect(lab);
        send(connection.createSession(), from, "m");
        Session session = transacted(connection);
        MessageConsumer consumer = session.createConsumer(from);
        assertThat(text(receive(consumer))).isEqualTo("m");
        send(session, free, numbers(1, 5));
        send(session, full, numbers(1, 11));
        // This client would take amqp:transaction:rollback (part 4, §4.5.8) for doubt about what has happened.
        assertThatThrownBy(session::commit).isInstanceOf(TransactionRolledBackException.class)
                .hasMessageContaining("resource-limit-exceeded").hasMessageContaining(full.getQueueName());
        assertThat(lab.depth(free.getQueueName())).isZero();
        assertThat(lab.depth(full.getQueueName())).isZero();
        assertThat(text(receive(consumer))).isEqualTo("m");
        send(session, full, numbers(1, 10));
        session.commit();
        assertThat(lab.depth(full.getQueueName())).isEqualTo(10);
        assertThat(lab.depth(from.getQueueName())).isZero();
    }

    @Test
    @Spec({"1.0 §4.4.1", "1.0 §4.3"})
    void shouldFailTheCommitWithoutAMessageForWhichThereIsNoAddress(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        Connection connection = JmsClient.connect(lab);
        Session session = transacted(connection);
        MessageProducer anonymous = session.createProducer(null);
        anonymous.send(queue, session.createTextMessage("never seen"));
        anonymous.send(new JmsQueue("/queues/" + lab.name("nowhere")), session.createTextMessage("refused"));
        assertThatThrownBy(session::commit).isInstanceOf(TransactionRolledBackException.class)
                .hasMessageContaining("a message of it is refused").hasMessageContaining("nowhere");
        assertThat(lab.depth(queue.getQueueName())).isZero();
        anonymous.send(queue, session.createTextMessage("sent"));
        session.commit();
        assertThat(lab.drain(queue.getQueueName())).containsExactly("sent");
    }

    @Test
    @Spec({"1.0 §4.4.4.1", "1.0 §4.3"})
    void shouldFailTheCommitOfWhatWillNeverFit(Lab lab) throws Exception {
        Queue queue = JmsClient.queue(lab);
        lab.limit(AddressSetting.match(queue.getQueueName()).maxMessages(10).fullPolicy(FullPolicy.BLOCK));
        Connection connection = JmsClient.connect(lab);
        Session session = transacted(connection);
        send(session, queue, numbers(1, 10));
        session.commit();
        assertThat(lab.drain(queue.getQueueName())).hasSize(10);
        MessageProducer anonymous = session.createProducer(null);
        for (String text : numbers(1, 11)) {
            anonymous.send(queue, session.createTextMessage(text));
        }
        assertThatThrownBy(session::commit).isInstanceOf(TransactionRolledBackException.class)
                .hasMessageContaining("resource-limit-exceeded");
        assertThat(lab.depth(queue.getQueueName())).isZero();
        anonymous.send(queue, session.createTextMessage("fits"));
        session.commit();
        assertThat(lab.drain(queue.getQueueName())).containsExactly("fits");
    }

    @Test
    @Spec({"1.0 §4.4.4.1", "1.0 §2.4.3"})
    void shouldStoreNothingOfACommitWhoseClientVanishesWhileItWaits(Lab lab) throws Exception {
        Queue full = JmsClient.queue(lab);
        Queue free = JmsClient.queue(lab);
        lab.limit(AddressSetting.match(full.getQueueName()).maxMessages(10).fullPolicy(FullPolicy.BLOCK));
        Connection other = JmsClient.connect(lab);
        send(other.createSession(), full, numbers(1, 8));
        try (CuttableProxy proxy = CuttableProxy.to(lab.broker())) {
            Connection connection = JmsClient.through(lab, proxy.port());
            lab.closing(connection::close);
            connection.start();
            Session session = transacted(connection);
            MessageProducer anonymous = session.createProducer(null);
            anonymous.send(free, session.createTextMessage("never seen"));
            for (int i = 0; i < 5; i++) {
                anonymous.send(full, session.createTextMessage("never seen"));
            }
            Thread committing = Thread.ofPlatform().start(() -> {
                try {
                    session.commit();
                } catch (JMSException e) {
                    // which it is to be
                }
            });
            lab.awaitParked(1);
            proxy.cut();
            committing.join(JmsClient.SOON);
            assertThat(committing.isAlive()).isFalse();
            lab.awaitParked(0);
        }
        assertThat(lab.drain(full.getQueueName())).containsExactly(numbers(1, 8));
        assertThat(lab.depth(free.getQueueName())).isZero();
        assertThat(lab.depth(full.getQueueName())).isZero();
    }

    @Test
    @Spec({"1.0 §4.4.2", "1.0 §3.2.1"})
    void shouldGiveUpAMessageThatIsRolledBackTooOften(Lab lab) throws Exception {
        String dead = lab.queue();
        Queue queue = new JmsQueue(lab.queue(Map.of("x-delivery-limit", 2, "x-dead-letter-exchange", "",
                "x-dead-letter-routing-key", dead)));
        Connection connection = JmsClient.connect(lab);
        send(connection.createSession(), queue, "poison", "good");
        Session session = transacted(connection);
        MessageConsumer consumer = session.createConsumer(queue);
        for (int i = 1; i <= 3; i++) {
            Message message = receive(consumer);
            assertThat(text(message)).isEqualTo("poison");
            assertThat(message.getIntProperty("JMSXDeliveryCount")).isEqualTo(i);
            session.rollback();
        }
        assertThat(text(receive(consumer))).isEqualTo("good");
        session.commit();
        MessageConsumer ofDead = session.createConsumer(new JmsQueue(dead));
        assertThat(text(receive(ofDead))).isEqualTo("poison");
        session.commit();
        shouldBeEmpty(consumer);
    }
}
