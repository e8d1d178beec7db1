package io.sluicemq.interop.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.sluicemq.api.users.UserChange;
import io.sluicemq.api.users.UserLimit;
import io.sluicemq.base.Quota;
import io.sluicemq.server.SluiceMQ;
import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TransactionRolledBackException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.client.Client;
import org.apache.qpid.protonj2.client.ConnectionOptions;
import org.apache.qpid.protonj2.client.Message;
import org.apache.qpid.protonj2.client.Sender;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How much users and virtual hosts may have open. */
class LimitsOfUsersTest {

    @TempDir
    private static Path folder;

    private static SecuredBroker broker;

    @BeforeAll
    static void start() {
        broker = new SecuredBroker(folder);
        broker.grant("#", "#", "#");
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private static void limit(UserLimit limit, long most) {
        broker.users().put(
                SecuredBroker.ANN, new UserChange(null, null, null, Map.of(limit, most)), "the test");
    }

    @AfterEach
    void unlimit() {
        for (UserLimit each : UserLimit.values()) {
            limit(each, Quota.UNLIMITED);
        }
    }

    private static void awaitNone() {
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> broker.broker.counters().connections() == 0);
    }

    @Test
    void shouldRefuseOneConnectionTooManyByEachProtocol() throws Exception {
        limit(UserLimit.CONNECTIONS, 1);
        try (Connection first = broker.rabbit(SecuredBroker.ANN)) {
            assertThatThrownBy(() -> broker.rabbit(SecuredBroker.ANN)).isInstanceOf(IOException.class)
                    .hasStackTraceContaining("connections limit (1) is reached: 'ann'");
            assertThatThrownBy(() -> broker.jms(SecuredBroker.ANN)).isInstanceOf(JMSException.class)
                    .hasMessageContaining("the limit of 1 connections of 'ann' is reached");
            broker.rabbit(SecuredBroker.BOSS).close();
            limit(UserLimit.CONNECTIONS, 2);
            broker.rabbit(SecuredBroker.ANN).close();
            assertThat(first.isOpen()).isTrue();
        }
        awaitNone();
        broker.jms(SecuredBroker.ANN).close();
        awaitNone();
    }

    @Test
    void shouldRefuseOneChannelTooManyOfAllConnectionsTogether() throws Exception {
        limit(UserLimit.CHANNELS, 2);
        Connection first = broker.rabbit(SecuredBroker.ANN);
        try (Connection second = broker.rabbit(SecuredBroker.ANN)) {
            first.createChannel();
            Channel other = second.createChannel();
            assertThatThrownBy(first::createChannel).isInstanceOf(IOException.class)
                    .hasStackTraceContaining("channels limit (2) is reached: 'ann'");
            other.close();
            second.createChannel().close();
        } finally {
            first.abort(1_000); // its client may or may not have noticed that it is closed
            awaitNone();
        }
    }

    // ---- how large messages may be

    @Test
    void shouldRefuseALargerMessageThanTheUserMaySendByEachProtocol() throws Exception {
        limit(UserLimit.MESSAGE_BYTES, 1_000);
        long refused = broker.broker.counters().refusedByUserLimit();
        try (Connection connection = broker.rabbit(SecuredBroker.ANN)) {
            Channel channel = connection.createChannel();
            channel.confirmSelect();
            channel.basicPublish("", "nobody's", null, new byte[1_000]);
            channel.waitForConfirmsOrDie(10_000);
            channel.basicPublish("", "nobody's", null, new byte[1_001]);
            assertThatThrownBy(() -> channel.waitForConfirmsOrDie(10_000)).hasStackTraceContaining(
                    "message size 1001 is larger than configured max size 1000");
            Channel another = connection.createChannel();
            another.confirmSelect();
            limit(UserLimit.MESSAGE_BYTES, 2_000);
            another.basicPublish("", "nobody's", null, new byte[1_001]);
            another.waitForConfirmsOrDie(10_000);
        }
        jakarta.jms.Connection jms = broker.jms(SecuredBroker.ANN);
        Session session = jms.createSession();
        Queue queue = session.createQueue("sizes");
        MessageProducer producer = session.createProducer(queue);
        producer.send(bytes(session, 1_000));
        assertThatThrownBy(() -> producer.send(bytes(session, 2_001))).isInstanceOf(JMSException.class)
                .hasMessageContaining("a message of more than 2000 bytes");
        assertThat(broker.broker.counters().refusedByUserLimit()).isEqualTo(refused + 2);
        try (Connection boss = broker.rabbit(SecuredBroker.BOSS)) {
            boss.createChannel().basicPublish("", "sizes", null, new byte[2_001]);
        }
        MessageConsumer consumer = session.createConsumer(queue);
        assertThat(consumer.receive(10_000)).isNotNull();
        assertThat(consumer.receive(10_000)).isNotNull();
        jms.close();
    }

    /** Its link ends, and the transaction knows. */
    @Test
    void shouldNotCommitATransactionWithoutAMessageThatIsTooLarge() throws Exception {
        limit(UserLimit.MESSAGE_BYTES, 1_000);
        jakarta.jms.Connection jms = broker.jms(SecuredBroker.ANN);
        Session session = jms.createSession(true, Session.SESSION_TRANSACTED);
        Queue queue = session.createQueue("sizes in transactions");
        session.createProducer(queue).send(bytes(session, 10));
        MessageProducer producer = session.createProducer(queue);
        try {
            producer.send(bytes(session, 2_001));
        } catch (JMSException e) {
            assertThat(e).as("what a client that waits would get").hasMessageContaining("more than 1000 bytes");
        }
        assertThatThrownBy(session::commit).isInstanceOf(TransactionRolledBackException.class)
                .hasMessageContaining("more than 1000 bytes");
        assertThat(jms.createSession().createConsumer(queue).receiveNoWait()).isNull();
        jms.close();
    }

    private static BytesMessage bytes(Session session, int size) throws JMSException {
        BytesMessage message = session.createBytesMessage();
        message.writeBytes(new byte[size]);
        return message;
    }

    @Test
    void shouldTellASenderHowLargeAMessageMayBe() throws Exception {
        limit(UserLimit.MESSAGE_BYTES, 12_345);
        Client client = Client.create();
        try (org.apache.qpid.protonj2.client.Connection connection = client.connect(
                "127.0.0.1", broker.broker.amqpPort(),
                new ConnectionOptions().user(SecuredBroker.ANN).password(SecuredBroker.PASSWORD))) {
            Sender sender = connection.openSender("sizes");
            sender.openFuture().get(10, TimeUnit.SECONDS);
            assertThatThrownBy(
                    () -> sender.send(Message.create(new byte[12_345])).awaitSettlement(10, TimeUnit.SECONDS))
                    .hasStackTraceContaining("12345");
        }
        client.close();
    }

    // ---- how many queues

    @Test
    void shouldRefuseOneQueueTooManyOfAUser() throws Exception {
        try (Connection connection = broker.rabbit(SecuredBroker.ANN);
                Connection boss = broker.rabbit(SecuredBroker.BOSS)) {
            limit(UserLimit.QUEUES, 0);
            Channel refused = connection.createChannel();
            assertThatThrownBy(() -> refused.queueDeclare("mine", true, false, false, null))
                    .hasStackTraceContaining("reply-code=406").hasStackTraceContaining("queues limit (0) is reached");
            jakarta.jms.Connection jms = broker.jms(SecuredBroker.ANN);
            Session session = jms.createSession();
            assertThatThrownBy(() -> session.createProducer(session.createQueue("mine")))
                    .isInstanceOf(JMSException.class).hasMessageContaining("the limit of 0 queues of 'ann' is reached");
            assertThatThrownBy(session::createTemporaryQueue).isInstanceOf(JMSException.class);
            boss.createChannel().queueDeclare("mine", true, false, false, null);
            connection.createChannel().queueDeclare("mine", true, false, false, null);
            boss.createChannel().queueDelete("mine");
            limit(UserLimit.QUEUES, 1);
            session.createTemporaryQueue();
            assertThatThrownBy(session::createTemporaryQueue).isInstanceOf(JMSException.class);
            jms.close();
            Awaitility.await().atMost(Duration.ofSeconds(10)).ignoreExceptions().untilAsserted(
                    () -> connection.createChannel().queueDeclare("mine", true, false, false, null));
            connection.createChannel().queueDelete("mine");
        }
    }

    @Test
    void shouldKeepAVirtualHostWithinItsLimits() throws Exception {
        Path config = folder.resolve("limits.yaml");
        Files.writeString(config,
                "virtual-host-limits: [{name: /, max-connections: 1, max-queues: 2, max-message-size: 1KB}]");
        try (SluiceMQ limited = SluiceMQ.builder().config(config).port(0).start()) {
            var factory = broker.rabbit("guest", "guest");
            factory.setPort(limited.amqpPort());
            try (Connection first = factory.newConnection()) {
                assertThatThrownBy(factory::newConnection).hasStackTraceContaining("connections limit (1) is reached");
                Channel channel = first.createChannel();
                channel.queueDeclare("a", false, false, false, null);
                channel.queueDeclare("b", false, false, false, null);
                channel.queueDeclare("b", false, false, false, null);
                assertThatThrownBy(() -> channel.queueDeclare("c", false, false, false, null))
                        .hasStackTraceContaining("reply-code=406")
                        .hasStackTraceContaining("queues limit (2) is reached");
                Channel another = first.createChannel();
                another.queueDelete("a");
                another.queueDeclare("c", false, false, false, null);
                Channel large = first.createChannel();
                large.confirmSelect();
                large.basicPublish("", "c", null, new byte[1_001]);
                assertThatThrownBy(() -> large.waitForConfirmsOrDie(10_000)).hasStackTraceContaining(
                        "message size 1001 is larger than configured max size 1000");

                Files.writeString(config, "virtual-host-limits: [{name: /, max-connections: 5}]");
                assertThat(limited.reload().applied()).containsExactly("virtual-host-limits");
                another.queueDeclare("d", false, false, false, null);
                factory.newConnection().close();
                assertThat(limited.counters().refusedByUserLimit()).isEqualTo(3);
            }
        }
    }
}
