package io.sluicemq.interop.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TemporaryTopic;
import jakarta.jms.Topic;
import jakarta.jms.TransactionRolledBackException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.jms.JmsConnection;
import org.apache.qpid.jms.JmsConnectionListener;
import org.apache.qpid.jms.message.JmsInboundMessageDispatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The same by AMQP 1.0, with Qpid JMS. */
class JmsPermissionsTest {

    @TempDir
    private static Path folder;

    private static SecuredBroker broker;
    private static Connection boss;

    private Connection ann;
    private Session session;
    private Queue queue;

    @BeforeAll
    static void start() throws Exception {
        broker = new SecuredBroker(folder);
        boss = broker.jms(SecuredBroker.BOSS);
        Session setup = boss.createSession();
        for (String name : List.of("q", "other")) {
            setup.createConsumer(setup.createQueue(name)).close();
        }
    }

    @AfterAll
    static void stop() throws Exception {
        boss.close();
        broker.close();
    }

    @BeforeEach
    void connect() throws Exception {
        broker.grant("", "", "");
        ann = broker.jms(SecuredBroker.ANN);
        session = ann.createSession();
        queue = session.createQueue("q");
    }

    @AfterEach
    void disconnect() throws Exception {
        ann.close();
    }

    @Test
    void shouldRefuseALinkAndLeaveItsSessionAlone() throws Exception {
        assertThatThrownBy(() -> session.createProducer(queue)).isInstanceOf(JMSSecurityException.class)
                .hasMessageContaining("write access to queue 'q' in vhost '/' refused for user 'ann'");
        assertThatThrownBy(() -> session.createConsumer(queue)).isInstanceOf(JMSSecurityException.class)
                .hasMessageContaining("read access to queue 'q'");
        assertThatThrownBy(() -> session.createBrowser(queue).getEnumeration())
                .isInstanceOf(JMSSecurityException.class);
        assertThatThrownBy(() -> session.createProducer(session.createTopic("news")))
                .isInstanceOf(JMSSecurityException.class);
        assertThatThrownBy(() -> session.createConsumer(session.createTopic("news")))
                .isInstanceOf(JMSSecurityException.class);
        broker.grant("", "q", "q");
        session.createProducer(queue).send(session.createMessage());
        assertThat(session.createConsumer(queue).receive(10_000)).isNotNull();
    }

    @Test
    void shouldNeedConfigureForAQueueThatIsMadeByItsUse() throws Exception {
        broker.grant("", "fresh", "fresh");
        Queue fresh = session.createQueue("fresh");
        assertThatThrownBy(() -> session.createProducer(fresh)).isInstanceOf(JMSSecurityException.class)
                .hasMessageContaining("configure access to queue 'fresh'");
        assertThatThrownBy(() -> session.createConsumer(fresh)).isInstanceOf(JMSSecurityException.class);
        broker.grant("fresh", "fresh", "");
        session.createProducer(fresh).send(session.createMessage());
    }

    @Test
    void shouldRejectAMessageOfTheAnonymousRelayAndNoOther() throws Exception {
        broker.grant("", "q", "q");
        MessageProducer relay = session.createProducer(null);
        assertThatThrownBy(() -> relay.send(session.createQueue("other"), session.createMessage()))
                .isInstanceOf(JMSSecurityException.class)
                .hasMessageContaining("write access to queue 'other'");
        relay.send(queue, session.createMessage());
        broker.grant("", "other", "q");
        assertThatThrownBy(() -> relay.send(queue, session.createMessage())).isInstanceOf(JMSSecurityException.class);
        relay.send(session.createQueue("other"), session.createMessage());
        session.createConsumer(queue).receive(10_000);
    }

    @Test
    void shouldRejectWhatIsSentAfterThePermissionWasTaken() throws Exception {
        broker.grant("", "q", "");
        MessageProducer producer = session.createProducer(queue);
        broker.grant("", "", "");
        assertThatThrownBy(() -> producer.send(session.createMessage())).isInstanceOf(JMSSecurityException.class);
        broker.grant("", "q", "q");
        producer.send(session.createMessage());
        session.createConsumer(queue).receive(10_000);
    }

    /** This client does not wait for the outcomes of what it sends in a transaction. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldNotCommitATransactionWithoutWhatIsRefused(boolean listens) throws Exception {
        broker.grant("", "other", "q other");
        BlockingQueue<Exception> problems = new LinkedBlockingQueue<>();
        ann.setExceptionListener(problems::add);
        Session transacted = ann.createSession(true, Session.SESSION_TRANSACTED);
        MessageProducer producer = transacted.createProducer(null);
        Queue other = session.createQueue("other");
        producer.send(other, transacted.createMessage());
        if (listens) {
            producer.send(queue, transacted.createMessage(), new CompletionListener() {
                @Override
                public void onCompletion(Message message) {
                    problems.add(new IllegalStateException("it is not refused"));
                }

                @Override
                public void onException(Message message, Exception exception) {
                    problems.add(exception);
                }
            });
        } else {
            producer.send(queue, transacted.createMessage());
        }
        assertThatThrownBy(transacted::commit).isInstanceOf(TransactionRolledBackException.class)
                .hasMessageContaining("write access to queue 'q' in vhost '/' refused for user 'ann'");
        assertThat(problems.poll(10, TimeUnit.SECONDS)).isInstanceOf(JMSSecurityException.class);
        assertThat(session.createConsumer(queue).receiveNoWait()).isNull();
        MessageConsumer ofOther = session.createConsumer(other);
        assertThat(ofOther.receiveNoWait()).isNull();
        producer.send(queue, transacted.createMessage());
        transacted.rollback();
        producer.send(other, transacted.createMessage());
        transacted.commit();
        assertThat(ofOther.receive(10_000)).isNotNull();
        assertThat(((JmsConnection) ann).isConnected()).isTrue();
    }

    @Test
    void shouldNeedReadOnTheTopicAloneForSubscriptions() throws Exception {
        ann.close();
        ann = broker.jms(SecuredBroker.ANN, SecuredBroker.PASSWORD, "?jms.clientID=app");
        session = ann.createSession();
        Topic topic = session.createTopic("news.eu");
        broker.grant("", "news.#", "news.#");
        MessageConsumer plain = session.createConsumer(topic);
        MessageConsumer shared = session.createSharedConsumer(topic, "shared");
        MessageConsumer durable = session.createDurableSubscriber(topic, "durable");
        session.createProducer(topic).send(session.createMessage());
        for (MessageConsumer each : List.of(plain, shared, durable)) {
            assertThat(each.receive(10_000)).isNotNull();
        }
        durable.close();
        session.unsubscribe("durable");
    }

    @Test
    void shouldNeedNothingForTemporaryQueuesAndTopicsOfTheConnectionsOwn() throws Exception {
        TemporaryQueue replies = session.createTemporaryQueue();
        MessageConsumer consumer = session.createConsumer(replies);
        TemporaryTopic topic = session.createTemporaryTopic();
        MessageConsumer subscriber = session.createConsumer(topic);
        Session others = boss.createSession();
        others.createProducer(null).send(replies, others.createMessage());
        others.createProducer(null).send(topic, others.createMessage());
        session.createProducer(null).send(replies, session.createMessage());
        assertThat(consumer.receive(10_000)).isNotNull();
        assertThat(consumer.receive(10_000)).isNotNull();
        assertThat(subscriber.receive(10_000)).isNotNull();
        consumer.close();
        subscriber.close();
        replies.delete();
        topic.delete();
    }

    @Test
    void shouldEndAConsumerWhoMayNotReadAnyMore() throws Exception {
        broker.grant("", "", "q");
        BlockingQueue<String> ended = new LinkedBlockingQueue<>();
        ((JmsConnection) ann).addConnectionListener(new EndsOfConsumers(ended));
        MessageConsumer consumer = session.createConsumer(queue);
        broker.grant("", "", "");
        assertThat(ended.poll(5, TimeUnit.SECONDS)).contains("read access to queue 'q'");
        assertThatThrownBy(() -> consumer.receive(10)).isInstanceOf(JMSException.class);
    }

    @Test
    void shouldCloseConnectionsOfAUserWhoMayNotBeThereAnyMore() {
        broker.users().revoke(SecuredBroker.ANN, "/", "the test");
        Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> !((JmsConnection) ann).isConnected());
    }

    // ---- who may come in at all

    @Test
    void shouldRefuseAWrongPasswordByEachMechanism() {
        for (String mechanism : List.of("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")) {
            String options = "?amqp.saslMechanisms=" + mechanism;
            assertThatThrownBy(() -> broker.jms(SecuredBroker.ANN, "wrong", options))
                    .as(mechanism).isInstanceOf(JMSSecurityException.class).hasMessageNotContaining("wrong password");
            assertThatThrownBy(() -> broker.jms("nobody", SecuredBroker.PASSWORD, options))
                    .as(mechanism).isInstanceOf(JMSSecurityException.class);
        }
    }

    @Test
    void shouldLetInWhoKnowsThePasswordByEachMechanism() throws Exception {
        for (String mechanism : List.of("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")) {
            broker.jms(SecuredBroker.ANN, SecuredBroker.PASSWORD, "?amqp.saslMechanisms=" + mechanism).close();
        }
    }

    @Test
    void shouldRefuseAVirtualHostThatTheUserMayNotEnter() {
        assertThatThrownBy(() -> broker.jms(SecuredBroker.ANN, SecuredBroker.PASSWORD, "?amqp.vhost=other"))
                .isInstanceOf(JMSException.class).hasMessageContaining("other");
    }

    /** Keeps why consumers were ended. */
    private record EndsOfConsumers(BlockingQueue<String> ended) implements JmsConnectionListener {

        @Override
        public void onConsumerClosed(MessageConsumer consumer, Throwable cause) {
            ended.add(String.valueOf(cause));
        }

        @Override
        public void onConnectionEstablished(URI uri) {}

        @Override
        public void onConnectionFailure(Throwable error) {}

        @Override
        public void onConnectionInterrupted(URI uri) {}

        @Override
        public void onConnectionRestored(URI uri) {}

        @Override
        public void onInboundMessage(JmsInboundMessageDispatch envelope) {}

        @Override
        public void onSessionClosed(Session session, Throwable cause) {}

        @Override
        public void onProducerClosed(MessageProducer producer, Throwable cause) {}
    }
}
