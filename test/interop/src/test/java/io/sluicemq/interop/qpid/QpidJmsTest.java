package io.sluicemq.interop.qpid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.GetResponse;
import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Spec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.jms.BytesMessage;
import javax.jms.Connection;
import javax.jms.DeliveryMode;
import javax.jms.JMSException;
import javax.jms.MapMessage;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Queue;
import javax.jms.QueueBrowser;
import javax.jms.Session;
import javax.jms.TemporaryQueue;
import javax.jms.TextMessage;
import javax.jms.Topic;
import org.apache.qpid.QpidException;
import org.apache.qpid.client.AMQConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What JMS applications do, on AMQP 0-9-1. */
@ExtendWith(LabExtension.class)
class QpidJmsTest {

    private static final long WAIT = 5_000;

    @BeforeEach
    void speak091() {
        System.setProperty("qpid.amqp.version", "0-91");
    }

    @AfterEach
    void speakAsBefore() {
        System.clearProperty("qpid.amqp.version");
    }

    /** An address of an existing queue, which the client declares passively at most. */
    private static Queue queue(Session session, String name) throws JMSException {
        return session.createQueue("BURL:direct://amq.direct//" + name + "?durable='true'");
    }

    /** A durable queue bound as this client expects its queues to be: to amq.direct by their name. */
    private static String boundQueue(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.bind(queue, "amq.direct", queue);
        return queue;
    }

    private static String text(Message message) throws JMSException {
        assertThat(message).as("a message in time").isNotNull();
        return ((TextMessage) message).getText();
    }

    @Test
    @Spec("0-9-1 §4.2.2")
    @BeyondRabbitMq("resets the connection, so that its answer may not be read")
    void shouldComeDownFromTheVersionThatTheClientPrefers(Lab lab) throws Exception {
        System.clearProperty("qpid.amqp.version");
        Connection connection = QpidClient.connect(lab);
        assertThat(((AMQConnection) connection).getProtocolVersion().toString()).isEqualTo("0-91");
        assertThat(connection.createSession(false, Session.AUTO_ACKNOWLEDGE)).isNotNull();
    }

    @Test
    @Spec({"0-9-1 exchange.bound", "0-9-1 exchange.bound-ok", "0-9-1 channel.flow"})
    @BeyondRabbitMq("does not know channel.flow from a client")
    void shouldSendAndReceiveAllKindsOfMessages(Lab lab) throws Exception {
        String name = boundQueue(lab);
        Connection connection = QpidClient.connect(lab);
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        MessageConsumer consumer = session.createConsumer(queue(session, name));
        MessageProducer producer = session.createProducer(queue(session, name));
        TextMessage text = session.createTextMessage("Grüße");
        text.setStringProperty("string", "s");
        text.setIntProperty("int", 5);
        text.setLongProperty("long", 6_000_000_000L);
        text.setBooleanProperty("boolean", true);
        text.setDoubleProperty("double", 1.25);
        text.setJMSCorrelationID("correlation");
        text.setJMSType("type");
        producer.send(text);
        BytesMessage bytes = session.createBytesMessage();
        bytes.writeBytes(new byte[200_000]);
        producer.send(bytes, DeliveryMode.NON_PERSISTENT, 7, 0);
        MapMessage map = session.createMapMessage();
        map.setInt("one", 1);
        map.setString("two", "zwei");
        producer.send(map);
        producer.send(session.createMessage());
        TextMessage gotText = (TextMessage) consumer.receive(WAIT);
        assertThat(gotText.getText()).isEqualTo("Grüße");
        assertThat(gotText.getStringProperty("string")).isEqualTo("s");
        assertThat(gotText.getIntProperty("int")).isEqualTo(5);
        assertThat(gotText.getLongProperty("long")).isEqualTo(6_000_000_000L);
        assertThat(gotText.getBooleanProperty("boolean")).isTrue();
        assertThat(gotText.getDoubleProperty("double")).isEqualTo(1.25);
        assertThat(gotText.getJMSCorrelationID()).isEqualTo("correlation");
        assertThat(gotText.getJMSType()).isEqualTo("type");
        assertThat(gotText.getJMSDeliveryMode()).isEqualTo(DeliveryMode.PERSISTENT);
        assertThat(gotText.getJMSMessageID()).isEqualTo(text.getJMSMessageID()).startsWith("ID:");
        BytesMessage gotBytes = (BytesMessage) consumer.receive(WAIT);
        assertThat(gotBytes.getBodyLength()).isEqualTo(200_000);
        assertThat(gotBytes.getJMSPriority()).isEqualTo(7);
        assertThat(gotBytes.getJMSDeliveryMode()).isEqualTo(DeliveryMode.NON_PERSISTENT);
        MapMessage gotMap = (MapMessage) consumer.receive(WAIT);
        assertThat(gotMap.getInt("one")).isEqualTo(1);
        assertThat(gotMap.getString("two")).isEqualTo("zwei");
        assertThat(consumer.receive(WAIT)).isNotNull();
        assertThat(consumer.receiveNoWait()).isNull();
        session.close();
        assertThat(lab.depth(name)).isZero();
    }

    @Test
    @Spec("0-9-1 queue.declare")
    @BeyondRabbitMq("does not know channel.flow from a client")
    void shouldDeclareAndBindItsQueues(Lab lab) throws Exception {
        String name = lab.forget(lab.name("jms"));
        Connection connection = QpidClient.connect(lab);
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        Queue queue = queue(session, name);
        MessageConsumer consumer = session.createConsumer(queue);
        session.createProducer(queue).send(session.createTextMessage("m"));
        assertThat(text(consumer.receive(WAIT))).isEqualTo("m");
        assertThat(lab.queueExists(name)).isTrue();
    }

    @Test
    @Spec("0-9-1 tx.commit")
    @BeyondRabbitMq("does not know channel.flow from a client")
    void shouldCommitAndRollBack(Lab lab) throws Exception {
        String name = boundQueue(lab);
        Connection connection = QpidClient.connect(lab);
        Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
        MessageProducer producer = session.createProducer(queue(session, name));
        producer.send(session.createTextMessage("rolled back"));
        session.rollback();
        producer.send(session.createTextMessage("1"));
        producer.send(session.createTextMessage("2"));
        session.commit();
        MessageConsumer consumer = session.createConsumer(queue(session, name));
        assertThat(text(consumer.receive(WAIT))).isEqualTo("1");
        assertThat(text(consumer.receive(WAIT))).isEqualTo("2");
        session.rollback();
        Message again = consumer.receive(WAIT);
        assertThat(text(again)).isEqualTo("1");
        assertThat(again.getJMSRedelivered()).isTrue();
        session.commit();
        assertThat(text(consumer.receive(WAIT))).isEqualTo("2");
        session.commit();
        session.close();
        assertThat(lab.depth(name)).isZero();
    }

    @Test
    @Spec("0-9-1 basic.recover-sync")
    @BeyondRabbitMq("does not know channel.flow from a client")
    void shouldRecoverUnacknowledgedMessages(Lab lab) throws Exception {
        String name = boundQueue(lab);
        lab.send(name, new BasicProperties.Builder().contentType("text/plain").build(), "1");
        lab.send(name, new BasicProperties.Builder().contentType("text/plain").build(), "2");
        Connection connection = QpidClient.connect(lab);
        Session session = connection.createSession(false, Session.CLIENT_ACKNOWLEDGE);
        MessageConsumer consumer = session.createConsumer(queue(session, name));
        assertThat(text(consumer.receive(WAIT))).isEqualTo("1");
        session.recover();
        Message again = consumer.receive(WAIT);
        assertThat(text(again)).isEqualTo("1");
        assertThat(again.getJMSRedelivered()).isTrue();
        assertThat(text(consumer.receive(WAIT))).isEqualTo("2");
        again.acknowledge();
        session.close();
        assertThat(lab.depth(name)).isZero();
    }

    @Test
    @Spec("0-9-1 basic.deliver")
    @BeyondRabbitMq("does not know channel.flow from a client")
    void shouldServeAMessageListener(Lab lab) throws Exception {
        String name = boundQueue(lab);
        Connection connection = QpidClient.connect(lab, "maxprefetch='10'");
        Session consuming = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        BlockingQueue<Message> arrived = new LinkedBlockingQueue<>();
        consuming.createConsumer(queue(consuming, name)).setMessageListener(arrived::add);
        Session producing = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        MessageProducer producer = producing.createProducer(queue(producing, name));
        for (int i = 0; i < 100; i++) {
            producer.send(producing.createTextMessage(Integer.toString(i)));
        }
        for (int i = 0; i < 100; i++) {
            assertThat(text(arrived.poll(WAIT, TimeUnit.MILLISECONDS))).isEqualTo(Integer.toString(i));
        }
        consuming.close();
        assertThat(lab.depth(name)).isZero();
    }

    @Test
    @Spec("0-9-1 basic.qos")
    @BeyondRabbitMq("does not know channel.flow from a client")
    void shouldReceiveWithoutPrefetch(Lab lab) throws Exception {
        String name = boundQueue(lab);
        Connection connection = QpidClient.connect(lab, "maxprefetch='0'");
        Session session = connection.createSession(false, Session.CLIENT_ACKNOWLEDGE);
        MessageConsumer consumer = session.createConsumer(queue(session, name));
        lab.send(name, "1", "2");
        assertThat(consumer.receive(WAIT)).isNotNull();
        assertThat(consumer.receive(WAIT)).isNotNull();
        assertThat(consumer.receiveNoWait()).isNull();
    }

    @Test
    @Spec("0-9-1 queue.bind amq.topic")
    @BeyondRabbitMq("does not know channel.flow from a client")
    void shouldPublishToTopics(Lab lab) throws Exception {
        Connection connection = QpidClient.connect(lab);
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        String prefix = lab.name("topic");
        Topic exact = session.createTopic("BURL:topic://amq.topic/" + prefix + ".a/");
        Topic all = session.createTopic("BURL:topic://amq.topic/" + prefix + ".%23/");
        MessageConsumer one = session.createConsumer(exact);
        MessageConsumer two = session.createConsumer(exact);
        session.createProducer(exact).send(session.createTextMessage("1"));
        assertThat(text(one.receive(WAIT))).isEqualTo("1");
        assertThat(text(two.receive(WAIT))).isEqualTo("1");
        assertThat(all).isNotNull();
        one.close();
        session.createProducer(exact).send(session.createTextMessage("2"));
        assertThat(text(two.receive(WAIT))).isEqualTo("2");
    }

    @Test
    @Spec("0-9-1 queue.declare")
    @BeyondRabbitMq("does not know channel.flow from a client")
    void shouldKeepADurableSubscription(Lab lab) throws Exception {
        String id = lab.name("client");
        String subscription = lab.name("subscription");
        String topicName = lab.name("topic");
        lab.forget(id + ":" + subscription);
        Connection first = QpidClient.open(lab, id);
        first.start();
        Session session = first.createSession(false, Session.AUTO_ACKNOWLEDGE);
        Topic topic = session.createTopic("BURL:topic://amq.topic/" + topicName + "/");
        session.createDurableSubscriber(topic, subscription);
        first.close();
        lab.publish("amq.topic", topicName, "while away");
        Connection second = QpidClient.open(lab, id);
        second.start();
        Session again = second.createSession(false, Session.AUTO_ACKNOWLEDGE);
        MessageConsumer subscriber = again.createDurableSubscriber(topic, subscription);
        assertThat(subscriber.receive(WAIT)).isNotNull();
        assertThat(subscriber.receiveNoWait()).isNull();
        subscriber.close();
        again.unsubscribe(subscription);
        second.close();
        assertThat(lab.queueExists(id + ":" + subscription)).isFalse();
    }

    @Test
    @Spec("0-9-1 queue.declare exclusive")
    @BeyondRabbitMq("does not know channel.flow from a client")
    void shouldReplyToATemporaryQueue(Lab lab) throws Exception {
        String name = boundQueue(lab);
        Connection asking = QpidClient.connect(lab);
        Session session = asking.createSession(false, Session.AUTO_ACKNOWLEDGE);
        TemporaryQueue replies = session.createTemporaryQueue();
        MessageConsumer consumer = session.createConsumer(replies);
        TextMessage request = session.createTextMessage("question");
        request.setJMSReplyTo(replies);
        session.createProducer(queue(session, name)).send(request);
        Connection serving = QpidClient.connect(lab);
        Session other = serving.createSession(false, Session.AUTO_ACKNOWLEDGE);
        Message received = other.createConsumer(queue(other, name)).receive(WAIT);
        assertThat(text(received)).isEqualTo("question");
        other.createProducer(received.getJMSReplyTo()).send(other.createTextMessage("answer"));
        assertThat(text(consumer.receive(WAIT))).isEqualTo("answer");
        String temporary = replies.getQueueName();
        consumer.close();
        asking.close();
        assertThat(lab.queueExists(temporary)).isFalse();
    }

    @Test
    @Spec("RabbitMQ expiration absolute")
    @BeyondRabbitMq("takes the client's moment of expiry for a time to live of fifty years")
    void shouldUnderstandExpirationAsAMomentFromThisClient(Lab lab) throws Exception {
        String name = boundQueue(lab);
        Connection connection = QpidClient.connect(lab);
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        MessageProducer producer = session.createProducer(queue(session, name));
        producer.setTimeToLive(100);
        producer.send(session.createTextMessage("short"));
        producer.setTimeToLive(60_000);
        producer.send(session.createTextMessage("long"));
        await().atMost(Duration.ofSeconds(5)).until(() -> lab.depth(name) == 1);
        GetResponse left = lab.take(name).getFirst();
        assertThat(Lab.text(left)).isEqualTo("long");
        assertThat(Long.parseLong(left.getProps().getExpiration())).as("as the sender wrote it")
                .isGreaterThan(System.currentTimeMillis());
    }

    @Test
    @Spec("0-9-1 basic.consume arguments")
    @BeyondRabbitMq("does not know channel.flow from a client")
    void shouldBrowseOrSayClearlyThatItCannot(Lab lab) throws Exception {
        String name = boundQueue(lab);
        lab.send(name, "1", "2");
        Connection connection = QpidClient.connect(lab);
        BlockingQueue<JMSException> problems = QpidClient.problems(connection);
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        List<Message> seen = new ArrayList<>();
        try {
            QueueBrowser browser = session.createBrowser(queue(session, name));
            for (Enumeration<?> messages = browser.getEnumeration(); messages.hasMoreElements();) {
                seen.add((Message) messages.nextElement());
            }
            browser.close();
        } catch (JMSException refused) {
            problems.add(refused);
        }
        if (seen.isEmpty()) {
            JMSException problem = problems.poll(WAIT, TimeUnit.MILLISECONDS);
            assertThat(problem).isNotNull();
            assertThat(causes(problem)).contains("540", "brows");
        } else {
            assertThat(seen).hasSize(2);
        }
        connection.close();
        await().atMost(Duration.ofSeconds(5)).until(() -> lab.depth(name) == 2);
        assertThat(lab.drain(name)).containsExactly("1", "2");
    }

    @Test
    @Spec("0-9-1 basic.consume arguments")
    @BeyondRabbitMq("ignores the selector")
    void shouldHonourASelectorOrSayClearlyThatItCannot(Lab lab) throws Exception {
        String name = boundQueue(lab);
        Connection connection = QpidClient.connect(lab);
        BlockingQueue<JMSException> problems = QpidClient.problems(connection);
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        MessageProducer producer = session.createProducer(queue(session, name));
        TextMessage wrong = session.createTextMessage("wrong");
        wrong.setStringProperty("colour", "blue");
        producer.send(wrong);
        TextMessage right = session.createTextMessage("right");
        right.setStringProperty("colour", "red");
        producer.send(right);
        Message got = null;
        try {
            got = session.createConsumer(queue(session, name), "colour = 'red'").receive(WAIT);
        } catch (JMSException refused) {
            problems.add(refused);
        }
        if (got == null) {
            JMSException problem = problems.poll(WAIT, TimeUnit.MILLISECONDS);
            assertThat(problem).isNotNull();
            assertThat(causes(problem)).contains("540", "selector", "colour");
        } else {
            assertThat(text(got)).isEqualTo("right");
        }
    }

    private static String causes(Throwable problem) {
        StringBuilder all = new StringBuilder();
        for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
            all.append(cause).append('\n');
            if (cause instanceof JMSException jms && jms.getLinkedException() != null && cause.getCause() == null) {
                all.append(jms.getLinkedException());
            }
        }
        return all.toString();
    }

    @Test
    @Spec("0-9-1 basic.return")
    @BeyondRabbitMq("does not know channel.flow from a client")
    void shouldReportWhatReachesNoQueue(Lab lab) throws Exception {
        Connection connection = QpidClient.connect(lab);
        BlockingQueue<JMSException> problems = QpidClient.problems(connection);
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        String nowhere = lab.name("nowhere");
        Queue unbound = session.createQueue("BURL:direct://amq.direct/" + nowhere + "/" + nowhere);
        MessageProducer producer = session.createProducer(unbound);
        lab.channel().queueDelete(nowhere);
        producer.send(session.createTextMessage("m"));
        JMSException problem = problems.poll(WAIT, TimeUnit.MILLISECONDS);
        assertThat(problem).isNotNull();
        assertThat(causes(problem)).contains("312");
    }

    @Test
    @Spec("0-9-1 connection.start-ok")
    @BeyondRabbitMq("ends the stream without a word, for which the client waits half a minute")
    @Timeout(10)
    void shouldRefuseAWrongPassword(Lab lab) {
        String url =
                "amqp://guest:wrong@" + lab.broker().virtualHost() + "?brokerlist='tcp://" + lab.broker().host() + ":"
                        + lab.broker().port() + "?retries='0''";
        assertThatThrownBy(() -> new AMQConnection(url).close()).isInstanceOf(Exception.class);
    }

    /** RFC 7677: the client picks SCRAM-SHA-256 by itself where it is offered; here it may use nothing else. */
    @Test
    @BeyondRabbitMq("does not offer SCRAM")
    @Timeout(20)
    void shouldLogInByScram(Lab lab) throws Exception {
        Connection connection = new AMQConnection(scramUrl(lab, lab.broker().password()));
        lab.closing(connection::close);
        connection.start();
        assertThat(connection.createSession(false, Session.AUTO_ACKNOWLEDGE)).isNotNull();

        // Told of the refusal the client closes its own socket, now and then before its sender has written
        // connection.close-ok, and then throws what its sender met in place of the refusal.
        assertThatThrownBy(() -> new AMQConnection(scramUrl(lab, "wrong")).close())
                .isInstanceOf(QpidException.class)
                .satisfies(failure -> assertThat(causes(failure))
                        .containsAnyOf(
                                "Login was refused using authentication mechanism SCRAM-SHA-256",
                                "SenderException: java.net.SocketException: Socket closed"));
    }

    private static String scramUrl(Lab lab, String password) {
        return "amqp://" + lab.broker().user() + ":" + password + "@" + lab.broker().virtualHost()
                + "?brokerlist='tcp://"
                + lab.broker().host() + ":" + lab.broker().port() + "?sasl_mechs='SCRAM-SHA-256'&retries='0''";
    }
}
